"""Old rows read again for edits that nothing announces: which pages of which lists, each night.

Deletions are counted (:mod:`~repair_shop.scan.count`); what is left is a row edited long after it
was made, in a list that has no ``/updated`` and no ``sort=recently_updated``. Pages are asked by
their numbers, so a request is fifty rows read again, and they count as well. So a few pages of the
other lists are read too: on the last page a row that came and one that went hide each other.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..ledger import Ledger
from ..schema.endpoints import ENDPOINTS, Endpoint
from ..settings import ShopSettings
from .jobs import Job
from .known import OTHERS, KnownRows
from .statuses import HIDDEN_KEY

_ROUND_DAYS = 4
"""A shop that fits into so many nights is read in turn."""
_IN_TURN = 10
"""Pages a night of a list whose rows have no dates."""
_INNER = 3
"""Pages a night of the lists whose old pages are not read again for edits."""


@dataclass(frozen=True)
class _Page:
    """A page of a list. ``age``: days since its rows were seen, in the middle of them, so that one
    that is nowhere shown keeps no page from its turn; ``due``: 1 and more is overdue."""

    endpoint: Endpoint
    number: int
    age: float
    due: float


def audit_jobs(ledger: Ledger, shop: ShopSettings, *, but: Collection[str] = ()) -> list[Job]:
    """Old pages to read again within ``audit_requests``, the most valuable and overdue first.

    A row of this year is due every week, of last year every month, an older one every quarter; a
    shop of few rows is read in turn, whole within four nights. ``but``: lists that were read whole
    a moment ago.
    """
    requests, hides = shop.audit_requests, ledger.value(shop.name, HIDDEN_KEY)
    found, inner = list[_Page](), list[_Page]()
    for endpoint in ENDPOINTS.values():
        if endpoint.table not in but and not (endpoint.partition and hides):
            # Of lists that tell their edits, a few besides each one's last.
            of = inner if endpoint.tells_edits else found
            of += _pages(ledger, shop, endpoint)
    inner.sort(key=lambda one: -one.age)
    if len(found) <= _ROUND_DAYS * requests:
        found.sort(key=lambda one: (-one.age, -one.endpoint.value))
    else:
        found.sort(key=lambda one: -one.due * one.endpoint.value)
    few = inner[: min(_INNER, requests)]
    pages: dict[str, set[int]] = {}
    for one in [*few, *found[: requests - len(few)]]:
        pages.setdefault(one.endpoint.table, set()).add(one.number)
    return [
        Job(shop.name, ENDPOINTS[table], "audit", pages=tuple(chosen), requests=len(chosen))
        for table, chosen in pages.items()
    ]


def _pages(ledger: Ledger, shop: ShopSettings, endpoint: Endpoint) -> Iterator[_Page]:
    """The pages of a list that can be sorted and was read whole, if it has several: of tickets
    those of most statuses, and of lists that tell their edits all but the last."""
    if not endpoint.sort or not ledger.is_whole(shop.name, endpoint.table):
        return
    now, known = datetime.now(shop.zone), KnownRows(ledger, shop.name, endpoint.table)
    today, shown = now.date(), OTHERS if endpoint.partition else ""
    of_it = {"shop": shop.name, "list": endpoint.table, "size": known.page_rows, "shown": shown}
    pages = ledger.select("pages_of_rows", **of_it)
    if len(pages) < 2:
        return
    if endpoint.tells_edits:
        del pages[-1]
    if any(day is None for _, _, day in pages):
        # Without dates nothing says where a row stands: some pages a night, in turn.
        for number in range(min(_IN_TURN, len(pages))):
            place = (today.toordinal() * _IN_TURN + number) % len(pages)
            yield _Page(endpoint, place + 1, 1, 0.1)
        return
    began, starts = zip(*ledger.select("run_starts"), strict=True)
    for number, seen, day in pages:
        run = max(0, bisect_left(began, seen) - 1)
        age = (now - datetime.fromisoformat(starts[run])) / timedelta(days=1)
        yield _Page(endpoint, number, age, age / _due_days(date.fromisoformat(day), today))


def _due_days(day: date, today: date) -> int:
    age = (today - day).days
    return 7 if age < 366 else 30 if age < 2 * 366 else 90
