"""Whether the service's daily reports add up to its own monthly ones.

Where they do not, at most one of the two can agree with ours, and no definition will make both
agree; so ``reconcile --calibrate`` asks for one month's days and says so.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.reports import fetch_days
from sources.repair_shop.schema.dates import month_end

_CENT = Decimal("0.01")


def contradictions(client: Client, ledger: Ledger) -> list[str]:
    """Ask the days of the newest month that is over and has figures, for sales and for purchases.

    A sentence for each report that contradicts itself. One request a report; raises
    :class:`~sources.repair_shop.errors.ShopError`.
    """
    this_month = client.today().replace(day=1)
    found: list[str] = []
    for kind in ("sales", "purchases"):
        over = [
            row
            for row in ledger.report_totals(client.shop.name, f"monthly_{kind}")
            if row.period < this_month and row.total
        ]
        for newest in over[-1:]:
            first, last = newest.period, month_end(newest.period)
            days = fetch_days(client, f"daily_{kind}", first, last, newest.total)
            ledger.store_report(client.shop.name, f"daily_{kind}", days)
            if problem := contradiction(kind, first, days, newest.total):
                found.append(problem)
    return found


def contradiction(kind: str, first: date, days: dict[date, Decimal], month: Decimal) -> str:
    """What is wrong between a month's days and its total; empty when nothing is."""
    together = sum(days.values(), Decimal(0))
    if abs(together - month) <= _CENT:
        return ""
    return (
        f"the service contradicts itself: its daily {kind} of {first:%Y-%m} add up to "
        f"{together:.2f}, its monthly {kind} say {month:.2f}. At most one of them can agree "
        "with ours; ask the service which of them counts"
    )
