"""JSON of the service -> values that any file, database and column name can hold.

Valid JSON may hold what nothing behind it takes: half a surrogate pair, NUL, numbers too large to
be numbers, a thousand levels. It is mended here, once, so nothing behind need think of it.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any

DEEPEST = 32
"""Levels of nesting that stay; what lies deeper becomes its own JSON text."""

_HALF_OR_NUL = re.compile("[\ud800-\udfff\0]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def parse_json(body: bytes) -> Any:
    """JSON in UTF-8, fractions as :class:`~decimal.Decimal`. :class:`ValueError` when it is none.

    A whole number of more than 64 bits is a Decimal, too. Some values become text, word for word:
    numbers beyond what Decimal or int hold, NaN and Infinity (no JSON, but some write them), and
    values more than :data:`DEEPEST` levels down. NUL and half a pair become U+FFFD. Of a field said
    twice the last one counts.
    """
    try:
        payload = json.loads(body, parse_float=_decimal, parse_int=_whole, parse_constant=str)
        brackets = body.count(b"[") + body.count(b"{")
        if b"\\u" in body or b"\xed" in body or brackets > DEEPEST:  # the rest needs no mending
            payload = _mended(payload, DEEPEST)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return payload


def _whole(text: str) -> int | Decimal | str:
    try:
        number = int(text)
    except ValueError:
        return text  # of more digits than it holds
    return number if number.bit_length() < 64 else Decimal(number)


def _decimal(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def _mended(value: Any, levels: int) -> Any:
    if isinstance(value, str):
        return _HALF_OR_NUL.sub(_REPLACEMENT, value)
    if not isinstance(value, dict | list):
        return value
    if not levels:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
        return _HALF_OR_NUL.sub(_REPLACEMENT, text)
    if isinstance(value, list):
        return [_mended(item, levels - 1) for item in value]
    fields: dict[str, Any] = {}
    for key, item in value.items():
        name = _HALF_OR_NUL.sub(_REPLACEMENT, key)
        if name in fields:
            name = f"{name}{_REPLACEMENT}{len(fields)}"
        fields[name] = _mended(item, levels - 1)
    return fields
