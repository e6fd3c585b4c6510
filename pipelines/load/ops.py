"""The ``ops`` tables that the pipeline itself writes: name -> column -> DuckDB type.

``ops.unreadable`` is made by the models. Tables that need more columns get them here.
"""

from __future__ import annotations

from collections.abc import Mapping

FORMAT = 3
"""Number of the warehouse's layout. A file with a higher one was written by a newer version."""

OPS_TABLES: Mapping[str, Mapping[str, str]] = {
    "shops": {
        "shop_id": "VARCHAR",
        "timezone": "VARCHAR",
        "currency": "VARCHAR",
        "closed_weekdays": "VARCHAR",
        "closed_days": "VARCHAR",
        "opening_hours": "VARCHAR",
        "shop_accounts": "VARCHAR",
        "today_by": "VARCHAR",
        "sales_definition": "VARCHAR",
        "purchases_definition": "VARCHAR",
    },
    "service_reports": {
        "shop_id": "VARCHAR",
        "report": "VARCHAR",
        "period": "DATE",
        "total": "DECIMAL(28,4)",
        "fetched_at": "TIMESTAMP WITH TIME ZONE",
    },
    "pipeline_looks": {
        "shop_id": "VARCHAR",
        "day": "VARCHAR",
        "after": "VARCHAR",
        "before": "VARCHAR",
        "ids": "VARCHAR",
    },
    "statuses": {
        "shop_id": "VARCHAR",
        "status_id": "VARCHAR",
        "label": "VARCHAR",
        "meaning": "VARCHAR",
        "is_closed": "BOOLEAN",
        "is_done": "BOOLEAN",
        "reason": "VARCHAR",
        "shown": "BIGINT",
        "hidden": "BIGINT",
    },
    "runs": {
        "run_id": "BIGINT",
        "command": "VARCHAR",
        "started_at": "TIMESTAMP WITH TIME ZONE",
        "ended_at": "TIMESTAMP WITH TIME ZONE",
        "outcome": "VARCHAR",
        "exit_code": "INTEGER",
        "requests": "BIGINT",
        "rows": "BIGINT",
        "message": "VARCHAR",
    },
    "requests": {
        "shop_id": "VARCHAR",
        "run_id": "BIGINT",
        "resource": "VARCHAR",
        "kind": "VARCHAR",
        "requests": "BIGINT",
    },
    "completeness": {
        "shop_id": "VARCHAR",
        "resource": "VARCHAR",
        "kind": "VARCHAR",
        "extent": "VARCHAR",
        "first_day": "DATE",
        "last_day": "DATE",
        "pages": "BIGINT",
        "rows": "BIGINT",
        "state": "VARCHAR",
        "is_proven": "BOOLEAN",
        "proof": "VARCHAR",
        "reason": "VARCHAR",
        "began_at": "TIMESTAMP WITH TIME ZONE",
        "checked_at": "TIMESTAMP WITH TIME ZONE",
    },
    "findings": {
        "name": "VARCHAR",
        "records": "BIGINT",
        "meaning": "VARCHAR",
    },
    "changes": {
        "shop_id": "VARCHAR",
        "number": "BIGINT",
        "resource": "VARCHAR",
        "op": "VARCHAR",
        "id": "VARCHAR",
        "state": "VARCHAR",
        "reason": "VARCHAR",
        "queued_by": "VARCHAR",
        "queued_at": "TIMESTAMP WITH TIME ZONE",
        "body": "VARCHAR",
        "attempts": "BIGINT",
        "answer": "VARCHAR",
        "pushed_at": "TIMESTAMP WITH TIME ZONE",
        "is_mirrored": "BOOLEAN",
    },
    "service_profile": {
        "shop_id": "VARCHAR",
        "item": "VARCHAR",
        "found": "VARCHAR",
        "found_at": "TIMESTAMP WITH TIME ZONE",
    },
}
