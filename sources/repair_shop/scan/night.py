"""What a night asks of a list that was read whole before: what is new, and what is gone.

New rows stand at the end of the list, oldest first. So its last page tells of both: what is new,
and how many places the list has (:mod:`~repair_shop.scan.count`). What the count misses is looked
up by its own path, where it has one, before it is believed gone.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from datetime import date

from ..ledger import Page
from .count import Count, Found
from .outcome import LOOKUPS, NeverEnds, Outcome, Reader
from .upwards import KNOWN_TAIL, read_head


def read_new(
    reader: Reader,
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
        out.take(page)
        if _is_settled(page, since, count.size):
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


def _is_settled(page: Page, since: date | None, size: int) -> bool:
    """Whether a page begins with enough known rows, unchanged and older than ``since``."""
    first = page.days[0]
    is_old = since is None or first is None or first < since
    return page.size >= min(KNOWN_TAIL, size) and is_old and not any(page.fresh[:KNOWN_TAIL])


def find_gone(count: Count, exists: Callable[[str], bool] | None) -> Found:
    """Count, and look up what is missing; ``exists`` None: the list's rows have no paths.

    At most :data:`LOOKUPS`; the rows left over are for the next night. A row that exists may stand
    elsewhere, which the count then finds; if no page shows it, it is one the list leaves out.
    Raises what ``exists`` raises.

    What cannot be looked up is gone at its second sighting, in another reading of its days. Where
    that one does not end, ``gone`` are those missed once, for a reading of the whole list to tell.
    """
    looked: dict[str, bool] = {}
    missed = frozenset[str]()
    found = count.run()
    while exists is None and not found.reason and found.gone != missed:
        missed, found = found.gone, count.run(again=True)
        if found.reason:
            return replace(found, gone=missed)
    while True:
        fresh = sorted(found.gone - looked.keys())[: LOOKUPS - len(looked)]
        if found.reason or exists is None or not fresh:
            break
        for row in fresh:
            looked[row] = exists(row)
        count.refresh()
        found = count.run()
    if exists is None or found.reason:
        return found
    return Found(
        found.total,
        gone=frozenset(row for row in found.gone if looked.get(row) is False),
        unlisted=frozenset(row for row in found.gone if looked.get(row)),
    )
