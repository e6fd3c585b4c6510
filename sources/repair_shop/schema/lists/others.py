"""Suppliers, purchasing, leads, custom fields, shipments."""

from __future__ import annotations

from types import MappingProxyType

from ...schema.endpoint import Endpoint
from ...schema.lists.common import CUSTOMER, INACTIVE, SUPPLIER, TICKET, USER, lines
from ...schema.shapes import Column, Table, amount, flag, labelled, moment, named, text

_SHIPMENT = (Column("pin", "text", ("tracking_number",)), *text("carrier status"))

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/suppliers",
        "supplier",
        Table(
            text(
                "company contact_name mobile phone email address town county postcode "
                "country_code status"
            )
            + moment("created_date"),
            means={
                "contact_name": "Person to talk to.",
                "town": "Town.",
                "county": "County.",
                "postcode": "post_code",
            },
        ),
        detail=True,
        hidden=(INACTIVE,),
    ),
    Endpoint(
        "/purchaseOrders",
        "purchase order",
        Table(
            (Column("number", "text", ("order_no", "po_number")),)
            + text("status notes")
            + moment("created_date")
            + (Column("received_date", "moment", ("received_at", "date_received", "received_on")),)
            + moment("expected_date last_updated")
            + (
                Column("cost", "amount", ("amount_total", "total", "amount", "total_cost")),
                Column("shipping_cost", "amount", ("shipping", "shipping_amount", "delivery_cost")),
            )
            + amount("tax_total"),
            (SUPPLIER,),
            (lines("line of a purchase order"),),
            means={
                "number": "document_number",
                "received": "the goods were received (empty until then)",
                "expected": "the goods are expected",
            },
        ),
        include=("includeLines",),
        detail=True,
        hidden=(("status", "Received"),),
        open_statuses=("Pending", "Ordered", "Waiting Confirmation", "Partially Delivered"),
    ),
    Endpoint(
        "/expenses",
        "expense",
        Table(
            text("reference notes")
            + (Column("amount", "amount", ("amount_total", "total")),)
            + amount("tax")
            + moment("created_date"),
            (named("category", "expense_category"),),
        ),
    ),
    Endpoint(
        "/expenseCategories",
        "category of expenses",
        Table((Column("name", "text", ("category", "label")),) + moment("created_date")),
    ),
    Endpoint(
        "/leads",
        "lead",
        Table(
            text(
                "name business_name telephone mobile email address subject description referred_by "
                "status country_code"
            )
            + flag("gdpr_compliant")
            + moment("created_date last_updated"),
            (labelled("issue_type", "issue"), TICKET, CUSTOMER, USER),
            means={"telephone": "phone"},
        ),
        detail=True,
        hidden=(("status", "Won"), ("status", "Lost")),
    ),
    Endpoint(
        "/customFields/{type}",
        "custom field of a type of record",
        Table(
            text("type name label field_type category_id tab_id options")
            + flag("required")
            + moment("created_date"),
            means={
                "id": "Identifier at the service, as text; unique within its type.",
                "category_id": "Category it belongs to.",
                "tab_id": "Tab it belongs to.",
                "field_type": "Kind of field.",
                "options": "Values to choose from.",
                "is_required": "Whether it must be filled in.",
            },
        ),
        sort=False,
        created_filter=False,
        variants=tuple(
            MappingProxyType({"type": kind})
            for kind in ("tickets", "leads", "customers", "products")
        ),
        in_categories="tickets",
    ),
    Endpoint(
        "/shipments",
        "shipment",
        Table(_SHIPMENT + moment("created_date"), (TICKET, CUSTOMER)),
        created_filter=False,
    ),
    Endpoint(
        "/shipments/deleted",
        "shipment deleted at the service",
        Table(
            _SHIPMENT + moment("created_date deleted_date"),
            (TICKET, CUSTOMER),
            staged={"deleted_date": "deletion"},
            means={"deletion": "the shipment was deleted, as the service says"},
        ),
        created_filter=False,
    ),
)
