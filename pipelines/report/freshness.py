"""How far the figures of a report can be trusted: what is not proven, and as of when they are.

Data flow: ``ops.completeness`` -> the notes and the footnote of a report, the head of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pipelines.report.published import Published

_LISTS = ("tickets", "ticket_invoices", "pos_orders", "payments")
"""What a closing report is made of; it is as old as the oldest of them."""
_EVIDENCE = ("resource", "kind", "is_proven", "began_at")


def unproven(warehouse: Published, shops: Sequence[str]) -> list[str]:
    """Lists whose newest evidence does not prove them complete, or that were not read yet.

    Of several shops each with the name of its shop, since one may be in doubt alone.
    """
    if not warehouse.has("ops.completeness", "resource", "is_proven"):
        return []
    rows = warehouse.rows(
        "select distinct shop_id, resource from ops.completeness "
        "where list_contains($shops, shop_id) and not is_proven",
        {"shops": list(shops)},
    )
    if warehouse.has("ops.completeness", *_EVIDENCE):
        rows += _never_proven(warehouse, shops)
    if len(shops) == 1:
        return sorted({row["resource"] for row in rows})
    return sorted({f"{row['resource']} ({row['shop_id']})" for row in rows})


def _never_proven(warehouse: Published, shops: Sequence[str]) -> list[dict[str, Any]]:
    """A first load that was stopped leaves no evidence of the lists it did not reach."""
    return warehouse.rows(
        """
        select shop_id, resource
        from unnest($lists) as wanted(resource) cross join unnest($shops) as asked(shop_id)
        where not exists (
            from ops.completeness as seen
            where seen.shop_id = asked.shop_id and seen.resource = wanted.resource and is_proven
        )
        """,
        {"shops": list(shops), "lists": list(_LISTS)},
    )


def as_of(warehouse: Published, shops: Sequence[str]) -> datetime | None:
    """What the service changed before this moment is in the figures of all these shops.

    The oldest of the newest proven looks at the lists that sales and tickets come from: a sync of
    one shop, or of one list, makes nothing else newer. A look counts from its beginning.
    """
    if not warehouse.has("ops.completeness", *_EVIDENCE):
        return _last_run(warehouse)
    row = warehouse.row(
        """
        with looks as (
            select
                shop_id, resource,
                greatest(
                    -- A list read whole for the first time is as old as its first part.
                    min(began_at) filter (where kind = 'full'),
                    max(began_at) filter (where kind in ('head', 'updated'))
                ) as began_at
            from ops.completeness
            where list_contains($shops, shop_id) and list_contains($lists, resource) and is_proven
                -- A look in the future was dated by a clock that was wrong.
                and began_at <= now()
            group by all
        )
        select min(began_at) as at, count(began_at) as lists from looks
        """,
        {"shops": list(shops), "lists": list(_LISTS)},
    )
    return row["at"] if row["lists"] == len(shops) * len(_LISTS) else None


def _last_run(warehouse: Published) -> datetime | None:
    """When the last sync that got through began, for a warehouse without evidence."""
    if not warehouse.has("ops.runs", "command", "started_at", "exit_code"):
        return None
    value: datetime | None = warehouse.row(
        "select max(started_at) as at from ops.runs "
        "where command like 'sync%' and (exit_code is null or exit_code in (0, 1))"
    )["at"]
    return value
