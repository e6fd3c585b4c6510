"""The published comparison of our reports with the service's own, as readers count it.

Only periods with business count: twelve months of zeros on both sides agree about nothing. A period
that differs counts whenever it is, unless documents of it came since its report was asked. A sync
of some lists brings such: then nobody knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.publish.published import Published

_COMPARED = """
    with documents as (
        select shop_id, 'sales' as kind, effect_day as day, seen_at from marts.sales_documents
        union all
        select shop_id, 'purchases' as kind, received_day as day, seen_at
        from marts.purchase_documents
    ),
    compared as (
        select *, matches is not true and not exists (
            select 1 from documents
            where documents.shop_id = theirs.shop_id and theirs.report like '%' || documents.kind
                and documents.seen_at > theirs.fetched_at and documents.day between theirs.period
                and if(theirs.report like 'monthly%', last_day(theirs.period), theirs.period)
        ) as differs
        from marts.reconciliation as theirs where list_contains($shops, shop_id)
    )
"""


@dataclass(frozen=True)
class Books:
    """One shop: how many periods were compared, how many of them differ, and of how many documents
    came since."""

    compared: int = 0
    differing: int = 0
    outdated: int = 0


def books(warehouse: Published, shops: Sequence[str]) -> dict[str, Books]:
    """Shop -> its books; a shop nobody compared is not there."""
    rows = warehouse.rows(
        f"""
        {_COMPARED}
        select shop_id, count(*) filter (where matches or differs) as compared,
            count(*) filter (where differs) as differing,
            count(*) filter (where not (matches or differs)) as outdated
        from compared
        where matches is not true or coalesce(ours, 0) <> 0 or coalesce(theirs, 0) <> 0
        group by 1
        """,  # noqa: S608 - ours
        {"shops": list(shops)},
    )
    return {row.pop("shop_id"): Books(**row) for row in rows}


def differing(
    warehouse: Published, shops: Sequence[str], most: int | None = None
) -> list[dict[str, Any]]:
    """Periods that differ, the newest first: ``shop, report, period, ours, theirs, difference``."""
    return warehouse.rows(
        f"""
        {_COMPARED}
        select shop_id as shop, report, period, ours, theirs, difference
        from compared where differs order by period desc, report, shop_id limit $most
        """,  # noqa: S608 - ours
        {"shops": list(shops), "most": most},
    )
