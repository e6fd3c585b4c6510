"""What scans and the search for a list's end share: where pages come from, what was found."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from ..ledger import Page

PAGE_ROWS = 50
"""Specification, Limits: records per request."""
SINCE_EVER = date(2000, 1, 1)
"""A day before the first row of any service."""
LOOKUPS = 200
"""Rows looked up by their own path at most, in one list and run, before they are believed gone."""
WHOLE_PAGES = 400
"""Pages up to which every one of a list is read in a night to tell which of its rows are gone."""
NOTHING_NEW = "page 2 shows nothing that page 1 does not, and there are others"
"""Why a list of one short page is not proven."""
_FEW = 24
"""Pages that a scan may ask beyond twice those expected: looking for the end, second looks."""
_UNKNOWN_PAGES = 1_000
"""Pages expected of a list that nobody has read yet and whose end nothing tells."""


class PagingBroken(Exception):
    """The service does not page as asked; another way of paging may work."""


class NeverEnds(Exception):
    """A scan asked far more pages than its list can have; its rows are kept, it is not proven."""


class PageSource(Protocol):
    """Where pages come from: the service, or the ledger if it was asked before."""

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """Page ``number`` (from 1) in an order; ``key`` is the request's name within the scan."""

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """The same rows by offset and limit; None when that is how pages are asked already."""


@dataclass
class Outcome:
    """What a scan found, and how sure it is."""

    proof: str = ""
    reason: str = ""
    """Empty when proven; else what is in doubt."""
    cannot_page: bool = False
    """Why it is in doubt: pages did not come as asked, in whatever way they were asked for."""
    pages: int = 0
    whole: bool = False
    """The whole list (or window) was read, so rows it did not show are gone."""
    ids: set[str] = field(default_factory=set)
    first_day: date | None = None
    last_day: date | None = None
    gone: frozenset[str] = frozenset()
    """Rows that the list does not show any more, each one looked for."""
    lost: frozenset[str] = frozenset()
    """Rows of which only one sign says that they are gone: their own paths, or a filter."""
    is_read_once: bool = False
    """Each of several pages was read once, so a row may have moved past them."""
    missed: frozenset[str] = frozenset()
    """Rows that another reading of the same night did not show either."""
    page_rows: int = 0
    """Rows of a page, where the list showed that it has other pages than of fifty."""

    @property
    def proven(self) -> bool:
        """Nothing is in doubt."""
        return not self.reason

    def take(self, page: Page) -> None:
        """Count a page in."""
        self.pages += 1
        if page.size > PAGE_ROWS:
            self.page_rows = max(self.page_rows, page.size)
        self.ids.update(page.ids)
        self._span(page.days)

    def add(self, part: "Outcome") -> None:
        """Count a part of the scan in: its pages and rows, and its doubt if it is the first."""
        self.pages += part.pages
        self.page_rows = max(self.page_rows, part.page_rows)
        self.ids |= part.ids
        self.reason = self.reason or part.reason
        self.cannot_page |= part.cannot_page
        self._span((part.first_day, part.last_day))

    def _span(self, days: Iterable[date | None]) -> None:
        """Widen the range of days."""
        known = [day for day in (self.first_day, self.last_day, *days) if day is not None]
        if known:
            self.first_day, self.last_day = min(known), max(known)


class Bounded:
    """A reader that counts a scan's pages into its outcome, and ends after twice those expected.

    Expected are the ``expected`` pages that the list is known to have. Or, if those are more, the
    pages that showed a row this scan had not seen. A service that repeats its last page in changing
    order shows none. Raises :class:`NeverEnds` instead of asking beyond, and a few.
    """

    def __init__(self, reader: PageSource, out: Outcome, expected: int | None = None) -> None:
        self.reader, self.out, self._expected = reader, out, expected
        self._asked = self._fruitful = 0

    def ask(self, name: str, number: int, order: str | None = "oldest") -> Page:
        """Page ``number``; ``name`` tells this request from the scan's others for it."""
        known = _UNKNOWN_PAGES if self._expected is None else self._expected
        pages = max(self._expected or 0, min(self._fruitful, known))
        if self._asked >= 2 * pages + _FEW:
            raise NeverEnds(
                f"{self._asked} pages were asked where {pages} are expected, and no end was found: "
                "the service may repeat its rows or make them up"
            )
        page = self.reader.ask(f"{name}:{number}", number, order)
        self._asked += 1
        self._fruitful += not self.out.ids.issuperset(page.ids)
        self.out.take(page)
        return page

    def expect(self, pages: int) -> None:
        """The list turned out to have so many pages, at least."""
        self._expected = max(self._expected or 0, pages)


def try_by_offset(
    reader: Bounded, order: str | None, pages: Sequence[Page], beyond: Iterable[Page] = ()
) -> None:
    """A full first page and no others than ``pages`` may mean that page numbers do not work.

    Raises :class:`PagingBroken` if there are others by offset, or at the other end of a list that
    was read from its oldest rows; also if its newest page, and one ``beyond``, are the oldest one.
    """
    first, number = {row for page in pages for row in page.ids}, 1 + pages[0].size // PAGE_ROWS
    others = [reader.reader.ask_by_offset(f"offset:{number}", number, order)]
    if order == "oldest":
        others.append(newest := reader.ask("newest", 1, "newest"))
        if any(pages[0].ids == newest.ids == page.ids for page in beyond):
            raise PagingBroken("its first page comes whatever is asked, and there are other rows")
    if any(page is not None and not set(page.ids) <= first for page in others):
        raise PagingBroken("page 2 shows nothing new though there are more rows")


@contextmanager
def bounded(reader: PageSource, out: Outcome, expected: int | None = None) -> Iterator[Bounded]:
    """The reader of a scan, which is not proven if its pages never end."""
    try:
        yield Bounded(reader, out, expected)
    except NeverEnds as error:
        out.reason = str(error)
