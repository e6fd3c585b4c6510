"""What is stored of each resource: id kind, sort date, and the columns that lists filter by.

One row for each list of the specification; a column is filled from the record when it is written,
so that a page of a million rows is found by an index and never by reading every document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

IdKind = Literal["uuid", "number"]


@dataclass(frozen=True)
class Resource:
    """How records of one list are kept.

    Attributes:
        name: snake_case name of the list, e.g. ``ticket_invoices``.
        id_kind: ``uuid`` for text like a UUID, ``number`` for plain numbers (field notes, ids).
        created: path of the date that newest/oldest and createdDateFrom/To go by.
        columns: indexed column -> path in the record; ``...cents`` hold hundredths of an amount,
            of ``..._day`` only the day counts.
    """

    name: str
    id_kind: IdKind = "uuid"
    created: str = "created_date"
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """Name of the SQLite table."""
        return f"r_{self.name}"


def at(record: Mapping[str, Any], path: str) -> Any:
    """Value at a dotted path of a record; None when a step is missing or no object."""
    value: Any = record
    for step in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


_DOCUMENT_COLUMNS = {
    "number": "number",
    "status": "status",
    "total_cents": "amount_total",
    "tax_cents": "tax_total",
}
_SHIPMENT_COLUMNS = {"ticket_id": "ticket.id", "customer_id": "customer.id", "pin": "pin"}

_ROWS = (
    Resource("users"),
    Resource("tax_rates", "number"),
    Resource("payment_methods", "number"),
    Resource("time_clock", columns={"user_id": "user.id"}),
    Resource("appointments", columns={"start_day": "start_date", "end_day": "end_date"}),
    Resource("customers"),
    Resource("groups"),
    Resource(
        "tickets",
        columns={
            "ticket_ref": "ticket_ref",
            "ticket_no": "ticket_no",
            "in_pipeline": "_in_pipeline",
            "status_id": "status.id",
        },
    ),
    Resource("ticket_comments", columns={"ticket_id": "ticket.id"}),
    Resource("ticket_timers", columns={"ticket_id": "ticket.id"}),
    Resource("statuses", "number"),
    Resource("presets"),
    Resource("preset_categories"),
    Resource("issue_types"),
    Resource(
        "ticket_invoices",
        columns={
            **_DOCUMENT_COLUMNS,
            "ticket_id": "ticket.id",
            "ticket_no": "ticket_no",
            "ticket_ref": "ticket.ticket_ref",
        },
    ),
    Resource("pos_orders", columns=_DOCUMENT_COLUMNS),
    Resource(
        "payments",
        "number",
        created="date",
        columns={
            "document_id": "_document_id",
            "ticket_id": "_ticket_id",
            "kind": "_kind",
            "cents": "amount",
        },
    ),
    Resource("products", columns={"code": "code"}),
    Resource("warranties"),
    Resource("models"),
    Resource("model_groups"),
    Resource("categories", "number"),
    Resource("brands"),
    Resource("stock_count", "number"),
    Resource("stock", columns={"product_id": "product.id"}),
    Resource("serials", columns={"product_id": "product.id"}),
    Resource("adjustments", columns={"adjustment_day": "adjustment_date"}),
    Resource("suppliers"),
    Resource(
        "purchase_orders",
        columns={
            "number": "number",
            "status": "status",
            "received_day": "received_date",
            "cost_cents": "cost",
            "shipping_cents": "shipping_cost",
        },
    ),
    Resource("expenses", columns={"cents": "amount"}),
    Resource("expense_categories"),
    Resource("leads"),
    Resource("custom_fields", "number", columns={"kind": "type"}),
    Resource("shipments", columns=_SHIPMENT_COLUMNS),
    Resource("shipments_deleted", columns=_SHIPMENT_COLUMNS),
    Resource("info"),
)

RESOURCES: Mapping[str, Resource] = MappingProxyType({row.name: row for row in _ROWS})
"""Resource name -> how it is stored; the 35 lists and ``info``."""

DOCUMENTS = ("ticket_invoices", "pos_orders")
"""Resources that sell something: they carry lines, payments and returns."""
