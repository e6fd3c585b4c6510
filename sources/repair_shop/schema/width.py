"""How many columns and nested lists fields that nobody declared may make of a table.

An object whose fields are ids makes a column for each id. A database holds thousands of columns,
but a load of them needs its whole memory (DuckDB: 256 KiB a column), fails, and fails again every
night. So the first of them become columns, and stay those for good; what the others say is kept in
``_unreadable``, word for word.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..schema.arrow import EMPTY_LIST, empty_tables
from ..schema.clean import noted_text

MOST_COLUMNS = 200
"""Columns of a list's table that nobody declared."""
MOST_NESTED_COLUMNS = 50
"""The same of a nested list."""
MOST_NESTED = 20
"""Nested lists of a list, at any depth, that nobody declared."""

_LISTS = ""
"""Under which name the admitted nested lists stand among the admitted fields."""
Fields = Mapping[str, Sequence[str]]
"""Table -> columns that were admitted, in their order; and the nested lists."""


def narrowed(
    top: str, tables: Mapping[str, pa.Table], admitted: Fields
) -> tuple[dict[str, pa.Table], dict[str, list[str]]]:
    """The tables of a list within the limits, and all fields that are admitted now.

    ``admitted`` is what the last call gave, for the same list; fields in it stay columns.
    """
    declared = empty_tables(top)
    fields = {name: list(names) for name, names in admitted.items()}
    found = dict(tables)
    others = [name for name in found if name not in declared]
    lists = fields.setdefault(_LISTS, [])
    for name in sorted(others, key=len):  # what is nested has a longer name
        stands = _above(name, found) in (*declared, *lists)
        if name not in lists and stands and len(lists) < MOST_NESTED:
            lists.append(name)
    for name in sorted(set(others) - set(lists), key=len, reverse=True):
        above, nested = _above(name, found), found.pop(name)
        words = _as_words(nested, name.removeprefix(f"{above}__"), found[above])
        found[above] = _with_words(found[above], words)
    for name, table in found.items():
        known = set(declared.get(name, EMPTY_LIST).column_names)
        limit = MOST_COLUMNS if name == top else MOST_NESTED_COLUMNS
        found[name] = _narrow(table, known, fields.setdefault(name, []), limit)
    return found, {name: names for name, names in fields.items() if names}


def _above(name: str, tables: Mapping[str, pa.Table]) -> str:
    """The table that a nested list belongs to."""
    return max((other for other in tables if name.startswith(f"{other}__")), key=len)


def _narrow(table: pa.Table, known: set[str], admitted: list[str], limit: int) -> pa.Table:
    """A table without the columns that are too many; admits new ones, those most said first."""
    new = [name for name in table.column_names if name not in known and name not in admitted]
    new.sort(key=lambda name: (table[name].null_count, name))
    room = max(0, limit - len(admitted))
    admitted.extend(new[:room])
    words: dict[int, dict[str, str]] = {}
    for name in new[room:]:
        for place, said in enumerate(table[name].to_pylist()):
            if said is not None:
                words.setdefault(place, {})[name] = said
    return _with_words(table.drop_columns(new[room:]), words)


def _as_words(nested: pa.Table, field: str, above: pa.Table) -> dict[int, dict[str, str]]:
    """The rows of a nested list as JSON, by the place of the row they belong to."""
    place_of = {identity: n for n, identity in enumerate(above["_dlt_id"].to_pylist())}
    rows: dict[int, list[dict[str, Any]]] = {}
    links = set(EMPTY_LIST.column_names) - {"_unreadable"}
    for row in nested.to_pylist():
        said = {n: value for n, value in row.items() if value is not None and n not in links}
        rows.setdefault(place_of[row["_dlt_parent_id"]], []).append(said)
    return {place: {field: json.dumps(said, ensure_ascii=False)} for place, said in rows.items()}


def _with_words(table: pa.Table, words: Mapping[int, Mapping[str, str]]) -> pa.Table:
    if not words:
        return table
    noted = table["_unreadable"].to_pylist()
    for place, said in words.items():
        noted[place] = noted_text(json.loads(noted[place] or "{}") | said)
    column = table.column_names.index("_unreadable")
    return table.set_column(column, "_unreadable", pa.array(noted, pa.string()))
