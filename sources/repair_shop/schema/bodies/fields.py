"""The types of the specification's field tables (string, numeric, boolean, date, any), validated.

Every type reads values in one of two ways, told apart by the validation context:

* strict (no context): what the service takes. The sandbox validates so.
* lenient (a :class:`Reading`): what people and data frames hold: ISO dates, ``Decimal``, numbers in
  text, enums in any case, references to changes that are still queued. The value that comes out is
  what the service takes; anything that would lose a part of the value on the way is a fault.

Each type publishes a JSON schema of its strict form, which the sandbox's OpenAPI document shows.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import tzinfo
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError


@dataclass(frozen=True)
class Reading:
    """Context of a lenient validation. ``zone`` is the shop's, for times that carry an offset."""

    zone: tzinfo | None = None


@dataclass(frozen=True)
class Queued:
    """The id that a change still in the queue will get, by its number; only id fields take it."""

    number: int


@dataclass(frozen=True)
class QueuedRow:
    """As :class:`Queued`, by its place (1 is the first) among the changes queued together."""

    row: int


_QUEUED = re.compile(r"@(?P<row>row:)?(?P<number>[1-9]\d{0,17})")
_LARGEST = 10**15
"""Beyond it a JSON number, a double at most services, no longer holds every digit."""
_KEPT_DIGITS = 15
"""A JSON number is read back as a double by most services: so many digits survive that."""
_NOISE = Decimal("1e-14")
"""What binary arithmetic leaves of a number, relative to it: 1.1300000000000001 is 1.13."""
_TOO_MANY_DIGITS = "has more than 15 digits, which a JSON number does not keep exactly"
_YES = ("true", "yes", "1")
_NO = ("false", "no", "0")
_SPELLINGS = [
    spelled for word in ("True", "Yes", "False", "No") for spelled in (word, word.lower())
] + ["1", "0"]


def fault(message: str) -> PydanticCustomError:
    """A fault of one field, in words for the person who wrote the value."""
    return PydanticCustomError("body", "{message}", {"message": message})


def reference(value: Any) -> Queued | QueuedRow | None:
    """The change that ``"@12"``, ``"@row:3"`` or ``{"$queued": 12}`` stands for, or None."""
    if isinstance(value, Queued | QueuedRow):
        return value
    if isinstance(value, dict) and set(value) == {"$queued"}:
        number = value["$queued"]
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return Queued(number)
        raise fault('{"$queued": N} needs the number of a change')
    if isinstance(value, str) and (found := _QUEUED.fullmatch(value.strip())):
        number = int(found["number"])
        return QueuedRow(number) if found["row"] else Queued(number)
    return None


def is_lenient(info: ValidationInfo) -> bool:
    """Whether people's spellings are taken."""
    return isinstance(info.context, Reading)


def shown(value: Any) -> str:
    """A value in a message, short."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _text(value: Any, info: ValidationInfo) -> str:
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise fault("holds characters that JSON text cannot carry")
        return value
    if is_lenient(info) and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    if is_lenient(info) and isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise fault(f"must be text, not {shown(value)}")


def text(max_length: int | None = None, *, blank: bool = True, pattern: str = "") -> Any:
    """A string type: at most ``max_length`` characters, not blank unless allowed."""

    def read(value: Any, info: ValidationInfo) -> str:
        found = _text(value, info)
        if not blank and not found.strip():
            raise fault("must not be blank")
        if max_length is not None and len(found) > max_length:
            raise fault(f"has {len(found)} characters; at most {max_length} are allowed")
        if pattern and not re.fullmatch(pattern, found):
            raise fault(f"{shown(found)} does not have the form {pattern}")
        return found

    schema: dict[str, Any] = {"type": "string"}
    if not blank:
        schema |= {"minLength": 1, "pattern": r"\S"}
    if max_length is not None:
        schema["maxLength"] = max_length
    if pattern:
        schema["pattern"] = f"^{pattern}$"
    return Annotated[str, PlainValidator(read), WithJsonSchema(schema)]


def _identifier(value: Any, info: ValidationInfo) -> str | Queued | QueuedRow:
    if is_lenient(info) and (queued := reference(value)) is not None:
        return queued
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = _text(value, info)
    if not found.strip():
        raise fault("must not be blank: it names a record")
    return found


_NON_BLANK: dict[str, Any] = {"type": "string", "minLength": 1, "pattern": r"\S"}
Identifier = Annotated[
    Any,
    PlainValidator(_identifier),
    WithJsonSchema({"anyOf": [_NON_BLANK, {"type": "integer"}]}),
]
"""The id of another record (or a name or label where the field takes one), as text; the service's
ids are text or plain numbers, so both are taken."""


def _label(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _identifier(value, info)


Label = Annotated[
    Any,
    PlainValidator(_label),
    WithJsonSchema({"anyOf": [_NON_BLANK, {"type": "integer"}]}),
]
"""Type ``any``: an id or an exact-match label. Which labels exist only the service knows."""


def _number(value: Any, info: ValidationInfo) -> int | float:
    if is_lenient(info) and isinstance(value, str):
        try:
            value = Decimal(value.strip())
        except InvalidOperation:
            raise fault(f"must be a number, not {shown(value)}") from None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise fault(f"must be a number, not {shown(value)}")
    if not isinstance(value, int) and not math.isfinite(value):
        raise fault("must be a finite number")
    if abs(value) > _LARGEST:
        raise fault(_TOO_MANY_DIGITS)
    if value == int(value):
        return int(value)
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    rounded = round(exact, 4)
    if _digits(rounded) <= _KEPT_DIGITS and abs(exact - rounded) <= abs(exact) * _NOISE:
        exact = rounded
    elif _digits(exact) > _KEPT_DIGITS and isinstance(value, Decimal):
        raise fault(_TOO_MANY_DIGITS)
    return int(exact) if exact == int(exact) else float(exact)


def _digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def number(
    *,
    least: int | None = None,
    above: int | None = None,
    below: int | None = None,
    among: tuple[int, ...] = (),
) -> Any:
    """A numeric type: at ``least``, strictly ``above`` and ``below``, or one ``among`` some."""

    def read(value: Any, info: ValidationInfo) -> int | float:
        found = _number(value, info)
        if least is not None and found < least:
            raise fault(f"must be {least} or more, not {found}")
        if above is not None and found <= above:
            raise fault(f"must be greater than {above}, not {found}")
        if below is not None and found >= below:
            raise fault(f"must be less than {below}, not {found}")
        if among and found not in among:
            raise fault(f"must be one of {', '.join(map(str, among))}, not {found}")
        return found

    schema: dict[str, Any] = {"enum": list(among)} if among else {"type": "number"}
    for name, limit in (
        ("minimum", least),
        ("exclusiveMinimum", above),
        ("exclusiveMaximum", below),
    ):
        if limit is not None:
            schema[name] = limit
    return Annotated[Any, PlainValidator(read), WithJsonSchema(schema)]


def _id_number(value: Any, info: ValidationInfo) -> int | float | Queued | QueuedRow:
    if is_lenient(info) and (queued := reference(value)) is not None:
        return queued
    return _number(value, info)


Number = number()
"""Any finite number."""
NumericId = Annotated[Any, PlainValidator(_id_number), WithJsonSchema({"type": "number"})]
"""An id of type numeric (a tax id)."""


def _flag(value: Any, info: ValidationInfo) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    spelled = value.strip().lower() if isinstance(value, str) and is_lenient(info) else value
    if isinstance(spelled, str) and (is_lenient(info) or spelled in _SPELLINGS):
        if spelled.lower() in _YES:
            return True
        if spelled.lower() in _NO:
            return False
    raise fault(f"must be True/False, Yes/No or 1/0, not {shown(value)}")


Flag = Annotated[
    bool,
    PlainValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": [*_SPELLINGS, 1, 0]}]}),
]
"""A boolean in any of the specification's spellings; sent as a JSON boolean."""


def choice(*values: str) -> Any:
    """An enumeration; lenient reading takes any case and gives back the specification's."""
    folded = {value.casefold(): value for value in values}

    def read(value: Any, info: ValidationInfo) -> str:
        if isinstance(value, str):
            if value in values:
                return value
            if is_lenient(info) and (found := folded.get(value.strip().casefold())):
                return found
        raise fault(f"must be one of {', '.join(values)}, not {shown(value)}")

    return Annotated[str, PlainValidator(read), WithJsonSchema({"enum": list(values)})]


def _priority(value: Any, info: ValidationInfo) -> int | str:
    labels = ("Urgent", "High", "Normal", "Low")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3:
        return value
    if isinstance(value, str):
        if value in labels or value in ("0", "1", "2", "3"):
            return value
        if is_lenient(info) and value.strip().capitalize() in labels:
            return value.strip().capitalize()
    raise fault(f"must be 0, 1, 2, 3 or {', '.join(labels)}, not {shown(value)}")


Priority = Annotated[
    Any,
    PlainValidator(_priority),
    WithJsonSchema({"enum": [0, 1, 2, 3, "0", "1", "2", "3", "Urgent", "High", "Normal", "Low"]}),
]
"""Ticket priority: a number or its label."""


def from_json_text(value: Any, info: ValidationInfo) -> Any:
    """Lenient arrays may be JSON text, as in a CSV cell."""
    if is_lenient(info) and isinstance(value, str) and value.strip().startswith("["):
        try:
            return json.loads(value, parse_float=Decimal)
        except ValueError:
            raise fault("is no readable JSON list") from None
    if not isinstance(value, list | tuple):
        raise fault(f"must be a list, not {shown(value)}")
    return list(value)


def _one_or_more(value: Any, info: ValidationInfo) -> Any:
    if is_lenient(info) and isinstance(value, str) and value.strip().startswith("["):
        value = from_json_text(value, info)
    if isinstance(value, list | tuple):
        if not value:
            raise fault("must name at least one")
        return [_identifier(entry, info) for entry in value]
    return _identifier(value, info)


OneOrMoreIds = Annotated[
    Any,
    PlainValidator(_one_or_more),
    WithJsonSchema(
        {
            "anyOf": [
                _NON_BLANK,
                {"type": "integer"},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"anyOf": [_NON_BLANK, {"type": "integer"}]},
                },
            ]
        }
    ),
]
"""An id or a list of ids (a payment's invoices)."""
