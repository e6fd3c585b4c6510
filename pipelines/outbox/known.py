"""Ids and labels of a change against the mirror: what does not exist is refused before it is sent.

The service refuses an id that does not exist and a label that is no exact match (specification,
Errors), but only once it is asked. The published warehouse knows both as of the last sync, and the
queue knows what was pushed since. Without a warehouse, or where a list has no rows, nothing is
checked and the service has the word; ``check=False`` (``--no-check``) leaves it the word as well.
"""

import difflib
from collections.abc import Sequence
from pathlib import Path

import duckdb

from pipelines.outbox.change import NewChange
from pipelines.outbox.refers import Target, mentions
from pipelines.outbox.store import Outbox
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published_here

_MANY = 12


def unknown(home: Path, outbox: Outbox, changes: Sequence[NewChange]) -> list[str]:
    """A fault for each id and label that neither the mirror nor the queue knows."""
    wanted: dict[tuple[str, Target], dict[str, list[tuple[str, str]]]] = {}
    for change in changes:
        for field, target, value in mentions(change.resource, change.record_id, change.body):
            values = wanted.setdefault((change.shop, target), {})
            values.setdefault(value, []).append((change.where, f"{change.resource} {field}"))
    faults: list[str] = []
    try:
        with published_here(home) as warehouse:
            for (shop, target), values in wanted.items():
                missing = _missing(warehouse, shop, target, list(values))
                # The mirror may not show yet what changes of the queue made.
                missing -= outbox.created_ids(shop, target.table)
                for value in sorted(missing):
                    hint = _hint(warehouse, shop, target, value)
                    for where, field in values[value]:
                        at = f"{where}: " if where else ""
                        faults.append(f"{at}{field}: '{value}' {hint}")
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
    kind = f" of type '{target.kind}'" if target.kind else ""
    if column == "id" or target.table in ("customers", "products", "tickets"):
        return (
            f"is not among the {target.table} of the mirror. If it is newer than the last sync, "
            "sync first or add --no-check"
        )
    labels = warehouse.rows(
        f'select distinct "{column}" as said from {_rows(target)}'  # noqa: S608 - names are ours
        f' and "{column}" is not null order by 1',
        {"shop": shop},
    )
    known = [str(row["said"]) for row in labels]
    close = difflib.get_close_matches(value, known, 1, 0.6)
    meant = f"; did you mean '{close[0]}'?" if close else "."
    shown = ", ".join(known[:_MANY]) + (" ..." if len(known) > _MANY else "")
    return (
        f"is no id or exact label of {target.table}{kind}{meant} The mirror has: {shown}. If it "
        "is newer than the last sync, sync first or add --no-check"
    )
