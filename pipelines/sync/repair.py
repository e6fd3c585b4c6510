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
from pipelines.reconcile.differences import Compared, our_days, our_documents, payment_days
from pipelines.service_reports import fetch_days, fetch_year, refuse_ignored_year
from pipelines.service_reports.kept import report_totals, store_report
from pipelines.settings import ShopSettings
from pipelines.sync.cross_check import contradictory_answers, note_settled, unsettled_since
from pipelines.sync.session import Session
from pipelines.sync.verdict import ShopResult
from sources.repair_shop.errors import BadAnswer, ShopError
from sources.repair_shop.extract import ShopFetch
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger, now_text
from sources.repair_shop.scan.jobs import Job
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
    client: Client, ledger: Ledger, differing: Iterable[Compared], *, limit: int
) -> int:
    """Ask the daily report of each month that differs (at most ``limit``); requests made."""
    months = _months(differing)[:limit]
    for daily, first in months:
        last = min(month_end(first), max(first, client.today()))
        month = _month_total(ledger, client, daily, first)
        days = fetch_days(client, daily, first, last, month)
        store_report(ledger, client.shop.name, daily, days)
    return len(months)


def _month_total(ledger: Ledger, client: Client, daily: str, first: date) -> Decimal | None:
    """What the monthly report says of a month that is over; it tells how to read the daily one."""
    if first >= client.today().replace(day=1):
        return None
    months = report_totals(ledger, client.shop.name, daily.replace("daily", "monthly"))
    return next((row.total for row in months if row.period == first), None)


def _months(differing: Iterable[Compared]) -> list[tuple[str, date]]:
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
    for daily, first in _months(differing):
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


def _orphan_days(home: Home, ledger: Ledger, shop: str, since: datetime) -> set[date]:
    """Days on which documents that turned out to be deleted since a moment were paid.

    Their payments went with them, but only the day of the document differs in a report. Not even
    that one does if the document was found gone before the reports were compared.
    """
    gone = {
        table: [identity for (identity,) in found]
        for table in _NEEDED["monthly_sales"]
        if (found := ledger.select("gone_since", shop=shop, list=table, since=now_text(since)))
    }
    return payment_days(home, shop, gone)


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


def repair_shop(session: Session, shop: ShopSettings, result: ShopResult, run_id: int) -> bool:
    """Read the documents of differing days again; False when there is nothing to do.

    Also payments and documents that contradict each other since they were last read, which no
    report shows (:mod:`pipelines.sync.cross_check`). The service's reports are asked once more
    afterwards, because they move while a shop is open. The caller loads, builds and compares again.
    Errors end up in ``result.error``.
    """
    differing = result.differences
    if result.error is not None:
        return False
    if is_definition(differing, result.matching):
        result.hint = definition_hint(differing)
        differing = []
    client, ledger, home = session.client(shop), session.ledger, session.home
    since = unsettled_since(ledger, shop.name)
    paid, documents = contradictory_answers(home, shop.name, since)
    if not (differing or paid or documents or _orphan_days(home, ledger, shop.name, since)):
        note_settled(ledger, shop.name, run_id)
        return False
    fetch = ShopFetch(client, ledger, run_id, session.observer)
    try:
        # So that something is left for the days of each month.
        months = min(_MONTHS_SPLIT, max(1, shop.repair_requests // (1 + _WINDOW)))
        asked = split_months(client, ledger, differing, limit=months)
        days = differing_days(home, ledger, shop.name, differing)
        left = max(0, shop.repair_requests - asked)
        jobs = repair_jobs(home, shop.name, days, requests=left)
        fetch.run(jobs)
        if fetch.fatal is None:
            left -= sum(job.requests or 0 for job in jobs)
            # Only now: the repair may have found more documents gone.
            paid |= _orphan_days(home, ledger, shop.name, since)
            wanted = _of_days(shop.name, ("payments",), paid - set(days.get("daily_sales", [])))
            fetch.run(_within(left, [*wanted, *follow_jobs(shop.name, documents)]))
        if fetch.fatal is None:
            fetch.run(fetch.follow())
        if fetch.fatal is None:
            if jobs:
                split_months(client, ledger, differing, limit=months)
            asked_again = {
                (d.period.year, d.report.replace("daily", "monthly"))
                for d in differing
                if jobs or d.report.startswith("monthly")
            }
            for year, report in sorted(asked_again):
                fetch_monthly_reports(client, ledger, year, report)
            note_settled(ledger, shop.name, run_id)
    except ShopError as error:
        fetch.fatal = error
    result.results += fetch.results
    result.error = fetch.fatal
    return True
