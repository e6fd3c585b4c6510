"""What a change is based on: the values its author saw, so that a later edit is not overwritten.

Either the author says it (``based_on``: request fields and their values), or it is read from the
published warehouse at the moment of queueing, which is what people look at. Fields that we pushed
ourselves since the warehouse read the record have what we sent as their basis: our own change is
nobody's edit. A field without a basis cannot conflict.
"""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from pipelines.outbox.change import Fields, State
from pipelines.outbox.compare import columns_of, picture, retains, same
from pipelines.outbox.store import NewChange, Outbox
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published_here

_VOLATILE = {"stock", "remaining", "quantity", "last_seen"}


def from_warehouse(
    home: Path, shop: str, resource: str, wanted: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """Record id -> ``{"seen": {field: {column: text}}, "seen_at": ...}`` for the wanted fields of
    records; ``seen_at`` is when the mirror read it, in seconds since 1970.

    Empty where there is no warehouse yet or the record is not in it: nobody can have looked.
    """
    if not wanted:
        return {}
    try:
        with published_here(home) as warehouse:
            if not warehouse.has(f"raw.{resource}"):
                return {}
            # The table's name is one of ours (BODIES), never a user's text.
            table = f"raw.{resource} where shop_id = $shop"
            values = {"shop": shop, "ids": list(wanted)}
            rows = warehouse.rows(f"select * from {table} and id in (select unnest($ids))", values)  # noqa: S608 - see above
            served = _served(warehouse, table, values, rows[0]) if rows else set()
    except (duckdb.Error, NothingPublished):
        # Being replaced or of another make: no basis then, and so no false conflict.
        return {}
    return {
        str(row["id"]): {
            "seen": _pictures(resource, wanted[str(row["id"])], row, served),
            "seen_at": row["_seen_at"].timestamp() if row.get("_seen_at") else time.time(),
        }
        for row in rows
    }


def over_own(outbox: Outbox, change: NewChange, seen: Fields, seen_at: float) -> dict[str, Any]:
    """The basis ``seen`` in the warehouse, moved on by what we pushed after it read the record."""
    values: dict[str, Any] = {}
    pushed = outbox.of_record(
        change, op="update", states=[State.DONE], leads=True, pushed_after=seen_at
    )
    for ours in pushed:
        sent = ours.sent_body or {}
        values |= {name: value for name, value in sent.items() if name in seen}
    return {"values": values, "seen": {k: shown for k, shown in seen.items() if k not in values}}


def _served(warehouse: Published, table: str, values: Fields, names: Iterable[str]) -> set[str]:
    """Columns that hold a value in any row: in those, null means empty, not "never shown"."""
    tests = (f'count("{name}") > 0 as "{name}"' for name in names if not name.startswith("_"))
    found = warehouse.row(f"select {', '.join(tests)} from {table}", values)  # noqa: S608 - names of the table's own columns
    return {name for name, shown in found.items() if shown}


def _pictures(
    resource: str, fields: Iterable[str], row: Fields, served: set[str]
) -> dict[str, dict[str, str]]:
    found = {}
    for name in fields:
        empty = {column: "" for column in columns_of(resource, name) if column in served}
        if seen := picture(resource, name, row) or empty:
            found[name] = seen
    return found


def moved(resource: str, base: Fields, row: Fields, zone: ZoneInfo) -> dict[str, dict[str, str]]:
    """Fields that moved away from the basis at the service: field -> ``base`` and ``theirs``."""
    found: dict[str, dict[str, str]] = {}
    for name, value in base.get("values", {}).items():
        if retains(resource, name, value, row, zone) is False:
            theirs = ", ".join(dict.fromkeys(picture(resource, name, row).values()))
            found[name] = {"base": str(value), "theirs": theirs}
    for name, seen in base.get("seen", {}).items():
        if name in found or name in base.get("values", {}):
            continue
        now = picture(resource, name, row)
        common = (seen.keys() & now.keys()) or seen.keys() | now.keys()
        for column in sorted(common):
            before, after = seen.get(column, ""), now.get(column, "")
            if column not in _VOLATILE and not same(before, after, zone):
                found[name] = {"base": before, "theirs": after}
                break
    return found
