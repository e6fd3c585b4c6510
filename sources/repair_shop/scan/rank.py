"""Rank probes: a page's number says how many rows stand before it, so it tells of each deletion.

Oldest first, page k begins at rank 50 (k - 1). Where the day changes on a page, from one row to the
next, stand exactly the rows of all earlier days before that place, in whatever order the rows of
one day come (:mod:`~repair_shop.scan.cuts`). The end of the list is the last such cut. What is
known of the rows says the same of each cut; where the two sums differ by as much at two cuts,
nothing is gone between them (or as much came as went). So one probe of the last page proves the
list, and where it does not, bisection finds the two pages between whose cuts the difference lies,
in about log2(pages) requests. The days between are then read as a window, or, where a list has
none, from these pages, of which the one read first must still stand when the other was read.

A row that came, or whose date was edited, changes the sums the other way; as soon as an answer
showed it, it is known, at its place. So the search is over when the books balance at every cut.

Nothing is marked here: :mod:`~repair_shop.scan.night` looks up what is missing, where it can be.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Protocol

from ..ledger import Page
from .cuts import BEGIN, END, START, Count, Cut, Point, point_of
from .outcome import PAGE_ROWS, Bounded, NeverEnds, Outcome, Reader, try_by_offset

_MIXED = 8
"""Answers of the same two pages, at most, until rows that change their order were all seen."""


class Known(Protocol):
    """What is known of a list's rows: those believed to exist and to be listed."""

    def days(self) -> Sequence[tuple[date | None, int]]:
        """Rows by day, as of this very moment; None for rows without a day."""

    def ids(self, first: date, end: date) -> set[str]:
        """Rows of the days from ``first`` on and before ``end``."""


ReadDays = Callable[[date | None, date | None], Outcome]
"""Reads the days from the first to the last, both included; None: no limit."""


@dataclass(frozen=True)
class Found:
    """What a search found. ``gone`` rows are not listed any more, ``unlisted`` ones exist all the
    same. ``reason``: why it cannot tell; ``read_whole``: reading the whole list can."""

    total: int = 0
    gone: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    reason: str = ""
    read_whole: bool = False


class RankSearch:
    """Finds the rows that left a list, see the module. Of each page the newest answer counts."""

    def __init__(
        self,
        reader: Reader,
        known: Known,
        *,
        read_days: ReadDays | None = None,
        also: Iterable[int] = (),
    ) -> None:
        """``also``: pages to probe besides the last one."""
        self.known, self._read_days, self._also = known, read_days, list(also)
        self._count = Count(known.days())
        self._reader = Bounded(reader, Outcome(), self._count.pages)
        self._pages: dict[int, Page] = {}
        self._asked: dict[int, int] = {}
        self._shown: set[str] = set()
        self._windows: set[tuple[int, int]] = set()
        self._stood: dict[tuple[int, int], int] = {}
        self._distrusted: set[int] = set()
        self._loose = False
        self._is_single = False
        self.last: int | None = None
        """Number of the last page, 0 of an empty list, None before it was looked for."""
        self.requests = 0

    @property
    def live(self) -> int:
        """Rows known."""
        return self._count.live

    @property
    def total(self) -> int:
        """Rows the service has, by its last page."""
        return PAGE_ROWS * (self.last - 1) + self._pages[self.last].size if self.last else 0

    # -- answers --------------------------------------------------------------------------------

    def ask(self, number: int) -> Page:
        """Ask a page, again if it was asked before. Raises :class:`NeverEnds` beyond the bound."""
        self.requests += 1
        before = self._point(number)
        page = self._reader.ask(f"rank{self.requests}", number)
        self._pages[number], self._asked[number] = page, self.requests
        days = [day for day in page.days if day is not None]
        self._loose = self._loose or days != sorted(days)
        if before is not None and before != self._point(number):
            # The list moved: what was shown before may be gone.
            self._windows = {pair for pair in self._windows if number not in pair}
            self._stood = {pair: n for pair, n in self._stood.items() if number not in pair}
            self._shown = {row for known in self._pages.values() for row in known.ids}
        self._shown.update(page.ids)
        self.refresh()
        return page

    def refresh(self) -> None:
        """Take in what became known otherwise: by a lookup, or a scan of the newest rows."""
        self._count = Count(self.known.days())

    def _peek(self, number: int) -> Page:
        return self._pages[number] if number in self._pages else self.ask(number)

    # -- the end of the list --------------------------------------------------------------------

    def find_end(self) -> None:
        """Find the last page, from where it should be."""
        number = max(1, self._count.pages)
        page = self._peek(number)
        while page.size >= PAGE_ROWS:
            following = self._peek(number + 1)
            if set(following.ids) <= set(page.ids):
                break  # empty, or repeated past the end
            number, page = number + 1, following
        if page.size == 0:
            number = self._below(number, lambda low: self._peek(low).size > 0)
        self._end_at(number)

    def _end_at(self, number: int) -> None:
        if number:
            self._peek(number)
        self.last = number
        for beyond in [n for n in self._pages if n > number]:
            del self._pages[beyond]
        if number == 1 and self.live > PAGE_ROWS:
            # Of a service that ignores page numbers; first loads of few rows do not tell.
            try_by_offset(self._reader, "oldest", [self._pages[number]])

    def _unrepeat(self) -> None:
        """The last page may be one that the service repeats past the end: find the first alike."""
        number = self.last or 0
        self._is_single = True
        if number > 1:
            ids = set(self._pages[number].ids)
            self._end_at(1 + self._below(number, lambda low: set(self._peek(low).ids) != ids))

    def _below(self, high: int, holds: Callable[[int], bool]) -> int:
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

    # -- the search -----------------------------------------------------------------------------

    def run(self) -> Found:
        """Search until the books balance at every cut that was seen."""
        try:
            self._probe()
            if self._count.undated:
                differs = self.live != self.total
                return Found(self.total, reason="rows without a date" * differs, read_whole=differs)
            while (gap := self._open_gap()) is not None:
                if not self._narrow(*gap):
                    return Found(self.total, reason="its order is not by date", read_whole=True)
        except NeverEnds as error:
            return Found(reason=f"its rows could not be counted: {error}", read_whole=True)
        return Found(self.total, gone=frozenset(self._missing()))

    def _probe(self) -> None:
        if self.last is None:
            self.find_end()
        for number in self._also:
            last = self.last or 0
            if 1 <= number < last and set(self._peek(number).ids) <= set(self._pages[last].ids):
                self._unrepeat()

    def difference(self) -> int | None:
        """How many more rows are known than the list has; None if its end is not found."""
        try:
            if self.last is None:
                self.find_end()
        except NeverEnds:
            return None
        return self.live - self.total

    def shows_end(self, number: int) -> bool:
        """Whether the list ends on a page that was asked."""
        return 0 < self._pages[number].size < PAGE_ROWS

    def balances(self) -> bool:
        """Whether as many rows are known as the service has, at every cut that was seen."""
        return not self._count.undated and self._open_gap() is None

    def covered(self, first_page: int, last_page: int) -> tuple[date, date] | None:
        """The days of which all rows stand on these pages, once the books balance."""
        return self._count.within(first_page, last_page)

    def read_beside(self, gone: Iterable[str]) -> bool:
        """Look for missing rows on the pages around those they should be on; whether it asked.

        Of rows that nothing can look up, or that exist, on days that were not read as a window.
        """
        rows, wanted = set(gone), set[int]()
        ranges = [(p.number, p.number, p.first, p.last) for p in self._points()]
        ranges += [
            (low.number, high.number, low.last, high.first)
            for low, high in self._whole()
            if (low.number, high.number) not in self._windows
        ]
        for low_page, high_page, low_cut, high_cut in ranges:
            if self._jump(low_cut, high_cut) and self._unseen(low_cut, high_cut) & rows:
                wanted |= {low_page - 1, high_page + 1}
        last = self.last or 0
        fresh = [n for n in wanted if 1 <= n <= last and n not in self._pages]
        for number in fresh:
            self.ask(number)
        return bool(fresh)

    def _points(self) -> list[Point]:
        """The pages that have a cut, from the place before the first to the last."""
        found = [START]
        found += [p for p in map(self._point, sorted(self._pages)) if p is not None]
        if self.last == 0:
            found.append(Point(1, Cut(END, 0), Cut(END, 0)))
        return found

    def _point(self, number: int) -> Point | None:
        page = self._pages.get(number)
        if page is None:
            return None
        return point_of(
            number,
            page,
            loose=self._loose,
            is_last=number == self.last,
            is_trusted=number not in self._distrusted,
        )

    def _jump(self, low: Cut, high: Cut) -> int:
        """How many more rows are known between two cuts than the service has."""
        return self._count.before(high.day) - self._count.before(low.day) - high.before + low.before

    def _whole(self) -> list[tuple[Point, Point]]:
        """Neighbouring points of which every page between was read, or their days."""
        return [(a, b) for a, b in pairwise(self._points()) if self._is_whole(a, b)]

    def _is_whole(self, low: Point, high: Point) -> bool:
        if (low.number, high.number) in self._windows:
            return True
        return all(number in self._pages for number in range(max(1, low.number), high.number))

    def _missing(self) -> set[str]:
        """Known rows of days that were seen whole and that no answer shows."""
        ranges = [(p.first, p.last) for p in self._points()]
        ranges += [(low.last, high.first) for low, high in self._whole()]
        gone: set[str] = set()
        for low, high in ranges:
            if self._jump(low, high) > 0:
                gone |= self._unseen(low, high)
        return gone

    def _unseen(self, low: Cut, high: Cut) -> set[str]:
        return self.known.ids(low.day, high.day) - self._shown

    def _open_gap(self) -> tuple[Point, Point] | None:
        """The first two points between which the books do not balance."""
        self._leave_out()
        for low, high in pairwise(self._points()):
            jump = self._jump(low.last, high.first)
            if jump and not self._is_explained(low, high, jump):
                return low, high
        return None

    def _is_explained(self, low: Point, high: Point, jump: int) -> bool:
        """Whether just the rows that are missing between two points make the difference."""
        pair = (low.number, high.number)
        read = pair in self._windows or (pair in self._stood and self._is_whole(low, high))
        return read and jump == len(self._unseen(low.last, high.first))

    def _narrow(self, low: Point, high: Point) -> bool:
        """One step towards what makes two neighbouring cuts differ; False: there is none."""
        jump = self._jump(low.last, high.first)
        if jump < 0 and high.number == self.last and not self._is_single:
            self._unrepeat()
            return True
        number = None if self._is_whole(low, high) else self._between(low, high)
        if number is not None:
            self.ask(number)
            return True
        if self._read_days is not None and self._may_read_days(low, high, jump):
            self._read_window(low, high, self._read_days)
            return True
        if not self._is_whole(low, high):
            # Days of more rows than a page holds: every page of them, downwards.
            for number in range(high.number - 1, low.number, -1):
                self._peek(number)
            return True
        if self._may_ask_again(low, high, jump):
            self._look_again(low, high)
            return True
        return self._distrust(low, high)

    def _may_ask_again(self, low: Point, high: Point, jump: int) -> bool:
        """Once; and as long as more rows are unseen than are missing, as their order changes."""
        tries = self._stood.get((low.number, high.number), 0)
        unseen = len(self._unseen(low.last, high.first))
        return tries == 0 or (tries < _MIXED and unseen > jump >= 0)

    def _may_read_days(self, low: Point, high: Point, jump: int) -> bool:
        """Whether the days between were not read yet, and cost less than the pages, or say more."""
        pair = (low.number, high.number)
        if pair in self._windows:
            return False
        rows = self._count.around(low.last.day, high.first.day)
        cost = 2 + (rows > PAGE_ROWS) * -(-rows // PAGE_ROWS)
        return cost <= 2 + high.number - low.number or (
            pair in self._stood and not self._may_ask_again(low, high, jump)
        )

    def _between(self, low: Point, high: Point) -> int | None:
        """The unread page nearest to the middle on which a day should change."""
        shift = self._count.before(low.last.day) - low.last.before
        middle = PAGE_ROWS * (low.number + high.number - 1) / 2
        slack = min(10, 1 + abs(self._jump(low.last, high.first)))
        best: tuple[float, int] = (math.inf, 0)
        for rank in self._count.ranks:
            page, place = divmod(rank - shift, PAGE_ROWS)
            number = page + 1
            inside = low.number < number < high.number and number not in self._pages
            if inside and slack <= place <= PAGE_ROWS - slack:
                best = min(best, (abs(rank - shift - middle), number))
        return best[1] or None

    def _read_window(self, low: Point, high: Point, read_days: ReadDays) -> None:
        first, end = low.last.day, high.first.day
        out = read_days(
            None if first == BEGIN else first,
            None if end == END else date.fromordinal(end.toordinal() - 1),
        )
        self.requests += out.pages
        if not out.proven:
            raise NeverEnds(out.reason)
        self._shown |= out.ids
        self._windows.add((low.number, high.number))
        self.refresh()

    def _look_again(self, low: Point, high: Point) -> None:
        """Ask the page read first once more: if it stands, nothing moved between the two.

        Several pages between them are read again too, from the last to the first.
        """
        pair = (low.number, high.number)
        tries = self._stood.get(pair, 0)
        ends = sorted((n for n in pair if n in self._pages), key=lambda n: self._asked[n])
        between = list(range(high.number - 1, low.number, -1))
        again = [*between, low.number, high.number] if between and low.number else ends[:1]
        before = [self._point(number) for number in pair]
        for number in again:
            self.ask(number)
        if before == [self._point(number) for number in pair]:
            self._stood[pair] = tries + 1

    def _distrust(self, low: Point, high: Point) -> bool:
        """Leave a cut out that rows of other days contradict: the order is loose there."""
        inner = [p.number for p in (high, low) if p.number and p.number not in self._distrusted]
        if not inner:
            return False
        self._loose = True
        self._distrusted.add(inner[0])
        return True

    def _leave_out(self) -> None:
        """Leave out the cuts of pages that show other rows than those of their days."""
        while (point := next(filter(self._is_odd, self._points()), None)) is not None:
            if self._loose:
                self._distrusted.add(point.number)
            self._loose = True

    def _is_odd(self, point: Point) -> bool:
        jump = self._jump(point.first, point.last)
        whole = point.number in self._distrusted or jump == 0
        return not whole and jump != len(self._unseen(point.first, point.last))
