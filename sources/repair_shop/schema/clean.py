"""Rows as the service said them -> rows the warehouse can hold, losing nothing.

A :class:`Cleaner` is total: whatever JSON object comes in, a row comes out, one kind to a column.
A value that cannot be read as its declared kind leaves the column null and is kept, word for word,
in ``_unreadable``. A field that is not declared becomes a text column, an object or a list as JSON.
So no later row can force a second column beside the first ("variant"), and no value is ever turned
into null or zero silently.
"""

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.dates import order_of
from ..schema.digest import digest
from ..schema.endpoints import ENDPOINTS
from ..schema.memory import Memory
from ..schema.names import bounded, snake_case
from ..schema.shapes import Table
from ..schema.values import (
    EMPTY,
    UNREADABLE,
    Ambiguous,
    bare_amount,
    convert,
    parse_amount,
    sign_of,
    to_text,
)

__all__ = ["Cleaner", "clean_row", "made_up_id", "parse_amount", "row_id", "snake_case"]

OWN = frozenset(("shop_id", "id", "parent_id", "_deleted_at", "_seen_at", "_seq", "_unreadable"))
"""Columns of ours."""
_DELETED = ("deleted", "is_deleted", "deleted_at", "deleted_date", "deleted_on", "date_deleted")
_IS_DELETED = re.compile(r"true|yes|y|1|.*[1-9]\d{3}.*", re.DOTALL | re.IGNORECASE)
"""A flag that is set, or a day of a year; ``0000-00-00`` is none."""
_BARE_ID = re.compile(r"\d{1,7}|[0-9a-fA-F]{8}(-[0-9a-fA-F]+){2,}")
"""An id where the object belongs that bears it (field notes, ids); more figures may be the
telephone number that somebody is called by."""
_SCALARS = frozenset((str, int, bool, Decimal, type(None)))
Row = Mapping[Any, Any]
Clean = dict[str, Any]


@dataclass
class _Waiting:
    """A value that means two things, until all rows have been seen."""

    row: Clean
    column: str
    kind: Any
    value: Any
    where: str


@dataclass
class Cleaner:
    """Cleans the rows of one list of one shop; :meth:`end` decides what was left open.

    ``noted`` of a row stands in its column ``_unreadable``: a mapping until :meth:`end`.
    """

    table: str
    shop: str
    zone: ZoneInfo
    memory: Memory = field(default_factory=Memory)
    _waiting: list[_Waiting] = field(default_factory=list)
    _noted: list[Clean] = field(default_factory=list)

    def row(self, raw: Row, own: Mapping[str, Any]) -> Clean:
        """A row in the columns of its table, with ``own`` columns of ours.

        Nested lists that are declared stand in it as lists of rows.
        """
        try:
            return self._level(raw, self.table, ENDPOINTS[self.table].shape, own)
        except Exception as error:  # noqa: BLE001 - one odd row must not stop a list
            return self._whole(raw, own, error)

    def _whole(self, raw: Row, own: Mapping[str, Any], error: Exception) -> Clean:
        try:
            text = to_text(raw)
        except Exception:  # noqa: BLE001 - then at least that there is one
            text = f"(a row that cannot be told: {type(error).__name__})"
        out: Clean = {**own, "_unreadable": {"row": text}}
        self._noted.append(out)
        return out

    def _level(self, raw: Row, name: str, table: Table, own: Mapping[str, Any]) -> Clean:
        kinds = table.kinds
        fields = dict(named_fields(raw))
        nested = {
            child.name: fields.pop(spelled)
            for child in table.children
            if (spelled := _first_full(fields, (child.name, *child.aliases))) is not None
        }
        noted: dict[str, str] = {}
        out: Clean = {}
        for column, value in _flattened(fields, table).items():
            if column in kinds and column not in own:
                self._declared(out, noted, name, column, kinds[column], value)
            elif column in own or column in OWN:
                if to_text(value).strip() != to_text(own.get(column)):
                    noted[column] = to_text(value)
            elif value is not None and (value != "" or "__" not in column):
                if self.memory.admits(name, column):
                    out[column] = to_text(value)
                else:
                    noted[column] = to_text(value)
        out |= own
        if noted:
            out["_unreadable"] = noted
            self._noted.append(out)
        for child in table.children:
            if child.name in nested:
                below = f"{name}__{child.name}"
                above = {"shop_id": self.shop, "parent_id": own.get("parent_id", own.get("id"))}
                out[child.name] = [
                    self._level(row, below, child.table, above)
                    for row in as_rows(nested[child.name])
                ]
        return out

    def _declared(
        self, out: Clean, noted: dict[str, str], name: str, column: str, kind: Any, value: Any
    ) -> None:
        if kind in ("amount", "number"):
            value = bare_amount(value)
        if value is None or (value == "" and (kind != "text" or "__" in column)):
            out[column] = None
            return
        if kind == "text" and type(value) is str:
            out[column] = value
            return
        where = f"{'day' if kind == 'moment' else kind}:{name}.{column}"
        try:
            found = convert(kind, value, self.zone)
        except Ambiguous:
            self._waiting.append(_Waiting(out, column, kind, value, where))
            return
        if found is UNREADABLE:
            noted[column] = to_text(value)
            return
        out[column] = found
        if type(value) is str:
            self.memory.show(
                self.shop, where, order_of(value) if kind == "moment" else sign_of(value)
            )

    def end(self) -> None:
        """Decide what meant two things by what its column showed, and tell what is not decided."""
        for one in self._waiting:
            shown = self.memory.decides(self.shop, one.where)
            if shown is None:
                self.memory.refuse(self.shop, one.where)
                if not isinstance(one.row.get("_unreadable"), dict):
                    one.row["_unreadable"] = {}
                    self._noted.append(one.row)
                one.row["_unreadable"][one.column] = to_text(one.value)
            else:
                one.row[one.column] = convert(one.kind, one.value, self.zone, shown)
        self.memory.settle(self.shop)
        for row in self._noted:
            row["_unreadable"] = json.dumps(row["_unreadable"], ensure_ascii=False, sort_keys=True)
        self._waiting, self._noted = [], []


def _first_full(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of these fields that says something, else the first that is there."""
    present = [name for name in names if name in fields]
    return next((name for name in present if fields[name] not in EMPTY), next(iter(present), None))


def _flattened(fields: Mapping[str, Any], table: Table) -> Clean:
    """Columns -> values: references and declared objects flattened, aliases taken."""
    flat: Clean = {}
    for name, value in fields.items():
        if type(value) in _SCALARS and name not in table.reference_of:
            flat[name] = value  # as nearly all are
            continue
        for column, part in _parts(name, value, table):
            flat[_free(column, flat)] = None if part == [] or part == {} else part
    _take_aliases(flat, table)
    return flat


def _parts(name: str, value: Any, table: Table) -> Iterator[tuple[str, Any]]:
    """The columns that a field fills: one, or several of a reference or a declared object."""
    reference = table.reference_of.get(name)
    if reference is not None and type(value) is list and len(value) == 1:
        (value,) = value  # details come so, too (field notes, Shapes)
    is_object = type(value) is dict and bool(value)
    if is_object and (name in table.objects or name in table.kinds):
        if name in table.kinds:
            yield name, value
        of = reference.name if reference else name
        for key, part in named_fields(value):
            yield bounded(f"{of}__{key}"), part
    elif reference is None:
        yield name, value
    elif value not in EMPTY:
        bears_id = "id" in reference.fields and not reference.is_word
        # A whole number of more than 64 bits is a Decimal.
        is_int = type(value) is int or (type(value) is Decimal and value.as_tuple().exponent == 0)
        is_id = bears_id and (is_int or _BARE_ID.fullmatch(to_text(value).strip()))
        yield f"{reference.name}__{'id' if is_id else reference.scalar}", value


def _take_aliases(flat: Clean, table: Table) -> None:
    """A declared column that says nothing takes the first of its aliases that does."""
    for name, others in table.aliases.items():
        if flat.get(name) in EMPTY:
            spelled = _first_full(flat, others)
            if spelled is not None and (name not in flat or flat[spelled] not in EMPTY):
                flat[name] = flat.pop(spelled)


def named_fields(fields: Row) -> Iterator[tuple[str, Any]]:
    """Fields by their columns' names, each once: ``createdDate`` beside ``created_date`` is
    ``created_date_2``. Of several that share a name, the exact one comes first."""
    names = _names(tuple(fields))
    return zip(names, fields.values(), strict=True)


@lru_cache(maxsize=1000)
def _names(keys: tuple[Any, ...]) -> tuple[str, ...]:
    wanted = [snake_case(str(key)) for key in keys]
    if len(set(wanted)) == len(wanted):
        return tuple(wanted)
    found: dict[int, str] = {}
    taken: set[str] = set()
    for place in sorted(range(len(keys)), key=lambda n: (wanted[n] != keys[n], str(keys[n]))):
        found[place] = _free(wanted[place], taken)
        taken.add(found[place])
    return tuple(found[place] for place in range(len(keys)))


def _free(name: str, taken: Container[str]) -> str:
    """A name, with the first number from 2 on where others have it."""
    names = (name if n == 1 else f"{name}_{n}" for n in count(1))
    return next(one for one in names if one not in taken)


def as_rows(value: Any) -> list[Row]:
    """A nested list however it was spelled: list, object by index, one object, or nothing."""
    if value in EMPTY:
        return []
    if isinstance(value, dict) and all(str(key).isdigit() for key in value):
        value = list(value.values())
    items = value if isinstance(value, list) else [value]
    return [item if isinstance(item, dict) else {"value": item} for item in items]


def row_id(row: Row, table: str) -> str | None:
    """The row's own identifier as text, or None when it has none."""
    value = row.get("id")
    if type(value) is str or type(value) is int:
        text = str(value).strip()
        if text:
            return text
    named = dict(named_fields(row))
    for name in _id_names(table):
        value = named.get(name)
        if value not in EMPTY and not isinstance(value, bool | dict | list):
            text = to_text(value).strip()
            if text:
                return text
    return None


@lru_cache(maxsize=100)
def _id_names(table: str) -> tuple[str, ...]:
    """What a row may call its own identifier: ``customer_id``, and ``invoice_id`` of an invoice."""
    one = re.sub(r"(?<=us)es$|s$", "", re.sub(r"ies$", "y", table.removesuffix("_deleted")))
    return "id", "_id", "uuid", f"{one}_id", f"{one.rpartition('_')[2]}_id"


def made_up_id(row: Row) -> str:
    """An identifier for a row that has none: the digest of its content."""
    return f"row-{digest(row).hex()}"


def says_deleted(row: Row) -> bool:
    """Whether a record says of itself that it was deleted: some services keep them so."""
    marks = (str(value).strip() for name, value in named_fields(row) if name in _DELETED)
    return any(map(_IS_DELETED.fullmatch, marks))


def clean_row(row: Row, table: str, zone: ZoneInfo) -> Clean:
    """One row of a list in the columns of ``raw.<table>``, its nested lists as lists of rows.

    ``row`` is of :func:`~repair_shop.http.json_body.parse_json`, whose texts any file can hold.
    """
    cleaner = Cleaner(table, "", zone)
    out = cleaner.row(row, {"id": row_id(row, table) or made_up_id(row), "_unreadable": None})
    cleaner.end()
    return out
