"""Suppliers, purchasing, leads, custom fields, shipments."""

from types import MappingProxyType

from ...schema.endpoint import Endpoint
from ...schema.lists.common import CUSTOMER, INACTIVE, SUPPLIER, TICKET, USER, lines
from ...schema.shapes import Table, labelled, named

_SHIPMENT = "pin|tracking_number carrier status created_date:moment"
_OPEN = ("Pending", "Ordered", "Waiting Confirmation", "Partially Delivered")
"""Statuses of a purchase order that is not received yet."""

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/suppliers",
        "supplier",
        Table(
            "company contact_name mobile phone email address town county postcode "
            "country_code status created_date:moment",
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
            "number|order_no|po_number status|order_status notes created_date:moment|+order_date "
            "received_date:moment|received_at|date_received|received_on "
            "expected_date:moment last_updated:moment "
            "cost:amount|amount_total|total|amount|total_cost "
            "shipping_cost:amount|shipping|shipping_amount|delivery_cost|freight tax_total:amount",
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
        hidden=(("status", "Received"), *(("status", one) for one in _OPEN)),
        open_statuses=_OPEN,
    ),
    Endpoint(
        "/expenses",
        "expense",
        Table(
            "reference notes amount:amount|amount_total|total|cost|value tax:amount "
            "created_date:moment|+expense_date",
            (named("category", "expense_category"),),
        ),
    ),
    Endpoint(
        "/expenseCategories",
        "category of expenses",
        Table("name|category|label created_date:moment"),
    ),
    Endpoint(
        "/leads",
        "lead",
        Table(
            "name business_name telephone mobile email address subject description "
            "referred_by status country_code gdpr_compliant:flag created_date:moment "
            "last_updated:moment",
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
            "type name label field_type category_id tab_id options required:flag "
            "created_date:moment",
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
    Endpoint("/shipments", "shipment", Table(_SHIPMENT, (TICKET, CUSTOMER)), created_filter=False),
    Endpoint(
        "/shipments/deleted",
        "shipment deleted at the service",
        Table(
            f"{_SHIPMENT} deleted_date:moment",
            (TICKET, CUSTOMER),
            staged={"deleted_date": "deletion"},
            means={"deletion": "the shipment was deleted, as the service says"},
        ),
        created_filter=False,
    ),
)
