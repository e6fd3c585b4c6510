"""Which request fields name another record, or a label, and whether those exist.

The service refuses an id that does not exist and a label that is no exact match (specification,
Errors), but only once it is asked. The published warehouse knows both as of the last sync, and the
queue knows what was pushed since. Without a warehouse, or where a list has no rows, nothing is
checked and the service has the word.
"""

import difflib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipelines.bodies.fields import Reference
from pipelines.outbox.change import Change, NewChange
from pipelines.outbox.store import Outbox
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published_here
from specification import BODIES


@dataclass(frozen=True)
class Target:
    """Where a value must be found: a raw table, its columns, and the kind of its rows."""

    table: str
    columns: tuple[str, ...] = ("id",)
    kind: str = ""
    is_list: bool = False


_NAMED_BY = {
    "statuses": ("label",),
    "issue_types": ("label",),
    "payment_methods": ("title",),
    "tickets": ("ticket_ref", "ticket_no"),
}
"""Lists whose records the service takes by another column than ``id``, too."""
_OTHERWISE = {
    ("customers", "group"): Target("groups", ("name",)),
    ("tickets", "customerId"): Target("customers", ("id", "name")),
    ("ticket_line", "productCode"): Target("products", ("code",)),
}
"""Body, field -> where it must be found, where that is said in words only."""


@functools.cache
def targets(body: str) -> dict[str, Target]:
    """Field of a body (``lines.productCode``: of each line) -> where its value must be found."""
    found: dict[str, Target] = {}
    for one in BODIES[body].fields.values() if body in BODIES else ():
        if one.of:
            found |= {f"{one.name}.{name}": target for name, target in targets(one.of).items()}
        elif (body, one.name) in _OTHERWISE:
            found[one.name] = _OTHERWISE[body, one.name]
        elif one.names:
            columns = ("id", *_NAMED_BY.get(one.names, ()))
            found[one.name] = Target(one.names, columns, one.kind, one.several == "comma")
    return found


def named_by(resource: str, field: str) -> tuple[str, ...]:
    """The columns by which a request field may name another record; none if it names none."""
    target = targets(resource).get(field)
    return target.columns if target else ()


def names(change: Change, resource: str, record_id: str) -> bool:
    """Whether a change names a record by its id."""
    named = ((target.table, value) for _, target, value in mentions(change))
    return (resource, record_id) in named


def mentions(change: NewChange | Change) -> Iterator[tuple[str, Target, str | Reference]]:
    """The records and labels that a change names: the field, where it is found, the value."""
    if change.record_id is not None:
        yield "id", Target(change.resource), change.record_id
    for field, target in targets(change.resource).items():
        outer, _, inner = field.partition(".")
        if outer not in change.body:
            continue
        value = change.body[outer]
        # A row with a fault may hold a text in place of its lines.
        found = [one.get(inner) for one in value if isinstance(one, dict)] if inner else [value]
        for one in found:
            several = one if isinstance(one, list) else [one]
            if target.is_list and isinstance(one, str):
                several = [part.strip() for part in one.split(",")]
            for single in several:
                if isinstance(single, str | int) and str(single).strip():
                    yield field, target, str(single)
                elif isinstance(single, dict):
                    yield field, target, single


_MANY = 12


def unknown(home: Path, outbox: Outbox, changes: Sequence[NewChange]) -> list[str]:
    """A fault for each id and label that neither the mirror nor the queue knows."""
    wanted: dict[tuple[str, Target], dict[str, list[str]]] = {}
    for change in changes:
        for field, target, value in mentions(change):
            if isinstance(value, str):
                values = wanted.setdefault((change.shop, target), {})
                values.setdefault(value, []).append(f"{change.at}{change.resource} {field}")
    faults: list[str] = []
    try:
        with published_here(home) as warehouse:
            for (shop, target), values in wanted.items():
                missing = _missing(warehouse, shop, target, list(values))
                # The mirror may not show yet what changes of the queue made.
                missing -= outbox.made(shop, target.table)
                for value in sorted(missing):
                    hint = _hint(warehouse, shop, target, value)
                    faults += [f"{field}: '{value}' {hint}" for field in values[value]]
    except (duckdb.Error, NothingPublished):
        # Being replaced or of another make: the service has the word then.
        return []
    return faults


def _missing(warehouse: Published, shop: str, target: Target, values: list[str]) -> set[str]:
    needed = ("shop_id", "_deleted_at", *(["type"] if target.kind else []))
    table, rows = f"raw.{target.table}", _rows(target)
    columns = [name for name in target.columns if warehouse.has(table, *needed, name)]
    if not columns or not warehouse.rows(f"select 1 from {rows} limit 1", {"shop": shop}):  # noqa: S608 - names are ours
        return set()
    found: set[str] = set()
    for column in columns:
        hits = warehouse.rows(
            f'select distinct cast("{column}" as varchar) as said from {rows}'  # noqa: S608 - names are ours
            f' and cast("{column}" as varchar) in (select unnest($values))',
            {"shop": shop, "values": values},
        )
        found |= {row["said"] for row in hits}
    return set(values) - found


def _rows(target: Target) -> str:
    kind = f" and type = '{target.kind}'" if target.kind else ""
    return f"raw.{target.table} where shop_id = $shop and _deleted_at is null{kind}"


def _hint(warehouse: Published, shop: str, target: Target, value: str) -> str:
    column = target.columns[-1]
    newer = "If it is newer than the last sync, sync first or add --no-check"
    if column == "id" or target.table in ("customers", "products", "tickets"):
        named = " or ".join(target.columns)
        return f"is no {named} among the {target.table} of the mirror. {newer}"
    labels = warehouse.rows(
        f'select distinct "{column}" as said from {_rows(target)}'  # noqa: S608 - names are ours
        f' and "{column}" is not null order by 1',
        {"shop": shop},
    )
    known = [str(row["said"]) for row in labels]
    close = difflib.get_close_matches(value, known, 1, 0.6)
    meant = f"; did you mean '{close[0]}'?" if close else "."
    shown = ", ".join(known[:_MANY]) + (" ..." if len(known) > _MANY else "")
    kind = f" of type '{target.kind}'" if target.kind else ""
    return (
        f"is no id or exact label of {target.table}{kind}{meant} The mirror has: {shown}. {newer}"
    )
