"""Where our reports and the service's differ, as the marts say it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from pipelines.home import Home


@dataclass(frozen=True)
class Compared:
    """A period of a report, as we and the service have it. Amounts in the shop's currency."""

    shop_id: str
    report: str
    period: date
    ours: Decimal
    theirs: Decimal
    matches: bool = False

    @property
    def difference(self) -> Decimal:
        """How much more we have."""
        return self.ours - self.theirs

    def __str__(self) -> str:
        when = self.period.isoformat()[: 10 if self.report.startswith("daily") else 7]
        name = self.report.replace("_", " ")
        return (
            f"{name} {when}: ours {self.ours:.2f}, theirs {self.theirs:.2f}, "
            f"difference {self.difference:+.2f}"
        )


def compare(home: Home, shop: str, year: int | None = None) -> list[Compared]:
    """What ``marts.reconciliation`` of the private database says of a shop, by report."""
    sql = (
        "SELECT shop_id, report, period, ours, theirs, matches FROM marts.reconciliation "
        "WHERE shop_id=? AND extract(year FROM period)=coalesce(?, extract(year FROM period)) "
        "ORDER BY 2, 3"
    )
    return [Compared(*row) for row in _rows(home, sql, shop, year)]


def our_days(home: Home, shop: str, mart: str, first: date, last: date) -> dict[date, Decimal]:
    """Our daily totals of ``daily_sales`` or ``daily_purchases``."""
    sql = f"SELECT day, total FROM marts.{mart} WHERE shop_id=? AND day BETWEEN ? AND ?"  # noqa: S608 - one of two names
    return dict(_rows(home, sql, shop, first, last))


_ON_DAYS = {
    "daily_sales": {
        "ticket_invoices": "invoice_id FROM staging.ticket_invoices__returns WHERE created_day",
        "pos_orders": "order_id FROM staging.pos_orders__returns WHERE created_day",
    },
    "daily_purchases": {
        "purchase_orders": "id FROM staging.purchase_orders WHERE received_day",
    },
}


def our_documents(home: Home, shop: str, report: str, days: Sequence[date]) -> dict[str, list[str]]:
    """Documents with a return dated on these days, or purchase orders received then, whichever the
    daily report counts: table -> ids."""
    sql = "SELECT DISTINCT {} IN (SELECT unnest(?)) AND shop_id=?"
    return {
        table: [row[0] for row in _rows(home, sql.format(where), days, shop)]
        for table, where in _ON_DAYS[report].items()
    }


def _rows(home: Home, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with home.open_build(read_only=True) as database:
        return database.execute(sql, values).fetchall()
