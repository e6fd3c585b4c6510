"""Rows as the service said them -> rows the warehouse can hold, losing nothing.

:func:`clean_row` is total: whatever JSON object comes in, a row comes out, one kind to a column.
A value that cannot be read as its declared kind leaves the column null and is kept, word for word,
in ``_unreadable``; a field that is not declared becomes a text column; an undeclared nested list
becomes a child table. So no later row can force a second column beside the first ("variant"), and
no value is ever turned into null or zero silently.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.columns import COMMON_ALIASES, TABLES, Child, Kind, Table
from ..schema.dates import parse_moment

CENT_FRACTION = Decimal("0.0001")
_LARGEST = Decimal(10) ** 23
_EMPTY: tuple[Any, ...] = (None, "", {}, [])
_NO_DATE = re.compile(r"0{4}-0{2}-0{2}([T ]0{2}:0{2}(:0{2})?)?")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class _Unreadable(Exception):
    """A value is not of its column's kind."""


def snake_case(name: str) -> str:
    """``createdDate`` -> ``created_date``, ``VATRegistration`` -> ``vat_registration``."""
    spaced = re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])", r"_\1\2", name)
    plain = re.sub(r"[^0-9a-zA-Z_]+", "_", spaced).lower()
    plain = re.sub(r"_{2,}", "_", plain).rstrip("_")
    if plain.startswith("_dlt") or not plain.strip("_"):
        plain = "x" + plain
    return plain


def parse_amount(value: Any) -> Decimal:
    """A number or a text such as ``Q1,234.50``, ``1.234,50 EUR``, ``(12.00)`` as a DECIMAL.

    Rounded half up to 4 places. Raises ValueError for anything that is no amount.
    """
    if isinstance(value, bool):
        raise ValueError("a boolean is no amount")
    if isinstance(value, int | Decimal):
        number = Decimal(value)
    elif isinstance(value, float):
        number = Decimal(repr(value))
    elif isinstance(value, str):
        number = _amount_of_text(value)
    else:
        raise ValueError("no amount")
    if not number.is_finite() or abs(number) >= _LARGEST:
        raise ValueError("out of range")
    return number.quantize(CENT_FRACTION, ROUND_HALF_UP) + 0


def _amount_of_text(text: str) -> Decimal:
    body = text.strip().replace("\N{MINUS SIGN}", "-")
    if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,2})?", body):
        return Decimal(body)
    negative = body.startswith("(") and body.endswith(")")
    # Currency signs and codes stand before or behind the figure, never inside it.
    match = re.fullmatch(
        r"\(?\s*(-?)\s*[^\d\s.,()+-]{0,5}\.?\s*([+-]?)\s*"
        r"(\d[\d.,'\u00a0\u202f ]*)\s*[^\d\s.,()+-]{0,5}\s*(-?)\)?",
        body,
    )
    signs = match[1] + match[2] + match[4] if match else ""
    if not match or len(signs) > 1:
        raise ValueError("no amount")
    negative = negative or "-" in signs
    figure = re.sub(r"['\u00a0\u202f ]", "", match[3]).rstrip(".,")
    comma, point = figure.rfind(","), figure.rfind(".")
    if comma >= 0 and point >= 0:
        thousands, decimal = (",", ".") if point > comma else (".", ",")
        figure = figure.replace(thousands, "").replace(decimal, ".")
    elif comma >= 0:
        grouped = re.fullmatch(r"\d{1,3}(,\d{3})+|\d{1,2}(,\d{2})*,\d{3}", figure)
        figure = figure.replace(",", "") if grouped else figure.replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(\.\d{3}){2,}", figure):
        figure = figure.replace(".", "")
    try:
        number = Decimal(figure)
    except InvalidOperation as error:
        raise ValueError("no amount") from error
    return -number if negative else number


def to_text(value: Any) -> str:
    """Any JSON value as text: strings as they are, the rest as compact JSON."""
    if isinstance(value, str):
        # A lone surrogate is valid in JSON and in no file.
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return str(value) if value.as_tuple().exponent != 0 else f"{value:f}"
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _convert(value: Any, kind: Kind, zone: ZoneInfo) -> Any:
    if kind == "text":
        if isinstance(value, Mapping):
            for key in ("label", "name", "title", "value"):
                if isinstance(value.get(key), str):
                    return to_text(value[key])
        return to_text(value)
    if kind == "flag":
        flag = _FLAGS.get(to_text(value).strip().lower())
        if flag is None:
            raise _Unreadable
        return flag
    if kind == "moment":
        if isinstance(value, str) and _NO_DATE.fullmatch(value.strip()):
            return None  # the way some databases spell "no date"
        moment = None if isinstance(value, bool | Mapping | list) else parse_moment(value, zone)
        if moment is None:
            raise _Unreadable
        return moment.iso_text
    try:
        return parse_amount(value)
    except ValueError:
        raise _Unreadable from None


class _Shape:
    """A declared table, prepared for looking fields up."""

    def __init__(self, table: Table) -> None:
        self.kinds = table.flat_columns()
        self.references = {
            name: reference
            for reference in table.references
            for name in (reference.name, *reference.aliases)
        }
        self.children = {
            name: child for child in table.children for name in (child.name, *child.aliases)
        }
        self.aliases = {column.name: column.aliases for column in table.columns} | {
            name: COMMON_ALIASES[name]
            for name in self.kinds
            if name in COMMON_ALIASES and "__" in name
        }
        # A service may say customer_id and customer_name where others nest an object.
        for reference in table.references:
            for part in reference.fields:
                name = f"{reference.name}__{part}"
                others = [f"{named}_{part}" for named in (reference.name, *reference.aliases)]
                self.aliases[name] = (*self.aliases.get(name, ()), *others)
        self.declared_children = {child.name: child for child in table.children}


_SHAPES: dict[int, _Shape] = {}


def _shape(table: Table) -> _Shape:
    known = _SHAPES.get(id(table))
    if known is None:
        known = _SHAPES[id(table)] = _Shape(table)
    return known


_UNDECLARED = Table()


def _flatten(row: Mapping[Any, Any], shape: _Shape) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a row into flat name -> value and nested list name -> value."""
    flat: dict[str, Any] = {}
    nested: dict[str, Any] = {}

    def put(name: str, value: Any) -> None:
        while name in flat:
            name += "_2"  # createdDate and created_date in one row: both are kept
        flat[name] = value

    def walk(prefix: str, fields: Mapping[Any, Any]) -> None:
        for key, value in fields.items():
            name = prefix + snake_case(str(key))
            if not prefix and name in shape.children:
                nested[shape.children[name].name] = value
                continue
            reference = None if prefix else shape.references.get(name)
            if reference is not None and name not in shape.kinds:
                if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
                    value = value[0]
                if isinstance(value, Mapping):
                    walk(f"{reference.name}__", value)
                elif value not in _EMPTY:
                    put(f"{reference.name}__{reference.scalar}", value)
            elif isinstance(value, Mapping) and name not in shape.kinds:
                walk(f"{name}__", value)
            elif _is_rows(value) and name not in shape.kinds and not prefix:
                nested[name] = value
            elif not (isinstance(value, list | Mapping) and not value):
                put(name, value)
                if isinstance(value, Mapping):
                    walk(f"{name}__", value)

    walk("", row)
    return flat, nested


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _as_rows(value: Any) -> list[Any]:
    """A nested list however it was spelled: list, object by index, one object, or nothing."""
    if value in _EMPTY:
        return []
    if isinstance(value, Mapping):
        if all(str(key).isdigit() for key in value):
            return list(value.values())
        return [value]
    return value if isinstance(value, list) else [value]


def _clean_level(
    row: Mapping[Any, Any], table: Table, zone: ZoneInfo, common: Mapping[str, Any]
) -> dict[str, Any]:
    shape = _shape(table)
    flat, nested = _flatten(row, shape)
    for name, others in shape.aliases.items():
        if flat.get(name) in _EMPTY:
            for other in others:
                if other not in shape.kinds and flat.get(other) not in _EMPTY:
                    flat[name] = flat.pop(other)
                    break
    out: dict[str, Any] = {}
    unreadable: dict[str, str] = {}
    for name, value in flat.items():
        kind = shape.kinds.get(name, "text")
        if value is None or (value == "" and (kind != "text" or "__" in name)):
            out[name] = None
            continue
        try:
            out[name] = _convert(value, kind, zone)
        except _Unreadable:
            out[name] = None
            unreadable[name] = to_text(value)
    out["_unreadable"] = json.dumps(unreadable, ensure_ascii=False) if unreadable else None
    out |= common
    for name, value in nested.items():
        child = shape.declared_children.get(name) or Child(name, _UNDECLARED)
        out[name] = [
            _clean_level(
                item if isinstance(item, Mapping) else {"value": item}, child.table, zone, common
            )
            for item in _as_rows(value)
        ]
    return out


def row_id(row: Mapping[Any, Any], table: str) -> str | None:
    """The row's own identifier as text, or None when it has none."""
    for name in ("id", "_id", "uuid", f"{table.rstrip('s')}_id", "ID", "Id"):
        value = row.get(name)
        if value not in _EMPTY and not isinstance(value, bool | Mapping | list):
            return to_text(value).strip()
    return None


def made_up_id(row: Mapping[Any, Any]) -> str:
    """An identifier for a row that has none: the digest of its content."""
    text = json.dumps(row, sort_keys=True, default=str, ensure_ascii=True)
    return "row-" + hashlib.sha256(text.encode()).hexdigest()[:24]


def clean_row(
    row: Mapping[Any, Any], table: str, *, shop_id: str, zone: ZoneInfo, extra: Mapping[str, Any]
) -> dict[str, Any]:
    """One row of a list -> one row of ``raw.<table>``, its nested lists as lists of rows.

    ``extra`` holds columns the row does not say itself (``_seen_at``, a list's variant).
    """
    identity = row_id(row, table) or made_up_id(row)
    out = _clean_level(row, TABLES[table], zone, {})
    stack: list[Iterable[Any]] = [v for v in out.values() if isinstance(v, list)]
    for children in stack:
        for child in children:
            child["shop_id"], child["parent_id"] = shop_id, identity
            stack.extend(v for v in child.values() if isinstance(v, list))
    noted = json.loads(out["_unreadable"] or "{}")
    if row_id(row, table) is None:
        noted["id"] = "(the service gave none)"
    own = {"shop_id": shop_id, "id": identity, "_deleted_at": None} | dict(extra)
    # A field of the row that is called like a column of ours.
    noted |= {
        name: to_text(out[name])
        for name, value in own.items()
        if name in out and out[name] is not None and to_text(out[name]).strip() != to_text(value)
    }
    out["_unreadable"] = json.dumps(noted, ensure_ascii=False) if noted else None
    return out | own
