"""Pages of the ledger -> Arrow tables, one for each raw table and each nested list.

::

    tables = tables_of(ledger.stored_pages(seqs), zones)
    tables["ticket_invoices"]           # shop_id, id, _seen_at, _seq, ..., declared columns, others
    tables["ticket_invoices__lines"]    # shop_id, parent_id, the links below, declared columns, ...

What a value becomes is :mod:`repair_shop.schema.clean`'s to say. A top table holds the newest
answer for each row (``_seq``) and its nested lists those of that answer alone, so both can be
merged as they are. Links of a nested row, all text but the last: ``_dlt_id`` itself,
``_dlt_parent_id`` the row above, ``_dlt_root_id`` the row of the top table, ``_dlt_list_idx``
its place. They are made of shop, list, id and place, so the same answer has the same links.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..http.answers import detail_of, rows_of
from ..http.json_body import parse_json
from ..ledger.records import StoredPage
from ..schema.clean import Cleaner, made_up_id, row_id
from ..schema.endpoints import TABLES
from ..schema.memory import Memory
from ..schema.shapes import UNDECLARED, Kind, Table

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
_Said = tuple[Mapping[Any, Any], str, StoredPage]
"""A row, its id, and the page that said it."""


def tables_of(
    pages: Iterable[StoredPage],
    zones: Mapping[str, ZoneInfo],
    memory: Memory | None = None,
) -> Tables:
    """What pages of one list hold (oldest answer first), as raw table or nested list -> Arrow.

    ``zones``: shop -> its time zone; ``memory``: what the list has shown so far, brought up to
    date. Rows that are as they were when they were last answered are left out, but for those of a
    full read. A table that is named has all its declared columns; a field nobody declared is a text
    column, there only if a row has a value for it; a table without a row is not named, but the
    declared nested lists of one that has rows are. Raises
    :class:`~repair_shop.errors.BadAnswer` or ValueError for a page that holds no rows.
    """
    newest: dict[tuple[str, str], dict[str, _Said]] = {}
    with _without_collection():
        for page in pages:
            table = page.resource.partition(":")[0]
            prefix = ":".join((page.shop, *page.spec.get("variant", {}).values(), ""))
            known = newest.setdefault((table, page.shop), {})
            for row in rows_of_page(page):
                identity = row_id(row, table) or made_up_id(row)
                known[prefix + identity] = (row, identity, page)
        rows: dict[str, list[dict[str, Any]]] = {}
        for (table, shop), said in newest.items():
            cleaner = Cleaner(table, shop, zones[shop], memory or Memory())
            for key, (row, identity, page) in said.items():
                own = {
                    "shop_id": shop,
                    "id": identity,
                    "_seq": page.seq,
                    "_seen_at": page.answered_at,
                    "_deleted_at": None,
                    "_dlt_id": key,
                    **page.spec.get("variant", {}),
                }
                _place(rows, table, TABLES[table], cleaner.row(row, own))
            cleaner.end()
        tops = [table for table, _ in newest if rows.get(table)]
        return {
            name: _table(rows.get(name, []), declared, _TOP if name in tops else _NESTED)
            for top in dict.fromkeys(tops)
            for name, declared in [(top, TABLES[top]), *_nested_lists(top, TABLES[top])]
        }


@contextmanager
def _without_collection() -> Iterator[None]:
    """Rows hold no cycles, and Python looks for some each time a few hundred were parsed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    types = {name: TYPES[kind] for name, kind in declared.flat_columns().items()} | dict(own)
    others = sorted({name for row in rows for name in row} - types.keys())
    types |= dict.fromkeys(others, pa.string())
    return pa.table({name: _column(rows, name, kind) for name, kind in types.items()})


def _column(rows: Sequence[Mapping[str, Any]], name: str, kind: pa.DataType) -> pa.Array:
    values = [row.get(name) for row in rows]
    if kind == AMOUNT:
        # By way of text: ten times as fast as Arrow's own reading of Decimal.
        return pa.array([v if v is None else str(v) for v in values], pa.string()).cast(AMOUNT)
    return pa.array(values, kind)


def rows_of_page(page: StoredPage) -> Sequence[Mapping[str, Any]]:
    """The rows of a page that a load needs, as the service said them."""
    payload = parse_json(page.body)
    path = page.request.partition("?")[0]
    if page.spec.get("detail") or "?" not in page.request:
        rows = [detail_of(payload, path)]
    else:
        rows = rows_of(payload, path)
    if page.kind != "full" and len(page.fresh) == len(rows):
        return [row for row, fresh in zip(rows, page.fresh, strict=True) if fresh]
    return rows


def _nested_lists(name: str, table: Table) -> Iterator[tuple[str, Table]]:
    """The declared nested lists of a table, at any depth: name of their table, and shape."""
    for child in table.children:
        yield f"{name}__{child.name}", child.table
        yield from _nested_lists(f"{name}__{child.name}", child.table)


def empty_tables(table: str) -> Tables:
    """A raw table and its declared nested lists with all their declared columns and no row."""
    nested = _nested_lists(table, TABLES[table])
    return {table: _table((), TABLES[table], _TOP)} | {
        name: _table((), declared, _NESTED) for name, declared in nested
    }


EMPTY_LIST = _table((), UNDECLARED, _NESTED)
"""A nested list nobody declared, without a row."""
