"""Bodies of writes against the specification's tables ("Resources and their fields", copied down by
hand into ``tables.txt``): what is taken, what is refused, and how it is described. Made for the
sandbox alone, so that a field the client understands wrongly is refused here instead of being
misunderstood by both.

One line of the tables is a field: name, type, marks. Types: ``text``; ``id`` of a record, ``ids``
one or several; ``label`` an id or an exact label; ``number``; ``flag``; dates to the ``day``,
``minute`` or ``second``, ``due`` a day or second, ``moment`` any of them; ``priority``;
``country``; ``file`` a name of an allowed type; ``[list]`` of objects with a table of their own.
Marks: ``!`` must be there on create, ``+`` on create only, ``-`` on update only, ``~`` not blank,
``<N`` at most N characters (of a number: less), ``>N`` more than N, ``>=N``, ``(a|b)`` one of,
``=x`` what is taken when it is left out.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.errors import Refusal
from sandbox.values import DAY, BadValue, parse_moment

TABLES: Mapping[str, str] = dict(
    re.findall(
        r"^(\w+):\n((?:  .+\n)+)",
        Path(__file__).with_name("tables.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)
"""Table -> its lines."""
_Type = tuple[Callable[[Any, bool], Any], dict[str, Any]]
_LARGEST = 10**12
_FILES = ("pdf", "doc", "png", "jpg")
_FLAGS = {
    spelled: word in ("True", "Yes", "1")
    for word in ("True", "Yes", "1", "False", "No", "0")
    for spelled in (word, word.lower())
}
_PRIORITIES = (0, 1, 2, 3, "0", "1", "2", "3", "Urgent", "High", "Normal", "Low")
_FILLED = {"minLength": 1, "pattern": r"\S"}
_ID = {"anyOf": [{"type": "string", **_FILLED}, {"type": "integer"}]}
_TIMES = {11: "", 17: " ([01][0-9]|2[0-3]):[0-5][0-9]", 20: ""}
_TIMES[20] = _TIMES[17] + ":[0-5][0-9]"
"""Length of a date -> the pattern of its time: a day, to the minute, to the second."""


class Wrong(Exception):
    """A value breaks a rule of its field; the message says which."""


@dataclass(frozen=True)
class Field:
    """A line of a table; ``limits`` and ``default`` as the interface's description has them."""

    name: str
    type: str
    is_required: bool = False
    ops: tuple[str, ...] = ("create", "update")
    limits: dict[str, Any] = field(default_factory=dict)
    default: dict[str, Any] = field(default_factory=dict)

    def read(self, value: Any, *, of_form: bool) -> Any:
        """The value as it is kept; :class:`Wrong` when it breaks a rule. A form's are texts."""
        if self.type.startswith("["):
            if not isinstance(value, list) or len(value) < self.limits.get("minItems", 0):
                raise Wrong("must be a list, with at least one element where one is needed")
            return [_body(self.type[1:-1], "create", one, of_form) for one in value]
        found = _TYPES[self.type][0](value, of_form)
        for limit, (is_kept, words) in _LIMITS.items():
            if limit in self.limits and not is_kept(found, self.limits):
                choices = ", ".join(map(str, self.limits.get("enum", ())))
                raise Wrong(words.format(**self.limits | {"enum": choices}))
        return found

    def schema(self) -> dict[str, Any]:
        """The field in the interface's description."""
        if "enum" in self.limits:
            return self.limits
        if self.type.startswith("["):
            items = schema_of(self.type[1:-1], "create")
            return {"type": "array", "items": items, **self.limits}
        return _TYPES[self.type][1] | self.limits


_LIMITS: Mapping[str, tuple[Callable[[Any, dict[str, Any]], bool], str]] = {
    "enum": (lambda found, limits: found in limits["enum"], "must be one of {enum}"),
    "pattern": (lambda found, limits: bool(found.strip()), "must not be blank"),
    "maxLength": (
        lambda found, limits: len(found) <= limits["maxLength"],
        "must not be longer than {maxLength}",
    ),
    "exclusiveMinimum": (
        lambda found, limits: found > limits["minimum"],
        "must be greater than {minimum}",
    ),
    "minimum": (lambda found, limits: found >= limits["minimum"], "must be {minimum} or more"),
    "maximum": (lambda found, limits: found < limits["maximum"], "must be less than {maximum}"),
}
"""Limit -> whether a value keeps it, and what is said of one that does not."""


def _text(value: Any, _of_form: bool) -> str:
    if not isinstance(value, str):
        raise Wrong("must be text")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise Wrong("holds characters that JSON text cannot carry")
    return value


def _country(value: Any, of_form: bool) -> str:
    if not re.fullmatch("[A-Za-z]{2}", found := _text(value, of_form)):
        raise Wrong("must be a country code of two letters")
    return found


def _file(value: Any, of_form: bool) -> str:
    stem, _, kind = _text(value, of_form).rpartition(".")
    if not stem or kind.lower() not in _FILES:
        raise Wrong(f"must be a file of type {', '.join(_FILES)}")
    return f"{stem}.{kind}"


def _id(value: Any, of_form: bool) -> str:
    found = str(value) if type(value) is int else _text(value, of_form)
    if not found.strip():
        raise Wrong("must not be blank: it names a record")
    return found


def _ids(value: Any, of_form: bool) -> str | list[str]:
    if not isinstance(value, list):
        return _id(value, of_form)
    if not value:
        raise Wrong("must name at least one")
    return [_id(one, of_form) for one in value]


def _number(value: Any, of_form: bool) -> int | float:
    if of_form and isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise Wrong("must be a number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("must be a number")
    if not (isinstance(value, int) or math.isfinite(value)) or abs(value) > _LARGEST:
        raise Wrong("has more digits than a number keeps")
    return int(value) if value == int(value) else value


def _flag(value: Any, of_form: bool) -> bool:
    spelled = value.strip().lower() if of_form and isinstance(value, str) else value
    if isinstance(value, str) and spelled in _FLAGS:
        return _FLAGS[spelled]
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise Wrong("must be True/False, Yes/No or 1/0")


def _priority(value: Any, _of_form: bool) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str) or value not in _PRIORITIES:
        raise Wrong(f"must be one of {', '.join(map(str, _PRIORITIES))}")
    return value


def _date(kind: str, *lengths: int) -> _Type:
    """A type of dates that takes forms of these lengths."""

    def read(value: Any, of_form: bool) -> str:
        text = _text(value, of_form)
        try:
            parse_moment(text)
        except BadValue as error:
            raise Wrong(str(error)) from None
        if len(text) not in lengths:
            raise Wrong(f"must be a date to the {kind}")
        return text

    forms = "|".join(f"({DAY}{_TIMES[length]})" for length in lengths)
    return read, {"type": "string", "pattern": f"^({forms})$"}


_TYPES: Mapping[str, _Type] = {
    "day": _date("day", 11),
    "minute": _date("minute", 17),
    "second": _date("second", 20),
    "due": _date("due", 11, 20),
    "moment": _date("moment", 11, 17, 20),
    "text": (_text, {"type": "string"}),
    "country": (_country, {"type": "string", "pattern": "^[A-Za-z]{2}$"}),
    "file": (_file, {"type": "string", "pattern": rf"\S\.({'|'.join(_FILES)})$"}),
    "id": (_id, _ID),
    "ids": (_ids, {"anyOf": [*_ID["anyOf"], {"type": "array", "minItems": 1, "items": _ID}]}),
    "label": (lambda value, of_form: value if type(value) is int else _id(value, of_form), _ID),
    "number": (_number, {"type": "number"}),
    "flag": (_flag, {"anyOf": [{"type": "boolean"}, {"enum": [*_FLAGS, 1, 0]}]}),
    "priority": (_priority, {"enum": list(_PRIORITIES)}),
}
"""Type -> how a value is read, and what the interface's description says of it."""


def _field(line: str) -> Field:
    name, kind, *marks = line.split()
    found: dict[str, Any] = {"is_required": "!" in marks}
    limits: dict[str, Any] = {}

    def as_value(text: str) -> Any:
        return int(text) if kind == "number" else text.replace("_", " ")

    for mark in marks:
        if mark in ("+", "-"):
            found["ops"] = ("create",) if mark == "+" else ("update",)
        elif mark == "~":
            limits |= {"minItems": 1} if kind.startswith("[") else _FILLED
        elif mark.startswith("<"):
            most = int(mark[1:])
            exclusive = {"maximum": most, "exclusiveMaximum": True}
            limits |= exclusive if kind == "number" else {"maxLength": most}
        elif mark.startswith(">="):
            limits["minimum"] = int(mark[2:])
        elif mark.startswith(">"):
            limits |= {"minimum": int(mark[1:]), "exclusiveMinimum": True}
        elif mark.startswith("("):
            limits["enum"] = list(map(as_value, mark[1:-1].split("|")))
        elif mark.startswith("="):
            found["default"] = {"default": False if mark == "=false" else as_value(mark[1:])}
    return Field(name, kind, limits=limits, **found)


@cache
def fields(table: str, op: str) -> dict[str, Field]:
    """The fields of a table that an operation takes, by name."""
    rows = map(_field, filter(str.strip, TABLES[table].splitlines()))
    return {row.name: row for row in rows if op in row.ops}


def checked(table: str, op: str, content: Any, *, of_form: bool = False) -> dict[str, Any]:
    """A body as it is kept; :class:`Refusal` names every field that breaks a rule."""
    try:
        return _body(table, op, content, of_form)
    except Wrong as wrong:
        raise Refusal(f"{wrong}. Please correct the fields named.") from None


def _body(table: str, op: str, content: Any, of_form: bool) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise Wrong("must be a JSON object")
    known = fields(table, op)
    faults = [f"{name}: there is no such field" for name in content if name not in known]
    body: dict[str, Any] = {}
    for name, one in known.items():
        if name in content:
            try:
                body[name] = one.read(content[name], of_form=of_form)
            except Wrong as wrong:
                faults.append(f"{name}: {wrong}")
        elif op == "create" and one.is_required:
            faults.append(f"{name}: is required")
    if (table, op) == ("leads", "update") and "mobile" in body and "countryCode" not in content:
        faults.append("countryCode is required when the mobile number is changed")
    if faults:
        raise Wrong("; ".join(faults))
    return body


def with_defaults(table: str, content: Any) -> Any:
    """A body with what the specification takes for required fields that are left out."""
    if not isinstance(content, dict):
        return content
    required = (one for one in fields(table, "create").values() if one.is_required and one.default)
    return {one.name: one.default["default"] for one in required} | content


def schema_of(table: str, op: str) -> dict[str, Any]:
    """A body in the interface's description."""
    found: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: one.schema() | (one.default if op == "create" else {})
            for name, one in fields(table, op).items()
        },
        "additionalProperties": False,
    }
    required = [name for name, one in fields(table, op).items() if one.is_required]
    return found | ({"required": required} if op == "create" and required else {})
