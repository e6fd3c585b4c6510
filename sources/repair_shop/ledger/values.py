"""What the ledger keeps of a shop besides its lists: values by name, and the service's reports."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ..ledger.file import LedgerFile
from ..ledger.records import now_text


class ReportTotal(NamedTuple):
    """What a report of the service said of a day, or of the month that begins on it."""

    shop: str
    report: str
    period: date
    total: Decimal
    fetched_at: str


class Values(LedgerFile):
    """The tables ``marks`` and ``reports``."""

    def value(self, shop: str, name: str) -> str | None:
        """A kept value of a shop (a watermark, its profile), or None."""
        rows = self.query("SELECT value FROM marks WHERE shop=? AND name=?", (shop, name))
        return str(rows[0][0]) if rows else None

    def set_value(self, shop: str, name: str, value: str) -> None:
        """Keep a value of a shop."""
        self.execute("INSERT OR REPLACE INTO marks VALUES (?,?,?)", [(shop, name, value)])

    def drop_values(self, shop: str, names: Iterable[str]) -> None:
        """Keep values of a shop no longer."""
        self.execute("DELETE FROM marks WHERE shop=? AND name=?", [(shop, name) for name in names])

    def names_of_values(self, shop: str, prefix: str) -> list[str]:
        """Names of a shop's values that begin so."""
        rows = self.query(
            "SELECT name FROM marks WHERE shop=? AND name LIKE ?", (shop, f"{prefix}%")
        )
        return [row[0] for row in rows]

    def shops_with_value(self, name: str) -> list[str]:
        """Shops of which a value is kept."""
        return [row[0] for row in self.query("SELECT shop FROM marks WHERE name = ?", (name,))]

    def store_report(self, shop: str, report: str, totals: Mapping[date, Decimal]) -> None:
        """Keep a report's answer, period by period; the newest answer counts."""
        at = now_text()
        self.execute(
            "INSERT OR REPLACE INTO reports VALUES (?,?,?,?,?)",
            [(shop, report, day.isoformat(), str(total), at) for day, total in totals.items()],
        )

    def report_totals(
        self, shop: str | None = None, report: str | None = None
    ) -> list[ReportTotal]:
        """Kept answers of reports, of one shop or report or of all, by shop, report and period."""
        rows = self.query(
            "SELECT shop, report, period, total, fetched_at FROM reports WHERE "
            "(?1 IS NULL OR shop=?1) AND (?2 IS NULL OR report=?2) ORDER BY 1, 2, 3",
            (shop, report),
        )
        return [
            ReportTotal(one, name, date.fromisoformat(period), Decimal(total), at)
            for one, name, period, total, at in rows
        ]
