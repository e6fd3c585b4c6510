"""Bodies of writes against the specification's tables: what is taken, and what is refused.

Fields and limits are the document's (:mod:`specification`); how values are read is our own.
"""

import math
import re
from typing import Any

from sandbox.calls import Refusal
from sandbox.resources import RESOURCES
from sandbox.values import BadValue, parse_bool, parse_moment
from specification import BODIES, LIMITS, Field, Op

_NEEDED = {
    "adjusted": ("product_id", "quantity", "type"),
    "added": ("ad_product_id", "ad_quantity", "ad_type"),
    "updated": ("up_stock_id",),
    "deleted": ("stock_id",),
}
"""Fields of elements that nothing can be done without; the document says nothing of them."""
_LARGEST = 10**12
_LENGTHS = {"dd-mmm-yyyy": 11, "dd-mmm-yyyy HH:mm": 17, "dd-mmm-yyyy HH:mm:ss": 20}
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_FILE = re.compile(rf"(?is).+\.({'|'.join(LIMITS.upload_types)})")


def _text(one: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise BadValue("must be text")
    if _NO_TEXT.search(value):
        raise BadValue("holds characters that JSON text cannot carry")
    if one.file and not _FILE.fullmatch(value):
        raise BadValue(f"must be a file of type {', '.join(LIMITS.upload_types)}")
    if one.name == "countryCode" and not re.fullmatch("[A-Za-z]{2}", value):
        raise BadValue("must be a country code of two letters")
    if (one.required or _is_id(one)) and not value.strip():
        raise BadValue("must not be blank")
    return value


def _is_id(one: Field) -> bool:
    """Whether it names something by its id, which may come as a number and is kept as text."""
    is_number = one.names and RESOURCES[one.names].ids == "number" and one.type == "numeric"
    return bool(one.names and not is_number) or one.name.endswith("stock_id")


def _id(one: Field, value: Any) -> Any:
    if type(value) is int:
        return str(value) if one.type == "string" else value
    if not (isinstance(value, list) and one.several == "list"):
        return _text(one, value)
    if not value:
        raise BadValue("must name at least one")
    return [_id(one, element) for element in value]


def _number(one: Field, value: Any, of_form: bool) -> int | float:
    try:
        found = float(value) if of_form and isinstance(value, str) else value
    except ValueError:
        found = None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise BadValue("must be a number")
    if not (isinstance(found, int) or math.isfinite(found)) or abs(found) > _LARGEST:
        raise BadValue("has more digits than a number keeps")
    found = int(found) if found == int(found) else found
    if one.values or one.names or one.name == "amount":  # a payment may be of any amount
        return found
    # The limits that the document states; a number without one is not below zero.
    least = 0 if one.above is None else one.above
    if found < least or (one.above is not None and found == least):
        word = "at least" if one.above is None else "greater than"
        raise BadValue(f"must be {word} {least}")
    if one.below is not None and found >= one.below:
        raise BadValue(f"must be less than {one.below}")
    return found


def _choice(one: Field, value: Any, of_form: bool) -> Any:
    found = _number(one, value, of_form) if one.type == "numeric" else value
    words = [str(choice) for choice in one.values if one.type == "any"]
    if isinstance(found, bool | list | dict) or found not in (*one.values, *words):
        raise BadValue(f"must be one of {', '.join(map(str, one.values))}")
    return found


def _date(one: Field, value: Any) -> str:
    parse_moment(text := _text(one, value))
    # The document gives no format of paymentDate.
    lengths = [_LENGTHS[form] for form in one.format or _LENGTHS]
    if len(text) not in lengths:
        raise BadValue(f"must be a date of {' or '.join(map(str, lengths))} characters")
    return text


def _read(one: Field, value: Any, of_form: bool) -> Any:
    """A value as it is kept."""
    if one.of:
        if not isinstance(value, list) or len(value) < one.required:
            raise BadValue("must be a list, with at least one element where one is needed")
        return [_body(one.of, "create", element, of_form) for element in value]
    if one.values:
        return _choice(one, value, of_form)
    if one.format or one.name == "paymentDate":
        return _date(one, value)
    if one.type == "boolean":
        if not isinstance(value, str | bool | int | float):
            raise BadValue("must be True/False, Yes/No or 1/0")
        return parse_bool(str(int(value) if value in (0, 1) else value))
    if _is_id(one):
        return _id(one, value)
    if one.type == "numeric":
        return _number(one, value, of_form)
    text = _text(one, value)
    if one.most is not None and len(text) > one.most:
        raise BadValue(f"must not be longer than {one.most}")
    return text


def checked(table: str, op: Op, content: Any, *, of_form: bool = False) -> dict[str, Any]:
    """A body as it is kept, with what the document takes for required fields that are left out."""
    if isinstance(content, dict) and op == "create":
        rows = BODIES[table].fields.values()
        given = {row.name: row.default for row in rows if row.required and row.default is not None}
        content = given | content
    try:
        return _body(table, op, content, of_form)
    except BadValue as error:
        raise Refusal(f"{error}. Please correct the fields named.") from None


def _body(table: str, op: Op, content: Any, of_form: bool) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise BadValue("must be a JSON object")
    known = BODIES[table].taken(op)
    faults = [f"{name}: there is no such field" for name in content if name not in known]
    body: dict[str, Any] = {}
    for name, one in known.items():
        if name in content:
            try:
                body[name] = _read(one, content[name], of_form)
            except BadValue as error:
                faults.append(f"{name}: {error}")
        elif op == "create" and (one.required or name in _NEEDED.get(table, ())):
            faults.append(f"{name}: is required")
    if (table, op) == ("leads", "update") and "mobile" in body and "countryCode" not in content:
        faults.append("countryCode is required when the mobile number is changed")
    if faults:
        raise BadValue("; ".join(faults))
    return body
