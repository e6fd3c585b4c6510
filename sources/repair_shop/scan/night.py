"""What a night asks of a list that was read whole before: what is new, and what is gone.

New rows stand at the newest end, so they are read first; then the last page tells whether the list
is as long as what is known of it (:mod:`~repair_shop.scan.rank`). Where that page shows enough
known rows before the new ones, it stands for both. What the count misses is looked up by its own
path, where it has one, before it is believed gone.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import date

from .outcome import LOOKUPS, PAGE_ROWS, Outcome, Reader
from .rank import Found, RankSearch
from .upwards import KNOWN_TAIL, read_head


def read_night(
    reader: Reader,
    search_now: Callable[[], RankSearch],
    order: str | None,
    since: date | None,
    known: Callable[[], AbstractSet[str]] = frozenset,
) -> tuple[Outcome, RankSearch | None]:
    """Read what is new; with the search that finds what is gone, where that needs one.

    ``search_now`` makes a search of what is known at that moment, ``known`` names the rows that the
    list should show. ``order``: of the newest rows. ``since``: the day the last proven scan began;
    rows from that day on are read again. Raises what the reader raises, and
    :class:`~repair_shop.scan.PagingBroken`.
    """
    search = search_now()
    out = _read_end(search, since) if order == "newest" and can_end(search.live) else None
    if out is None:
        out = read_head(reader, order=order, since=since, live=search.live, known=known)
        search = search_now()
    if not out.proven or not out.ids or search.live <= PAGE_ROWS:
        return out, None
    # Where rows of a day change their order, pages may hide one of several; the count does not.
    out.whole = False
    return out, search


def _read_end(search: RankSearch, since: date | None) -> Outcome | None:
    """The last page, if it shows as many known rows as the newest page would have to.

    None: it is not long enough, or there is more behind it.
    """
    page = search.ask(-(-search.live // PAGE_ROWS))
    first = page.days[0] if page.size else None
    is_old = since is None or first is None or first < since
    if not KNOWN_TAIL <= page.size < PAGE_ROWS or not is_old or any(page.fresh[:KNOWN_TAIL]):
        return None
    out = Outcome(proof="the last page, down to known rows")
    out.take(page)
    return out


def can_end(live: int) -> bool:
    """Whether the last page of so many rows may stand for the newest one."""
    return live > PAGE_ROWS and live % PAGE_ROWS >= KNOWN_TAIL


def find_gone(search: RankSearch, exists: Callable[[str], bool] | None) -> Found:
    """Search, and look up what is missing; ``exists`` None: the list's rows have no paths.

    At most :data:`LOOKUPS`; the rows left over are for the next night.
    A row that exists may stand elsewhere, which the search then finds; if no page shows it, it is
    one the list leaves out. Raises what ``exists`` raises.
    """
    looked: dict[str, bool] = {}
    while True:
        found = search.run()
        if found.reason or not found.gone:
            return found
        fresh = sorted(found.gone - looked.keys())
        if exists is None:
            if search.read_beside(found.gone):
                continue
            return found
        if not fresh or len(looked) >= LOOKUPS:
            there = {row for row in found.gone if looked.get(row)}
            if there and search.read_beside(there):
                continue
            break
        for row in fresh[: LOOKUPS - len(looked)]:
            looked[row] = exists(row)
        search.refresh()
    return Found(
        found.total,
        gone=frozenset(row for row in found.gone if looked.get(row) is False),
        unlisted=frozenset(row for row in found.gone if looked.get(row)),
    )
