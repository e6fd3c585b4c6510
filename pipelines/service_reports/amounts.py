"""A report's column of totals -> exact amounts, in every way the column as a whole may be read.

``1.234`` alone may be a thousand or little more than one; beside ``12.50`` it is the latter, beside
``2.345,60`` the former. So the decimal sign is found for all totals of an answer together.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sources.repair_shop.schema.clean import parse_amount

_FIGURE = re.compile(r"\d[\d.,'\u2019\u00a0\u202f ]*")
_GROUPED = {
    ".": re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|0?\.\d+"),
    ",": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?"),
}
"""Decimal sign -> what a figure looks like that has it, without spaces."""
_THOUSANDS_OR_NOT = re.compile(r"[1-9]\d{0,2}\.\d{3}")


def columns(values: Sequence[Any]) -> list[list[Decimal]]:
    """Every reading of a column: usually one, two when the decimal sign cannot be told.

    Nothing at all (null, an empty text) is zero: a sum over no document. ``ValueError`` names what
    is no amount.
    """
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    signs = [sign for sign in _GROUPED if all(_fits(text, sign) for text in texts)]
    if not signs:
        odd = next((t for t in texts if not any(_fits(t, sign) for sign in _GROUPED)), texts[0])
        raise ValueError(f"the total {odd[:40]!r}")
    if len(signs) == 2 and not any(_THOUSANDS_OR_NOT.fullmatch(_figure(text)) for text in texts):
        signs = ["."]  # 1,234: no amount of money has three decimals and a comma
    readings = [[_amount(value, sign) for value in values] for sign in signs]
    return readings if readings[0] != readings[-1] else readings[:1]


def _figure(text: str) -> str:
    found = _FIGURE.search(text)
    return re.sub(r"['\u2019\u00a0\u202f ]", "", found[0]).rstrip(".,") if found else ""


def _fits(text: str, sign: str) -> bool:
    return _GROUPED[sign].fullmatch(_figure(text)) is not None


def _amount(value: Any, sign: str) -> Decimal:
    if value is None or (isinstance(value, str) and not value.strip()):
        return Decimal(0)
    if not isinstance(value, str):
        try:
            return parse_amount(value)
        except ValueError:
            raise ValueError(f"the total {str(value)[:40]!r}") from None
    figure = _figure(value)
    other = "," if sign == "." else "."
    try:
        return parse_amount(value.replace(other, "").replace(sign, "."))
    except ValueError:
        raise ValueError(f"the total {value[:40]!r} ({figure})") from None
