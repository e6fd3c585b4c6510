"""The service's own reports, in whatever shape it answers them.

Specification, "reports": ``/monthlySales?year``, ``/monthlyPurchases?year``, ``/dailySales`` and
``/dailyPurchases`` with ``dateFrom/dateTo``; the response is not shown. An answer is read
(:mod:`.reading`) right, or not at all. What cannot be read with
certainty raises :class:`~sources.repair_shop.errors.BadAnswer`, naming what was seen and the mend.
"""

from datetime import date
from decimal import Decimal

from pipelines.service_reports.reading import CENT, Grain, Question, Totals, Unreadable, read
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.http.client import Client

__all__ = ["REPORTS", "contradiction", "fetch_days", "fetch_year", "refuse_ignored_year"]

REPORTS = {
    "monthly_sales": ("/monthlySales", "year"),
    "monthly_purchases": ("/monthlyPurchases", "year"),
    "daily_sales": ("/dailySales", "dateFrom", "dateTo"),
    "daily_purchases": ("/dailyPurchases", "dateFrom", "dateTo"),
}
"""Report -> path and its parameters (specification, "reports")."""


def fetch_year(client: Client, report: str, year: int, today: date) -> Totals:
    """A monthly report: first day of month -> total. Months without an entry are zero."""
    last = today.replace(day=1) if year == today.year else date(year, 12, 1)
    return _ask(client, report, {REPORTS[report][1]: year}, "month", date(year, 1, 1), last)


def fetch_days(
    client: Client, report: str, first: date, last: date, month_total: Decimal | None = None
) -> Totals:
    """A daily report: day -> total, zero for the days without an entry.

    ``month_total`` is what the monthly report says of these days, if they are a month that is over:
    it decides where an answer could be read in more than one way.
    """
    _path, begin, end = REPORTS[report]
    return _ask(client, report, {begin: first, end: last}, "day", first, last, month_total)


def refuse_ignored_year(report: str, before: Totals, totals: Totals) -> None:
    """:class:`BadAnswer` when two years came out the same, figure by figure.

    Then the service ignored the year, and names of months without one were taken for another's.
    """
    months = {month.month: total for month, total in totals.items() if total}
    if len(months) > 1 and months == {m.month: total for m, total in before.items() if total}:
        years = " and ".join(sorted(f"{min(one).year}" for one in (before, totals)))
        raise BadAnswer.of_read(
            f"the service answered the same totals for {years}: it seems to ignore the year",
            REPORTS[report][0],
        )


def contradiction(kind: str, days: Totals, month: Decimal | None) -> str:
    """What is wrong between a month's days and its total, if that is known; empty when nothing is.

    Then at most one of the two can agree with ours, and no definition makes both agree.
    """
    together = sum(days.values(), Decimal(0))
    if not days or month is None or abs(together - month) <= CENT:
        return ""
    return (
        f"the service contradicts itself: its daily {kind} of {min(days):%Y-%m} add up to "
        f"{together:.2f}, its monthly {kind} say {month:.2f}. At most one of them can agree "
        "with ours; ask the service which of them counts"
    )


def _ask(
    client: Client, report: str, params: dict[str, object], grain: Grain, first: date, last: date,
    month_total: Decimal | None = None,
) -> Totals:  # fmt: skip
    shop, path = ShopSettings.of(client.shop), REPORTS[report][0]
    question = Question(path, grain, first, last, shop.zone, shop.report_total, month_total)
    answer = client.get(path, params)
    try:
        return read(answer.payload, question)
    except Unreadable as error:
        raise BadAnswer.of_read(
            f"the report cannot be read with certainty: {error}", path
        ) from error
