"""Old rows read again for edits that nothing announces: which pages of which lists, each night.

Deletions are counted (:mod:`~repair_shop.scan.count`); what is left is a row edited long after it
was made, in a list that has no ``/updated`` and no ``sort=recently_updated``. Pages are asked by
their numbers, so a request is fifty rows read again, and they count as well. So a few pages of the
other lists are read too: on the last page a row that came and one that went hide each other.
"""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby

from ..ledger import Ledger
from ..schema.endpoints import ENDPOINTS, Endpoint
from ..settings import ShopSettings
from .cuts import Days
from .jobs import Job
from .known import OTHERS, KnownRows
from .tickets import HIDDEN_KEY

_ROUND_DAYS = 4
"""A shop that fits into so many nights is read in turn."""
_STRETCH_PAGES = 10
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
class _Stretch:
    """Days of a list that are due alike. ``due``: 1 and more is overdue."""

    endpoint: Endpoint
    first: int
    last: int
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
        stretch
        for endpoint in ENDPOINTS.values()
        if endpoint.table not in but and not endpoint.tells_edits
        for stretch in _stretches(ledger, shop, endpoint, now)
    ]
    if sum(stretch.last - stretch.first + 1 for stretch in found) <= _ROUND_DAYS * requests:
        found.sort(key=lambda one: (-one.age, -one.value))
    else:
        found.sort(key=lambda one: -one.due * one.value)
    pages = _inner_pages(ledger, shop, but)
    left = requests - sum(map(len, pages.values()))
    for one in found:
        chosen = pages.setdefault(one.endpoint.table, set())
        wanted = [page for page in range(one.first, one.last + 1) if page not in chosen][:left]
        chosen.update(wanted)
        left -= len(wanted)
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


def _stretches(
    ledger: Ledger, shop: ShopSettings, endpoint: Endpoint, now: datetime
) -> Iterator[_Stretch]:
    """The list's days, cut where they were read at another moment, or are due otherwise."""
    state, today = ledger.list_state(shop.name, endpoint.table), now.date()
    known = KnownRows(ledger, shop.name, endpoint.table)
    rows, page_rows = known.days(), known.page_rows
    count = Days(rows, page_rows)
    if state.whole_on is None or count.live <= page_rows:
        return
    if count.undated:
        # Without dates nothing says when a row was read: some pages a night, in turn.
        first = today.toordinal() * _STRETCH_PAGES % count.pages + 1
        yield _Stretch(endpoint, first, min(count.pages, first + _STRETCH_PAGES - 1), 1, 0.1)
        return
    dated = sorted((day, number) for day, number in rows if day is not None)
    whole = datetime.combine(state.whole_on, time(), shop.zone)
    read = _read_days(ledger, shop.name, endpoint, whole)
    for alike, group in groupby(dated, lambda row: (read(row[0]), _due_days(row[0], today))):
        age = (now - alike[0]) / timedelta(days=1)
        begin = size = 0
        of_age = list(group)
        for day, number in of_age:
            begin = begin if size else count.before(day)
            size += number
            if size >= _STRETCH_PAGES * page_rows or day == of_age[-1][0]:
                first, last = begin // page_rows + 1, (begin + size - 1) // page_rows + 1
                yield _Stretch(endpoint, first, last, age, age / alike[1])
                size = 0


def _read_days(
    ledger: Ledger, shop: str, endpoint: Endpoint, whole: datetime
) -> Callable[[date], datetime]:
    """Says when all rows of a day were read last; by default when the list was read whole."""
    audits = [
        (first, last, datetime.fromisoformat(at))
        for first, last, at in ledger.select("audits", shop=shop, list=endpoint.table)
    ]

    def read(day: date) -> datetime:
        text = day.isoformat()
        return next((at for first, last, at in audits if first <= text <= last), whole)

    return read


def _due_days(day: date, today: date) -> int:
    age = (today - day).days
    return 7 if age < 366 else 30 if age < 2 * 366 else 90
