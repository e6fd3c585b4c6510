"""What ``ops`` shows: runs, completeness evidence, reports fetched.

Data flow: ledger -> rows of the ``ops`` tables, written before every publish.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.load.completeness import completeness
from pipelines.load.loader import Loader
from pipelines.load.ops import OPS_TABLES
from pipelines.service_reports.kept import report_totals
from pipelines.settings import ShopSettings
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.open_statuses import KEY as PIPELINE_KEY
from sources.repair_shop.open_statuses import read_probe

PROFILE_KEY = "profile"
"""The newest of a shop that ``doctor`` found, in the ledger."""


def write_reports(ledger: Ledger, loader: Loader) -> None:
    """What the models need of the ledger: the service's reports, and its own list of tickets."""
    names = OPS_TABLES["service_reports"]
    totals = [dict(zip(names, map(str, row), strict=True)) for row in report_totals(ledger)]
    loader.write_ops("service_reports", totals)
    loader.write_ops(
        "pipeline_looks",
        [
            {"shop_id": shop} | vars(probe) | {"ids": json.dumps(probe.ids)}
            for (shop,) in ledger.select("shops_with_note", name=PIPELINE_KEY)
            if (probe := read_probe(ledger, shop))
        ],
    )


def write_evidence(
    ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings], ended: Mapping[str, Any]
) -> None:
    """``ops`` tables of what was asked and proven. ``ended``: how the run ends that publishes it,
    by the columns of ``ops.runs``; the ledger is told so when readers have it."""
    loader.write_ops("completeness", completeness(ledger))
    runs = ledger.last_runs()[::-1]
    for run in runs:
        if run["run_id"] == ended.get("run_id"):
            run.update(ended)
    loader.write_ops("runs", runs)
    spent = ledger.select("requests_spent")
    loader.write_ops("requests", [dict(zip(OPS_TABLES["requests"], r, strict=True)) for r in spent])
    profile: list[dict[str, Any]] = []
    for shop in shops:
        text = ledger.value(shop.name, PROFILE_KEY)
        if text:
            found = json.loads(text)
            profile += [
                {"shop_id": shop.name, "item": item, "found": value, "found_at": found["found_at"]}
                for item, value in found["items"].items()
            ]
    loader.write_ops("service_profile", profile)
