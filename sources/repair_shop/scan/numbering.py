"""Rows that a shop numbers one after the other: how many stand between two pages, by their numbers.

Tickets, documents, payments and customers bear such numbers, under whatever name. They only tell
where to look for a list's end (:mod:`.list_end`), and prove nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST = 15
"""Digits of the longest number."""
_LAST_DIGITS = re.compile(rf"[0-9]{{1,{_LONGEST}}}$")
_GAPS = 2.5
"""Numbers for each row, at most, in the middle half of a page: rows are sorted by date, some were
deleted, and of tickets some are in the other half of the list."""
_ENOUGH = 20
"""Rows of a page by which numbers are told from chance."""
_ROUND = (10**9, 10**6, 10**5, 10**4, 10**3, 10**2)

Number = tuple[str, int]
"""Of the row in the middle of a page: the field that bears its number, and the number."""


def number_of(rows: Sequence[Mapping[str, Any]]) -> Number | None:
    """The number in the middle of a page, if it is long and its rows are numbered."""
    found: list[tuple[int, Number]] = []
    quarter, half = len(rows) // 4, len(rows) // 2
    for field in rows[0] if len(rows) >= _ENOUGH else ():
        numbers = sorted({n for row in rows if (n := _number(row.get(field))) is not None})
        if len(numbers) == len(rows):
            span = numbers[quarter + half] - numbers[quarter]
            if span <= _GAPS * half:
                found.append((span, (field, numbers[half])))
    return min(found)[1] if found else None


def _number(value: Any) -> int | None:
    if isinstance(value, int):
        return value if 0 <= value < 10**_LONGEST else None
    digits = _LAST_DIGITS.search(value[-_LONGEST:]) if isinstance(value, str) else None
    return int(digits[0]) if digits else None


def rows_between(low: Number | None, high: Number | None) -> int | None:
    """Rows from the middle of a page to that of another; None if their numbers do not tell."""
    if low is None or high is None or low[0] != high[0] or high[1] < low[1]:
        return None
    return high[1] - low[1]


def rows_before(middle: Number | None, least: float, most: float) -> int | None:
    """Rows before the middle of a page, from ``least`` to ``most``; None if numbers do not tell.

    Shops let their numbers begin at a round one: so the roundest that fits is taken.
    """
    if middle is None:
        return None
    for step in _ROUND:
        first = max(0, math.ceil((middle[1] - most) / step))
        last = math.floor((middle[1] - least) / step)
        if first <= last:
            return middle[1] - step * last if last - first <= 1 else None
    return None
