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
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from ..ledger import Page
from .cuts import BEGIN, END, Cut, Days, below, cut_of, goes_back, told_apart
from .known import KnownRows
from .outcome import PAGE_ROWS, WHOLE_PAGES, Bounded, NeverEnds, PagingBroken, try_by_offset

_ROUNDS = 3
"""Readings of the pages between two cuts that show no further row, at most."""
_LEFT_OUT = 2
"""Rows of a page that a service may leave out after it has cut the list into pages."""
_WIDEST = 12
"""Pages between two cuts that are read again, at most."""


@dataclass(frozen=True)
class Found:
    """What a count found. ``gone`` rows are not listed any more, ``unlisted`` ones exist all the
    same. ``reason``: why it cannot tell, and the whole list must be read."""

    total: int = 0
    gone: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    reason: str = ""


class Count:
    """Holds a list against what is known of it, see the module. Of each page the newest answer
    counts. ``known`` None: what was ``shown`` and is shown now. ``size``: rows of a full page.
    ``is_paged``: page numbers were seen to work. ``is_by_day``: no page showed another order
    before."""

    def __init__(
        self,
        reader: Bounded,
        known: KnownRows | None,
        *,
        shown: Iterable[Page] = (),
        size: int,
        is_paged: bool = False,
        is_by_day: bool = True,
    ) -> None:
        self._reader, self._known, self.size = reader, known, size
        self._is_paged = is_paged
        self._own = dict(pair for page in map(told_apart, shown) for pair in _rows(page))
        """Rows that were shown, before this count or to it, and their days."""
        self.refresh()
        self._pages: dict[int, Page] = {}
        self._asked: dict[int, int] = {}
        self._has_moved = False
        """Whether the last page was seen to be the last one no longer."""
        self._seen: dict[tuple[Cut, Cut], set[str]] = defaultdict(set)
        """Rows of the days between two cuts that were shown since these were seen."""
        self._is_unsteady = False
        """Whether a page showed other rows when it was asked again."""
        self._idle: Counter[tuple[Cut, Cut]] = Counter()
        """Requests for pages between two cuts since the last that showed a row for the first time.
        """
        self.distrusted: set[int] = set()
        """Pages whose cuts rows of other days contradicted: the order is not quite by day."""
        self.is_loose = False
        """Whether rows were shown that are not sorted by their days."""
        self.is_by_day = is_by_day
        """False where rows stand behind such of much later days: then only the ends are cuts."""
        self.last: int | None = None
        """Number of the last page, 0 of an empty list, None before it was looked for."""
        self.requests = 0

    @property
    def live(self) -> int:
        """Rows known."""
        return self._days.live

    @property
    def newest_day(self) -> date | None:
        """The last day of which rows are known."""
        return self._days.newest

    @property
    def _has_days(self) -> bool:
        """Whether days may tell a place; else every page must be read to tell what is missing."""
        return self.is_by_day and not self._days.undated

    @property
    def total(self) -> int:
        """Places of the list, by its last page."""
        return self.size * (self.last - 1) + self._pages[self.last].size if self.last else 0

    # -- answers --------------------------------------------------------------------------------

    def ask(self, number: int) -> Page:
        """Ask a page, again if it was asked before. Raises :class:`NeverEnds` beyond the bound."""
        self.requests += 1
        page = told_apart(self._reader.ask(f"count{self.requests}", number))
        if page.size > self.size != PAGE_ROWS:
            raise NeverEnds("its pages have more rows than they had")
        self._is_unsteady |= self._pages.get(number, page).ids != page.ids
        self._pages[number], self._asked[number] = page, self.requests
        self._has_moved |= number == self.last and not 0 < page.size < self.size
        self._own.update(_rows(page))
        days = [day for day in page.days if day is not None]
        self.is_loose = self.is_loose or days != sorted(days)
        self.is_by_day = self.is_by_day and not goes_back(days)
        self.refresh()
        return page

    def peek(self, number: int) -> Page:
        """A page, asked only if it was not asked yet."""
        return self._pages[number] if number in self._pages else self.ask(number)

    def refresh(self) -> None:
        """Take in what became known otherwise: by a lookup, or by another scan."""
        own = Counter(self._own.values()).items
        self._days = Days(self._known.days() if self._known else own())

    # -- the end of the list --------------------------------------------------------------------

    def find_end(self, start: int | None = None) -> int:
        """Find the last page, from where it should be, and tell its number."""
        self._has_moved = False
        number = max(1, start or -(-self.live // self.size))
        page, shows_newest = self.peek(number), False
        is_odd = self.size != PAGE_ROWS and not self._is_paged
        while page.size >= (1 if is_odd else self.size - _LEFT_OUT * (not self._is_paged)):
            is_likely = number > 1 and page.size == self.size and number * self.size == self.live
            if shows_newest := is_likely and not self._beyond(number):
                break
            following = self.peek(number + 1)
            if not following.size or set(following.ids) == set(page.ids):
                break  # nothing, or the same once more, past the end
            if page.size < self.size > self.ask(number).size:
                raise NeverEnds("its pages have unlike numbers of rows")
            number, page = number + 1, following
        if page.size == 0:
            number = below(number, lambda low: self.peek(low).size > 0)
        self._end_at(number)
        if number > 1 and self.total > self.live:
            self.peek(number - 1)  # more places than rows: the page may be repeated past the end
        self._unrepeat()
        last = self.last or 0
        is_full = last > 1 and self._pages[last].size == self.size
        if is_full and not shows_newest and self._is_cut_off(last):
            raise PagingBroken("its pages end before they reach the newest row")
        return last

    def recount(self) -> bool:
        """Ask the last page again; whether the list is as long as it was."""
        before = self.total
        self.ask(max(1, self.last or 0))
        self.find_end(self.last)
        return self.total == before

    def _is_cut_off(self, last: int) -> bool:
        """Whether rows of the newest page stand on none, as this service shows no further one. Of
        an order that changes with each answer that cannot be told."""
        page = self.peek(last)
        return bool(self._beyond(last, last - 1, 1)) and self.ask(last).ids == page.ids

    def _beyond(self, *numbers: int) -> set[str]:
        """Rows of the newest page that are on none of these pages."""
        self.requests += 1
        beyond = {*self._reader.ask(f"newest{self.requests}", 1, "newest").ids}
        for number in numbers:
            if beyond:
                beyond.difference_update(self.peek(number).ids)
        return beyond

    def _mend_end(self) -> None:
        """Find the end again where the last page, or one before it, shows that it is elsewhere."""
        last = self.last or 0
        short = [n for n, page in self._pages.items() if n < last and page.size < self.size]
        if short or self._has_moved:
            self.find_end(min([last, *short]))
        self._unrepeat()

    def _unrepeat(self) -> None:
        """Find the first page like the last one, if one before it shows the same rows."""
        last = self.last or 0
        ids = set(self._pages[last].ids) if last else set()
        alike = [n for n, page in self._pages.items() if n < last and set(page.ids) == ids]
        if alike:
            self._end_at(1 + below(min(alike), lambda low: set(self.peek(low).ids) != ids))

    def _end_at(self, number: int) -> None:
        if number:
            self.peek(number)
        beyond = [page for n, page in self._pages.items() if n > number]
        is_alone = number == 1 and self.live > self.size and not self._is_paged
        if is_alone and any(
            page.size and {*self._pages[1].ids}.isdisjoint(page.ids) for page in beyond
        ):
            raise NeverEnds("its pages have fewer rows than they had")
        self.last = number
        self._pages = {n: page for n, page in self._pages.items() if n <= number}
        if is_alone:
            # Of a service that ignores page numbers; first loads of few rows do not tell.
            try_by_offset(self._reader, "oldest", [self._pages[number]], beyond)

    def shows_end(self, number: int) -> bool:
        """Whether the list ends on a page that was asked."""
        return 0 < self._pages[number].size < self.size

    # -- the search -----------------------------------------------------------------------------

    def run(self, *, again: bool = False) -> Found:
        """Search until the books balance at every cut that was seen.

        ``again``: the days of missing rows are first read once more. A row that slips past two
        pages while these are asked looks like one that is gone, but not in two readings.
        """
        try:
            if again:
                self._look_again()
            if self.last is None:
                self.find_end()
            self._mend_end()
            while (gap := self._open_gap()) is not None:
                if not self._narrow(*gap):
                    return Found(self.total, reason="its order is not by date")
                self._mend_end()
        except NeverEnds as error:
            return Found(reason=f"its rows could not be counted: {error}")
        return Found(self.total, gone=self.missing())

    def balances(self) -> bool:
        """Whether as many rows are known as there are places, at every cut that was seen."""
        return not any(self._surplus(low, high) for low, high in pairwise(self._cuts()))

    # -- cuts -----------------------------------------------------------------------------------

    def _cuts(self) -> list[Cut]:
        """The cuts that were seen, from the begin of the list to its end if that was found."""
        cuts = [Cut(0, BEGIN, 0)]
        for number, page in sorted(self._pages.items()):
            if number not in self.distrusted and self._has_days:
                base = self.size * (number - 1)
                cuts += cut_of(number, page, base, is_loose=self.is_loose)
        if self.last is not None:
            cuts.append(Cut(max(1, self.last), END, self.total))
        return cuts

    def _surplus(self, low: Cut, high: Cut) -> int:
        """How many more rows are known between two cuts than there are places."""
        known = self._days.before(high.day) - self._days.before(low.day)
        return known - (high.before - low.before)

    def _open_gap(self) -> tuple[Cut, Cut] | None:
        """The first two cuts between which the books do not balance."""
        for low, high in pairwise(self._cuts()):
            if self._surplus(low, high) and not self._is_explained(low, high):
                return low, high
        return None

    def _is_explained(self, low: Cut, high: Cut) -> bool:
        """Whether every row between two cuts was shown, and the missing ones are the difference."""
        is_whole = len(self._shown_between(low, high)) == high.before - low.before
        return is_whole and self._surplus(low, high) == len(self._unshown(low, high))

    def _shown_between(self, low: Cut, high: Cut) -> set[str]:
        """Rows of the days between two cuts that their pages showed since these were seen."""
        shown = self._seen[low, high]
        for page in filter(None, map(self._pages.get, self._numbers(low, high))):
            shown |= _of_days(dict(_rows(page)), low.day, high.day)
        return shown

    def _unshown(self, low: Cut, high: Cut) -> set[str]:
        """Known rows of these days that no page shows."""
        days = low.day, high.day
        known = self._known.ids(*days) if self._known else _of_days(self._own, *days)
        return known.difference(self._seen[low, high], *(p.ids for p in self._pages.values()))

    def missing(self) -> frozenset[str]:
        """Known rows of days that were seen whole and that no answer shows."""
        lacking = [self._unshown(*gap) for gap in pairwise(self._cuts()) if self._surplus(*gap) > 0]
        return frozenset().union(*lacking)

    def _look_again(self) -> None:
        """Ask once more for the pages of missing rows, downwards, and forget what was shown."""
        self._seen.clear()
        for gap in pairwise(self._cuts()):
            if self._surplus(*gap) > 0:
                for number in self._numbers(*gap):
                    self.ask(number)
        self._mend_end()

    # -- one step -------------------------------------------------------------------------------

    def _narrow(self, low: Cut, high: Cut) -> bool:
        """One step towards what makes two neighbouring cuts differ; False: there is none."""
        if not self._has_days and high.number > WHOLE_PAGES:
            return False
        between = self._between(low, high)
        if between is not None:
            self.ask(between)
            return True
        numbers, shown = self._numbers(low, high), len(self._shown_between(low, high))
        if unread := [number for number in numbers if number not in self._pages]:
            for number in unread:
                self.ask(number)
            return True
        # Rows came or went meanwhile, or change their order. From the last page to the first,
        # so that a row which moves up is seen.
        most = (_ROUNDS if self._is_unsteady else 1) * len(numbers)
        if len(numbers) > _WIDEST or self._idle[low, high] >= most:
            return self._distrust(low, high)
        self.ask(min(numbers, key=lambda number: self._asked.get(number, 0)))
        is_idle = len(self._shown_between(low, high)) == shown
        self._idle[low, high] = self._idle[low, high] + 1 if is_idle else 0
        return True

    def _numbers(self, low: Cut, high: Cut) -> range:
        """The pages that may show rows of the days between two cuts, from the last one down."""
        first, last = max(1, low.number), high.number
        if self.is_loose:  # rows may stand beside the days that they belong to
            first, last = max(1, first - 1), min(self.last or last, last + 1)
        return range(last, first - 1, -1)

    def _distrust(self, low: Cut, high: Cut) -> bool:
        """Leave a cut out that the rows of its days contradict, so that more pages count."""
        inner = [cut.number for cut in (high, low) if cut.day not in (BEGIN, END)]
        if not inner:
            return False
        self.is_loose = True
        self.distrusted.add(inner[0])
        return True

    def _between(self, low: Cut, high: Cut) -> int | None:
        """The unread page in the middle, on which a day may change.

        None where reading every page costs less than looking for each of so many rows.
        """
        unread = [n for n in range(low.number + 1, high.number) if n not in self._pages]
        if abs(self._surplus(low, high)) * math.log2(len(unread) + 1) >= len(unread):
            return None
        return unread[len(unread) // 2]


def _rows(page: Page) -> Iterator[tuple[str, date | None]]:
    return zip(page.ids, page.days, strict=True)


def _of_days(rows: Mapping[str, date | None], first: date, end: date) -> set[str]:
    """Rows of the days from ``first`` on and before ``end``; all from BEGIN to END."""
    is_all = (first, end) == (BEGIN, END)
    return {row for row, day in rows.items() if is_all or (day and first <= day < end)}
