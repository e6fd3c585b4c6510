"""What ``ops`` shows: runs, completeness evidence, reports fetched, changes pushed.

Data flow: ledger, outbox -> rows of the ``ops`` tables, written before every publish.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pipelines.jobs import describe_spec
from pipelines.load import Loader
from sources.repair_shop.ledger import Ledger
from sources.settings import ShopSettings


def completeness(ledger: Ledger) -> list[dict[str, Any]]:
    """The newest evidence for each list and each stretch of days of it."""
    rows = ledger.query(
        "SELECT shop, resource, kind, spec, state, proof, reason, pages, rows, first_day, "
        "last_day, opened_at, closed_at FROM scans WHERE scan_id IN (SELECT max(scan_id) FROM "
        "scans WHERE state <> 'dropped' GROUP BY shop, resource, kind, spec) "
        "ORDER BY shop, resource, kind, spec"
    )
    return [
        {
            "shop_id": r[0],
            "resource": r[1],
            "kind": r[2],
            "extent": describe_spec(r[2], json.loads(r[3])),
            "state": r[4],
            "is_proven": r[4] == "proven",
            "proof": r[5],
            "reason": r[6],
            "pages": r[7],
            "rows": r[8],
            "first_day": r[9],
            "last_day": r[10],
            "began_at": r[11],
            "checked_at": r[12],
        }
        for r in rows
    ]


COMPLETENESS_COLUMNS = {
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
}
REQUEST_COLUMNS = {
    "shop_id": "VARCHAR",
    "run_id": "BIGINT",
    "resource": "VARCHAR",
    "kind": "VARCHAR",
    "requests": "BIGINT",
}


def write_reports(ledger: Ledger, loader: Loader) -> None:
    """``ops.service_reports``: what the models reconcile with, so written before they run."""
    rows = ledger.query("SELECT shop, report, period, total, fetched_at FROM reports")
    names = ("shop_id", "report", "period", "total", "fetched_at")
    loader.write_ops("service_reports", None, [dict(zip(names, r, strict=True)) for r in rows])


def write_evidence(ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings]) -> None:
    """All other ``ops`` tables."""
    loader.write_ops("completeness", COMPLETENESS_COLUMNS, completeness(ledger))
    runs = ledger.query(
        "SELECT run_id, command, started_at, ended_at, outcome, exit_code, requests, rows, message"
        " FROM runs ORDER BY run_id"
    )
    names = (
        "run_id",
        "command",
        "started_at",
        "ended_at",
        "outcome",
        "exit_code",
        "requests",
        "rows",
        "message",
    )
    loader.write_ops("runs", None, [dict(zip(names, r, strict=True)) for r in runs])
    spent = ledger.query(
        "SELECT s.shop, s.run_id, s.resource, s.kind, count(*) FROM pages p "
        "JOIN scans s USING (scan_id) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
    )
    loader.write_ops(
        "requests", REQUEST_COLUMNS, [dict(zip(REQUEST_COLUMNS, r, strict=True)) for r in spent]
    )
    profile: list[dict[str, Any]] = []
    for shop in shops:
        text = ledger.mark(shop.name, "profile")
        if text:
            found = json.loads(text)
            profile += [
                {"shop_id": shop.name, "item": item, "found": value, "found_at": found["found_at"]}
                for item, value in found["items"].items()
            ]
    loader.write_ops("service_profile", None, profile)
    _write_changes(loader)


def _write_changes(loader: Loader) -> None:
    from pipelines.outbox import trail

    loader.write_ops("changes", None, trail(loader.home.path))
