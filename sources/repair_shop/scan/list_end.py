"""Where a list ends: its last page, oldest first, by steps that double and then by halves.

The newest page (``sort=newest``, page 1) was read before. A page that shares rows with it is at the
end. Every other page asked on the way was empty or is read again in its turn: so guesses cost.
"""

from datetime import date
from itertools import count
from math import inf

from ..ledger import Page
from ..scan.outcome import PAGE_ROWS, Bounded, PagingBroken

_GROWN = 0.8
"""A shop's average day beside its newest ones: shops grow. Too far costs an empty page, too short
one that may stand for itself: so guesses fall short."""
_MOST = 40
"""Pages asked, at most."""


def find_end(reader: Bounded, top: Page, hint: int | None) -> tuple[int, Page]:
    """Find a page (oldest first) that shares rows with the newest one, and its number.

    ``hint``: its likely number. Raises :class:`~repair_shop.scan.outcome.PagingBroken` when no page
    meets the newest one.
    """
    newest, seen = set(top.ids), {top.ids}
    low, high, step, before, is_back = 0, 0, 1, inf, False
    number = max(2, hint or 0)
    for _ in range(_MOST):
        page = reader.ask("probe", number)
        if page.size and page.ids in seen:
            raise PagingBroken(f"page {number} holds the rows of another one, in the same order")
        seen.add(page.ids)
        if not newest.isdisjoint(page.ids):
            return number, page
        low, high = (max(low, number), high) if page.size else (low, number)
        if not high:
            ahead = _pages_between(page, top)
            # Steps double as soon as days bring it no nearer: too far may cost as many pages.
            step, before = step if ahead < before else 2 * step, ahead
            number = low + max(step, ahead)
        elif high - low > 1:
            number = max(1, (low + high) // 2)
        elif is_back or low < 2:
            break
        else:  # full pages, and rows added since the newest page was read: it meets one lower
            number, is_back = low - 1, True
    raise PagingBroken("its pages end before they reach the newest row")


def _pages_between(page: Page, top: Page) -> int:
    """Pages of the days from one page to the newest; 0 if days say nothing. Rows come there as
    densely as on these two pages, or a little less."""
    day, newest = _middle(page), _middle(top)
    if day is None or newest is None:
        return 0
    return int(_GROWN * (newest - day).days * min(map(_rows_a_day, (page, top))) / PAGE_ROWS)


def _middle(page: Page) -> date | None:
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


def walk_to_end(reader: Bounded, last: int, page: Page) -> tuple[int, Page]:
    """The last page that has rows, from page ``last`` on, for lists sorted only loosely.

    A page that holds the rows of the one before, in whatever order, lies past the end.
    """
    reader.expect(last)
    for number in count(last + 1):
        following = reader.ask("end", number)
        if not following.size or set(following.ids) == set(page.ids):
            break
        last, page = number, following
    return last, page
