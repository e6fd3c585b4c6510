"""JSON of the service -> values that any file, database and column name can hold.

Valid JSON may hold what nothing behind it takes: half a surrogate pair, NUL, numbers too large to
be numbers, a thousand levels. It is mended here, once, so nothing behind need think of it.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

DEEPEST = 32
"""Levels of nesting that stay; what lies deeper becomes its own JSON text."""

_HALF_AS_UTF8 = re.compile(rb"\xed[\xa0-\xbf]")
_NUL_OR_HALF_ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""A whole pair counts too; what else begins with "d" is Korean, which is in order."""
_HALF_OR_NUL = re.compile("[\ud800-\udfff\0]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def parse_json(body: bytes) -> Any:
    """JSON in UTF-8, fractions as :class:`~decimal.Decimal`. :class:`ValueError` when it is none.

    Some values become text, word for word: numbers beyond what Decimal or int hold, NaN and
    Infinity (no JSON, but some write them), and values more than :data:`DEEPEST` levels down. NUL
    and half a pair become U+FFFD. Of a field said twice the last one counts.
    """
    try:
        payload = json.loads(body, parse_float=_decimal, parse_int=_whole, parse_constant=str)
        if _may_be_strange(body) or _may_be_deep(body):
            payload = _mended(payload, DEEPEST)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return payload


def _number(kind: type[int] | type[Decimal], text: str) -> int | Decimal | str:
    """A number, or its text where it has more digits than its kind holds."""
    try:
        return kind(text)
    except (ValueError, InvalidOperation):
        return text


_whole, _decimal = partial(_number, int), partial(_number, Decimal)


def _may_be_strange(body: bytes) -> bool:
    """Whether NUL or half a pair may be in it: as an escape, or as UTF-8 of its own."""
    return (b"\\u" in body and _NUL_OR_HALF_ESCAPED.search(body) is not None) or (
        b"\xed" in body and _HALF_AS_UTF8.search(body) is not None
    )


def _may_be_deep(body: bytes) -> bool:
    """Whether brackets nest beyond :data:`DEEPEST`; those inside texts may cry wolf."""
    brackets = body.translate(None, _NO_BRACKETS)
    for _ in range(DEEPEST):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


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
