"""One value of the service -> one value of a column. Total and linear.

``1.234`` may be a thousand or little more than one, and ``07/05/2026`` may lie in July or in May.
Such a value is *ambiguous*: what its column says elsewhere decides (:mod:`.memory`), or nothing.
"""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ..schema.dates import Order, parse_moment
from ..schema.shapes import Kind

Sign = Literal[".", ","]
"""What stands before the decimals of amounts."""
EMPTY: tuple[Any, ...] = (None, "", {}, [])
_PLACES = Decimal("0.0001")
_LARGEST = Decimal(10) ** 23
_LONGEST_AMOUNT = 60
"""Characters of an amount with its currency; a longer text is none."""
_NO_DATE = re.compile(r"0{4}-0{2}-0{2}([T ]0{2}:0{2}(:0{2}(\.0+)?)?Z?)?")
_FIRST_DAY = "0001-01-01"
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_SHARE = re.compile("percent|%", re.IGNORECASE)
_PLAIN = re.compile(r"[+-]?(\.\d+|\d+(\.\d+)?[eE][+-]?\d{1,2})")
# Currency signs and codes stand before or behind the figure, never inside it; a point belongs to a
# code (``Rs.50``, ``S/.50``), not to a sign (``$.50`` may be half a dollar).
_PRICE = re.compile(
    r"\(? ?(-?) ?(?:[^\W\d_]{1,4}/?\.|[^\d\s.,()+-]{0,5}) ?([+-]?) ?"
    r"(\d[\d.,' ]*)[^\d\s.,()+-]{0,5} ?(-?)\)?"
)
_FIGURES: dict[Sign, re.Pattern[str]] = {
    ".": re.compile(
        r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?"
        r"|\d*(?:\.\d+)?"
    ),
    ",": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?"),
}
"""Sign before the decimals -> what a figure looks like that has it."""
_TYPESET = str.maketrans(
    dict.fromkeys("\N{MINUS SIGN}\u2010\u2011\u2012\u2013\u2014\ufe58\ufe63\uff0d", "-")
    | {"\N{RIGHT SINGLE QUOTATION MARK}": "'"}
)
"""Minus signs, hyphens and dashes of all widths, any of which stands before a loss."""
_NO_CENTS = re.compile(r"(?<=\d)([.,])-+(?!-| ?\d)")
"""``kr 500,-`` and ``CHF 5.-`` say that there are no cents."""

UNREADABLE = object()
"""Stands for a value that is not of its column's kind."""


class Ambiguous(ValueError):
    """A value that means two things: its column must say which."""


def parse_amount(value: Any, sign: Any = None) -> Decimal:
    """A number or a text such as ``Q1,234.50``, ``1.234,50 EUR``, ``(12.00)`` as a DECIMAL.

    Rounded half up to 4 places. ``sign`` decides what can be read in two ways; without it that is
    an :class:`Ambiguous`. Raises ValueError for anything that is no amount.
    """
    value = bare_amount(value)
    if isinstance(value, str):
        by_point, by_comma = readings(value)
        found = by_comma if by_point is None or sign == "," else by_point
        if sign is None and None not in (by_point, by_comma) and by_point != by_comma:
            raise Ambiguous(f"{value[:_LONGEST_AMOUNT]!r} can be read in two ways")
        if found is None:
            raise ValueError("no amount")
        return found
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("no amount")
    return _bounded(Decimal(repr(value) if isinstance(value, float) else value))


def bare_amount(value: Any) -> Any:
    """An amount without the object that holds it beside a currency or a rate, if one does. One that
    is said to be a share is no money, and stays as it is."""
    while isinstance(value, dict) and "amount" in value:
        kinds = (str(value.get(name, "")) for name in ("type", "kind", "unit"))
        if any(_SHARE.search(kind) for kind in kinds):
            break
        value = value["amount"]
    return value


def sign_of(text: str) -> Sign | None:
    """What an amount shows to stand before decimals; None where it shows nothing."""
    by_point, by_comma = readings(text)
    if (by_point is None) == (by_comma is None):
        return None
    return "." if by_comma is None else ","


@lru_cache(maxsize=20_000)
def readings(text: str) -> tuple[Decimal | None, Decimal | None]:
    """What a text means if a point stands before the decimals, and if a comma does."""
    body = " ".join(text[: 10 * _LONGEST_AMOUNT].split()).translate(_TYPESET)
    body = _NO_CENTS.sub(r"\g<1>00", body)
    if len(text) > 10 * _LONGEST_AMOUNT or len(body) > _LONGEST_AMOUNT:
        return None, None
    try:
        if _PLAIN.fullmatch(body):
            return (_bounded(Decimal(body)),) * 2
        match = _PRICE.fullmatch(body)
        signs = match[1] + match[2] + match[4] if match else ""
        if not match or len(signs) > 1:
            return None, None
        is_negative = "-" in signs or (body.startswith("(") and body.endswith(")"))
        figure = re.sub(r"[' ]", "", match[3]).rstrip(".,")
        return _read(figure, ".", is_negative), _read(figure, ",", is_negative)
    except ValueError:
        return None, None


def _read(figure: str, sign: Sign, is_negative: bool) -> Decimal | None:
    if not figure or not _FIGURES[sign].fullmatch(figure):
        return None
    plain = figure.replace(",", "") if sign == "." else figure.replace(".", "").replace(",", ".")
    return _bounded(-Decimal(plain) if is_negative else Decimal(plain))


def _bounded(number: Decimal) -> Decimal:
    # abs() would round first, and refuse exponents of millions.
    if not number.is_finite() or number.copy_abs() >= _LARGEST:
        raise ValueError("out of range")
    return number.quantize(_PLACES, ROUND_HALF_UP) + 0


def to_text(value: Any) -> str:
    """Any JSON value as text: strings as they are, the rest as compact JSON; 7.0 is the id 7."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        is_short = value.is_finite() and value.adjusted() < _LARGEST.adjusted()
        if is_short and value == value.to_integral_value():
            return str(int(value))
        return str(value) if value.as_tuple().exponent != 0 else f"{value:f}"
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def convert(kind: Kind, value: Any, zone: ZoneInfo, shown: Sign | Order | None = None) -> Any:
    """A value as its column's kind wants it; None for a date that says "none".

    :data:`UNREADABLE` if it is of another kind. ``shown`` is what the column has shown elsewhere;
    without it a value that means two things is :class:`Ambiguous`.
    """
    if kind == "text":
        return _label(value)
    if kind == "flag":
        return _FLAGS.get(to_text(value).strip().lower(), UNREADABLE)
    if kind == "moment":
        return _moment(value, zone, shown)
    if kind == "amount" and isinstance(value, str) and "%" in value:
        return UNREADABLE  # a share of something, and no money
    try:
        return parse_amount(value, shown)
    except Ambiguous:
        raise
    except ValueError:
        return UNREADABLE


def _moment(value: Any, zone: ZoneInfo, order: Any) -> Any:
    if isinstance(value, str) and _NO_DATE.fullmatch(value.strip()):
        return None  # the way some databases spell "no date"
    found = parse_moment(value, zone, order)
    if found and found.startswith(_FIRST_DAY):
        return None  # as some languages do
    if found is None and order is None and parse_moment(value, zone, "day first"):
        raise Ambiguous(f"{value!r} may be two days")
    return found or UNREADABLE


def _label(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("label", "name", "title", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return to_text(value)
