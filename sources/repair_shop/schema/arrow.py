"""Rows of the change log -> Arrow tables, one for the raw table and each of its nested lists.

::

    tables = tables_of("ticket_invoices", changes, "main", zone)
    tables["ticket_invoices"]           # shop_id, id, _seen_at, _seq, ..., declared columns, others
    tables["ticket_invoices__lines"]    # shop_id, parent_id, the links below, declared columns, ...

What a value becomes is :mod:`repair_shop.schema.clean`'s to say. Links of a nested row, all text
but the last: ``_dlt_id`` itself, ``_dlt_parent_id`` the row above, ``_dlt_root_id`` the row of the
top table, ``_dlt_list_idx`` its place. They are made of shop, list, id and place, so the same row
has the same links.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..ledger.records import Change
from ..schema.clean import Cleaner, says_deleted
from ..schema.endpoints import ENDPOINTS
from ..schema.memory import Memory
from ..schema.shapes import Kind, Table

_TIME = pa.timestamp("us", tz="UTC")
_TOP: Mapping[str, pa.DataType] = {
    "shop_id": pa.string(),
    "id": pa.string(),
    "_seq": pa.int64(),
    "_seen_at": _TIME,
    "_deleted_at": _TIME,
    "_unreadable": pa.string(),
    "_dlt_id": pa.string(),
}
_NESTED: Mapping[str, pa.DataType] = {
    "shop_id": pa.string(),
    "parent_id": pa.string(),
    "_unreadable": pa.string(),
    "_dlt_id": pa.string(),
    "_dlt_parent_id": pa.string(),
    "_dlt_root_id": pa.string(),
    "_dlt_list_idx": pa.int64(),
}
AMOUNT = pa.decimal128(28, 4)
TYPES: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "moment": pa.string(),
    "amount": AMOUNT,
    "number": AMOUNT,
    "flag": pa.bool_(),
}
"""Kind of a declared column -> its type in a table."""
Tables = dict[str, pa.Table]


def tables_of(
    table: str,
    changes: Iterable[Change],
    shop: str,
    zone: ZoneInfo,
    *,
    variant: Mapping[str, str] = MappingProxyType({}),
    memory: Memory | None = None,
) -> Tables:
    """Rows of one list of a shop, each once, as raw table or nested list -> Arrow.

    ``variant``: the columns that say which of several lists it is; ``memory``: what the list has
    shown so far, brought up to date. Each table has all its declared columns; a field nobody
    declared is a text column, there only if a row has a value for it.
    """
    shape = ENDPOINTS[table].shape
    cleaner = Cleaner(table, shop, zone, memory or Memory())
    prefix = ":".join((shop, *variant.values()))
    rows: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        row = change.content()
        # Some services keep what was deleted in its list, with a mark.
        is_marked = says_deleted(row) and not table.endswith("_deleted")
        own = {
            "shop_id": shop,
            "id": change.id,
            "_seq": change.seq,
            "_seen_at": change.seen_at,
            "_deleted_at": change.deleted_at or (change.seen_at if is_marked else None),
            "_dlt_id": f"{prefix}:{change.id}",
            **variant,
        }
        _place(rows, table, shape, cleaner.row(row, own))
    cleaner.end()
    return {
        name: _table(rows.get(name, []), declared, _TOP if name == table else _NESTED)
        for name, declared in [(table, shape), *_nested_lists(table, shape)]
    }


def _place(into: dict[str, list[dict[str, Any]]], name: str, table: Table, row: Any) -> None:
    """A row to those of its table, its nested lists with their links to those of theirs."""
    into.setdefault(name, []).append(row)
    for child in table.children:
        for place, item in enumerate(row.pop(child.name, ())):
            item |= {
                "_dlt_id": f"{row['_dlt_id']}:{place}",
                "_dlt_parent_id": row["_dlt_id"],
                "_dlt_root_id": row.get("_dlt_root_id", row["_dlt_id"]),
                "_dlt_list_idx": place,
            }
            _place(into, f"{name}__{child.name}", child.table, item)


def _table(
    rows: Sequence[Mapping[str, Any]], declared: Table, own: Mapping[str, pa.DataType]
) -> pa.Table:
    """A table of all declared columns, ours, and those that somebody said."""
    types = {name: TYPES[kind] for name, kind in declared.kinds.items()} | dict(own)
    others = sorted({name for row in rows for name in row} - types.keys())
    types |= dict.fromkeys(others, pa.string())
    return pa.table({name: _column(rows, name, kind) for name, kind in types.items()})


def _column(rows: Sequence[Mapping[str, Any]], name: str, kind: pa.DataType) -> pa.Array:
    values = [row.get(name) for row in rows]
    if kind == AMOUNT:
        # By way of text: ten times as fast as Arrow's own reading of Decimal.
        return pa.array([v if v is None else str(v) for v in values], pa.string()).cast(AMOUNT)
    return pa.array(values, kind)


def _nested_lists(name: str, table: Table) -> Iterator[tuple[str, Table]]:
    """The declared nested lists of a table, at any depth: name of their table, and shape."""
    for child in table.children:
        yield f"{name}__{child.name}", child.table
        yield from _nested_lists(f"{name}__{child.name}", child.table)


def empty_tables(table: str) -> Tables:
    """A raw table and its declared nested lists with all their declared columns and no row."""
    shape = ENDPOINTS[table].shape
    nested = _nested_lists(table, shape)
    return {table: _table((), shape, _TOP)} | {
        name: _table((), declared, _NESTED) for name, declared in nested
    }


EMPTY_LIST = pa.Table.from_batches([], pa.schema(list(_NESTED.items())))
"""A nested list nobody declared, without a row."""
