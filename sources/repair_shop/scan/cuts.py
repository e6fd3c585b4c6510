"""Cuts: places in a list, sorted by day, of which one knows how many rows stand before them."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ..ledger import Page
from .outcome import PAGE_ROWS

BEGIN, END = date.min, date.max
"""Days of the cuts at both ends of a list."""
_MARGIN = 8
"""Rows on each side of a cut, at least, where a list is seen to be sorted loosely."""


@dataclass(frozen=True)
class Cut:
    """A place before which stand exactly the ``before`` rows of all days before ``day``."""

    day: date
    before: int


@dataclass(frozen=True)
class Point:
    """A page with its first and last cut. Number 0 stands for the place before the first page."""

    number: int
    first: Cut
    last: Cut


START = Point(0, Cut(BEGIN, 0), Cut(BEGIN, 0))


def point_of(
    number: int, page: Page, *, loose: bool, is_last: bool, is_trusted: bool = True
) -> Point | None:
    """The page's cuts, the list's own ends included; None where no day changes on it.

    A day changes for good where all rows before are of earlier days than all behind. In a
    ``loose`` order rows next to the page's edges prove nothing, as their neighbours may be mixed;
    of a page that is not trusted at all, only the ends of the list are left.
    """
    base = PAGE_ROWS * (number - 1)
    days = [day for day in page.days if day is not None]
    cuts = [Cut(BEGIN, 0)] if number == 1 else []
    if is_trusted and len(days) == page.size:
        places = _changes(days, _MARGIN if loose else 1)
        cuts += [Cut(days[i], base + i) for i in places]
    if is_last:
        cuts.append(Cut(END, base + page.size))
    return Point(number, cuts[0], cuts[-1]) if cuts else None


def _changes(days: Sequence[date], margin: int) -> list[int]:
    """Where days change for good, with so many rows on both sides at least."""
    lowest = list(days)
    for i in range(len(days) - 2, -1, -1):
        lowest[i] = min(days[i], lowest[i + 1])
    places: list[int] = []
    highest = BEGIN
    for i, day in enumerate(days):
        if margin <= i <= len(days) - margin and highest < lowest[i]:
            places.append(i)
        highest = max(highest, day)
    return places


class Count:
    """Known rows by day, summed up. ``undated`` of them have no day and so no place."""

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

    @property
    def pages(self) -> int:
        """Pages the rows fill."""
        return -(-self.live // PAGE_ROWS)

    def before(self, day: date) -> int:
        """Rows of earlier days; of :data:`END`, all."""
        return self.live if day == END else self.ranks[bisect_left(self._days, day)]

    def within(self, first_page: int, last_page: int) -> tuple[date, date] | None:
        """The first and last day of which all rows stand on these pages, None if there is none."""
        low, high = PAGE_ROWS * (first_page - 1), PAGE_ROWS * last_page
        ranges = zip(self._days, self.ranks, self.ranks[1:], strict=False)
        days = [day for day, begin, end in ranges if low <= begin and end <= high]
        return (days[0], days[-1]) if days else None

    def around(self, first: date, end: date) -> int:
        """Rows of the days from the one before ``first`` to ``end``: what a window of them shows,
        a day wider at both ends."""
        day = timedelta(days=1)
        low = 0 if first == BEGIN else self.before(first - day)
        return (self.live if end >= END - day else self.before(end + day)) - low
