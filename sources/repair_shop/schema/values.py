"""One value of the service -> one value of a column, or :data:`UNREADABLE`. Total and linear."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.dates import parse_moment
from ..schema.shapes import Kind

CENT_FRACTION = Decimal("0.0001")
EMPTY: tuple[Any, ...] = (None, "", {}, [])
_LARGEST = Decimal(10) ** 23
_LONGEST_AMOUNT = 60
"""Characters of an amount with its currency; a longer text is none."""
_NO_DATE = re.compile(r"0{4}-0{2}-0{2}([T ]0{2}:0{2}(:0{2})?)?")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_PLAIN = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d{1,2})?")
# Currency signs and codes stand before or behind the figure, never inside it; a point belongs to a
# code (``Rs.50``, ``S/.50``), not to a sign (``$.50`` may be half a dollar).
_PRICE = re.compile(
    r"\(? ?(-?) ?(?:[^\W\d_]{1,4}/?\.|[^\d\s.,()+-]{0,5}) ?([+-]?) ?"
    r"(\d[\d.,' ]*)[^\d\s.,()+-]{0,5} ?(-?)\)?"
)
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+|\d{1,2}(,\d{2})*,\d{3}")
_GROUPED_BY_POINTS = re.compile(r"\d{1,3}(\.\d{3}){2,}")


_TYPESET = str.maketrans("\N{MINUS SIGN}\N{RIGHT SINGLE QUOTATION MARK}", "-'")


UNREADABLE = object()
"""Stands for a value that is not of its column's kind."""


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
    # abs() would round first, and refuse exponents of millions.
    if not number.is_finite() or number.copy_abs() >= _LARGEST:
        raise ValueError("out of range")
    return number.quantize(CENT_FRACTION, ROUND_HALF_UP) + 0


def _amount_of_text(text: str) -> Decimal:
    body = " ".join(text[: 10 * _LONGEST_AMOUNT].split()).translate(_TYPESET)
    if len(text) > 10 * _LONGEST_AMOUNT or len(body) > _LONGEST_AMOUNT:
        raise ValueError("no amount")
    if _PLAIN.fullmatch(body):
        return Decimal(body)
    negative = body.startswith("(") and body.endswith(")")
    match = _PRICE.fullmatch(body)
    signs = match[1] + match[2] + match[4] if match else ""
    if not match or len(signs) > 1:
        raise ValueError("no amount")
    try:
        number = Decimal(_plain_figure(re.sub(r"[' ]", "", match[3]).rstrip(".,")))
    except InvalidOperation as error:
        raise ValueError("no amount") from error
    return -number if negative or "-" in signs else number


def _plain_figure(figure: str) -> str:
    """``1.234,50`` -> ``1234.50``: what parts thousands goes, what parts cents is a point."""
    comma, point = figure.rfind(","), figure.rfind(".")
    if comma >= 0 and point >= 0:
        thousands, decimal = (",", ".") if point > comma else (".", ",")
        return figure.replace(thousands, "").replace(decimal, ".")
    if comma >= 0:
        return figure.replace(",", "" if _GROUPED.fullmatch(figure) else ".")
    return figure.replace(".", "") if _GROUPED_BY_POINTS.fullmatch(figure) else figure


def to_text(value: Any) -> str:
    """Any JSON value as text: strings as they are, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return str(value) if value.as_tuple().exponent != 0 else f"{value:f}"
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def convert(name: str, kind: Kind, value: Any, zone: ZoneInfo) -> Any:
    """A value as its column's kind wants it; None where it says nothing: so does an empty text, but
    in plain text columns, and a date that says "none". :data:`UNREADABLE` if of another kind."""
    if value is None or (value == "" and (kind != "text" or "__" in name)):
        return None
    if kind == "text":
        return _label(value)
    if kind == "flag":
        return _FLAGS.get(to_text(value).strip().lower(), UNREADABLE)
    if kind == "moment":
        return _moment(value, zone)
    try:
        return parse_amount(value)
    except ValueError:
        return UNREADABLE


def _label(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("label", "name", "title", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return to_text(value)


def _moment(value: Any, zone: ZoneInfo) -> Any:
    if isinstance(value, str) and _NO_DATE.fullmatch(value.strip()):
        return None  # the way some databases spell "no date"
    return parse_moment(value, zone) or UNREADABLE
