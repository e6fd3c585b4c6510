"""What ``ops`` shows: runs, completeness evidence, reports fetched.

Data flow: ledger -> rows of the ``ops`` tables, written before every publish.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipelines.load.tables import OPS_TABLES
from pipelines.service_reports.kept import report_totals
from pipelines.settings import ShopSettings
from sources.repair_shop.ledger import Ledger, ScanState
from sources.repair_shop.open_statuses import KEY as PIPELINE_KEY
from sources.repair_shop.open_statuses import read_probe
from sources.repair_shop.scan.jobs import WORDS
from sources.repair_shop.scan.night import is_counted

if TYPE_CHECKING:
    from pipelines.load.loader import Loader

PROFILE_KEY = "profile"
"""The newest of a shop that ``doctor`` found, in the ledger."""
_NAMES = (
    "shop_id resource kind spec state proof reason pages rows first_day last_day began_at "
    "checked_at"
).split()
"""Columns of ``ops.completeness`` in the order in which the ledger gives them."""


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


def completeness(ledger: Ledger) -> list[dict[str, Any]]:
    """The newest evidence for each list and each stretch of days of it; where it is in doubt, the
    newest proof as well.

    What was in doubt once and has been read again since, with proof, is left out: each row here
    that is not proven, or is proven with a ``reason``, is in doubt now.
    """
    found = [dict(zip(_NAMES, scan, strict=True)) for scan in ledger.select("newest_scans")]
    lists: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for item in found:
        item["spec"] = json.loads(item["spec"])
        first, last = item["spec"].get("days") or (None, None)
        days = f" {first or '...'} to {last or '...'}" if first or last else ""
        item["extent"] = WORDS.get(item["kind"], item["kind"]) + days
        item["is_proven"] = item["state"] == ScanState.PROVEN
        lists.setdefault((item["shop_id"], item["resource"]), []).append(item)
    standing = [i for i in found if not _settled(i, lists[i["shop_id"], i["resource"]])]
    for item in standing:
        del item["spec"]
    return standing


def _settled(item: dict[str, Any], evidence: Sequence[dict[str, Any]]) -> bool:
    """Whether what a scan left in doubt was proven by later scans of the same list."""
    if not item["reason"] or not item["checked_at"]:
        return False
    later = [
        e
        for e in evidence
        if e["is_proven"] and not e["reason"] and e["began_at"] >= item["checked_at"]
    ]
    if any(e["kind"] == "full" for e in later):
        return True
    # Rows that seemed to vanish, by the list or by their own paths, are shown, or gone for good.
    by_paths = item["kind"] in ("follow", "open") and item["is_proven"]
    of_rows = by_paths or item["kind"] in ("full", "audit", "repair")
    if of_rows and any(is_counted(e["kind"], e["proof"]) for e in later):
        return True
    # Days that still differ are repaired every night, so the newest repair speaks for them all.
    return item["kind"] == "repair" and any(e["kind"] == "repair" for e in later)
