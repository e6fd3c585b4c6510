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

A page that was read earlier, while the end was looked for, stands in for itself if it holds the
same rows when all is read: then nothing below it moved in the meantime.

The last page is found by the newest page (``sort=newest``, page 1), which every scan reads first:
a page that shares rows with it, in exactly reversed order, is at the end. That meeting of the two
ends is also the proof that nothing lies beyond, so no scan ends on "fewer than 50 rows".

Every scan has a bound (:class:`~repair_shop.scan.outcome.Bounded`); beyond it, it is not proven.

Each function here is deterministic in the pages it is given, so a scan that was killed is run again
from the start and is served from the ledger (:mod:`repair_shop.ledger`).
"""

from collections.abc import Mapping, Sequence
from datetime import date

from ..ledger import Page
from ..scan.list_end import find_end, meets, walk_to_end
from ..scan.outcome import (
    NOTHING_NEW,
    PAGE_ROWS,
    Bounded,
    Outcome,
    PagingBroken,
    Reader,
    bounded,
)
from ..threads import side_by_side

_RECHECK_FROM = 4
"""Pages read downwards from which the first one is read again: below, the window is seconds."""
_ROUNDS = 3
_FEW = 5
"""Rows that may be gone from one page, or have come to it, while the next was read."""


def read_list(reader: Reader, *, hint: int | None = None, since: date | None = None) -> Outcome:
    """Read a whole list (or window) that can be sorted. ``hint``: its likely last page.

    ``since``: without a hint, the day the list likely begins (the shop's first).
    Costs the pages of the list, and: one for a list of one page; none to three for finding the end
    of a longer one; one for the second look at a page of it.
    Raises :class:`PagingBroken` when page numbers or the order do not work.
    """
    out = Outcome(whole=True)
    with bounded(reader, out) as bound:
        _read_list(bound, hint, since)
    return out


def _read_list(reader: Bounded, hint: int | None, since: date | None) -> None:
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
    end = find_end(reader, top, hint, since)
    last, page = end.last, end.page
    if not meets(page, top):
        # Loosely sorted: the end is where a page is empty.
        last, page = walk_to_end(reader, last, page)
    reader.expect(last)
    pages = {last: page}
    # Where the last page is not full, the newest one holds rows of the page below it as well: so
    # a row that slips from there into the last page was seen, and only lower pages can hide one.
    near = last - (2 if page.size < PAGE_ROWS else 1)
    early = end.below(max(_RECHECK_FROM, last // 2 + 1, near), last)
    if last >= 4 and reader.reader.lanes(last) > 1 and not _is_repeated(reader, last, page, early):
        seam = end.below(0.4 * last, 0.65 * last) if not early else {}
        _descend_in_two(reader, last, pages, early, seam)
    else:
        _descend(reader, last, pages, "down", 1, early)
    if out.proven:
        out.proof = f"read from page {last} down to 1, both ends met"
        if pages.keys() == {1, 2}:
            _look_between(reader, top, pages[1], pages[2])
        elif last - 1 >= _RECHECK_FROM:
            _recheck(reader, max(early, default=max(pages)), pages)


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


def _descend(
    reader: Bounded,
    last: int,
    pages: dict[int, Page],
    name: str,
    down_to: int,
    early: Mapping[int, Page] | None = None,
) -> None:
    """Read the pages below ``last`` into ``pages``; see the module for why in this order.

    Pages in ``early`` were read before and are taken as they were.
    """
    out, start = reader.out, pages[last]
    above = start
    place: dict[str, int] = dict.fromkeys(above.ids, last)
    number = last
    while (number := number - 1) >= down_to:
        page = early[number] if early and number in early else reader.ask(name, number)
        if page.size == 0:
            out.reason = f"page {number} is empty though page {number + 1} is not"
            return
        if page.ids == above.ids:
            if above.ids != start.ids:
                raise PagingBroken(f"pages {number} and {number + 1} hold the same rows")
            # Past its end this service repeats the last page: the first one with it is the last.
            if last - number > 1:
                number, page = _first_alike(reader, name, number, page)
            for beyond in [n for n in pages if n > number]:
                del pages[beyond]  # their numbers say nothing of where their rows stand
            pages[number] = above = page
            place = dict.fromkeys(page.ids, number)
            continue
        again = [i for i, row in enumerate(page.ids) if row in place]
        if again and not (
            again == list(range(page.size - len(again), page.size))
            and all(place[page.ids[i]] - number <= 1 + len(again) for i in again)
            and _moved_up(reader, f"{name}-look", number + 1, above, again)
        ):
            # It is read on: what the other pages show is worth having, proven or not.
            unstable = f"the order is not stable: page {number} repeats rows of other pages"
            out.reason = out.reason or unstable
        for row in page.ids:
            place[row] = number
        pages[number] = above = page


def _moved_up(reader: Bounded, name: str, number: int, before: Page, again: list[int]) -> bool:
    """Whether a page lost its first rows to the page below, as deletions do it, and no others.

    After d deletions the last d rows of the page below were the first d of this one; what is left
    of this one now stands at its beginning. An order that changes by itself looks alike only once.
    """
    now = reader.ask(name, number)
    place = {row: i for i, row in enumerate(before.ids)}
    stayed = [place[row] for row in now.ids if row in place]
    return (
        stayed == sorted(stayed)
        and all(i >= len(again) for i in stayed)
        and (not now.ids or not stayed or now.ids[0] in place)
    )


def _is_repeated(reader: Bounded, last: int, page: Page, early: Mapping[int, Page]) -> bool:
    """Whether the last page repeats the one below it, so the list ends before it: where is for one
    descent to find."""
    return (early.get(last - 1) or reader.ask("down", last - 1)).ids == page.ids


def _first_alike(reader: Bounded, name: str, number: int, page: Page) -> tuple[int, Page]:
    """The lowest page that holds rows of page ``number``, which later ones repeat, as it is now."""
    low = 0
    while number - low > 1:
        middle = (low + number) // 2
        now = reader.ask(f"{name}-alike", middle)
        if not set(now.ids).isdisjoint(page.ids):
            number, page = middle, now
        else:
            low = middle
    return number, page


def _descend_in_two(
    reader: Bounded,
    last: int,
    pages: dict[int, Page],
    early: Mapping[int, Page],
    seam: Mapping[int, Page],
) -> None:
    """Both halves at once, for a service so slow that one request in flight wastes the budget.

    The lower half begins at the page in ``seam``, if any. Where the halves meet, the lower page
    was read before the upper one, so it is read once more.
    """
    middle = max(seam, default=last // 2)
    below = dict(seam) or {middle: reader.ask("low", middle)}
    halves = ((last, pages, middle + 1, early), (middle, below, 1, None))
    side_by_side(lambda half: _descend(reader, half[0], half[1], "down", *half[2:]), halves)
    if reader.out.proven:
        meeting = {middle + 1: pages[middle + 1]}
        _descend(reader, middle + 1, meeting, "seam", middle)
        pages |= below | meeting


def _recheck(reader: Bounded, first: int, pages: dict[int, Page]) -> None:
    """Read the first-read page again; where rows moved down, find the place and read it again."""
    out = reader.out
    for turn in range(1, _ROUNDS + 1):
        again = reader.ask(f"again{turn}", first)
        if turn == 1 and again.ids != pages[first].ids and first + 1 in pages:
            _join(reader, first, again, pages)
        if not out.proven:
            return
        if not _moved_down(pages[first], again):
            out.proof += f", and page {first}, read first, stands where it stood"
            return
        # Rows were inserted below while we read. Pages read after that stand still: the lowest
        # page that moved is the one whose first row was pushed past us.
        low, high = 0, first
        while high - low > 1:
            middle = (low + high) // 2
            if _moved_down(pages[middle], reader.ask(f"bisect{turn}", middle)):
                high = middle
            else:
                low = middle
        pages[first] = again
        _descend(reader, first, pages, f"redo{turn}", high)
        first = min(first, max(pages))
        if not out.proven:
            return
    out.reason = "rows with old dates keep being inserted while the list is read"


def _join(reader: Bounded, low: int, now: Page, pages: dict[int, Page]) -> None:
    """Close the gap over page ``low``, which was read before the page above it and has changed.

    Rows that slipped from the one to the other before the upper one was read stand between the
    rows of both: so it is read upwards from the lower to the first row of the upper.
    """
    rows, number = set(now.ids), low
    while rows.isdisjoint(pages[low + 1].ids) and number < low + _ROUNDS:
        number += 1
        rows.update(reader.ask("over", number).ids)
    if rows.isdisjoint(pages[low + 1].ids) or rows.isdisjoint(pages[low].ids):
        reader.out.reason = f"too many rows moved at page {low} while the list was read"


def _moved_down(before: Page, now: Page) -> bool:
    """Whether the first row of a page now stands further down than it stood."""
    if before.ids[0] in now.ids:
        return now.ids.index(before.ids[0]) > 0
    # Moved up by deletions: the page now begins with one of its later rows, or with none of them.
    return not (now.size == 0 or now.ids[0] in before.ids)
