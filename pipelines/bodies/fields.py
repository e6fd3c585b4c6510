"""The types of the specification's field tables (string, numeric, boolean, date, any), validated.

What people and data frames hold is read: ISO dates, ``Decimal``, numbers in text, enums in any
case, references to changes that are still queued. The value that comes out is what the service
takes; anything that would lose a part of the value on the way is a fault.
"""

import json
import math
import re
from collections.abc import Callable
from datetime import tzinfo
from decimal import Decimal, InvalidOperation
from pathlib import PurePath
from typing import Any

from pipelines.bodies.moments import Fault, moment, shown
from specification import LIMITS, Field

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
_BLANK = ("inNotes",)
"""Required texts that a person may have nothing to say in."""
_COUNTRY = "[A-Za-z]{2}"


Reference = dict[str, int]
"""The id that a change still in the queue will get: ``{"$queued": 12}`` by its number, ``{"$row":
3}`` by its place (1 is the first) among the changes queued together. Only id fields take it."""


def reference(value: Any) -> Reference | None:
    """The change that ``"@12"``, ``"@row:3"`` or ``{"$queued": 12}`` stands for, or None."""
    if isinstance(value, dict) and set(value) == {"$queued"}:
        number = value["$queued"]
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return {"$queued": number}
        raise Fault('{"$queued": N} needs the number of a change')
    if isinstance(value, str) and (found := _QUEUED.fullmatch(value.strip())):
        return {"$row" if found["row"] else "$queued": int(found["number"])}
    return None


def references(value: Any) -> list[Reference]:
    """All references that a body, or a part of one, holds."""
    if isinstance(value, dict) and value.keys() <= {"$queued", "$row"} and value:
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for part in inner for one in references(part)]


def filled(value: Any, given: Callable[[Reference], Any]) -> Any:
    """A body, or a part of one, with what is ``given`` for each reference in its place."""
    if isinstance(value, dict) and value:
        if value.keys() <= {"$queued", "$row"}:
            return given(value)
        return {name: filled(inner, given) for name, inner in value.items()}
    return [filled(inner, given) for inner in value] if isinstance(value, list) else value


def whole(value: Any) -> Any:
    """A number, or its digits, without the empty fraction that data frames give to a column with
    gaps, and write into files."""
    if isinstance(value, str):
        return (
            value.strip().partition(".")[0]
            if re.fullmatch(r"\d+\.0{0,2}", value.strip())
            else value
        )
    is_bounded = isinstance(value, float | Decimal) and math.isfinite(value)
    return int(value) if is_bounded and abs(value) <= _LARGEST and value % 1 == 0 else value


def _text(value: Any) -> str:
    value = value if isinstance(value, str) else whole(value)
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise Fault("holds characters that JSON text cannot carry")
        return value
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise Fault(f"must be text, not {shown(value)}")


def _checked_text(one: Field, value: Any) -> str:
    found = _text(value)
    if one.required and one.name not in _BLANK and not found.strip():
        raise Fault("must not be blank")
    if one.most is not None and len(found) > one.most:
        raise Fault(f"has {len(found)} characters; at most {one.most} are allowed")
    if one.name == "countryCode" and not re.fullmatch(_COUNTRY, found):
        raise Fault(f"{shown(found)} does not have the form {_COUNTRY}")
    if one.file and PurePath(found).suffix.lower().lstrip(".") not in LIMITS.upload_types:
        raise Fault(f"must be a file of type {', '.join(LIMITS.upload_types)}")
    return found


def _identifier(value: Any) -> str | Reference:
    """The id of another record (or a name or label where the field takes one), as text; the
    service's ids are text or plain numbers, so both are taken."""
    if (queued := reference(value)) is not None:
        return queued
    found = _text(whole(value))
    if not found.strip():
        raise Fault("must not be blank: it names a record")
    return found


def _id(one: Field, value: Any) -> Any:
    if one.several == "comma":
        return _text(value)
    if one.several:  # a payment's invoices
        is_text = isinstance(value, str) and value.strip().startswith("[")
        if not is_text and not isinstance(value, list | tuple):
            return _identifier(value)
        if not (ids := as_list(value)):
            raise Fault("must name at least one")
        found = [_identifier(entry) for entry in ids]
        if twice := [entry for entry in found if found.count(entry) > 1]:
            raise Fault(f"names {shown(twice[0])} more than once")
        return found
    # Which labels exist only the service knows; a model's label does, too.
    is_label = one.type == "any" or (one.names == "models" and one.type != "string")
    if is_label and isinstance(value, int) and not isinstance(value, bool):
        return value
    is_number = one.type == "numeric" and not is_label
    return reference(value) or _number(value) if is_number else _identifier(value)


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        try:
            value = Decimal(value.strip())
        except InvalidOperation:
            raise Fault(f"must be a number such as 1234.50, not {shown(value)}") from None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise Fault(f"must be a number, not {shown(value)}")
    if not isinstance(value, int) and not math.isfinite(value):
        raise Fault("must be a finite number")
    if abs(value) > _LARGEST:
        raise Fault(_TOO_MANY_DIGITS)
    if value == int(value):
        return int(value)
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    rounded = round(exact, 4)
    if _digits(rounded) <= _KEPT_DIGITS and abs(exact - rounded) <= abs(exact) * _NOISE:
        exact = rounded
    elif _digits(exact) > _KEPT_DIGITS and isinstance(value, Decimal):
        raise Fault(_TOO_MANY_DIGITS)
    return int(exact) if exact == int(exact) else float(exact)


def _digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def _bounded(one: Field, value: Any) -> int | float:
    found = _number(value)
    if one.at_least is not None and found < one.at_least:
        raise Fault(f"must be {one.at_least} or more, not {found}")
    if one.above is not None and found <= one.above:
        raise Fault(f"must be greater than {one.above}, not {found}")
    if one.below is not None and found >= one.below:
        raise Fault(f"must be less than {one.below}, not {found}")
    if one.values and found not in (among := [int(value) for value in one.values]):
        raise Fault(f"must be one of {', '.join(map(str, among))}, not {found}")
    return found


def _flag(value: Any) -> bool:
    """A boolean in any of the specification's spellings; sent as a JSON boolean."""
    spelled = str(whole(value)).strip().lower()
    if spelled not in _YES + _NO:
        raise Fault(f"must be True/False, Yes/No or 1/0, not {shown(value)}")
    return spelled in _YES


def _choice(one: Field, value: Any) -> str | int:
    """One of an enumeration, in any case; what comes out is the specification's."""
    folded = {str(known).casefold(): known for known in one.values}
    found = None
    if isinstance(value, str | int) and not isinstance(value, bool):
        found = folded.get(str(value).strip().casefold())
    if found is None:
        raise Fault(f"must be one of {', '.join(map(str, one.values))}, not {shown(value)}")
    return found


def as_list(value: Any) -> list[Any]:
    """An array, which may be JSON text, as in a CSV cell."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value, parse_float=Decimal)
        except ValueError:
            raise Fault("is no readable JSON list") from None
    if not isinstance(value, list | tuple):
        raise Fault(f"must be a list, not {shown(value)}")
    return list(value)


def read(one: Field, value: Any, zone: tzinfo | None) -> Any:
    """A value as the service takes it in a field; :class:`Fault` if it is none. What the document
    leaves open is decided here and above: which texts may be blank, which ids are numbers."""
    if one.names or one.name.endswith("stock_id"):
        return _id(one, value)
    if one.format or one.name == "paymentDate":
        return moment(value, one.format, zone)
    if one.type == "boolean":
        return _flag(value)
    if one.type == "numeric":
        return _bounded(one, value)
    return _choice(one, value) if one.values else _checked_text(one, value)
