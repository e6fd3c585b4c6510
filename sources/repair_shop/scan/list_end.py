"""Where a list ends: its last page, oldest first, in as few requests as its rows' days allow.

The newest page (``sort=newest``, page 1) was read before. A page that shares rows with it is at the
end. Every other page asked on the way was empty or, unless it lies close to the end, is read again
in its turn: so guesses cost.
"""

import math
from datetime import date
from itertools import count

from ..ledger import Page
from ..scan.outcome import PAGE_ROWS, Bounded, PagingBroken

_GROWN = 0.7
"""A shop's average day beside its newest ones: shops grow."""
_LEAN = 0.95
"""Too far costs an empty page, too short one that may stand for itself: guesses fall short."""
_BACK = 0.6
"""Pages by which a guess falls short of the end by its days. The page before the last one is as
good, since the newest page holds the last one's rows."""
_MAX_PROBES = 40
_FEW = 5
"""So few rows shared with the newest page may be so by chance: the next page is looked at too."""


def find_end(reader: Bounded, top: Page, hint: int | None, since: date | None) -> tuple[int, Page]:
    """Find a page (oldest first) that shares rows with the newest one, and its number.

    ``hint``: its likely number; else ``since``, the day the list likely begins. Raises
    :class:`~repair_shop.scan.outcome.PagingBroken` when no page meets the newest one.
    """
    search = _Search(top, since)
    newest = set(top.ids)
    guess, back = max(2, hint or search.first_guess()), False
    few: tuple[int, Page] | None = None
    for _ in range(_MAX_PROBES):
        page = reader.ask("probe", guess)
        if page.size and not newest.isdisjoint(page.ids):
            if guess == 1 and page.size > 1 and page.ids == top.ids:
                raise PagingBroken("newest and oldest give the same order")
            if few is None and len(newest.intersection(page.ids)) < min(_FEW, page.size):
                few, search.low, search.low_page = (guess, page), guess, page
                guess += 1
                continue
            return guess, page
        if page.size == 0 and few is not None:
            return few
        search.learn(guess, page)
        low, high = search.low, search.high
        if high is not None and high - low <= 1:
            if low > 1 and not back:
                # Full pages, and rows added since the newest page was read: it meets one lower.
                back, guess = True, low - 1
                continue
            raise PagingBroken(
                f"page {high} is empty, and page {low} does not reach the newest row"
            )
        guess = search.next_guess()
    raise PagingBroken("no last page was found")


class _Search:
    """Where the end may be: from the days of the pages seen, and how many rows came a day.

    Days mislead where many rows share one (a shop that moved in with its data) or few do. So each
    guess that fell short doubles the least step, none leaps further than to 25 times what is known,
    and after days misled between two known pages, half of what is left is tried.
    """

    def __init__(self, top: Page, since: date | None) -> None:
        self.low = 0
        """The highest page seen to have rows that do not meet the newest page's."""
        self.low_page: Page | None = None
        self.high: int | None = None
        """The lowest page seen to be empty."""
        self._below: tuple[int, date | None] = (0, None)
        """The page that was ``low`` before, and its day."""
        self._top, self._since, self._target = top, since, _median_day(top)
        self._short = self._misled = 0

    def first_guess(self) -> int:
        """Where the end is if rows came since the first day nearly as densely as of late."""
        if self._since is None or self._target is None:
            return 2
        rows = _GROWN * (self._target - self._since).days * _rows_a_day(self._top)
        return round(rows / PAGE_ROWS)

    def learn(self, number: int, page: Page) -> None:
        """Take in a page that does not meet the newest one. Raises PagingBroken if it repeats."""
        if page.size == 0:
            self._misled += 1
            self.high = number
            return
        if self.low_page is not None and page.ids == self.low_page.ids:
            raise PagingBroken(f"pages {self.low} and {number} hold the same rows")
        self._short += 1
        if number > self.low:
            slow = self.high is not None and 4 * (number - self.low) <= self.high - self.low
            self._misled = 2 if slow else 0
            if self.low_page is not None:
                self._below = (self.low, _median_day(self.low_page))
            self.low, self.low_page = number, page

    def next_guess(self) -> int:
        """The next page to look at: above ``low``, and below ``high`` if that is known."""
        low, high, step = self.low, self.high, self._step()
        if high is None:
            least = 2.0 ** (self._short - 3) if step else low
            return low + max(1, round(min(max(step, least), 24 * low)))
        if low == 0:
            return max(1, round(_GROWN * high if self._misled == 1 else math.sqrt(high)))
        if step and self._misled == 0 and low + step < high:
            guess = low + max(1, round(step))
        elif step and self._misled <= 1 and high - low > 6:
            guess = high - (high - low) // 5
        else:
            guess = low + (high - low) // 2
        return min(max(low + 1, guess), high - 1)

    def _step(self) -> float:
        """Pages from ``low`` to the end by their days, or a little less; 0 if days say nothing."""
        here = _median_day(self.low_page) if self.low_page is not None else None
        if self.low_page is None or here is None or self._target is None:
            return 0
        pace, latest = _rows_a_day(self.low_page), _rows_a_day(self._top)
        number, day = self._below
        if day is not None and day < here:
            # What came between two pages says more than one page does.
            pace = (self.low - number) * PAGE_ROWS / (here - day).days
        if _is_short(self._top):
            latest = max(latest, pace)
        elif self._short == 1 and _is_short(self.low_page):
            # A shop moves in with some of its rows on one day; the others came by and by.
            pace = min(pace, latest)
        days = max(0, (self._target - here).days)
        step = _LEAN * days * math.sqrt(pace * latest) / PAGE_ROWS
        return max(min(step, 1.0), step - _BACK)


def _median_day(page: Page) -> date | None:
    days = sorted(day for day in page.days if day is not None)
    return days[len(days) // 2] if days else None


def _is_short(page: Page) -> bool:
    """Whether a page's rows are of one day or two: more may come a day than it holds."""
    days = [day for day in page.days if day is not None]
    return not days or (max(days) - min(days)).days <= 1


def _rows_a_day(page: Page) -> float:
    days = [day for day in page.days if day is not None]
    return len(days) / max(1.0, (max(days) - min(days)).days)


def meets(page: Page, top: Page) -> bool:
    """Whether a page (oldest first) runs into the newest page, in exactly reversed order."""
    newest = list(reversed(top.ids))
    start = next(i for i, row in enumerate(page.ids) if row in set(newest))
    shared = list(page.ids[start:])
    at = newest.index(shared[0])
    return (start == 0 or at == 0) and newest[at : at + len(shared)] == shared


def walk_to_end(reader: Bounded, last: int, page: Page) -> tuple[int, Page]:
    """The last page that has rows, from page ``last`` on, for lists sorted only loosely.

    A page that holds the rows of the one before, in whatever order, lies past the end.
    """
    reader.expect(last)
    for number in count(last + 1):
        following = reader.ask("end", number)
        if following.ids == page.ids:
            raise PagingBroken(f"pages {last} and {number} hold the same rows")
        if not following.size or set(following.ids) == set(page.ids):
            break
        last, page = number, following
    return last, page
