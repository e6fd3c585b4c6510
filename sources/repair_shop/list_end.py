"""Where a list ends: its last page, oldest first, in as few requests as its rows' days allow.

The newest page (``sort=newest``, page 1) was read before. A page that shares rows with it is at the
end. Every other page asked on the way is read again in its turn, or was empty: so guesses cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from sources.repair_shop.ledger import Page
from sources.repair_shop.scan_outcome import PAGE_ROWS, Outcome, PagingBroken, Reader

_GROWN = 0.7
"""A shop's average day beside its newest ones: shops grow."""
_FEW = 5
"""So few rows shared with the newest page may be so by chance: the next page is looked at too."""
_MAX_PAGES = 100_000


@dataclass(frozen=True)
class End:
    """A page that shares rows with the newest one, and the highest page probed below it."""

    last: int
    page: Page
    low: int
    low_page: Page | None

    def below(self, first: float, last: float) -> dict[int, Page]:
        """The page probed below the end if its number is from ``first`` to under ``last``."""
        found = self.low_page
        return {self.low: found} if found is not None and first <= self.low < last else {}


def find_end(reader: Reader, top: Page, first: int | None, out: Outcome) -> End:
    """Find a page (oldest first) that shares rows with the newest page, looking at ``first``."""
    low, high = 0, None
    low_page: Page | None = None
    newest = set(top.ids)
    guess, back = max(2, first or 2), False
    few: End | None = None
    for _ in range(64):
        page = reader.ask(f"probe:{guess}", guess, "oldest")
        out.take(page)
        if page.size and not newest.isdisjoint(page.ids):
            if guess == 1 and page.size > 1 and page.ids == top.ids:
                raise PagingBroken("newest and oldest give the same order")
            found = End(guess, page, low, low_page)
            if few is None and len(newest.intersection(page.ids)) < min(_FEW, page.size):
                few, low, low_page = found, guess, page
                guess += 1
                continue
            return found
        if page.size == 0 and few is not None:
            return few
        if page.size == 0:
            high = guess
        else:
            if low_page is not None and page.ids == low_page.ids:
                raise PagingBroken(f"pages {low} and {guess} hold the same rows")
            if guess > low:
                low, low_page = guess, page
        if high is not None and high - low <= 1:
            if low > 1 and not back:
                # Full pages, and rows added since the newest page was read: it meets one lower.
                back, guess = True, low - 1
                continue
            raise PagingBroken(
                f"page {high} is empty, and page {low} does not reach the newest row"
            )
        guess = 2 if low == 0 and guess > 2 else _next_guess(low, low_page, high, top)
    raise PagingBroken("no last page was found")


def guess_since(since: date | None, top: Page) -> int | None:
    """Where the end may be if rows came since a day at the newest page's density, or nearly so."""
    target = _median_day(top)
    if since is None or target is None:
        return None
    return max(2, round(_GROWN * (target - since).days * _rows_a_day(top) / PAGE_ROWS))


def _next_guess(low: int, page: Page | None, high: int | None, top: Page) -> int:
    """Where the end may be: from the days of a page and of the newest one, and their densities.

    Too far costs an empty page; too short a page that may be read twice but tells more. So the
    guess leans to the short side, and never leaps further than to 25 times what is known.
    """
    step: float = max(2, low)
    target = _median_day(top)
    here = None if page is None else _median_day(page)
    if page is not None and target is not None and here is not None:
        density = math.sqrt(_rows_a_day(page) * _rows_a_day(top))
        step = min(0.95 * (target - here).days * density / PAGE_ROWS, 24 * low)
    guess = low + max(1, round(step))
    if high is not None and guess >= high:
        # The days mislead (many rows on one, say): halve, by orders of magnitude.
        guess = min(round(math.sqrt(max(1, low) * high)), high - 1)
    return max(low + 1, guess)


def _median_day(page: Page) -> date | None:
    days = sorted(day for day in page.days if day is not None)
    return days[len(days) // 2] if days else None


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


def walk_to_end(reader: Reader, last: int, page: Page, out: Outcome) -> tuple[int, Page]:
    """The last page that has rows, from page ``last`` on, for lists sorted only loosely."""
    for number in range(last + 1, last + _MAX_PAGES):
        following = reader.ask(f"end:{number}", number, "oldest")
        out.take(following)
        if following.size == 0:
            return last, page
        if following.ids == page.ids:
            raise PagingBroken(f"pages {last} and {number} hold the same rows")
        last, page = number, following
    raise PagingBroken("the list does not end")
