"""The newest evidence of each list: what is proven, and what is in doubt.

Data flow: scans of the ledger -> rows of ``ops.completeness``; ``status`` and the verdict of a sync
read them too.
"""

import json
from collections.abc import Sequence
from typing import Any

from sources.repair_shop.ledger import Ledger, ScanState
from sources.repair_shop.scan.jobs import describe_spec
from sources.repair_shop.scan.night import is_counted

_NAMES = (
    "shop_id resource kind spec state proof reason pages rows first_day last_day began_at "
    "checked_at"
).split()
"""Columns of ``ops.completeness`` in the order in which the ledger gives them."""


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
        item["extent"] = describe_spec(item["kind"], item["spec"])
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
