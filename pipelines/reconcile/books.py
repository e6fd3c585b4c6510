"""The published comparison of our reports with the service's own, as readers count it.

Only periods with business count, and none that is still to come: twelve months of zeros on both
sides agree about nothing. A period that differs counts whenever it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pipelines.publish.published import Published

_COUNTS = (
    "(matches is not true or "
    "((coalesce(ours, 0) <> 0 or coalesce(theirs, 0) <> 0) and period <= $today))"
)


@dataclass(frozen=True)
class Books:
    """One shop: how many periods were compared, and how many of them differ."""

    compared: int
    differing: int
    checked_at: datetime | None


def books(warehouse: Published, shops: Sequence[str], today: date) -> dict[str, Books]:
    """Shop -> its books; a shop nobody compared is not there. ``today`` is the shop's own day."""
    rows = warehouse.rows(
        f"""
        select shop_id, count(*) as compared, count(*) filter (where matches is not true)
            as differing, max(fetched_at) as checked_at
        from marts.reconciliation where list_contains($shops, shop_id) and {_COUNTS} group by 1
        """,  # noqa: S608 - the condition above
        {"shops": list(shops), "today": today},
    )
    return {row.pop("shop_id"): Books(**row) for row in rows}


def differing(
    warehouse: Published, shops: Sequence[str], most: int | None = None
) -> list[dict[str, Any]]:
    """Periods that differ, the newest first: ``shop, report, period, ours, theirs, difference``."""
    return warehouse.rows(
        """
        select shop_id as shop, report, period, ours, theirs, difference
        from marts.reconciliation where list_contains($shops, shop_id) and matches is not true
        order by period desc, report, shop_id limit $most
        """,
        {"shops": list(shops), "most": most},
    )
