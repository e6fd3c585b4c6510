"""Reading a whole list, and knowing whether a row was missed.

The danger. Lists are paged by number (specification, Common conventions). When a row of a page
already read is deleted, every later row moves up by one. So the first row of the next page slips
into the page that was read: it is never seen.

The way out is the order of reading. Ask for ``sort=oldest`` and read the pages from the last to
the first. A deletion then moves unread rows only into pages that are still to come: they may
be read twice, never not at all. New rows are put at the end, behind what was read. What is left
is a row inserted with an old date, which pushes rows the other way. So what was shown is counted
at the end (:mod:`~repair_shop.scan.count`), which also finds the days of what is missing.

The last page is found by the newest page (``sort=newest``, page 1), which every scan reads first:
a page that shares rows with it, in exactly reversed order, is at the end. It is looked for by steps
that double and then by halves; each other page asked on the way was empty or is read again in its
turn: so guesses cost. No scan ends on "fewer than 50 rows". Every scan has a bound
(:class:`~repair_shop.scan.outcome.Bounded`); beyond it, it is not proven.

Each function here is deterministic in the pages it is given. So a scan that was killed is run again
from the start and is served from the ledger (:mod:`repair_shop.ledger`).
"""

from collections.abc import Sequence
from datetime import date
from itertools import count as numbers
from math import inf

from ..ledger import Page
from ..scan.count import Count, Found
from ..scan.cuts import below
from ..scan.outcome import (
    NOTHING_NEW,
    PAGE_ROWS,
    Bounded,
    NeverEnds,
    Outcome,
    PageSource,
    PagingBroken,
    bounded,
)

_LONG = 5
"""Pages from which the last one is read again for the count: below, the scan takes seconds."""
_AT_ONCE = 2
"""Requests up to which a count is of one moment."""
_FEW = 5
"""Rows that may be gone from one page, or have come to it, while the next was read."""

_GROWN = 0.8
"""A shop's average day beside its newest ones: shops grow. Too far costs an empty page, too short
one that may stand for itself: so guesses fall short."""
_MOST = 40
"""Pages asked, at most."""


def read_list(reader: PageSource, *, hint: int | None = None) -> Outcome:
    """Read a whole list (or window) that can be sorted. ``hint``: its likely last page.

    Costs the pages of the list, and: one for a list of one page; none to three for finding the end
    of a longer one; one for counting it.
    Raises :class:`PagingBroken` when page numbers or the order do not work.
    """
    out = Outcome(whole=True)
    with bounded(reader, out) as bound:
        _read_list(bound, hint)
    out.is_read_once = out.pages > _AT_ONCE
    return out


def _read_list(reader: Bounded, hint: int | None) -> None:
    out = reader.out
    top = reader.ask("newest", 1, "newest")
    if top.size == 0:
        out.proof = "the list is empty"
        return
    if top.size < PAGE_ROWS:
        second = reader.ask("newest", 2, "newest")
        if set(second.ids) <= set(top.ids):
            # Its other end: page numbers may not work.
            if second.size and not set(reader.ask("oldest", 1).ids) <= set(top.ids):
                raise PagingBroken(NOTHING_NEW)
            out.proof = "one page, and nothing new on the second"
            return
        out.page_rows = top.size
    last, page = _find_end(reader, top, hint)
    if not _meets(page, top):
        # Loosely sorted: the end is where a page is empty.
        last, page = _walk_to_end(reader, last, page)
    reader.expect(last)
    pages = {last: page}
    _descend(reader, last, pages)
    if pages.keys() == {1, 2}:
        _look_between(reader, top, pages[1], pages[2])
    last, size = max(pages), pages[1].size
    places = size * (last - 1) + pages[last].size
    reader.expect(2 * last)  # where rows of a day change their order, all are seen late
    count = Count(reader, None, shown=[top, *pages.values()], size=size, is_paged=True)
    if last >= _LONG or pages[last].size >= size or count.live != places:
        places = _settle(count, reader, last)
    out.proof = f"read from page {last} down to 1, both ends met: {places} rows on {places} places"


def _find_end(reader: Bounded, top: Page, hint: int | None) -> tuple[int, Page]:
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


def _meets(page: Page, top: Page) -> bool:
    """Whether a page (oldest first) runs into the newest page, in exactly reversed order."""
    newest = list(reversed(top.ids))
    start = next(i for i, row in enumerate(page.ids) if row in set(newest))
    shared = list(page.ids[start:])
    at = newest.index(shared[0])
    return (start == 0 or at == 0) and newest[at : at + len(shared)] == shared


def _walk_to_end(reader: Bounded, last: int, page: Page) -> tuple[int, Page]:
    """The last page that has rows, from page ``last`` on, for lists sorted only loosely.

    A page that holds the rows of the one before, in whatever order, lies past the end.
    """
    reader.expect(last)
    for number in numbers(last + 1):
        following = reader.ask("end", number)
        if not following.size or set(following.ids) == set(page.ids):
            break
        last, page = number, following
    return last, page


def _settle(count: Count, reader: Bounded, last: int) -> int:
    """Look for what is missing, of ``last`` pages; the places of the list. Raises
    :class:`PagingBroken` where it has no end, or one inside, as its pages lack rows."""
    found, out = count.run(), reader.out
    try:
        while count.requests > _AT_ONCE and not found.reason and not count.recount():
            found = count.run()
    except NeverEnds as error:
        found = Found(reason=str(error))
    if count.last is None:
        raise PagingBroken(found.reason)
    if 0 < count.last < last:  # some went, or it ends elsewhere
        end, behind = (reader.ask("behind", count.last + more) for more in (0, 1))
        if not set(behind.ids) <= set(end.ids):
            raise PagingBroken(f"page {count.last} lacks rows, and there are others behind it")
    if found.reason:
        out.reason = f"rows moved while the list was read, and {found.reason}"
    return count.total


def _look_between(reader: Bounded, top: Page, low: Page, high: Page) -> None:
    """Of a list of two pages the newest one shows no others, unless its last comes for any number.

    Raises :class:`PagingBroken` then. A few rows may have moved meanwhile.
    """
    older: Sequence[str] = (
        top.ids[top.ids.index(high.ids[0]) + 1 :] if high.ids[0] in top.ids else low.ids
    )
    if len(older) < _FEW:
        second = reader.reader.ask_by_offset("offset:2", 2, "oldest")
        is_between = second is not None and len({*second.ids} - reader.out.ids) >= _FEW
    else:
        is_between = set(older).isdisjoint(low.ids)
    if is_between:
        raise PagingBroken("there are rows between its pages 1 and 2")


def _descend(reader: Bounded, last: int, pages: dict[int, Page]) -> None:
    """Read the pages below ``last`` into ``pages``; see the module for why in this order."""
    number = last
    while (number := number - 1) >= 1:
        page, above = reader.ask("down", number), pages[number + 1]
        if page.size == 0:
            raise NeverEnds(f"page {number} is empty though page {number + 1} is not")
        if page.ids == above.ids:
            if len(pages) > 1:
                raise PagingBroken(f"pages {number} and {number + 1} hold the same rows")
            # Past its end this service repeats the last page: the first one with it is the last.
            number, page = _first_alike(reader, number, page)
            pages.clear()  # their numbers say nothing of where their rows stand
        pages[number] = page


def _first_alike(reader: Bounded, number: int, page: Page) -> tuple[int, Page]:
    """The lowest page that holds rows of page ``number``, which later ones repeat, as it is now."""
    asked = {number: page}

    def differs(low: int) -> bool:
        asked[low] = reader.ask("alike", low)
        return asked[low].size > 0 and set(asked[low].ids).isdisjoint(page.ids)

    first = 1 + below(number, differs)
    return first, asked[first]
