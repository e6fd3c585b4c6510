"""Rows as the service said them -> rows the warehouse can hold, losing nothing.

:func:`clean_row` is total: whatever JSON object comes in, a row comes out, one kind to a column.
A value that cannot be read as its declared kind leaves the column null and is kept, word for word,
in ``_unreadable``; a field that is not declared becomes a text column; an undeclared nested list
becomes a child table. So no later row can force a second column beside the first ("variant"), and
no value is ever turned into null or zero silently. Where an object would make columns or tables
without end (the limits below), it is kept as JSON text.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.digest import digest
from ..schema.endpoints import TABLES
from ..schema.names import bounded, snake_case
from ..schema.shapes import Shape, Table
from ..schema.values import EMPTY, UNREADABLE, convert, parse_amount, to_text

__all__ = ["clean_row", "made_up_id", "parse_amount", "row_id", "snake_case"]

DEEPEST = 4
"""Objects in objects that become columns of their own, and lists in lists that become tables."""
WIDEST = 200
"""Fields of a nested object that nobody declared, if it shall become columns."""
MOST_LISTS = 50
"""Nested lists of a row that nobody declared and that become tables."""
MOST_FIELDS = 1000
"""Fields of a row that become columns; the others are kept in ``_unreadable``."""
OWN = frozenset(("shop_id", "id", "parent_id", "_deleted_at", "_seen_at", "_seq", "_unreadable"))
"""Columns of ours; what a row says under such a name is kept in ``_unreadable``."""


class Split:
    """A row taken apart: flat column -> value, nested list -> value."""

    def __init__(
        self, row: Mapping[Any, Any], shape: Shape, lists_left: int, *, aliases: bool = True
    ) -> None:
        self.flat: dict[str, Any] = {}
        self.nested: dict[str, Any] = {}
        self.beyond: dict[str, str] = {}
        """Fields that are too many to be columns."""
        self._shape, self._lists_left = shape, lists_left
        self._last: dict[str, int] = {}
        fields = list(named_fields(row))
        self._take_children(fields)
        for name, value in fields:
            self._field(name, value)
        if aliases:
            self.take_aliases()

    def take_aliases(self) -> None:
        """A declared column that says nothing takes the first of its aliases that does."""
        flat = self.flat
        for name, others in self._shape.aliases.items():
            if flat.get(name) not in EMPTY:
                continue
            present = [other for other in others if other in flat]
            full = [other for other in present if flat[other] not in EMPTY]
            if full or (present and name not in flat):
                flat[name] = flat.pop((full or present)[0])

    def _take_children(self, fields: list[tuple[str, Any]]) -> None:
        """Declared nested lists: the first of its names that holds anything."""
        for child in self._shape.declared_children.values():
            names = (child.name, *child.aliases)
            spelled = [
                (value in EMPTY, names.index(name), place)
                for place, (name, value) in enumerate(fields)
                if name in names
            ]
            if spelled:
                _, self.nested[child.name] = fields.pop(min(spelled)[2])

    def _field(self, name: str, value: Any) -> None:
        shape = self._shape
        reference = shape.references.get(name)
        if reference is not None:
            if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
                value = value[0]
            if isinstance(value, dict):
                self._object(reference.name, value, 1)
            elif value not in EMPTY:
                self._put(f"{reference.name}__{reference.scalar}", value)
        elif (
            is_rows(value)
            and name not in shape.kinds
            and name not in OWN
            and self._lists_left
            and len(self.nested) < MOST_LISTS
        ):
            self.nested[self._free(name)] = value
        else:
            self._value(name, value, 1)

    def _object(self, prefix: str, fields: Mapping[Any, Any], level: int) -> None:
        for name, value in named_fields(fields):
            self._value(bounded(f"{prefix}__{name}"), value, level + 1)

    def _value(self, name: str, value: Any, level: int) -> None:
        if not isinstance(value, dict):
            self._put(name, None if value == [] else value)
        elif value and (level >= DEEPEST or len(value) > WIDEST):
            self._put(name, to_text(value))
        elif value:
            if name in self._shape.kinds:
                self._put(name, value)
            self._object(name, value, level)

    def _put(self, name: str, value: Any) -> None:
        name = self._free(name)  # createdDate and created_date in one row: both are kept
        declared = name in self._shape.kinds
        if name == "_unreadable" or (len(self.flat) >= MOST_FIELDS and not declared):
            self.beyond[name] = to_text(value)
        else:
            self.flat[name] = value

    def _free(self, name: str) -> str:
        free, number = name, self._last.get(name, 1)
        while free in self.flat or free in self.nested or free in self.beyond:
            number += 1
            free = f"{name}_{number}"
        self._last[name] = number
        return free


def named_fields(fields: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Fields by their columns' names; of several that share a name, the exact one comes first."""
    named = [(snake_case(str(key)), key) for key in fields]
    if len({name for name, _ in named}) < len(named):
        named.sort(key=lambda pair: (pair[0], pair[0] != pair[1], str(pair[1])))
    return ((name, fields[key]) for name, key in named)


def is_rows(value: Any) -> bool:
    """Whether a value is a list of objects, which becomes a table of its own."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def as_rows(value: Any) -> list[Any]:
    """A nested list however it was spelled: list, object by index, one object, or nothing."""
    if value in EMPTY:
        return []
    if isinstance(value, dict):
        if all(str(key).isdigit() for key in value):
            return list(value.values())
        return [value]
    return value if isinstance(value, list) else [value]


def clean_level(
    row: Mapping[Any, Any], table: Table, zone: ZoneInfo, lists_left: int = DEEPEST
) -> dict[str, Any]:
    """A row, or one of a nested list, in the columns of its table."""
    shape = table.shape
    split = Split(row, shape, lists_left)
    out: dict[str, Any] = {}
    unreadable = split.beyond
    for name, value in split.flat.items():
        out[name] = convert(name, shape.kinds.get(name, "text"), value, zone)
        if out[name] is UNREADABLE:
            out[name] = None
            unreadable[name] = to_text(value)
    out["_unreadable"] = noted_text(unreadable)
    for name, value in split.nested.items():
        out[name] = [
            clean_level(as_row(item), shape.child(name), zone, lists_left - 1)
            for item in as_rows(value)
        ]
    return out


def as_row(item: Any) -> Mapping[Any, Any]:
    """An item of a nested list as a row."""
    return item if isinstance(item, dict) else {"value": item}


def noted_text(noted: Mapping[str, str]) -> str | None:
    """What ``_unreadable`` says: column -> the service's words, as JSON; None for nothing."""
    return json.dumps(noted, ensure_ascii=False, sort_keys=True) if noted else None


def row_id(row: Mapping[Any, Any], table: str) -> str | None:
    """The row's own identifier as text, or None when it has none."""
    value = row.get("id")
    if type(value) is str or type(value) is int:
        text = str(value).strip()
        if text:
            return text
    for name in ("id", "_id", "uuid", f"{table.rstrip('s')}_id", "ID", "Id"):
        value = row.get(name)
        if value not in EMPTY and not isinstance(value, bool | dict | list):
            text = to_text(value).strip()
            if text:
                return text
    return None


def made_up_id(row: Mapping[Any, Any]) -> str:
    """An identifier for a row that has none: the digest of its content."""
    return f"row-{digest(row).hex()}"


def clean_row(row: Mapping[Any, Any], table: str, zone: ZoneInfo) -> dict[str, Any]:
    """One row of a list in the columns of ``raw.<table>``, its nested lists as lists of rows.

    ``row`` is of :func:`~repair_shop.http.json_body.parse_json`, whose texts any file can hold.
    """
    out = clean_level(row, TABLES[table], zone)
    return out | {"id": row_id(row, table) or made_up_id(row)}
