"""A column's values as the service said them -> one Arrow array of the column's kind.

Columns of one usual spelling are read at once by Arrow; the others value by value, with
:func:`~repair_shop.schema.values.convert`, which is what every value means. The first is only a
faster way to the second's result: where Arrow knows it better or worse, the second is asked.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from ..schema.dates import parse_moment
from ..schema.shapes import Kind
from ..schema.values import UNREADABLE, convert, to_text

AMOUNT = pa.decimal128(28, 4)
TYPES: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "moment": pa.string(),
    "amount": AMOUNT,
    "number": AMOUNT,
    "flag": pa.bool_(),
}
"""Kind of a declared column -> its type in a table."""

_NONE = type(None)
_USUAL_AMOUNT = r"^-?\d{1,20}(\.\d{1,4})?$"
_USUAL_PRICE = r"^-?[A-DF-Za-df-z$€£¥₹]{0,4}\d[\d,]{0,18}\.\d{1,4}$"
_NOT_OF_THE_FIGURE = r"[A-Za-z$€£¥₹,]"
_DAY_FIRST = re.compile(r"\d{2}-[A-Za-z]{3}-\d{4}")


def typed(
    name: str, kind: Kind, values: Sequence[Any], zone: ZoneInfo
) -> tuple[pa.Array, dict[int, str]]:
    """The column, and the words of those of its values that are not of its kind, by place."""
    types = set(map(type, values))
    try:
        array = _AT_ONCE[kind](name, values, types)
    except (pa.ArrowException, UnicodeError, OverflowError):
        array = None
    return (array, {}) if array is not None else _one_by_one(name, kind, values, zone)


def _one_by_one(
    name: str, kind: Kind, values: Sequence[Any], zone: ZoneInfo
) -> tuple[pa.Array, dict[int, str]]:
    known: dict[Any, Any] = {}  # shops say the same texts again and again
    words: dict[int, str] = {}
    read: list[Any] = []
    for place, value in enumerate(values):
        text = type(value) is str
        if text and value in known:
            found = known[value]
        else:
            found = convert(name, kind, value, zone)
            if text:
                known[value] = found
        if found is UNREADABLE:
            words[place] = to_text(value)
            found = None
        read.append(found)
    if kind in ("amount", "number"):
        texts = pa.array([None if found is None else str(found) for found in read], pa.string())
        return texts.cast(AMOUNT), words
    return pa.array(read, TYPES[kind]), words


def _texts(name: str, values: Sequence[Any], types: set[type]) -> pa.Array | None:
    if types <= {str, _NONE}:
        return _filled(values) if "__" in name else pa.array(values, pa.string())
    if types <= {int, _NONE}:
        return pa.array([None if v is None else str(v) for v in values], pa.string())
    return None


def _flags(name: str, values: Sequence[Any], types: set[type]) -> pa.Array | None:
    return pa.array(values, pa.bool_()) if types <= {bool, _NONE} else None


def _amounts(name: str, values: Sequence[Any], types: set[type]) -> pa.Array | None:
    if types <= {int, Decimal, _NONE}:
        # By way of text: ten times as fast as Arrow's own reading of Decimal.
        texts = pa.array([None if v is None else str(v) for v in values], pa.string())
    elif types <= {str, _NONE}:
        texts = _filled(values)
    else:
        return None
    # Not by Arrow's word alone: the cast takes any exponent, and a large one ends the process.
    if not _all_match(texts, _USUAL_AMOUNT):
        if not _all_match(texts, _USUAL_PRICE):
            return None
        texts = pc.replace_substring_regex(texts, _NOT_OF_THE_FIGURE, "")
    return texts.cast(AMOUNT)


def _moments(name: str, values: Sequence[Any], types: set[type]) -> pa.Array | None:
    if not types <= {str, _NONE}:
        return None
    texts = _filled(values)
    if _DAY_FIRST.match(next((value for value in values if value), "")):
        texts = _each_once(texts, 0, 11, _day)
    if texts is None or texts.null_count == len(texts):
        return texts
    lengths = pc.min_max(pc.binary_length(texts)).as_py()
    heads = pc.utf8_slice_codeunits(texts, 0, 19)
    if pc.min(heads).as_py() < "0001":
        return None
    if lengths["max"] == 10:
        heads.cast(pa.date32())  # refuses 31 February
        return texts
    if lengths["min"] < 19:
        return None
    heads.cast(pa.timestamp("s"))
    texts = _each_once(texts, 19, None, _end)
    if texts is not None and " " in pc.unique(pc.utf8_slice_codeunits(texts, 10, 11)).to_pylist():
        texts = pc.replace_substring_regex(texts, "^(.{10}) ", r"\1T")
    return texts


def _each_once(
    texts: pa.Array, start: int, stop: int | None, meant: Callable[[str], str | None]
) -> pa.Array | None:
    """Texts with the same part of each replaced by what it means; None if one means nothing."""
    parts = pc.utf8_slice_codeunits(texts, start, stop).dictionary_encode()
    said = [meant(part) for part in parts.dictionary.to_pylist()]
    if None in said:
        return None
    read = pa.array(said, pa.string()).take(parts.indices)
    pieces = [read] if start == 0 else [pc.utf8_slice_codeunits(texts, 0, start), read]
    if stop is not None:
        pieces.append(pc.utf8_slice_codeunits(texts, stop, None))
    return pc.binary_join_element_wise(*pieces, "")


@lru_cache(maxsize=10_000)
def _day(text: str) -> str | None:
    """``16-Jul-2026`` -> ``2026-07-16``."""
    return parse_moment(text, UTC)


@lru_cache(maxsize=10_000)
def _end(text: str) -> str | None:
    """What follows the seconds of a moment, fraction and offset, as we write it."""
    moment = parse_moment(f"2000-01-01T00:00:00{text}", UTC)
    return None if moment is None else moment[19:]


def _filled(values: Sequence[Any]) -> pa.Array:
    """Texts, the empty ones null."""
    return pa.array([v or None for v in values] if "" in values else values, pa.string())


def _all_match(texts: pa.Array, pattern: str) -> bool:
    found = pc.all(pc.match_substring_regex(texts, pattern)).as_py()
    return found is not False  # None: there is no text at all


_AT_ONCE: Mapping[Kind, Callable[[str, Sequence[Any], set[type]], pa.Array | None]] = {
    "text": _texts,
    "flag": _flags,
    "amount": _amounts,
    "number": _amounts,
    "moment": _moments,
}
