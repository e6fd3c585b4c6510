"""The ``ops`` tables that the pipeline itself writes: name -> column -> DuckDB type.

``ops.unreadable`` is made by the models. Tables that need more columns get them here.
"""

from collections.abc import Mapping

FORMAT = 4
"""Number of the warehouse's layout. A file with a higher one was written by a newer version."""


def _columns(text: str) -> Mapping[str, str]:
    """``name TYPE``, separated by commas; without a type it is VARCHAR."""
    pairs = (column.strip().partition(" ") for column in text.split(", "))
    return {name: kind or "VARCHAR" for name, _, kind in pairs}


OPS_TABLES: Mapping[str, Mapping[str, str]] = {
    "shops": _columns(
        "shop_id, timezone, currency, closed_weekdays, closed_days, opening_hours, shop_accounts, "
        "today_by, sales_definition, purchases_definition"
    ),
    "service_reports": _columns(
        "shop_id, report, period DATE, total DECIMAL(28,4), fetched_at TIMESTAMP WITH TIME ZONE"
    ),
    "pipeline_looks": _columns("shop_id, day, after, before, ids"),
    "statuses": _columns(
        "shop_id, status_id, label, meaning, is_closed BOOLEAN, is_done BOOLEAN, reason, shown "
        "BIGINT, hidden BIGINT, label_now"
    ),
    "runs": _columns(
        "run_id BIGINT, command, started_at TIMESTAMP WITH TIME ZONE, ended_at TIMESTAMP WITH "
        "TIME ZONE, outcome, exit_code INTEGER, requests BIGINT, rows BIGINT, message"
    ),
    "requests": _columns("shop_id, run_id BIGINT, resource, kind, requests BIGINT"),
    "completeness": _columns(
        "shop_id, resource, kind, extent, first_day DATE, last_day DATE, pages BIGINT, rows "
        "BIGINT, state, is_proven BOOLEAN, proof, reason, began_at TIMESTAMP WITH TIME ZONE, "
        "checked_at TIMESTAMP WITH TIME ZONE"
    ),
    "findings": _columns("name, records BIGINT, meaning"),
    "changes": _columns(
        "shop_id, number BIGINT, resource, op, id, state, reason, queued_by, queued_at TIMESTAMP "
        "WITH TIME ZONE, body, attempts BIGINT, answer, pushed_at TIMESTAMP WITH TIME ZONE, "
        "is_mirrored BOOLEAN"
    ),
    "service_profile": _columns("shop_id, item, found, found_at TIMESTAMP WITH TIME ZONE"),
}
