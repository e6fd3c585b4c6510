"""Old rows read again for edits that nothing announces: which pages of which lists, each night.

Deletions are counted (:mod:`~repair_shop.scan.count`); what is left is a row edited long after it
was made, in a list that has no ``/updated`` and no ``sort=recently_updated``. Pages are asked by
their numbers, so a request is fifty rows read again, and they count as well. So a few pages of the
other lists are read too: on the last page a row that came and one that went hide each other.
"""

import math
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..ledger import Ledger
from ..schema.endpoints import ENDPOINTS, Endpoint
from ..settings import ShopSettings
from .jobs import Job
from .known import OTHERS, KnownRows
from .tickets import HIDDEN_KEY

_ROUND_DAYS = 4
"""A shop that fits into so many nights is read in turn."""
_IN_TURN = 10
"""Pages a night of a list whose rows have no dates."""
_INNER = 3
"""Pages a night of the lists whose old pages are not read again for edits."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""Steps of this part of a whole come near every place, in the fewest steps."""
_VALUE = {
    "ticket_invoices": 4,
    "pos_orders": 4,
    "payments": 4,
    "purchase_orders": 3,
    "expenses": 3,
    "customers": 2,
    "stock": 2,
    "adjustments": 2,
    "time_clock": 2,
}
"""How much an edit that goes unnoticed spoils; money first. Lists not named: 1."""


@dataclass(frozen=True)
class _Page:
    """A page of a list. ``age``: days since its rows were seen, in the middle of them, so that one
    that is nowhere shown keeps no page from its turn; ``due``: 1 and more is overdue."""

    endpoint: Endpoint
    number: int
    age: float
    due: float

    @property
    def value(self) -> int:
        return _VALUE.get(self.endpoint.table, 1)


def audit_jobs(ledger: Ledger, shop: ShopSettings, *, but: Collection[str] = ()) -> list[Job]:
    """Old pages to read again within ``audit_requests``, the most valuable and overdue first.

    A row of this year is due every week, of last year every month, an older one every quarter; a
    shop of few rows is read in turn, whole within four nights. ``but``: lists that were read whole
    a moment ago.
    """
    requests, now = shop.audit_requests, datetime.now(shop.zone)
    found = [
        page
        for endpoint in ENDPOINTS.values()
        if endpoint.table not in but and not endpoint.tells_edits
        for page in _pages(ledger, shop, endpoint, now)
    ]
    if len(found) <= _ROUND_DAYS * requests:
        found.sort(key=lambda one: (-one.age, -one.value))
    else:
        found.sort(key=lambda one: -one.due * one.value)
    pages = _inner_pages(ledger, shop, but)
    for one in found[: requests - sum(map(len, pages.values()))]:
        pages.setdefault(one.endpoint.table, set()).add(one.number)
    return [
        Job(shop.name, ENDPOINTS[table], "audit", pages=tuple(chosen), requests=len(chosen))
        for table, chosen in pages.items()
        if chosen
    ]


def _inner_pages(ledger: Ledger, shop: ShopSettings, but: Collection[str]) -> dict[str, set[int]]:
    """A few pages in turn of the lists that tell their edits, besides each one's last."""
    hides = ledger.value(shop.name, HIDDEN_KEY)
    inner = [
        (table, page)
        for table, one in ENDPOINTS.items()
        if one.sort and one.tells_edits and table not in but and not (one.partition and hides)
        for known in [KnownRows(ledger, shop.name, table, OTHERS if one.partition else None)]
        for page in range(1, known.pages)
    ]
    pages: dict[str, set[int]] = {}
    turn = _INNER * ledger.newest_run()
    for number in range(min(_INNER, shop.audit_requests) if inner else 0):
        table, page = inner[int((turn + number) * _GOLDEN % 1 * len(inner))]
        pages.setdefault(table, set()).add(page)
    return pages


def _pages(
    ledger: Ledger, shop: ShopSettings, endpoint: Endpoint, now: datetime
) -> Iterator[_Page]:
    """The pages of a list that was read whole, if it has several."""
    today, known = now.date(), KnownRows(ledger, shop.name, endpoint.table)
    of_it = {"shop": shop.name, "list": endpoint.table, "size": known.page_rows}
    pages = ledger.select("pages_of_rows", **of_it)
    if len(pages) < 2 or not ledger.is_whole(shop.name, endpoint.table):
        return
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
