"""What a row's status is called, and by which status a shop's tickets are halved.

Filters know a status by its label, rows may name it by its id alone (specification, GET /tickets).
"""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from ..ledger import Ledger
from ..schema.clean import clean_row

HALF_KEY = "half:tickets"
"""Ledger key: the status label by which a shop's tickets are read in two halves."""
HIDDEN_KEY = "hides tickets"
"""Ledger key of a shop whose lists hide tickets whatever status is asked for."""

_ANY = ZoneInfo("UTC")


def repair_labels(ledger: Ledger, shop: str) -> dict[str, str]:
    """The statuses of type 'repair' of a shop: id -> label."""
    return {
        identity: label
        for identity, row in ledger.contents(shop, "statuses").items()
        if isinstance(label := row.get("label") or row.get("status") or row.get("name"), str)
        and str(row.get("type", "repair")) == "repair"
    }


def repair_status(ledger: Ledger, shop: str) -> str | None:
    """The label by which a shop's tickets are halved: New if there is one, else the first."""
    labels, kept = [*repair_labels(ledger, shop).values()], ledger.value(shop, HALF_KEY)
    if kept is not None and (kept in labels or not labels):
        return kept
    label = "New" if "New" in labels else (labels[0] if labels else None)
    if label is not None:
        ledger.set_value(shop, HALF_KEY, label)
    return label


def status_of(row: Mapping[str, Any], table: str, labels: Mapping[str, str]) -> str:
    """The label of a row's status, by its id in ``labels`` where the row says no more."""
    shown = clean_row(row, table, _ANY)
    said = (shown.get(name) for name in ("status__label", "status", "status__name", "status__id"))
    named = str(next(filter(None, said), None))
    return labels.get(named, named)
