"""The service's own reports as a checksum tree: month, day, documents of the day.

One request of ``/monthlySales`` covers twelve months. A month that differs from ours is split into
days by one request of ``/dailySales``; only the documents of the days that differ are read again.
So an invoice of two years ago that was edited or deleted yesterday is found the next night, for a
handful of requests.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

from pipelines.home import Home
from pipelines.reconcile.differences import Compared, our_days, our_documents
from pipelines.service_reports import fetch_days, fetch_year, refuse_ignored_year
from pipelines.service_reports.kept import report_totals, store_report
from pipelines.settings import ShopSettings
from pipelines.sync.cross_check import (
    contradictory_answers,
    note_settled,
    products_sold,
    unsettled_since,
)
from pipelines.sync.session import Session
from pipelines.sync.verdict import ShopResult
from sources.repair_shop.errors import BadAnswer, ShopError
from sources.repair_shop.extract import ShopFetch
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.scan.known import KnownRows
from sources.repair_shop.schema.dates import month_end
from sources.repair_shop.schema.endpoints import ENDPOINTS

_NEEDED = {
    "monthly_sales": ("ticket_invoices", "pos_orders"),
    "monthly_purchases": ("purchase_orders",),
}
"""Report -> lists that must have been read whole before it can be compared."""
_RECENT_YEARS = 3
_MANY_MONTHS = 6
_WINDOW = 3
"""Requests that reading a few days of a list takes."""
_SAMPLE = 3
"""Products sold that are read again; the others only where the stock of one of these moved."""
_MONTHS_SPLIT = 12
"""Months that differ which one run splits into days, at most."""


def fetch_monthly_reports(
    client: Client, ledger: Ledger, year: int | None = None, only: str | None = None
) -> None:
    """Ask the monthly reports of every year that has documents, or ``only`` one, newest first.

    One that cannot be read is raised at the end: it keeps no other from being asked, but two in a
    row its own older years. Purchases older than three years change seldom: one such year a run.
    """
    shop, today = client.shop.name, client.today()
    wanted = _wanted_reports(ledger, shop, today, year)
    wanted = [pair for pair in wanted if only in (None, pair[0])]
    known: dict[str, dict[date, Decimal]] = {}
    missed: list[BadAnswer] = []
    in_a_row: Counter[str] = Counter()
    for report, asked in wanted:
        if in_a_row[report] > 1:
            continue
        try:
            totals = fetch_year(client, report, asked, today)
            refuse_ignored_year(report, known.get(report, {}), totals)
        except BadAnswer as error:
            missed.append(error)
            in_a_row[report] += 1
            continue
        in_a_row[report], known[report] = 0, totals
        store_report(ledger, shop, report, totals)
    if missed:
        raise missed[0]


def not_compared(ledger: Ledger, shop: str) -> list[str]:
    """The reports that nothing is compared with, in words: a list they count was not read whole."""
    lacking = {report: _unread(ledger, shop, tables) for report, tables in _NEEDED.items()}
    return [
        f"{report.replace('_', ' ')} were not compared, since {' and '.join(tables)} were not read "
        "whole yet. Run 'shopmirror sync' until it ends complete."
        for report, tables in lacking.items()
        if tables
    ]


def _unread(ledger: Ledger, shop: str, tables: Sequence[str]) -> list[str]:
    return [table for table in tables if not ledger.is_whole(shop, table)]


def report_requests(ledger: Ledger, shop: ShopSettings) -> int:
    """Requests the next :func:`fetch_monthly_reports` will make."""
    return len(_wanted_reports(ledger, shop.name, datetime.now(shop.zone).date(), None))


def _wanted_reports(
    ledger: Ledger, shop: str, today: date, year: int | None
) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for report, tables in _NEEDED.items():
        if _unread(ledger, shop, tables):
            continue
        years = [year] if year else _years(ledger, shop, tables, today)
        old = [y for y in years if today.year - y >= _RECENT_YEARS]
        if report == "monthly_purchases" and year is None and len(old) > 1:
            asked: dict[int, str] = {}
            for row in report_totals(ledger, shop, report):
                asked[row.period.year] = max(row.fetched_at, asked.get(row.period.year, ""))
            # Years never asked come all; of the others the one asked longest ago.
            known = sorted((y for y in old if y in asked), key=lambda y: asked[y])
            years = [y for y in years if y not in known[1:]]
        found += [(report, wanted) for wanted in years]
    return found


def _years(ledger: Ledger, shop: str, tables: Sequence[str], today: date) -> list[int]:
    days = (ledger.one("first_day", shop=shop, list=table) for table in tables)
    first = min((date.fromisoformat(day) for day in days if day), default=today)
    # A row dated 1970 must not cost a request for each year since.
    return list(range(today.year, max(first.year, today.year - 30) - 1, -1))


def split_months(
    client: Client, ledger: Ledger, months: Iterable[tuple[str, date]]
) -> list[BadAnswer]:
    """Ask the daily report of each of the months; those that cannot be read, which keep no other
    from being asked. One request each."""
    missed: list[BadAnswer] = []
    for daily, first in months:
        last = min(month_end(first), max(first, client.today()))
        month = _month_total(ledger, client, daily, first)
        try:
            days = fetch_days(client, daily, first, last, month)
        except BadAnswer as error:
            missed.append(error)
        else:
            store_report(ledger, client.shop.name, daily, days)
    return missed


def _month_total(ledger: Ledger, client: Client, daily: str, first: date) -> Decimal | None:
    """What the monthly report says of a month that is over; it tells how to read the daily one."""
    if first >= client.today().replace(day=1):
        return None
    months = report_totals(ledger, client.shop.name, daily.replace("daily", "monthly"))
    return next((row.total for row in months if row.period == first), None)


def months_of(differing: Iterable[Compared]) -> list[tuple[str, date]]:
    """(daily report, first of the month) of months in which something differs, newest first.

    A day may differ in a month that agrees, if only because it was asked before the shop sold
    more: then its report is asked again like that of any other month.
    """
    found = {
        (difference.report.replace("monthly", "daily"), difference.period.replace(day=1))
        for difference in differing
    }
    return sorted(found, key=lambda month: (month[1], month[0]), reverse=True)


def differing_days(
    home: Home, ledger: Ledger, shop: str, differing: Iterable[Compared]
) -> dict[str, list[date]]:
    """Daily report -> days of differing months on which it differs from ours."""
    found: dict[str, list[date]] = {}
    for daily, first in months_of(differing):
        last = month_end(first)
        ours = our_days(home, shop, daily, first, last)
        for row in report_totals(ledger, shop, daily):
            if first <= row.period <= last and Decimal(ours.get(row.period, 0)) != row.total:
                found.setdefault(daily, []).append(row.period)
    return found


def repair_jobs(home: Home, shop: str, days: dict[str, list[date]], *, requests: int) -> list[Job]:
    """Scans that read the documents of the days again, within ``requests``."""
    tables = ("ticket_invoices", "pos_orders", "payments")
    jobs = _of_days(shop, tables, days.get("daily_sales", []))
    if days.get("daily_purchases"):
        jobs.append(Job(shop, ENDPOINTS["purchase_orders"], "head", requests=2))
        jobs.append(Job(shop, ENDPOINTS["purchase_orders"], "open", requests=10))
    for report, wanted in sorted(days.items(), reverse=True):  # sales first
        # A return counts on another day than its document.
        jobs += follow_jobs(shop, our_documents(home, shop, report, wanted))
    return _within(requests, jobs)


def follow_jobs(shop: str, documents: Mapping[str, Iterable[str]]) -> list[Job]:
    """Scans of documents (table -> ids) by their own paths."""
    return [
        Job(shop, ENDPOINTS[table], "follow", ids=tuple(dict.fromkeys(ids)))
        for table, ids in documents.items()
    ]


def _within(requests: int, jobs: Iterable[Job]) -> list[Job]:
    """Those of the jobs that fit into so many requests, in their order; of records as many."""
    fitting: list[Job] = []
    left = requests
    for job in jobs:
        if job.kind == "follow":
            ids = job.ids[: max(0, left)]
            job = replace(job, ids=ids, requests=len(ids))
        if job.requests and job.requests <= left:
            fitting.append(job)
            left -= job.requests
    return fitting


def _of_days(shop: str, tables: Sequence[str], days: Iterable[date]) -> list[Job]:
    """Scans of some days of lists; days that follow each other are read as one window."""
    spans: list[tuple[date, date]] = []
    for day in sorted(days):
        if spans and day - spans[-1][1] <= timedelta(days=1):
            spans[-1] = (spans[-1][0], day)
        else:
            spans.append((day, day))
    return [
        Job(shop, ENDPOINTS[table], "repair", first=first, last=last, requests=_WINDOW)
        for first, last in spans
        for table in tables
    ]


def is_definition(differing: Sequence[Compared], matching: int) -> bool:
    """Whether so much differs that the definition is at fault, not single documents."""
    months = [d for d in differing if d.report.startswith("monthly")]
    return len(months) > _MANY_MONTHS and len(months) > matching


def definition_hint(differing: Sequence[Compared]) -> str:
    """What to do where the definition is at fault, or where the reports hold nothing at all."""
    if not any(d.theirs for d in differing):
        return (
            "The service's reports were read and hold nothing but zeros where we have documents: "
            "they may be switched off or not for this key. 'shopmirror doctor' shows what it says."
        )
    return (
        "More months differ than agree. Either the time zone is not the shop's "
        "('shopmirror doctor' tells), or the service counts differently "
        "('shopmirror reconcile --calibrate' tells)."
    )


def late_hint(differing: Sequence[Compared], today: date) -> str:
    """What to do where the service's reports lack the last day alone, which each night would find
    so; empty where anything else differs, or whole months only were compared."""
    late = [d for d in differing if d.report.startswith("daily") and not d.theirs]
    for found in differing:
        of_month = [
            day.difference
            for day in late
            if day.report == found.report.replace("monthly", "daily")
            and (day is found or day.period.replace(day=1) == found.period)
        ]
        if sum(of_month, Decimal(0)) != found.difference:
            return ""
    if not late or min(day.period for day in late) < today - timedelta(days=1):
        return ""
    days = " and ".join(sorted({day.period.isoformat() for day in late}))
    return (
        f"The service's reports have nothing of {days} yet; all else agrees. Where they are made "
        "late, every night ends so: set sync_at under [schedule] to an hour when they are there, "
        "such as 06:00 before opening."
    )


def repair_shops(
    session: Session, shops: Sequence[ShopSettings], results: Mapping[str, ShopResult], run_id: int
) -> bool:
    """Read again what differs from the service's reports, then what contradicts what was read;
    load and build. False where there was nothing to do.

    At most ``repair_requests`` of each shop, and its reports once more, because they move while it
    is open. The caller compares again. Errors end up in ``error`` of the results.
    """
    shops = [shop for shop in shops if shop.repair_requests]
    with session.home.open_build(read_only=True):
        left = {s.name: _read_documents(session, s, results[s.name], run_id) for s in shops}
    is_read = any(left[shop.name] < shop.repair_requests for shop in shops)
    if is_read:
        session.build()  # loads what was read
    with session.home.open_build(read_only=True):
        again = [
            _read_contradicted(session, shop, results[shop.name], run_id, left[shop.name])
            for shop in shops
        ]
    if any(again):
        session.build()
    return is_read or any(again)


def _read_documents(session: Session, shop: ShopSettings, result: ShopResult, run_id: int) -> int:
    """Read the documents of differing days again; the requests that are left of the shop's."""
    differing, left = result.differences, shop.repair_requests
    if not _is_reached(result) or not differing:
        return left
    if is_definition(differing, result.matching):
        result.hint = definition_hint(differing)
        return left
    client, ledger, home = session.client(shop), session.ledger, session.home
    fetch = ShopFetch(client, ledger, run_id, session.observer)
    try:
        # So that something is left for the days of each month.
        most = min(_MONTHS_SPLIT, max(1, left // (1 + _WINDOW)))
        months = months_of(differing)[:most]
        missed = split_months(client, ledger, months)
        days = differing_days(home, ledger, shop.name, differing)
        jobs = repair_jobs(home, shop.name, days, requests=max(0, left - len(months)))
        left = max(0, left - len(months) - sum(job.requests or 0 for job in jobs))
        fetch.run(jobs)
        if fetch.fatal is None:
            if jobs:
                missed = split_months(client, ledger, months)
            asked_again = {
                (d.period.year, d.report.replace("daily", "monthly"))
                for d in differing
                if jobs or d.report.startswith("monthly")
            }
            for year, report in sorted(asked_again):
                fetch_monthly_reports(client, ledger, year, report)
            if missed:
                raise missed[0]
    except ShopError as error:
        fetch.fatal = error
    result.results += fetch.results
    result.error = fetch.fatal or result.error
    return left


def _is_reached(result: ShopResult) -> bool:
    """Whether the service answers: one report that cannot be read keeps nothing from repair."""
    return result.error is None or isinstance(result.error, BadAnswer)


def _read_contradicted(
    session: Session, shop: ShopSettings, result: ShopResult, run_id: int, left: int
) -> bool:
    """Read again what answers since the last look contradict, the repair's too
    (:mod:`pipelines.sync.cross_check`); False where that is nothing."""
    if not _is_reached(result):
        return False
    ledger, since = session.ledger, unsettled_since(session.ledger, shop.name)
    days, documents = contradictory_answers(session.home, ledger, shop.name, since)
    jobs = follow_jobs(shop.name, documents)
    fitting = _within(left, [*jobs, *_of_days(shop.name, ("payments",), days)])
    fetch = ShopFetch(session.client(shop), ledger, run_id, session.observer)
    fetch.run(fitting)
    if fetch.fatal is None:
        fetch.run(fetch.follow())
    is_new = bool(fetch.results)
    is_new |= _read_sold(fetch, session.home, since, left - sum(j.requests or 0 for j in fitting))
    # Else the next night goes on with what was not reached.
    if fetch.fatal is None and [job.ids for job in jobs] == [job.ids for job in fitting if job.ids]:
        note_settled(ledger, shop.name, run_id)
    result.results += fetch.results
    result.error = fetch.fatal or result.error
    return is_new


def _read_sold(fetch: ShopFetch, home: Home, since: datetime, left: int) -> bool:
    """Read products that were sold since the last look, if the stock of some of them moved without
    a word in the list of changes; whether it did."""
    shop = fetch.client.shop.name
    sold = products_sold(home, shop, since)
    some, others = sold[: max(0, min(_SAMPLE, left))], sold[_SAMPLE:]
    if fetch.fatal is not None or not some:
        return False
    try:
        fetch.client.get(f"/products/{some[0]}").detail()
    except BadAnswer:  # such paths tell nothing, which makes no list incomplete
        return False
    except ShopError as error:
        fetch.fatal = error
        return False
    fetch.run(follow_jobs(shop, {"products": some}))
    moved = any(fetch.ledger.known_row(shop, "products", one).seq > fetch.began for one in some)
    if moved and others:
        whole = Job(shop, ENDPOINTS["products"], "full")
        pages = KnownRows(fetch.ledger, shop, whole.resource).pages + _WINDOW
        is_less = pages < min(len(others), left - len(some))
        jobs = (
            [replace(whole, requests=pages)] if is_less else follow_jobs(shop, {"products": others})
        )
        fetch.run(_within(left - len(some), jobs))
    return moved
