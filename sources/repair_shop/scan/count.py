"""The one proof: a list is complete when as many of its rows are known as it has places.

Oldest first, page k begins at place 50 (k - 1). Where the day changes inside a page stand exactly
the rows of all earlier days before that place: a *cut*. The begin and the end of the list are cuts,
too. What is known says how many rows each cut should have before it. Where the two numbers agree at
the end of the list, it is complete. Where they do not, bisection finds the two cuts between which
they differ. The pages between are read, and every row of these days was seen only if as many
different rows were shown as there are places. Known rows that were not shown are then missing.

A full reading counts the rows that it showed itself. A night counts those that are believed to
live. A row that an answer shows is known at once, at its place, so the search ends when the books
balance. Nothing is marked as gone here: :mod:`~repair_shop.scan.night` looks up what is missing.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Protocol

from ..ledger import Page
from .outcome import PAGE_ROWS, Bounded, NeverEnds, try_by_offset

BEGIN, END = date.min, date.max
"""Days of the cuts at both ends of a list."""
_MARGIN = 8
"""Rows on each side of a cut, at least, where a list is seen to be sorted loosely."""
_ROUNDS = 3
"""Readings of the pages between two cuts that show no further row, at most."""
_WIDEST = 12
"""Pages between two cuts that are read again, at most."""


class Known(Protocol):
    """The rows of a list that count: those believed to live, or those that a scan showed."""

    def days(self) -> Sequence[tuple[date | None, int]]:
        """Rows by day, as of this very moment; None for rows without a day."""

    def ids(self, first: date, end: date) -> set[str]:
        """Rows of the days from ``first`` on and before ``end``."""

    def take(self, page: Page) -> None:
        """Know the rows of an answer, where the ledger does not by itself."""


class Days:
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


@dataclass(frozen=True)
class Cut:
    """A place of page ``number`` before which stand exactly the rows of all days before ``day``."""

    number: int
    day: date
    before: int


@dataclass
class _Seen:
    """What the pages between two cuts showed: the different rows of their days."""

    ids: set[str] = field(default_factory=set)
    idle: int = 0
    """Requests since the last row that was shown for the first time."""
    explained: int = 0
    """How many rows were missing when every row had been seen."""


@dataclass(frozen=True)
class Found:
    """What a count found. ``gone`` rows are not listed any more, ``unlisted`` ones exist all the
    same. ``reason``: why it cannot tell; ``read_whole``: reading the whole list can."""

    total: int = 0
    gone: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    reason: str = ""
    read_whole: bool = False


class Count:
    """Holds a list against what is known of it, see the module. Of each page the newest answer
    counts. ``also``: pages to look at besides the last one. ``size``: rows of a page. ``most``:
    requests, at most. ``is_paged``: page numbers were seen to work."""

    def __init__(
        self,
        reader: Bounded,
        known: Known,
        *,
        also: Iterable[int] = (),
        size: int = PAGE_ROWS,
        most: int | None = None,
        is_paged: bool = False,
    ) -> None:
        self._reader, self._known, self._also, self._size = reader, known, list(also), size
        self._most, self._is_paged = most, is_paged
        self._days = Days(known.days())
        self._pages: dict[int, Page] = {}
        self._asked: dict[int, int] = {}
        self._has_moved = False
        """Whether the last page was seen to be the last one no longer."""
        self._seen: dict[tuple[Cut, Cut], _Seen] = {}
        self._distrusted: set[int] = set()
        self._cut_at: dict[int, list[Cut]] = {}
        """Cuts by page, worked out once for each answer."""
        self.is_loose = False
        """Whether rows were shown that are not sorted by their days."""
        self.last: int | None = None
        """Number of the last page, 0 of an empty list, None before it was looked for."""
        self.requests = 0

    @property
    def live(self) -> int:
        """Rows known."""
        return self._days.live

    @property
    def total(self) -> int:
        """Places of the list, by its last page."""
        return self._size * (self.last - 1) + self._pages[self.last].size if self.last else 0

    # -- answers --------------------------------------------------------------------------------

    def ask(self, number: int) -> Page:
        """Ask a page, again if it was asked before. Raises :class:`NeverEnds` beyond the bound."""
        if self.requests == self._most:
            raise NeverEnds("they move faster than they are counted")
        self.requests += 1
        page = told_apart(self._reader.ask(f"count{self.requests}", number))
        self._pages[number], self._asked[number] = page, self.requests
        self._has_moved |= number == self.last and not 0 < page.size < self._size
        self._known.take(page)
        days = [day for day in page.days if day is not None]
        if not self.is_loose and days != sorted(days):
            self.is_loose = True
            self._cut_at.clear()
        self._cut_at.pop(number, None)
        self.refresh()
        return page

    def peek(self, number: int) -> Page:
        """A page, asked only if it was not asked yet."""
        return self._pages[number] if number in self._pages else self.ask(number)

    def assume(self, number: int, page: Page) -> None:
        """Take a full page as it was answered before, if nothing is behind it."""
        if self.ask(number + 1).size == 0:
            self._pages[number] = page
            self._end_at(number)

    def refresh(self) -> None:
        """Take in what became known otherwise: by a lookup, or by another scan."""
        self._days = Days(self._known.days())

    # -- the end of the list --------------------------------------------------------------------

    def find_end(self, start: int | None = None) -> int:
        """Find the last page, from where it should be, and tell its number."""
        self._has_moved = False
        number = max(1, start or -(-self.live // self._size))
        page = self.peek(number)
        while page.size >= self._size:
            following = self.peek(number + 1)
            if set(following.ids) <= set(page.ids):
                break  # empty, or repeated past the end
            number, page = number + 1, following
        if page.size == 0:
            number = below(number, lambda low: self.peek(low).size > 0)
        self._end_at(number)
        if number > 1 and self.total > self.live:
            self.peek(number - 1)  # more places than rows: the page may be repeated past the end
        self._unrepeat()
        return self.last or 0

    def recount(self) -> bool:
        """Ask the last page again; whether the list is as long as it was."""
        before = self.total
        self.ask(max(1, self.last or 0))
        self.find_end(self.last)
        return self.total == before

    def _unrepeat(self) -> None:
        """Find the first page like the last one, if the page before it shows the same rows."""
        last = self.last or 0
        before = self._pages.get(last - 1)
        if before is None or set(before.ids) != (ids := set(self._pages[last].ids)):
            return
        self._end_at(1 + below(last - 1, lambda low: set(self.peek(low).ids) != ids))

    def _end_at(self, number: int) -> None:
        if number:
            self.peek(number)
        self.last = number
        for beyond in [n for n in self._pages if n > number]:
            del self._pages[beyond]
            self._cut_at.pop(beyond, None)
        if number == 1 and self.live > self._size and not self._is_paged:
            # Of a service that ignores page numbers; first loads of few rows do not tell.
            try_by_offset(self._reader, "oldest", [self._pages[number]])

    def shows_end(self, number: int) -> bool:
        """Whether the list ends on a page that was asked."""
        return 0 < self._pages[number].size < self._size

    # -- the search -----------------------------------------------------------------------------

    def run(self) -> Found:
        """Search until the books balance at every cut that was seen."""
        try:
            last = self.find_end() if self.last is None else self.last
            for number in self._also:
                if 1 <= number < last:
                    self.peek(number)
            if self._days.undated:
                differs = self.live != self.total
                return Found(self.total, reason="rows without a date" * differs, read_whole=differs)
            while (gap := self._open_gap()) is not None:
                if not self._narrow(*gap):
                    return Found(self.total, reason="its order is not by date", read_whole=True)
                if self._has_moved:
                    self.find_end(self.last)
                self._unrepeat()
        except NeverEnds as error:
            return Found(reason=f"its rows could not be counted: {error}", read_whole=True)
        return Found(self.total, gone=frozenset(self._missing()))

    def difference(self) -> int | None:
        """How many more rows are known than the list has places; None if its end is not found."""
        try:
            if self.last is None:
                self.find_end()
        except NeverEnds:
            return None
        return self.live - self.total

    def balances(self) -> bool:
        """Whether as many rows are known as there are places, at every cut that was seen."""
        return not self._days.undated and self._open_gap() is None

    def covered(self, first_page: int, last_page: int) -> tuple[date, date] | None:
        """The days of which all rows stand on these pages, once the books balance."""
        return self._days.within(first_page, last_page)

    # -- cuts -----------------------------------------------------------------------------------

    def _cuts(self) -> list[Cut]:
        """The cuts that were seen, from the begin of the list to its end if that was found."""
        cuts = [Cut(0, BEGIN, 0)]
        for number, page in sorted(self._pages.items()):
            if number in self._distrusted:
                continue
            if number not in self._cut_at:
                margin = _MARGIN if self.is_loose else 1
                self._cut_at[number] = _cut_of(number, page, self._size * (number - 1), margin)
            cuts += self._cut_at[number]
        if self.last is not None:
            cuts.append(Cut(max(1, self.last), END, self.total))
        return cuts

    def _jump(self, low: Cut, high: Cut) -> int:
        """How many more rows are known between two cuts than there are places."""
        known = self._days.before(high.day) - self._days.before(low.day)
        return known - (high.before - low.before)

    def _open_gap(self) -> tuple[Cut, Cut] | None:
        """The first two cuts between which the books do not balance."""
        for low, high in pairwise(self._cuts()):
            if self._jump(low, high) and not self._is_explained(low, high):
                return low, high
        return None

    def _is_explained(self, low: Cut, high: Cut) -> bool:
        """Whether every row between two cuts was seen, and the missing ones are the difference."""
        seen, jump = self._seen.get((low, high)), self._jump(low, high)
        if seen is None or len(seen.ids) != high.before - low.before:
            return False
        if seen.explained != jump and jump == len(self._unseen(low, high)):
            seen.explained = jump
        return seen.explained == jump

    def _unseen(self, low: Cut, high: Cut) -> set[str]:
        shown = {row for page in self._pages.values() for row in page.ids}
        return self._known.ids(low.day, high.day) - self._seen[low, high].ids - shown

    def _missing(self) -> set[str]:
        """Known rows of days that were seen whole and that no answer shows."""
        gone: set[str] = set()
        for low, high in pairwise(self._cuts()):
            if (low, high) in self._seen and self._jump(low, high) > 0:
                gone |= self._unseen(low, high)
        return gone

    # -- one step -------------------------------------------------------------------------------

    def _narrow(self, low: Cut, high: Cut) -> bool:
        """One step towards what makes two neighbouring cuts differ; False: there is none."""
        between = self._between(low, high)
        if between is not None:
            self.ask(between)
            return True
        first, last = max(1, low.number), high.number
        if self.is_loose:  # rows may stand beside the days that they belong to
            first, last = max(1, first - 1), min(self.last or last, last + 1)
        numbers = range(last, first - 1, -1)
        seen = self._seen.get((low, high))
        if seen is None:
            for number in [number for number in numbers if number not in self._pages]:
                self.ask(number)
        else:
            # Rows came or went meanwhile, or change their order. From the last page to the first,
            # so that a row which moves up is seen.
            lacks = len(seen.ids) < high.before - low.before
            if len(numbers) > _WIDEST or seen.idle >= (_ROUNDS if lacks else 1) * len(numbers):
                return self._distrust(low, high)
            self.ask(min(numbers, key=lambda number: self._asked.get(number, 0)))
        self._look(low, high, numbers)
        return True

    def _look(self, low: Cut, high: Cut, numbers: Iterable[int]) -> None:
        """Note what pages show of the days between two cuts, if these stand where they stood."""
        if low not in (cuts := self._cuts()) or high not in cuts:
            return
        seen = self._seen.setdefault((low, high), _Seen())
        before = len(seen.ids)
        for page in filter(None, map(self._pages.get, numbers)):
            pairs = zip(page.ids, page.days, strict=True)
            seen.ids |= {row for row, day in pairs if day and low.day <= day < high.day}
        seen.idle = seen.idle + 1 if len(seen.ids) == before else 0

    def _distrust(self, low: Cut, high: Cut) -> bool:
        """Leave a cut out that the rows of its days contradict, so that more pages count."""
        inner = [cut.number for cut in (high, low) if cut.day not in (BEGIN, END)]
        if not inner:
            return False
        self.is_loose = True
        self._cut_at.clear()
        self._distrusted.add(inner[0])
        return True

    def _between(self, low: Cut, high: Cut) -> int | None:
        """The unread page nearest to the middle on which a day should change.

        None where reading every page costs less than looking for each of so many rows.
        """
        unread = [n for n in range(low.number + 1, high.number) if n not in self._pages]
        if abs(self._jump(low, high)) * math.log2(len(unread) + 1) >= len(unread):
            return None
        shift = self._days.before(low.day) - low.before
        middle = self._size * (low.number + high.number - 1) / 2
        slack = min(10, 1 + abs(self._jump(low, high)))
        best: tuple[float, int] = (math.inf, 0)
        for rank in self._ranks(low, high):
            page, place = divmod(rank - shift, self._size)
            number = page + 1
            inside = low.number < number < high.number and number not in self._pages
            if inside and slack <= place <= self._size - slack:
                best = min(best, (abs(rank - shift - middle), number))
        return best[1] or None

    def _ranks(self, low: Cut, high: Cut) -> Iterator[int]:
        first, last = self._days.before(low.day), self._days.before(high.day)
        ranks = self._days.ranks
        yield from ranks[bisect_left(ranks, first) : bisect_left(ranks, last)]


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


def _cut_of(number: int, page: Page, base: int, margin: int) -> list[Cut]:
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
