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
a page that shares rows with it, in exactly reversed order, is at the end. So no scan ends on "fewer
than 50 rows". Every scan has a bound (:class:`~repair_shop.scan.outcome.Bounded`); beyond it, it is
not proven.

Each function here is deterministic in the pages it is given. So a scan that was killed is run again
from the start and is served from the ledger (:mod:`repair_shop.ledger`).
"""

from collections.abc import Iterable, Sequence

from ..ledger import Page
from ..scan.count import Count, Found
from ..scan.cuts import below
from ..scan.list_end import find_end, meets, walk_to_end
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
    last, page = find_end(reader, top, hint)
    if not meets(page, top):
        # Loosely sorted: the end is where a page is empty.
        last, page = walk_to_end(reader, last, page)
    reader.expect(last)
    pages = {last: page}
    _descend(reader, last, pages)
    if pages.keys() == {1, 2}:
        _look_between(reader, top, pages[1], pages[2])
    last, size = max(pages), pages[1].size
    places = size * (last - 1) + pages[last].size
    count = _count(reader, [top, *pages.values()], size, last)
    if last >= _LONG or pages[last].size >= size or count.live != places:
        places = _settle(count, reader, last)
    out.proof = f"read from page {last} down to 1, both ends met: {places} rows on {places} places"


def _count(reader: Bounded, pages: Iterable[Page], size: int, last: int) -> Count:
    """Holds what a scan showed against the places of its list."""
    reader.expect(2 * last)  # where rows of a day change their order, all are seen late
    return Count(reader, None, shown=pages, size=size, is_paged=True)


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
