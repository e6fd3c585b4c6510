"""What a night asks of a list that was read whole before: what is new, and what is gone.

New rows stand at the end of the list, oldest first. So its last page tells of both: what is new,
and how many places the list has (:mod:`~repair_shop.scan.count`). What the count misses is looked
up by its own path, where it has one, before it is believed gone. Where only that can tell, the
whole list is read again.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from ..errors import BadAnswer
from .count import Count, Found
from .outcome import (
    LOOKUPS,
    WHOLE_PAGES,
    Bounded,
    NeverEnds,
    Outcome,
    PageSource,
    PagingBroken,
)
from .proven import read_list
from .reading import WHOLE, Reading, Slice
from .statuses import HIDDEN_KEY
from .tickets import Tickets, have_changed, parts_of_hidden
from .upwards import KNOWN_TAIL, is_settled, read_head, read_window

_NOT_COUNTED = "not counted"
_MIXED = timedelta(days=3)
"""Lists are not always strictly by date (field notes), but nearly."""
_FIRST = 3
"""Look-ups that tell of rows too many to be believed whether the others are worth a request."""


@dataclass
class ListCount:
    """Counts the list of a job."""

    reading: Reading
    _names: Iterator[int] = field(default_factory=itertools.count)

    def night(self, order: str, since: date | None) -> Outcome:
        """Read what is new, and find what is gone."""
        count, pages = self.new(), self.reading.pages()
        out = read_new(pages, count, self.reading.known.listed, since, order=order)
        if out.proven and out.ids and count.live > count.size:
            with suppress(NeverEnds):
                if count.last is None:
                    count.find_end()
            if out.whole and count.total >= len(out.ids) + count.size:
                raise PagingBroken("its pages end long before its last one")
            # Where rows of a day change their order, pages may hide one; the count does not.
            out.whole = False
            self._settle(out, [count])
        return out

    def after(self, out: Outcome) -> None:
        """Find what is gone, after what is new was read otherwise."""
        reading, since = self.reading, self.reading.job.since
        if not reading.job.endpoint.partition:
            count = self.new()
            with suppress(NeverEnds):
                if not ends_on_newest(count):
                    # Rows that came and rows that went would make up for each other.
                    newest, live, size = reading.pages("newest:"), count.live, count.size
                    out.add(read_head(newest, order="newest", since=since, live=live, size=size))
                    count.refresh()
            self._settle(out, [count])
            return
        ledger, shop, slices = reading.ledger, reading.shop, reading.slices
        hides = ledger.value(shop, HIDDEN_KEY)
        if hides or not slices:
            how: Any = {"size": reading.known.page_rows, "expected": reading.known.pages}
            for one in parts_of_hidden(ledger, shop):
                listed = reading.pages(f"new {one.name}", None, one.params)
                out.add(read_head(listed, order="newest", since=since, live=0, **how))
            known = ledger.live_count(shop, reading.job.resource)
            if hides == "yes" and (
                have_changed(reading, known + 1) or not have_changed(reading, known)
            ):
                self._read_whole(out, "not as many have a last change as are known")
            else:
                out.proof += f"; {_NOT_COUNTED}: the service hides tickets"
            return
        self._settle(out, [*map(self.new, slices)])

    def old_pages(self, pages: Sequence[int]) -> Outcome:
        """Read some pages again, of tickets those of most statuses, for edits that nothing
        announces; their places count as well."""
        count, out = self.new(next(iter(self.reading.slices), WHOLE)), Outcome()
        words = ", ".join(f"{first} to {last}" for first, last in runs_of(pages))
        out.proof = f"pages {words} read again"
        try:
            for number in sorted(pages, reverse=True):
                out.take(count.ask(number))
            if count.shows_end(max(pages)):
                count.find_end()  # in an order that is not by date, only the whole list tells
            balances = count.balances()
        except NeverEnds:
            balances = False
        # One that shows rows twice is read whole each night anyway.
        if not balances and not self.reading.known.shows_twice:
            self._settle(out, [count])
        return out

    def new(self, of: Slice = WHOLE, *, size: int = 0, is_paged: bool = False) -> Count:
        """A count of the list, or of a slice of it; see :class:`Count`."""
        reading = self.reading
        known = replace(reading.known, shown=of.shown)
        reader = reading.pages(f"count{next(self._names)}:", None, of.params)
        return Count(
            Bounded(reader, Outcome(), 2 * known.pages),
            known,
            size=size or known.page_rows,
            is_paged=is_paged,
            is_by_day=reading.job.endpoint.detail or known.is_by_day,
        )

    def _settle(self, out: Outcome, counts: list[Count]) -> None:
        """Search, and put into ``out`` what was found."""
        found: list[Found] = []
        known, run_id = self.reading.known, self.reading.scan.run_id
        for count in counts:
            if known.shows_twice:
                break
            try:
                found.append(self._find(count))
            except BadAnswer as error:
                missing = count.missing()
                if error.transient and not known.missed_before(missing, run_id):
                    known.note_missed(missing, run_id)
                    raise
                found.append(Found(gone=missing, reason=str(error)))
            out.pages += count.requests
        if known.shows_twice:  # a place more would make up for a row that is gone
            found.append(Found(reason="it shows rows twice"))
        doubts = "; ".join(part.reason for part in found if part.reason)
        gone = out.missed = frozenset[str]().union(*(part.gone for part in found))
        if doubts:
            self._read_whole(out, doubts)
            return
        unlisted = frozenset[str]().union(*(part.unlisted for part in found))
        if unlisted and self.reading.job.endpoint.partition and known.pages <= WHOLE_PAGES:
            self._read_whole(out, "neither half shows some that exist")  # nor perhaps others
            return
        out.gone |= gone
        out.proof += _words(found, gone, unlisted)

    def _find(self, count: Count) -> Found:
        reading, run_id = self.reading, self.reading.scan.run_id
        known, exists, twice = reading.known, reading.exists, set[str]()
        limit = reading.client.shop.vanish_limit_percent

        def look(row: str) -> bool:
            twice.update(known.missed_before([row], run_id))  # an answer that shows it ends it
            return exists is not None and exists(row)

        def are_many(rows: int) -> bool:
            return known.are_many(rows, limit)

        found = find_gone(count, exists and look, are_many)
        # Its path may be an old answer: only where two runs say so is it left out.
        known.note_missed(found.unlisted, run_id)
        known.note_unlisted(found.unlisted & twice)
        if found.gone and exists is None and count.distrusted:
            return replace(found, reason="its order is not by date")
        return found

    def _read_whole(self, out: Outcome, why: str) -> None:
        """Read the whole list, where counting cannot tell which rows are gone."""
        known = self.reading.known
        if known.pages > WHOLE_PAGES:
            out.reason = (
                f"rows are missing or new, and counting does not tell which ({why}). Read it "
                f"whole: shopmirror sync {self.reading.job.resource} --full"
            )
            return
        known.forget_twice()
        try:
            whole = self._read_pages(known.pages)
        except PagingBroken as broken:
            whole = Outcome(reason=str(broken), cannot_page=True)
        changed = out.missed & out.ids
        out.add(whole)
        out.is_read_once = whole.is_read_once
        if not whole.proven:
            out.reason = f"rows are missing or new, and which could not be told: {whole.reason}"
            return
        # A list of changes may show rows that are deleted.
        out.lost |= whole.lost | (changed - whole.ids)
        out.whole = True
        out.proof += f"; counting did not tell ({why}), so it was read whole: {whole.proof}"

    def _read_pages(self, pages: int) -> Outcome:
        """All pages of the list, as it comes where it does not sort. Raises PagingBroken."""
        if self.reading.job.endpoint.partition:
            return Tickets(self.reading).read(pages)
        try:
            return read_list(self.reading.pages("whole:"), hint=pages)
        except PagingBroken:
            return read_window(self.reading.pages("unsorted:"), expected=pages)


def is_counted(kind: str, proof: str) -> bool:
    """Whether a proven scan of a night held the length of its list against what is known."""
    return kind in ("head", "updated") and _NOT_COUNTED not in proof


def runs_of(pages: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pages that follow each other, as the first and last of each run."""
    for _, group in itertools.groupby(enumerate(sorted(pages)), lambda pair: pair[1] - pair[0]):
        run = [page for _, page in group]
        yield run[0], run[-1]


def _words(found: list[Found], gone: frozenset[str], unlisted: frozenset[str]) -> str:
    rows = sum(part.total for part in found)
    words = f"; by its last page it has {rows} rows"
    if gone:
        words += f": {len(gone)} known one(s) are gone"
    elif not unlisted:
        words += ", all of them known"
    if unlisted:
        words += f"; {len(unlisted)} exist(s) that it does not show"
    return words


def read_new(
    reader: PageSource,
    count: Count,
    listed: Callable[[], AbstractSet[str]],
    since: date | None,
    *,
    order: str = "newest",
) -> Outcome:
    """Read what is new in an order: from the last page, where the newest rows stand there.

    ``listed`` names the rows that the list should show; the others as of :func:`read_head`.
    """
    out = None
    if order == "newest" and count.live > count.size:
        with suppress(NeverEnds):
            out = _read_end(count, since)
    if out is None:
        out = read_head(
            reader, order=order, since=since, live=count.live, known=listed, size=count.size
        )
        count.refresh()
    return out


def _read_end(count: Count, since: date | None) -> Outcome | None:
    """Read what is new from the last page downwards, to a page that begins with known rows.

    ``since``: the day the last proven scan began; rows from that day on are read again. None where
    the last page does not show that the newest rows stand at its end: the newest page tells then.
    """
    out, last = Outcome(), count.find_end()
    if not last or not _shows_newest(count, last):
        return None
    for number in range(last, 0, -1):
        page = count.peek(number)
        if not page.size:
            return None  # all of them are, since the last one was asked
        out.take(page)
        # Of days before where they are few: a row may stand some hours from its place.
        is_short = page.size < min(KNOWN_TAIL, count.size)
        before = since - _MIXED if since and is_short else since
        if is_settled(page.days[0], page.changed[:KNOWN_TAIL], before):
            break
    out.proof = f"{out.pages} page(s) from the last one, down to known rows"
    out.pages = 0  # the count's own
    return out


def ends_on_newest(count: Count) -> bool:
    """Whether the newest rows of a list stand at its end, as its last page tells."""
    last = count.find_end()
    return last <= 1 or _shows_newest(count, last)


def _shows_newest(count: Count, number: int) -> bool:
    """Whether the days of a page say that the newest rows stand there: a service may ignore the
    order, and a few rows of any page may stand oldest first."""
    days = count.peek(number).days
    if days[0] is None or days[-1] is None or days[0] >= days[-1]:
        return False
    return count.newest_day is None or max(filter(None, days)) >= count.newest_day


def find_gone(
    count: Count,
    exists: Callable[[str], bool] | None,
    are_many: Callable[[int], bool] = lambda rows: False,
) -> Found:
    """Count, and look up what is missing; ``exists`` None: the list's rows have no paths.

    At most :data:`LOOKUPS`; the rows left over are for the next night. A row that exists may stand
    elsewhere, which the count then finds; if no page shows it in two readings, it is ``unlisted``.
    Where ``are_many`` and none of the first exists, the others wait for a person.
    Raises what ``exists`` raises.

    What cannot be looked up is gone at its second sighting, in another reading of its days.
    """
    looked: dict[str, bool] = {}
    missed = frozenset[str]()
    found = count.run()
    while exists is None and not found.reason and found.gone != missed:
        missed, found = found.gone, count.run(again=True)
    while exists is not None and not found.reason:
        fresh = sorted(found.gone - looked.keys())[: LOOKUPS - len(looked)]
        for row in fresh:
            looked[row] = exists(row)
            if len(looked) == _FIRST and not any(looked.values()) and are_many(len(found.gone)):
                return found
        there = frozenset(row for row in found.gone if looked.get(row))
        if not fresh and there <= missed:
            break
        count.is_loose |= bool(there)  # it may stand on a page beside the days that it belongs to
        count.refresh()
        # One that exists may have slipped past two pages, and would make up for one that is gone.
        missed, found = frozenset() if fresh else there, count.run(again=not fresh)
    if exists is None or found.reason:
        return found
    return Found(
        found.total,
        gone=frozenset(row for row in found.gone if looked.get(row) is False),
        unlisted=frozenset(row for row in found.gone if looked.get(row)),
    )
