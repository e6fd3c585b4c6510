"""What the service's reports said, kept in the ledger: the newest answer counts."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from sources.repair_shop.ledger import Ledger, now_text


class ReportTotal(NamedTuple):
    """What a report of the service said of a day, or of the month that begins on it."""

    shop: str
    report: str
    period: date
    total: Decimal
    fetched_at: str


def store_report(ledger: Ledger, shop: str, report: str, totals: Mapping[date, Decimal]) -> None:
    """Keep a report's answer, period by period."""
    known = {"shop": shop, "report": report, "at": now_text()}
    rows = [
        known | {"period": day.isoformat(), "total": str(total)} for day, total in totals.items()
    ]
    ledger.write_all("put_report", rows)


def report_totals(
    ledger: Ledger, shop: str | None = None, report: str | None = None
) -> list[ReportTotal]:
    """Kept answers of reports, of one shop or report or of all, by shop, report and period."""
    return [
        ReportTotal(one, name, date.fromisoformat(period), Decimal(total), at)
        for one, name, period, total, at in ledger.select("reports", shop=shop, report=report)
    ]
