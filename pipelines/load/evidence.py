"""What ``ops`` shows: runs, completeness evidence, reports fetched.

Data flow: ledger -> rows of the ``ops`` tables, written before every publish.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pipelines.load.completeness import completeness
from pipelines.load.loader import Loader
from pipelines.load.ops import OPS_TABLES
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.settings import ShopSettings
from sources.repair_shop.ticket_pipeline import KEY as PIPELINE_KEY
from sources.repair_shop.ticket_pipeline import read_probe


def write_reports(ledger: Ledger, loader: Loader) -> None:
    """What the models need of the ledger: the service's reports, and its own list of tickets."""
    rows = ledger.query("SELECT shop, report, period, total, fetched_at FROM reports")
    names = OPS_TABLES["service_reports"]
    loader.write_ops("service_reports", [dict(zip(names, r, strict=True)) for r in rows])
    looked = ledger.query("SELECT shop FROM marks WHERE name = ?", (PIPELINE_KEY,))
    loader.write_ops(
        "pipeline_looks",
        [
            {"shop_id": shop} | vars(probe) | {"ids": json.dumps(probe.ids)}
            for (shop,) in looked
            if (probe := read_probe(ledger, shop))
        ],
    )


def write_evidence(ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings]) -> None:
    """``ops`` tables of what was asked and proven."""
    loader.write_ops("completeness", completeness(ledger))
    runs = ledger.query(
        "SELECT run_id, command, started_at, ended_at, outcome, exit_code, requests, rows, message"
        " FROM runs ORDER BY run_id"
    )
    loader.write_ops("runs", [dict(zip(OPS_TABLES["runs"], r, strict=True)) for r in runs])
    spent = ledger.query(
        "SELECT s.shop, s.run_id, s.resource, s.kind, count(*) FROM pages p "
        "JOIN scans s USING (scan_id) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
    )
    loader.write_ops("requests", [dict(zip(OPS_TABLES["requests"], r, strict=True)) for r in spent])
    profile: list[dict[str, Any]] = []
    for shop in shops:
        text = ledger.value(shop.name, "profile")
        if text:
            found = json.loads(text)
            profile += [
                {"shop_id": shop.name, "item": item, "found": value, "found_at": found["found_at"]}
                for item, value in found["items"].items()
            ]
    loader.write_ops("service_profile", profile)
