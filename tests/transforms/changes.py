"""Random nights of a shop, as loads leave them in ``raw``: ``Nights(raw, seed).night(60)``.

Few ids, codes and numbers, so that what is edited, moved, deleted or brought back is often what
something else names: a payment shown by two documents and a ticket, a return named by a payment, a
code of several products. Each night's rows come with a load of their own.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb

from pipelines.transform import models, runner
from pipelines.transform.compiled import Node
from pipelines.transform.incremental import DIFFERS
from pipelines.transform.models import build, statements
from tests.transforms.raw import Raw, raw_tables

NESTED = {name for name, _, nested in raw_tables() if nested}


_STATUSES = ("Collected", "In repair", "Cancelled")
_COUNTED = ("document", "ticket", "due", "settled", "payment")
"""Days on which a sale may count; one of the two shops has another definition at each seed."""


class Nights:
    """Changes of one home with two shops."""

    def __init__(self, raw: Raw, seed: int) -> None:
        self._raw, self._random, self._load = raw, random.Random(seed), 0
        self._kinds: dict[str, Callable[[], dict[str, Any]]] = {
            "ticket_invoices": self._invoice,
            "pos_orders": self._document,
            "tickets": self._ticket,
            "payments": self._payment,
            "products": self._product,
            "customers": lambda: {"name": self._of("name", 5)},
            "tax_rates": lambda: {"name": self._of("rate", 3), "value": self._pick(5, 12, 20)},
            "ticket_comments": lambda: {"ticket__id": self._of("t", 8), **self._made()},
            "ticket_timers": lambda: {
                "ticket__id": self._of("t", 8),
                "start_date": self._moment(),
                "end_date": self._moment(),
            },
        }

        counted = json.dumps({"date_basis": _COUNTED[seed % len(_COUNTED)]})
        raw.execute("update ops.shops set sales_definition = ? where shop_id = 'other'", counted)
        for shop in ("main", "other"):
            for status in _STATUSES:  # one that is new makes the build a whole one
                raw.add("statuses", status, shop, label=status)

    def night(self, changes: int) -> None:
        """Rows that come with the next load."""
        self._load += 1
        with self._raw.held():
            for _ in range(changes):
                weights = [8, 5, 6, 6, 2, 1, 1, 2, 2]
                (table,) = self._random.choices([*self._kinds], weights)
                self._change(table)

    def _change(self, table: str) -> None:
        shop, key = self._pick("main", "main", "other"), self._of(table[0], 8)
        for name in [table, *(nested for nested in NESTED if nested.startswith(f"{table}__"))]:
            column = "parent_id" if name in NESTED else "id"
            self._raw.execute(
                f'delete from raw."{name}" where shop_id = ? and {column} = ?', shop, key
            )
        values = self._kinds[table]()
        seen = f"2026-07-{self._load:02d} 0{self._random.randrange(3)}:00:00+00"
        if self._random.random() < 0.2:
            values["_deleted_at"] = f"2026-07-{self._load:02d} 01:00:00+00"
        self._raw.add(table, key, shop, _seen_at=seen, _dlt_load_id=str(self._load), **values)

    # -- values ---------------------------------------------------------------------------------

    def _pick(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _of(self, letter: str, count: int) -> str:
        return f"{letter}{self._random.randrange(count)}"

    def _maybe(self, value: Any) -> Any:
        return self._pick(None, value, value, value)

    def _some(self, make: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
        return [make() for _ in range(self._pick(0, 1, 1, 2, 3))]

    def _amount(self) -> Any:
        return self._maybe(self._pick(1, 2, 5, 11.2, 20, 33.33))

    def _moment(self) -> str:
        day = self._random.randrange(1, 28)
        return str(
            self._pick(
                f"2026-06-{day:02d}T23:30:00-06:00",
                f"2026-05-{day:02d}T10:00:00",
                f"2026-06-{day:02d}",
                "soon",
            )
        )

    def _made(self) -> dict[str, Any]:
        return {"created_date": self._moment(), "last_updated": self._moment()}

    def _paid(self) -> dict[str, Any]:
        return {
            "id": self._maybe(self._of("p", 8)),
            "amount": self._amount(),
            "date": self._moment(),
            "is_advance": self._maybe(self._pick(True, False)),
        }

    def _line(self) -> dict[str, Any]:
        return {
            "product_code": self._maybe(self._of("code", 5)),
            "quantity": self._pick(1, 2, None),
            "unit_price": self._amount(),
            "tax": self._pick(None, 0, 1.2),
            "total": self._amount(),
            "cost": self._pick(None, None, 3),
        }

    def _returned(self) -> dict[str, Any]:
        return {
            "id": self._maybe(self._of("r", 4)),
            "amount": self._amount(),
            "created_date": self._moment(),
            "lines": self._some(self._line),
        }

    def _document(self) -> dict[str, Any]:
        return {
            "number": self._of("N", 50),
            "status": self._pick("Paid", "Due", None),
            "amount_total": self._amount(),
            "tax_total": self._pick(None, 0, 1.2),
            "due_date": self._maybe(self._moment()),
            "customer__id": self._maybe(self._of("c", 8)),
            "lines": self._some(self._line),
            "payments": self._some(self._paid),
            "returns": self._some(self._returned),
            **self._made(),
        }

    def _invoice(self) -> dict[str, Any]:
        return {**self._document(), "ticket__id": self._maybe(self._of("t", 8))}

    def _ticket(self) -> dict[str, Any]:
        status = self._pick(*_STATUSES)
        return {
            "status__id": status,
            "status__label": status,
            "device": self._pick("A|2020", "B"),
            "customer__id": self._maybe(self._of("c", 30)),
            "lines": self._some(self._line),
            "payments": self._some(self._paid),
            **self._made(),
        }

    def _payment(self) -> dict[str, Any]:
        listed = {
            "kind": self._pick(None, "return", "payment"),
            "invoice__id": self._pick(None, self._of("t", 8)),
            "pos__id": self._pick(None, None, self._of("p", 8)),
            "return__id": self._pick(None, self._of("r", 4)),
        }
        return {**{name: value for name, value in self._paid().items() if name != "id"}, **listed}

    def _product(self) -> dict[str, Any]:
        return {
            "code": self._maybe(self._of("code", 5)),
            "name": self._of("name", 3),
            "type": self._pick("Service", "Product", None),
            "prices__cost_price": self._amount(),
        }


@contextmanager
def kept_alone() -> Iterator[None]:
    """Builds of the tables that are kept and what they are made of, without all others: cheaper."""

    def chosen(database: Path, *, home: Path) -> list[Node]:
        nodes = statements(database, home=home)
        wanted = {node.name for node in nodes if node.changed and node.kind != "test"}
        for node in reversed(nodes):
            if node.name in wanted:
                made_of = f"{node.sql} {node.later} {node.changed}"
                wanted |= {
                    above.name for above in nodes if f'"{above.schema}"."{above.table}"' in made_of
                }
        return [node for node in nodes if node.name in wanted]

    with patch.object(models, "statements", chosen):
        yield


@contextmanager
def in_days(days: int) -> Iterator[None]:
    """Builds of one moment, in so many days."""

    class Now(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Now:
            return cls.fromisoformat(moment.isoformat()).astimezone(tz)

    moment = datetime.now(UTC) + timedelta(days=days)
    with patch.object(models, "datetime", Now):
        yield


def built_whole(path: Path, home: Path) -> Path:
    """A copy of a file, with everything built as in a large one, two statements at a time."""
    whole = path.with_name("whole.duckdb")
    shutil.copyfile(path, whole)
    with duckdb.connect(str(whole)) as connection:
        connection.execute("delete from ops.meta where name = 'built_of'")
    with patch.object(runner, "ABREAST", 0):
        build(whole, home=home, shops=[])
    return whole


def differences(path: Path, home: Path, days: int = 0) -> list[str]:
    """Build what changed in a file, and everything in a copy of it, at the same moment in so many
    days; the relations that differ. Raises :class:`AssertionError` when the former was not narrow.
    """
    with in_days(days):
        whole = built_whole(path, home)
        narrow = build(path, home=home, shops=[])
    assert DIFFERS not in narrow.findings
    with duckdb.connect(str(path)) as connection:
        changed = connection.execute("from intermediate.int_changed_records limit 1").fetchall()
    assert changed, "the build was a whole one"
    return differing(path, whole)


def differing(path: Path, whole: Path) -> list[str]:
    """Relations of a file built of what changed that are otherwise in the one built whole."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"attach '{whole}' as whole (read_only)")
        return [
            f"{schema}.{table}"
            for schema, table in connection.execute(
                "select schema_name, table_name from duckdb_tables() "
                "where database_name = 'whole' and (schema_name in ('marts', 'history', "
                "'intermediate') or table_name = 'unreadable') "
                "and table_name not similar to 'int_(changed_.*|.*_before)'"
            ).fetchall()
            if connection.execute(
                f"(from {schema}.{table} except all from whole.{schema}.{table}) union all "
                f"(from whole.{schema}.{table} except all from {schema}.{table}) limit 1"
            ).fetchall()
        ]
