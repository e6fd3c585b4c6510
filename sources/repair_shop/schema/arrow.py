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
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from ..http.answers import detail_of, rows_of
from ..http.json_body import parse_json
from ..ledger.records import StoredPage
from ..schema.clean import DEEPEST, as_row, as_rows, made_up_id, noted_text, row_id
from ..schema.columnwise import take_apart
from ..schema.endpoints import TABLES
from ..schema.shapes import UNDECLARED, Table
from ..schema.typed import TYPES, typed
from ..schema.values import to_text

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
Row = Mapping[Any, Any]
Tables = dict[str, pa.Table]
_Said = tuple[Row, str, bool, StoredPage]
"""A row, its id, whether that id is made up, and the page that said it."""


def tables_of(pages: Iterable[StoredPage], zones: Mapping[str, ZoneInfo]) -> Tables:
    """What pages hold (oldest answer first), as raw table or nested list -> Arrow table.

    ``zones``: shop -> its time zone. Rows that are as they were when they were last answered are
    left out, but for those of a full read. A table that is named has all its declared columns; a
    field nobody declared is a text column, there only if a row has a value for it; a table without
    a row is not named, but the declared nested lists of one that has rows are. Raises
    :class:`~repair_shop.errors.BadAnswer` or ValueError for a page that holds no rows.
    """
    newest: dict[tuple[str, str], dict[str, _Said]] = {}
    with _without_collection():
        for page in pages:
            table = page.resource.partition(":")[0]
            variant = page.spec.get("variant", {})
            prefix = ":".join((page.shop, *variant.values(), ""))
            known = newest.setdefault((table, page.shop), {})
            for row in rows_of_page(page):
                said_id = row_id(row, table)
                identity = said_id or made_up_id(row)
                known[prefix + identity] = (row, identity, said_id is None, page)
        parts: dict[str, list[pa.Table]] = {}
        for (table, shop), rows in newest.items():
            if rows:
                for name, part in _of_shop(table, shop, rows, zones[shop]).items():
                    parts.setdefault(name, []).append(part)
    return {
        name: found[0] if len(found) == 1 else pa.concat_tables(found, promote_options="default")
        for name, found in parts.items()
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


def _of_shop(table: str, shop: str, rows: Mapping[str, _Said], zone: ZoneInfo) -> Tables:
    said, identities, nameless, pages = zip(*rows.values(), strict=True)
    noted = {n: {"id": "(the service gave none)"} for n, none in enumerate(nameless) if none}
    own = {
        "shop_id": pa.array([shop] * len(said), pa.string()),
        "id": pa.array(identities, pa.string()),
        "_seq": pa.array([page.seq for page in pages], pa.int64()),
        "_seen_at": pa.array([page.answered_at for page in pages], _TIME),
        "_deleted_at": pa.nulls(len(said), _TIME),
        "_dlt_id": pa.array(rows, pa.string()),
    }
    for name in {name for page in pages for name in page.spec.get("variant", {})}:
        values = [page.spec.get("variant", {}).get(name) for page in pages]
        own[name] = pa.array(values, pa.string())
    found: Tables = {}
    _Level(table, TABLES[table], said, own, noted).become(found, zone, DEEPEST)
    for name, declared in _nested_lists(table, TABLES[table]):
        if name not in found:
            found[name] = _table({}, {}, _NESTED, declared)
    return found


@dataclass
class _Level:
    """Rows of one table or nested list, with our own columns for them."""

    name: str
    declared: Table
    rows: Sequence[Row]
    own: Mapping[str, pa.Array]
    noted: Mapping[int, Mapping[str, str]]

    def become(self, found: Tables, zone: ZoneInfo, lists_left: int) -> None:
        """Put the table into ``found``, and those of the nested lists."""
        shape = self.declared.shape
        apart = take_apart(self.rows, shape, lists_left)
        order = pa.array(apart.order, pa.int32())
        own = {name: values.take(order) for name, values in self.own.items()}
        words = {place: dict(beyond) for place, beyond in apart.beyond.items()}
        arrays: dict[str, pa.Array] = {}
        for name, values in apart.flat.items():
            array, unread = typed(name, shape.kinds.get(name, "text"), values, zone)
            for place, text in unread.items():
                words.setdefault(place, {})[name] = text
            if name in own:
                _note_others(name, array, own[name], words)
            elif name in shape.kinds or array.null_count < len(array):
                arrays[name] = array
        for place, row in enumerate(apart.order if self.noted else ()):
            if row in self.noted:
                words[place] = dict(self.noted[row]) | words.get(place, {})
        own["_unreadable"] = _noted(words, len(apart.order))
        types = _NESTED if "parent_id" in own else _TOP
        found[self.name] = _table(arrays, own, types, self.declared)
        for name, lists in apart.nested.items():
            child = self._nested(name, shape.child(name), lists, own)
            if child.rows:
                child.become(found, zone, lists_left - 1)

    def _nested(
        self,
        name: str,
        declared: Table,
        lists: Sequence[tuple[int, Any]],
        own: Mapping[str, pa.Array],
    ) -> "_Level":
        rows: list[Row] = []
        above: list[int] = []
        places: list[int] = []
        for place, value in lists:
            items = as_rows(value)
            rows.extend(map(as_row, items))
            above.extend([place] * len(items))
            places.extend(range(len(items)))
        parents = pa.array(above, pa.int32())
        indices = pa.array(places, pa.int64())
        identities = own["parent_id" if "parent_id" in own else "id"]
        ids = own["_dlt_id"].take(parents)
        links = {
            "shop_id": own["shop_id"].take(parents),
            "parent_id": identities.take(parents),
            "_dlt_id": pc.binary_join_element_wise(ids, indices.cast(pa.string()), ":"),
            "_dlt_parent_id": ids,
            "_dlt_root_id": own.get("_dlt_root_id", own["_dlt_id"]).take(parents),
            "_dlt_list_idx": indices,
        }
        return _Level(f"{self.name}__{name}", declared, rows, links, {})


def _note_others(
    name: str, array: pa.Array, own: pa.Array, words: dict[int, dict[str, str]]
) -> None:
    """Note what rows say under the name of a column of ours, where it is something else."""
    if array.equals(own):
        return
    for place, (said, ours) in enumerate(zip(array.to_pylist(), own.to_pylist(), strict=True)):
        if said is not None and to_text(said).strip() != to_text(ours):
            words.setdefault(place, {})[name] = to_text(said)


def _noted(words: Mapping[int, Mapping[str, str]], count: int) -> pa.Array:
    if not words:
        return pa.nulls(count, pa.string())
    return pa.array([noted_text(words.get(n, {})) for n in range(count)], pa.string())


def _table(
    arrays: Mapping[str, pa.Array],
    own: Mapping[str, pa.Array],
    types: Mapping[str, pa.DataType],
    declared: Table,
) -> pa.Table:
    """A table of all declared columns, ours, and those that somebody said."""
    count = len(own.get("shop_id", ()))
    columns: dict[str, pa.Array] = {
        name: arrays[name] if name in arrays else pa.nulls(count, TYPES[kind])
        for name, kind in declared.flat_columns().items()
    }
    columns |= {name: pa.nulls(count, kind) for name, kind in types.items()} | dict(own)
    return pa.table(columns | {name: arrays[name] for name in sorted(set(arrays) - set(columns))})


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


def empty_tables(table: str) -> dict[str, pa.Table]:
    """A raw table and its declared nested lists with all their declared columns and no row."""
    nested = _nested_lists(table, TABLES[table])
    return {table: _table({}, {}, _TOP, TABLES[table])} | {
        name: _table({}, {}, _NESTED, declared) for name, declared in nested
    }


EMPTY_LIST = _table({}, {}, _NESTED, UNDECLARED)
"""A nested list nobody declared, without a row."""
