"""Scans that know whether they missed something.

The danger. Lists are paged by number (specification, Common conventions). When a row of a page
already read is deleted, every later row moves up by one, and the first row of the next page slips
into the page that was read: it is never seen. Reading the last page again at the end does not
show it, because that page was read after the move.

The way out is the order of reading. Ask for ``sort=oldest`` and read the pages from the last to
the first. A deletion then moves unread rows only into pages that are still to come: they may
be read twice, never not at all. New rows are put at the end, behind what was read. What is left
is a row inserted with an old date while the scan runs; it pushes rows the other way, so the page
read first is read again at the end, and if its rows moved down, the place is found by bisection
and read again from there.

The last page is found by the newest page (``sort=newest``, page 1), which every scan reads first:
a page that shares rows with it, in exactly reversed order, is at the end. That meeting of the two
ends is also the proof that nothing lies beyond, so no scan ends on "fewer than 50 rows".

Each function here is deterministic in the pages it is given, so a scan that was killed is run again
from the start and is served from the ledger (:mod:`sources.repair_shop.ledger`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from sources.repair_shop.ledger import Page

PAGE_ROWS = 50
"""Specification, Limits: records per request."""
_RECHECK_FROM = 10
"""Pages read downwards from which the first one is read again: below, the window is seconds."""
_KNOWN_TAIL = 20
"""A head scan ends on a page whose last rows, this many, are all known and unchanged: lists are not
always strictly sorted (field notes), so one known row is not enough."""
_MAX_PAGES = 100_000
_ROUNDS = 3


class PagingBroken(Exception):
    """The service does not page as asked; another way of paging may work."""


class Reader(Protocol):
    """Where pages come from: the service, or the ledger if it was asked before."""

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """Page ``number`` (from 1) in an order; ``key`` is the request's name within the scan."""

    def lanes(self, last: int) -> int:
        """How many pages of this list to have in flight: 2 at a slow service, else 1."""

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """The same rows by offset and limit; None when that is how pages are asked already."""


@dataclass
class Outcome:
    """What a scan found, and how sure it is."""

    proof: str = ""
    reason: str = ""
    """Empty when proven; else what is in doubt."""
    pages: int = 0
    whole: bool = False
    """The whole list (or window) was read, so rows it did not show are gone."""
    ids: set[str] = field(default_factory=set)
    first_day: date | None = None
    last_day: date | None = None

    @property
    def proven(self) -> bool:
        """Nothing is in doubt."""
        return not self.reason

    def take(self, page: Page) -> None:
        """Count a page in."""
        self.pages += 1
        self.ids.update(page.ids)
        for day in page.days:
            self.span(day)

    def span(self, day: date | None) -> None:
        """Widen the range of days to hold ``day``."""
        if day is not None:
            self.first_day = day if self.first_day is None else min(self.first_day, day)
            self.last_day = day if self.last_day is None else max(self.last_day, day)


OnPage = Callable[[int, int | None], None]
"""Called with pages read and pages expected (None while unknown)."""


def read_list(reader: Reader, *, hint: int | None = None, on_page: OnPage | None = None) -> Outcome:
    """Read a whole list (or window) that can be sorted. ``hint``: its likely last page.

    Costs the pages of the list, and: one for a list of one page; none to three for finding the end
    of a longer one; one for the second look at its end.
    Raises :class:`PagingBroken` when page numbers or the order do not work.
    """
    out = Outcome(whole=True)
    top = reader.ask("newest:1", 1, "newest")
    out.take(top)
    if top.size == 0:
        out.proof = "the list is empty"
        return out
    if top.size < PAGE_ROWS:
        second = reader.ask("newest:2", 2, "newest")
        out.take(second)
        if second.size == 0 or set(second.ids) <= set(top.ids):
            out.proof = "one page, and nothing new on the second"
            return out
    last, page = _find_end(reader, top, hint, out)
    if not _meets(page, top):
        # Loosely sorted: the end is where a page is empty.
        last, page = _walk_to_end(reader, last, page, out)
    pages = {last: page}
    if last >= 4 and reader.lanes(last) > 1:
        _descend_in_two(reader, last, pages, out, on_page)
    else:
        _descend(reader, last, pages, out, on_page, "down", 1)
    if out.proven:
        out.proof = f"read from page {last} down to 1, both ends met"
        if last - 1 >= _RECHECK_FROM:
            _recheck(reader, last, pages, out, on_page)
    return out


def _find_end(reader: Reader, top: Page, hint: int | None, out: Outcome) -> tuple[int, Page]:
    """The number of a page (oldest first) that shares rows with the newest page."""
    low, high = 0, None
    low_page: Page | None = None
    newest = set(top.ids)
    guess = max(2, hint or 2)
    for _ in range(64):
        page = reader.ask(f"probe:{guess}", guess, "oldest")
        out.take(page)
        if page.size and not newest.isdisjoint(page.ids):
            if guess == 1 and page.size > 1 and page.ids == top.ids:
                raise PagingBroken("newest and oldest give the same order")
            return guess, page
        if page.size == 0:
            high = guess
        else:
            if low_page is not None and page.ids == low_page.ids:
                raise PagingBroken(f"pages {low} and {guess} hold the same rows")
            if guess > low:
                low, low_page = guess, page
        if high is not None and high - low <= 1:
            raise PagingBroken(
                f"page {high} is empty, and page {low} does not reach the newest row"
            )
        guess = _next_guess(low, low_page, high, top)
    raise PagingBroken("no last page was found")


def _next_guess(low: int, page: Page | None, high: int | None, top: Page) -> int:
    """Where the end may be: from the days of a page and of the newest one, and their densities.

    Too far costs an empty page; too short a page that is read twice but tells more. So the guess
    leans to the short side, and never leaps further than to five times what is known.
    """
    step: float = max(2, low)
    target = _median_day(top)
    here = None if page is None else _median_day(page)
    if page is not None and target is not None and here is not None:
        density = math.sqrt(_rows_a_day(page) * _rows_a_day(top))
        step = min(0.95 * (target - here).days * density / PAGE_ROWS, 4 * low)
    guess = low + max(1, round(step))
    if high is not None and guess >= high:
        guess = min(low + max(1, round((high - low) * 0.65)), high - 1)
    return max(low + 1, guess)


def _median_day(page: Page) -> date | None:
    days = sorted(day for day in page.days if day is not None)
    return days[len(days) // 2] if days else None


def _rows_a_day(page: Page) -> float:
    days = [day for day in page.days if day is not None]
    return len(days) / max(1.0, (max(days) - min(days)).days)


def _meets(page: Page, top: Page) -> bool:
    """Whether a page (oldest first) runs into the newest page, in exactly reversed order."""
    newest = list(reversed(top.ids))
    start = next(i for i, row in enumerate(page.ids) if row in set(newest))
    shared = list(page.ids[start:])
    at = newest.index(shared[0])
    return (start == 0 or at == 0) and newest[at : at + len(shared)] == shared


def _walk_to_end(reader: Reader, last: int, page: Page, out: Outcome) -> tuple[int, Page]:
    for number in range(last + 1, last + _MAX_PAGES):
        following = reader.ask(f"end:{number}", number, "oldest")
        out.take(following)
        if following.size == 0:
            return last, page
        if following.ids == page.ids:
            raise PagingBroken(f"pages {last} and {number} hold the same rows")
        last, page = number, following
    raise PagingBroken("the list does not end")


def _descend(
    reader: Reader,
    last: int,
    pages: dict[int, Page],
    out: Outcome,
    on_page: OnPage | None,
    name: str,
    down_to: int,
) -> None:
    """Read the pages below ``last`` into ``pages``; see the module for why in this order."""
    start = above = pages[last]
    place: dict[str, int] = dict.fromkeys(above.ids, last)
    for number in range(last - 1, down_to - 1, -1):
        page = reader.ask(f"{name}:{number}", number, "oldest")
        out.take(page)
        if page.size == 0:
            out.reason = f"page {number} is empty though page {number + 1} is not"
            return
        if page.ids == above.ids:
            if above.ids != start.ids:
                raise PagingBroken(f"pages {number} and {number + 1} hold the same rows")
            # Past its end this service repeats the last page, and this one is nearer the end.
            pages[number] = above = page
            place = dict.fromkeys(page.ids, number)
            continue
        again = [i for i, row in enumerate(page.ids) if row in place]
        # After d deletions the last d rows of this page were the first d of the page above.
        if again and not (
            again == list(range(page.size - len(again), page.size))
            and all(place[page.ids[i]] - number <= 1 + len(again) for i in again)
        ):
            out.reason = f"the order is not stable: page {number} repeats rows of other pages"
            return
        for row in page.ids:
            place[row] = number
        pages[number] = above = page
        if on_page:
            on_page(last - number + 1, last)


def _descend_in_two(
    reader: Reader, last: int, pages: dict[int, Page], out: Outcome, on_page: OnPage | None
) -> None:
    """Both halves at once, for a service so slow that one request in flight wastes the budget.

    Where the halves meet, the lower page was read before the upper one, so it is read once more.
    """
    middle = last // 2
    lower, below = Outcome(), {}
    with ThreadPoolExecutor(1) as pool:
        below[middle] = reader.ask(f"low:{middle}", middle, "oldest")
        lower.take(below[middle])
        low = pool.submit(_descend, reader, middle, below, lower, None, "down", 1)
        _descend(reader, last, pages, out, on_page, "down", middle + 1)
        low.result()
    out.pages += lower.pages
    out.ids |= lower.ids
    out.reason = out.reason or lower.reason
    for day in (lower.first_day, lower.last_day):
        out.span(day)
    if out.proven:
        seam = {middle + 1: pages[middle + 1]}
        _descend(reader, middle + 1, seam, out, None, "seam", middle)
        pages |= below | seam


def _recheck(
    reader: Reader, last: int, pages: dict[int, Page], out: Outcome, on_page: OnPage | None
) -> None:
    """Read the first-read page again; where rows moved down, find the place and read it again."""
    for turn in range(1, _ROUNDS + 1):
        again = reader.ask(f"again{turn}:{last}", last, "oldest")
        out.take(again)
        if not _moved_down(pages[last], again):
            out.proof += ", and the page read first stands where it stood"
            return
        # Rows were inserted below while we read. Pages read after that stand still: the lowest
        # page that moved is the one whose first row was pushed past us.
        low, high = 0, last
        while high - low > 1:
            middle = (low + high) // 2
            now = reader.ask(f"bisect{turn}:{middle}", middle, "oldest")
            out.take(now)
            if _moved_down(pages[middle], now):
                high = middle
            else:
                low = middle
        pages[last] = again
        _descend(reader, last, pages, out, on_page, f"redo{turn}", high)
        if not out.proven:
            return
    out.reason = "rows with old dates keep being inserted while the list is read"


def _moved_down(before: Page, now: Page) -> bool:
    """Whether the first row of a page now stands further down than it stood."""
    if before.ids[0] in now.ids:
        return now.ids.index(before.ids[0]) > 0
    # Moved up by deletions: the page now begins with one of its later rows, or with none of them.
    return not (now.size == 0 or now.ids[0] in before.ids)


def read_window(reader: Reader, *, order: str | None = None) -> Outcome:
    """Read a list or window whose order is not known, up to an empty page.

    A window of several pages is read downwards once more, so that a row that moved while it was
    read up is seen on the way down.
    """
    out = Outcome(whole=True)
    pages: list[Page] = []
    number = 0
    while True:
        number += 1
        page = reader.ask(f"up:{number}", number, order)
        out.take(page)
        if page.size == 0:
            break
        if pages and (page.ids == pages[-1].ids or set(page.ids) <= _all_ids(pages)):
            if pages[-1].size < PAGE_ROWS:
                break  # past its end this service repeats rows
            raise PagingBroken(f"page {number} holds only rows of earlier pages")
        pages.append(page)
    if pages and pages[-1].size >= PAGE_ROWS:
        other = reader.ask_by_offset(f"offset:{number}", number, order)
        if other is not None:
            out.pages += 1
            if not set(other.ids) <= _all_ids(pages):
                raise PagingBroken(f"page {number} is empty though there are more rows")
    for below in range(len(pages) - 1, 0, -1):
        page = reader.ask(f"down:{below}", below, order)
        out.take(page)
    out.proof = (
        "empty"
        if not pages
        else f"{len(pages)} page(s) and an empty one"
        + (", read again downwards" if len(pages) > 1 else "")
    )
    return out


def _all_ids(pages: list[Page]) -> set[str]:
    return {row for page in pages for row in page.ids}


def read_head(reader: Reader, *, order: str | None, since: date | None, live: int) -> Outcome:
    """Read a known list from its newest end until nothing is new.

    Ends on a page whose last rows are all known, unchanged and older than ``since`` (the day the
    last proven sync began; boundary days are read again whole). ``live`` is the number of rows
    known to exist.
    """
    out = Outcome()
    pages: list[Page] = []
    for number in range(1, _MAX_PAGES):
        page = reader.ask(f"head:{number}", number, order)
        out.take(page)
        if page.size == 0 and number == 1 and live:
            out.reason = f"empty, though {live} rows are known"
            return out
        if page.size == 0:
            if pages and pages[-1].size >= PAGE_ROWS and len(_all_ids(pages)) < live:
                raise PagingBroken(f"page {number} is empty though more rows are known")
            out.whole = True
            break
        if pages and page.ids == pages[-1].ids:
            if page.size < PAGE_ROWS:
                out.whole = True  # past its end this service repeats the last page
                break
            raise PagingBroken(f"pages {number - 1} and {number} hold the same rows")
        pages.append(page)
        if page.size < PAGE_ROWS and len(_all_ids(pages)) >= live:
            out.whole = True  # every row known to exist, and the page is not full
            break
        last = page.days[-1]
        settled = not any(page.fresh[-_KNOWN_TAIL:])
        if page.size >= PAGE_ROWS and settled and (since is None or last is None or last < since):
            break
    for below in range(len(pages) - 1, 0, -1):
        out.take(reader.ask(f"head-down:{below}", below, order))
    out.proof = "the whole list" if out.whole else f"{len(pages)} page(s), down to known rows"
    return out
