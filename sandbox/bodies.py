"""Bodies of writes against the specification's tables: what is taken, and what is refused.

The fields and their limits are the document's (:mod:`specification`). How values are read, and what
a field must hold that the document leaves open, is the sandbox's own. The client reads them apart
from it.
"""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.errors import Refusal
from sandbox.resources import RESOURCES
from sandbox.values import BadValue, parse_moment
from specification import BODIES, LIMITS, Field, Op

_NEEDED = {
    "adjusted": ("product_id", "quantity", "type"),
    "added": ("ad_product_id", "ad_quantity", "ad_type"),
    "updated": ("up_stock_id",),
    "deleted": ("stock_id",),
}
"""Fields of elements that nothing can be done without; the document says nothing of them."""
_LARGEST = 10**12
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LENGTHS = {"dd-mmm-yyyy": 11, "dd-mmm-yyyy HH:mm": 17, "dd-mmm-yyyy HH:mm:ss": 20}


class Wrong(Exception):
    """A value breaks a rule of its field; the message says which."""


Read = Callable[[Any, bool], Any]
"""A value, and whether it comes from a form, where all are texts -> the value as it is kept."""


def _text(value: Any, _of_form: bool) -> str:
    if not isinstance(value, str):
        raise Wrong("must be text")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise Wrong("holds characters that JSON text cannot carry")
    return value


def _filled(value: Any, of_form: bool) -> str:
    if not (found := _text(value, of_form)).strip():
        raise Wrong("must not be blank")
    return found


def _country(value: Any, of_form: bool) -> str:
    if not re.fullmatch("[A-Za-z]{2}", found := _text(value, of_form)):
        raise Wrong("must be a country code of two letters")
    return found


def _file(value: Any, of_form: bool) -> str:
    stem, _, kind = _text(value, of_form).rpartition(".")
    if not stem or kind.lower() not in LIMITS.upload_types:
        raise Wrong(f"must be a file of type {', '.join(LIMITS.upload_types)}")
    return f"{stem}.{kind}"


def _id(value: Any, of_form: bool) -> str:
    return str(value) if type(value) is int else _filled(value, of_form)


def _label(value: Any, of_form: bool) -> str | int:
    return value if type(value) is int else _id(value, of_form)


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
    word = value.strip().lower() if of_form and isinstance(value, str) else value
    if isinstance(value, str) and word in (*_FLAGS, "True", "Yes", "False", "No"):
        return _FLAGS[word.lower()]
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise Wrong("must be True/False, Yes/No or 1/0")


def _choice(one: Field, value: Any, of_form: bool) -> Any:
    found = _number(value, of_form) if one.type == "numeric" else value
    words = [str(choice) for choice in one.values if one.type == "any"]
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise Wrong(f"must be one of {', '.join(map(str, one.values))}")
    if found not in (*one.values, *words):
        raise Wrong(f"must be one of {', '.join(map(str, one.values))}")
    return found


def _date(lengths: tuple[int, ...], value: Any, of_form: bool) -> str:
    text = _text(value, of_form)
    try:
        parse_moment(text)
    except BadValue as error:
        raise Wrong(str(error)) from None
    if len(text) not in lengths:
        raise Wrong(f"must be a date of {' or '.join(map(str, lengths))} characters")
    return text


def _reader(one: Field) -> Read:
    """How a field's value is read."""
    if one.values:
        return partial(_choice, one)
    if one.format or one.name == "paymentDate":  # of which the document gives no format
        return partial(_date, tuple(_LENGTHS[form] for form in one.format or _LENGTHS))
    if one.type == "boolean":
        return _flag
    if one.names and one.several == "list":
        return _ids
    numbered = one.names and RESOURCES[one.names].ids == "number" and one.type == "numeric"
    if one.names and not numbered:
        return _id if one.type == "string" else _label
    if one.type == "numeric":
        return _number
    if one.file:
        return _file
    if one.name == "countryCode":
        return _country
    if one.name.endswith("stock_id"):
        return _id
    return _filled if one.required else _text


_READERS = {
    (body.name, one.name): _reader(one) for body in BODIES.values() for one in body.fields.values()
}


def _within(one: Field, found: Any) -> None:
    """The limits that the document states; a number without one is not below zero, unless it is
    an amount that is paid."""
    if one.most is not None and len(found) > one.most:
        raise Wrong(f"must not be longer than {one.most}")
    if one.type != "numeric" or one.values or one.names or one.name == "amount":
        return
    least = 0 if one.above is None else one.above
    if found < least or (one.above is not None and found == least):
        raise Wrong(f"must be {'greater than ' if one.above is not None else 'at least '}{least}")
    if one.below is not None and found >= one.below:
        raise Wrong(f"must be less than {one.below}")


def _read(table: str, one: Field, value: Any, of_form: bool) -> Any:
    if one.of:
        if not isinstance(value, list) or len(value) < one.required:
            raise Wrong("must be a list, with at least one element where one is needed")
        return [_body(one.of, "create", element, of_form) for element in value]
    found = _READERS[table, one.name](value, of_form)
    _within(one, found)
    return found


def checked(table: str, op: Op, content: Any, *, of_form: bool = False) -> dict[str, Any]:
    """A body as it is kept, with what the document takes for required fields that are left out.

    Raises:
        Refusal: it names every field that breaks a rule.
    """
    if isinstance(content, dict) and op == "create":
        content = _defaults(table) | content
    try:
        return _body(table, op, content, of_form)
    except Wrong as wrong:
        raise Refusal(f"{wrong}. Please correct the fields named.") from None


def _defaults(table: str) -> dict[str, Any]:
    rows = BODIES[table].fields.values()
    return {one.name: one.default for one in rows if one.required and one.default is not None}


def _body(table: str, op: Op, content: Any, of_form: bool) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise Wrong("must be a JSON object")
    known = BODIES[table].taken(op)
    faults = [f"{name}: there is no such field" for name in content if name not in known]
    body: dict[str, Any] = {}
    for name, one in known.items():
        if name in content:
            try:
                body[name] = _read(table, one, content[name], of_form)
            except Wrong as wrong:
                faults.append(f"{name}: {wrong}")
        elif op == "create" and (one.required or name in _NEEDED.get(table, ())):
            faults.append(f"{name}: is required")
    if (table, op) == ("leads", "update") and "mobile" in body and "countryCode" not in content:
        faults.append("countryCode is required when the mobile number is changed")
    if faults:
        raise Wrong("; ".join(faults))
    return body
