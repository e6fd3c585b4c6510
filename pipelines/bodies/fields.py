"""The types of the specification's field tables (string, numeric, boolean, date, any), validated.

What people and data frames hold is read: ISO dates, ``Decimal``, numbers in text, enums in any
case, references to changes that are still queued. The value that comes out is what the service
takes; anything that would lose a part of the value on the way is a fault.
"""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

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


def fault(message: str) -> PydanticCustomError:
    """A fault of one field, in words for the person who wrote the value."""
    return PydanticCustomError("body", "{message}", {"message": message})


Reference = dict[str, int]
"""The id that a change still in the queue will get: ``{"$queued": 12}`` by its number, ``{"$row":
3}`` by its place (1 is the first) among the changes queued together. Only id fields take it."""


def reference(value: Any) -> Reference | None:
    """The change that ``"@12"``, ``"@row:3"`` or ``{"$queued": 12}`` stands for, or None."""
    if isinstance(value, dict) and set(value) == {"$queued"}:
        number = value["$queued"]
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return {"$queued": number}
        raise fault('{"$queued": N} needs the number of a change')
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


def shown(value: Any) -> str:
    """A value in a message, short."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


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
            raise fault("holds characters that JSON text cannot carry")
        return value
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise fault(f"must be text, not {shown(value)}")


def text(max_length: int | None = None, *, blank: bool = True, pattern: str = "") -> Any:
    """A string type: at most ``max_length`` characters, not blank unless allowed."""

    def read(value: Any) -> str:
        found = _text(value)
        if not blank and not found.strip():
            raise fault("must not be blank")
        if max_length is not None and len(found) > max_length:
            raise fault(f"has {len(found)} characters; at most {max_length} are allowed")
        if pattern and not re.fullmatch(pattern, found):
            raise fault(f"{shown(found)} does not have the form {pattern}")
        return found

    return Annotated[str, PlainValidator(read)]


def _identifier(value: Any) -> str | Reference:
    if (queued := reference(value)) is not None:
        return queued
    found = _text(whole(value))
    if not found.strip():
        raise fault("must not be blank: it names a record")
    return found


Identifier = Annotated[Any, PlainValidator(_identifier)]
"""The id of another record (or a name or label where the field takes one), as text; the service's
ids are text or plain numbers, so both are taken."""


def _label(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _identifier(value)


Label = Annotated[Any, PlainValidator(_label)]
"""Type ``any``: an id or an exact-match label. Which labels exist only the service knows."""


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        try:
            value = Decimal(value.strip())
        except InvalidOperation:
            raise fault(f"must be a number such as 1234.50, not {shown(value)}") from None
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

    def read(value: Any) -> int | float:
        found = _number(value)
        if least is not None and found < least:
            raise fault(f"must be {least} or more, not {found}")
        if above is not None and found <= above:
            raise fault(f"must be greater than {above}, not {found}")
        if below is not None and found >= below:
            raise fault(f"must be less than {below}, not {found}")
        if among and found not in among:
            raise fault(f"must be one of {', '.join(map(str, among))}, not {found}")
        return found

    return Annotated[Any, PlainValidator(read)]


NumericId = Annotated[Any, PlainValidator(lambda value: reference(value) or _number(value))]
"""An id of type numeric (a tax id)."""


def _flag(value: Any) -> bool:
    spelled = value.strip().lower() if isinstance(value, str) else str(value)
    if isinstance(value, bool):
        return value
    if spelled in _YES or (isinstance(value, float) and value == 1):
        return True
    if spelled in _NO or (isinstance(value, float) and value == 0):
        return False
    raise fault(f"must be True/False, Yes/No or 1/0, not {shown(value)}")


Flag = Annotated[bool, PlainValidator(_flag)]
"""A boolean in any of the specification's spellings; sent as a JSON boolean."""


def choice(*values: str | int) -> Any:
    """An enumeration, in any case; what comes out is the specification's."""
    folded = {str(value).casefold(): value for value in values}

    def read(value: Any) -> str | int:
        found = None
        if isinstance(value, str | int) and not isinstance(value, bool):
            found = folded.get(str(value).strip().casefold())
        if found is None:
            raise fault(f"must be one of {', '.join(map(str, values))}, not {shown(value)}")
        return found

    return Annotated[Any, PlainValidator(read)]


def from_json_text(value: Any) -> Any:
    """Arrays may be JSON text, as in a CSV cell."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            return json.loads(value, parse_float=Decimal)
        except ValueError:
            raise fault("is no readable JSON list") from None
    if not isinstance(value, list | tuple):
        raise fault(f"must be a list, not {shown(value)}")
    return list(value)


def _one_or_more(value: Any) -> Any:
    if isinstance(value, str) and value.strip().startswith("["):
        value = from_json_text(value)
    if not isinstance(value, list | tuple):
        return _identifier(value)
    if not value:
        raise fault("must name at least one")
    return [_identifier(entry) for entry in value]


OneOrMoreIds = Annotated[Any, PlainValidator(_one_or_more)]
"""An id or a list of ids (a payment's invoices)."""
