"""What a night asks of a list that was read whole before: what is new, and what is gone.

New rows stand at the newest end, so they are read first; then the last page tells whether the list
is as long as what is known of it (:mod:`~repair_shop.scan.rank`). Where that page shows enough
known rows before the new ones, it stands for both.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date

from .outcome import PAGE_ROWS, NeverEnds, Outcome, Reader
from .rank import RankSearch
from .upwards import KNOWN_TAIL, read_head


@dataclass(frozen=True)
class Night:
    """A list's nightly scan. ``search`` makes a search of what is known at that moment, ``known``
    names the rows that the list should show.

    ``order``: of the newest rows; None where the list takes none. ``since``: the day the last
    proven scan began; rows from that day on are read again.
    """

    reader: Reader
    search: Callable[[], RankSearch]
    order: str | None
    since: date | None
    known: Callable[[], AbstractSet[str]] = frozenset

    def read(self) -> tuple[Outcome, RankSearch | None]:
        """Read what is new; with the search that finds what is gone, where that needs one.

        Raises what the reader raises, and :class:`~repair_shop.scan.PagingBroken`.
        """
        search = self.search()
        out = self._read_end(search)
        if out is None:
            live = search.live
            out = read_head(
                self.reader, order=self.order, since=self.since, live=live, known=self.known
            )
            search = self.search()
        if not out.proven or search.live <= PAGE_ROWS:
            return out, None
        # Where rows of a day change their order, pages may hide one of several; the count does not.
        out.whole = False
        return out, search

    def _read_end(self, search: RankSearch) -> Outcome | None:
        """The last page, if it shows as many known rows as the newest page would have to.

        None: it is not long enough, or there is more behind it.
        """
        if self.order != "newest" or not can_end(search.live):
            return None
        try:
            page = search.ask(-(-search.live // PAGE_ROWS))
        except NeverEnds:
            return None
        first = page.days[0] if page.size else None
        is_old = self.since is None or first is None or first < self.since
        if not (
            KNOWN_TAIL <= page.size < PAGE_ROWS and is_old and not any(page.fresh[:KNOWN_TAIL])
        ):
            return None
        out = Outcome(proof="the last page, down to known rows")
        out.take(page)
        return out


def can_end(live: int) -> bool:
    """Whether the last page of so many rows may stand for the newest one."""
    return live > PAGE_ROWS and live % PAGE_ROWS >= KNOWN_TAIL
