"""Pages of the ledger -> Arrow tables, one for each raw table and each nested list.

::

    tables = tables_of(ledger.waiting(400, shops), zones)
    tables["ticket_invoices"]           # shop_id, id, _seen_at, _seq, ..., declared columns, others
    tables["ticket_invoices__lines"]    # shop_id, parent_id, the links below, declared columns, ...

What a value becomes is :mod:`repair_shop.schema.clean`'s to say. A top table holds the newest
answer for each row (``_seq``) and its nested lists those of that answer alone, so both can be
merged as they are. Links of a nested row, all text but the last: ``_dlt_id`` itself,
``_dlt_parent_id`` the row above, ``_dlt_root_id`` the row of the top table, ``_dlt_list_idx``
its place. They are made of shop, list, id and place, so the same answer has the same links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from ..http.answers import detail_of, parse_json, rows_of
from ..ledger.records import StoredPage
from ..schema.clean import clean_row
from ..schema.columns import TABLES, Kind, Table

AMOUNT = pa.decimal128(28, 4)
TYPES: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "moment": pa.string(),
    "amount": AMOUNT,
    "number": AMOUNT,
    "flag": pa.bool_(),
}
"""Kind of a declared column -> its type in a table."""
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
Rows = list[dict[str, Any]]


def tables_of(pages: Iterable[StoredPage], zones: Mapping[str, ZoneInfo]) -> dict[str, pa.Table]:
    """What pages hold (oldest answer first), as raw table or nested list -> Arrow table.

    ``zones``: shop -> its time zone. Rows that are as they were when they were last answered are
    left out, but for those of a full read. A table that is named has all its declared columns; a
    field nobody declared is a text column, there only if a row has a value for it; a table without
    a row is not named, but the declared nested lists of one that has rows are. Raises
    :class:`~repair_shop.errors.BadAnswer` or ValueError for a page that holds no rows.
    """
    tops: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {}
    for page in pages:
        table = page.resource.partition(":")[0]
        variant = page.spec.get("variant", {})
        extra = {"_seen_at": page.answered_at, "_seq": page.seq, **variant}
        for row in rows_of_page(page):
            clean = clean_row(row, table, shop_id=page.shop, zone=zones[page.shop], extra=extra)
            clean["_dlt_id"] = ":".join((page.shop, *variant.values(), clean["id"]))
            tops.setdefault(table, {})[clean["_dlt_id"]] = clean
    found: dict[str, pa.Table] = {}
    for table, rows in tops.items():
        nested: dict[str, Rows] = {name: [] for name in _declared_nested(table, TABLES[table])}
        for row in rows.values():
            _take_nested(row, table, row["_dlt_id"], nested)
        found[table] = _table(list(rows.values()), _TOP, TABLES[table])
        for name, children in nested.items():
            found[name] = _table(children, _NESTED, _declared(name))
    return found


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


def _take_nested(row: dict[str, Any], name: str, root: str, into: dict[str, Rows]) -> None:
    """Move the nested lists of a cleaned row into tables of their own, with their links."""
    for field in [field for field, value in row.items() if isinstance(value, list)]:
        for place, child in enumerate(row.pop(field)):
            child |= {
                "_dlt_id": f"{row['_dlt_id']}:{place}",
                "_dlt_parent_id": row["_dlt_id"],
                "_dlt_root_id": root,
                "_dlt_list_idx": place,
            }
            into.setdefault(f"{name}__{field}", []).append(child)
            _take_nested(child, f"{name}__{field}", root, into)


def _table(rows: Rows, own: Mapping[str, pa.DataType], declared: Table) -> pa.Table:
    types = {name: TYPES[kind] for name, kind in declared.flat_columns().items()} | dict(own)
    others = {name for row in rows for name, value in row.items() if value is not None}
    for name in sorted(others - set(types)):
        types[name] = pa.string()
    columns = {
        name: pa.array([row.get(name) for row in rows], kind) for name, kind in types.items()
    }
    return pa.table(columns)


def _declared_nested(name: str, table: Table) -> Iterator[str]:
    for child in table.children:
        yield f"{name}__{child.name}"
        yield from _declared_nested(f"{name}__{child.name}", child.table)


def _declared(name: str) -> Table:
    """The shape of a nested list by its table's name; one without columns if nobody declared it."""
    top, *path = name.split("__")
    table = TABLES[top]
    for part in path:
        table = next((child.table for child in table.children if child.name == part), Table())
    return table


def empty_tables(table: str) -> dict[str, pa.Table]:
    """A raw table and its declared nested lists with all their declared columns and no row."""
    names = _declared_nested(table, TABLES[table])
    return {table: _table([], _TOP, TABLES[table])} | {
        name: _table([], _NESTED, _declared(name)) for name in names
    }
