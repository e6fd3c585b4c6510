"""What a change is known by later: the record as it was before, the records it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipelines.outbox.compare import columns_of, picture
from pipelines.outbox.store import Change


def kept(resource: str, body: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a record that can later tell whether an update was applied."""
    wanted: dict[str, Any] = {}
    for name in body:
        wanted |= picture(resource, name, row)
        wanted |= {root: row[root] for root in columns_of(resource, name) if root in row}
    for extra in ("lines", "products", "stock", "last_updated"):
        if extra in row:
            wanted[extra] = row[extra]
    plain: dict[str, Any] = _plain(wanted)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def touched(change: Change, body: Mapping[str, Any], new_id: str) -> set[tuple[str, str]]:
    """Records the sync should read back: the one written and those it changes along."""
    found: set[tuple[str, str]] = set()
    if change.op == "upload":
        found.add((change.resource, str(change.record_id)))
    else:
        found.add((change.resource, new_id))
    invoices = body.get("invoiceId", [])
    found |= {
        ("ticket_invoices", str(one))
        for one in (invoices if isinstance(invoices, list) else [invoices])
    }
    if change.resource == "stock" and "product" in body:
        found.add(("products", str(body["product"])))
    for line in (*body.get("products", ()), *body.get("add_products", ())):
        found.add(("products", str(line.get("product_id", line.get("ad_product_id")))))
    return found
