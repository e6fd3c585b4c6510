"""Scans that read upwards: lists and windows without an order, and the newest end of a known list.

Read upwards, a list may hide a row that slips into a page already read (:mod:`.proven`). So a
window of several pages is read downwards once more. The pages of a known list's newest end are,
too: the count of :mod:`.count` holds its other rows against what is known. Neither helps where rows
stand in another order at each request: such a window is not proven.
"""

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from itertools import count

from ..ledger import Page
from .outcome import PAGE_ROWS, Bounded, Outcome, PageSource, PagingBroken, bounded, try_by_offset

KNOWN_TAIL = 20
"""A head scan ends on a page whose last rows, this many, are all known and unchanged: lists are not
always strictly sorted (field notes), so one known row is not enough."""


def read_window(
    reader: PageSource,
    *,
    order: str | None = None,
    expected: int | None = None,
    is_all: Callable[[list[Page]], bool] = lambda _: False,
) -> Outcome:
    """Read a list or window whose order is not known, up to an empty page.

    A window of several pages is read downwards once more, so a row that moved while it was read up
    is seen then. It is read up again if it looks shuffled, which has to stop then. ``expected``:
    its pages at most, as far as is known. ``is_all``: whether full pages are the whole list, where
    the last one comes again behind it. Raises :class:`PagingBroken` when page numbers do not work.
    """
    out = Outcome(whole=True)
    with bounded(reader, out, expected) as bound:
        pages = _read_up(bound, order, "up", is_all)
        if len(pages) == 1 and pages[0].size >= PAGE_ROWS:
            try_by_offset(bound, order, pages)
        down = [bound.ask("down", below, order) for below in range(len(pages) - 1, 0, -1)]
        down.reverse()
        if _is_shuffled(pages, down):
            bound.expect(2 * len(pages))
            if _is_shuffled(_read_up(bound, order, "again", is_all), down):
                out.reason = (
                    "its rows stand in another order at each request, so some may have been on no "
                    "page"
                )
        read = f"{len(pages)} page(s) and an empty one" if pages else "empty"
        out.proof = f"{read}, read again downwards" if len(pages) > 1 else read
    return out


def _is_shuffled(pages: list[Page], others: list[Page]) -> bool:
    """Whether a row was on two pages, and rows that both passes saw changed their order.

    New rows alone bring the one, and a row that was edited both, but seldom twice in a row.
    """
    shown = [row for page in pages for row in page.ids]
    rows = dict.fromkeys(shown)
    place = {row: n for n, row in enumerate(dict.fromkeys(r for page in others for r in page.ids))}
    places = [place[row] for row in rows if row in place]
    return len(rows) < len(shown) and places != sorted(places)


def _read_up(
    reader: Bounded, order: str | None, name: str, is_all: Callable[[list[Page]], bool]
) -> list[Page]:
    """The pages from the first to the last one that has rows of its own."""
    pages: list[Page] = []
    seen: set[str] = set()
    for number in count(1):
        page = reader.ask(name, number, order)
        if page.size == 0:
            break
        if pages and seen.issuperset(page.ids):
            if number == 3:
                try_by_offset(reader, order, pages)  # it may come for any number above 1
            if pages[-1].size < PAGE_ROWS or is_all(pages):
                break  # past its end this service repeats rows
            raise PagingBroken(f"page {number} holds only rows of earlier pages")
        if pages and pages[0].size < PAGE_ROWS:
            reader.out.page_rows = pages[0].size
        pages.append(page)
        seen.update(page.ids)
    return pages


def read_head(
    reader: PageSource,
    *,
    order: str | None,
    since: date | None,
    live: int,
    known: Callable[[], AbstractSet[str]] = frozenset,
    size: int = PAGE_ROWS,
    expected: int = 0,
) -> Outcome:
    """Read a known list from its newest end until nothing is new.

    Ends on a page whose last rows are all known, unchanged and older than ``since`` (the day the
    last proven sync began; boundary days are read again whole). ``live`` is the number of rows
    known to exist, ``known`` names them: a page that is not full, and is no full one of fewer than
    fifty either, shows all of them. ``size``: rows of a full page. ``expected``: its pages, where
    ``live`` does not tell. Raises :class:`PagingBroken` when page numbers do not work.
    """
    out = Outcome()
    with bounded(reader, out, expected or math.ceil(live / size)) as bound:
        pages: list[Page] = []
        for number in count(1):
            page = bound.ask("head", number, order)
            out.whole = _is_past_the_end(bound, page, number, pages, order, size)
            if out.whole:
                break
            if pages and pages[0].size < PAGE_ROWS:
                out.page_rows = pages[0].size
            pages.append(page)
            if page.size < size and len(out.ids) >= live and known() <= out.ids:
                out.whole = True  # every row known to exist, and the page is not full
                break
            ends = page.size >= size and is_settled(
                page.days[-1], page.changed[-KNOWN_TAIL:], since
            )
            is_long = live > size or expected > 1
            if ends and (is_long or (_is_newest_first(page) and known() <= out.ids)):
                break
        for below in range(len(pages) - 1, 0, -1):
            bound.ask("head-down", below, order)
        all_of_it = "the whole list" if pages else "the list is empty"
        out.proof = all_of_it if out.whole else f"{len(pages)} page(s), down to known rows"
    return out


def _is_past_the_end(
    reader: Bounded, page: Page, number: int, pages: list[Page], order: str | None, size: int
) -> bool:
    """Whether a page shows that the one before was the list's last.

    Raises :class:`PagingBroken` when it can not have been.
    """
    if page.size == 0:
        if number == 2 and pages[0].size >= PAGE_ROWS:
            try_by_offset(reader, order, pages)
        return True
    if pages and set(page.ids) == set(pages[-1].ids):
        if page.size < max(size, PAGE_ROWS):
            return True  # past its end this service repeats the last page
        raise PagingBroken(f"pages {number - 1} and {number} hold the same rows")
    return False


def _is_newest_first(page: Page) -> bool:
    """Whether a page's days say that new rows would stand on it: a service may ignore the order.

    Of a list of more than a page the count of its rows says so."""
    first, last = page.days[0], page.days[-1]
    return first is not None and last is not None and first > last


def is_settled(day: date | None, changed: Sequence[bool], since: date | None) -> bool:
    """Whether rows at the edge of a page are known, unchanged, and older than ``since``."""
    return not any(changed) and (since is None or day is None or day < since)
