"""A warehouse file as the loader leaves it: every declared raw table, filled by hand.

``Raw(path)`` makes all tables of the source's ``schema`` and ``ops``; ``add`` puts a row (and its
nested lists) in; nothing of the pipeline runs.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import duckdb

from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.schema.shapes import Table

SQL_TYPES = {
    "text": "varchar",
    "amount": "decimal(28, 4)",
    "number": "decimal(28, 4)",
    "flag": "boolean",
    "moment": "varchar",
}
TOP = dict.fromkeys("shop_id id _unreadable _dlt_id _dlt_load_id".split(), "varchar")
TOP |= dict.fromkeys(("_deleted_at", "_seen_at"), "timestamptz")
NESTED = dict.fromkeys(
    "shop_id parent_id _unreadable _dlt_id _dlt_parent_id _dlt_root_id".split(), "varchar"
) | {"_dlt_list_idx": "bigint"}


def raw_tables() -> Iterator[tuple[str, Table, bool]]:
    """Every raw table: its name, its shape, whether it is nested."""

    def nested(name: str, table: Table) -> Iterator[tuple[str, Table, bool]]:
        for child in table.children:
            yield f"{name}__{child.name}", child.table, True
            yield from nested(f"{name}__{child.name}", child.table)

    for name, endpoint in ENDPOINTS.items():
        yield name, endpoint.shape, False
        yield from nested(name, endpoint.shape)


class Raw:
    """A hand-made warehouse file; closed whenever no call is running."""

    def __init__(self, path: Path, **zones: str) -> None:
        self.path = path
        self._numbers = itertools.count(1)
        self._held: duckdb.DuckDBPyConnection | None = None
        with self.connect() as connection:
            connection.execute("create schema raw; create schema ops")
            for name, table, is_nested in raw_tables():
                columns = dict(NESTED if is_nested else TOP)
                columns |= {c: SQL_TYPES[k] for c, k in table.kinds.items()}
                body = ", ".join(f'"{c}" {t}' for c, t in columns.items())
                connection.execute(f'create table raw."{name}" ({body})')
            connection.execute(
                "create table ops.shops (shop_id varchar primary key, timezone varchar, "
                "currency varchar, closed_weekdays varchar, closed_days varchar, "
                "opening_hours varchar, sales_definition varchar, purchases_definition varchar)"
            )
            connection.execute(
                "create table ops.service_reports (shop_id varchar, report varchar, period date, "
                "total decimal(28, 4), fetched_at timestamptz)"
            )
        for shop, zone in (zones or {"main": "America/Guatemala"}).items():
            self.execute(
                "insert into ops.shops (shop_id, timezone, currency, closed_weekdays, "
                "opening_hours) values (?, ?, 'USD', 'sun', '09:00-18:00')",
                shop,
                zone,
            )

    @classmethod
    def at(cls, path: Path) -> Self:
        """A file that was made before, or a copy of one."""
        raw = cls.__new__(cls)
        raw.path, raw._held, raw._numbers = path, None, itertools.count(1_000_000)
        return raw

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A connection for a ``with`` block; inside :meth:`held`, a cursor of the one held."""
        connection = self._held.cursor() if self._held else duckdb.connect(str(self.path))
        connection.execute("set timezone = 'UTC'")
        return connection

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the file open over many calls: opening and closing it is what takes the time."""
        self._held = duckdb.connect(str(self.path))
        try:
            yield
        finally:
            self._held.close()
            self._held = None

    def execute(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return connection.execute(sql, list(values)).fetchall()

    def add(self, table: str, id: str, shop: str = "main", **values: Any) -> None:
        """Put one row in; a list value is a nested list of dicts, one for each child row."""
        with self.connect() as connection:
            row = {"shop_id": shop, "id": id, "_seen_at": "2026-01-01 00:00:00+00"}
            self._insert(connection, table, row | {"_dlt_load_id": "1"} | values, id)

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: str,
        values: dict[str, Any],
        parent: str,
        root: str = "",
    ) -> None:
        """One row, and below it those of its lists."""
        row = {"_dlt_id": f"d{next(self._numbers)}"} | values
        lists = {name: row.pop(name) for name in [*row] if isinstance(row[name], list)}
        columns, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" for _ in row)
        connection.execute(
            f'insert into raw."{table}" ({columns}) values ({marks})', [*row.values()]
        )
        above = {"shop_id": row["shop_id"], "parent_id": parent, "_dlt_parent_id": row["_dlt_id"]}
        above["_dlt_root_id"] = root or row["_dlt_id"]
        for name, rows in lists.items():
            for position, below in enumerate(rows):
                child = {**above, "_dlt_list_idx": position, **below}
                self._insert(connection, f"{table}__{name}", child, parent, above["_dlt_root_id"])

    def service_says(self, report: str, period: str, total: str, shop: str = "main") -> None:
        """The service's own figure for a period."""
        self.execute(
            "insert into ops.service_reports values (?, ?, ?, ?, now())",
            shop,
            report,
            period,
            total,
        )
