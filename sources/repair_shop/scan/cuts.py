"""Cuts: places in a list, sorted by day, of which one knows how many rows stand before them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate

from ..ledger import Page

BEGIN, END = date.min, date.max
"""Days of the cuts at both ends of a list."""
_MARGIN = 8
"""Rows on each side of a cut, at least, where a list is seen to be sorted loosely."""


class Days:
    """Known rows by day, summed up; ``undated`` of them have no day and so no place."""

    def __init__(self, days: Iterable[tuple[date | None, int]]) -> None:
        rows = list(days)
        dated = sorted((day, count) for day, count in rows if day is not None)
        self.undated = sum(count for day, count in rows if day is None)
        self._days = [day for day, _ in dated]
        self.ranks: list[int] = [0]
        """Rows before each day, and of all days."""
        for _, count in dated:
            self.ranks.append(self.ranks[-1] + count)
        self.live = self.ranks[-1] + self.undated
        self.newest = self._days[-1] if self._days else None

    def before(self, day: date) -> int:
        """Rows of earlier days; of :data:`END`, all."""
        return self.live if day == END else self.ranks[bisect_left(self._days, day)]


@dataclass(frozen=True)
class Cut:
    """A place of page ``number`` before which stand exactly the rows of all days before ``day``."""

    number: int
    day: date
    before: int


def told_apart(page: Page) -> Page:
    """The page with another id for each further row of one id: it has a place of its own."""
    if len(set(page.ids)) == page.size:
        return page
    times = Counter[str]()
    ids: list[str] = []
    for row in page.ids:
        times[row] += 1
        ids.append(row if times[row] == 1 else f"{row}\0{times[row]}")
    return replace(page, ids=tuple(ids))


def cut_of(number: int, page: Page, base: int, *, is_loose: bool) -> list[Cut]:
    """The cut of a page that is nearest to its middle, if it has one; ``base`` rows stand before.

    A day changes for good where all rows before are of earlier days than all behind. In a loose
    order rows next to the page's edges prove nothing, as their neighbours may be mixed.
    """
    days = [day for day in page.days if day is not None]
    if len(days) < page.size:
        return []
    lowest = list(days)
    for i in range(len(days) - 2, -1, -1):
        lowest[i] = min(days[i], lowest[i + 1])
    margin = _MARGIN if is_loose else 1
    places: list[int] = []
    highest = BEGIN
    for i, day in enumerate(days):
        if margin <= i <= len(days) - margin and highest < lowest[i]:
            places.append(i)
        highest = max(highest, day)
    if not places:
        return []
    place = min(places, key=lambda i: abs(2 * i - len(days)))
    return [Cut(number, days[place], base + place)]


def goes_back(days: Sequence[date]) -> bool:
    """Whether a day is followed by one of two days earlier, or more: no mere mix of hours."""
    pairs = zip(days, accumulate(days, max), strict=True)
    return any((highest - day).days > 1 for day, highest in pairs)


def below(high: int, holds: Callable[[int], bool]) -> int:
    """The highest page below ``high`` of which it holds, 0 if there is none."""
    step, low = 1, high - 1
    while low > 0 and not holds(low):
        high, low, step = low, low - step, 2 * step
    low = max(0, low)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low
