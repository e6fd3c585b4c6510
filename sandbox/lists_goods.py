"""Lists of goods and the rest: specification, Products to Suppliers, purchasing, leads."""

from __future__ import annotations

from sandbox.filters import Filter
from sandbox.listing import ACTIVE, UPDATED, WITH_UPDATED, ListEndpoint, choice, days, text

_PRODUCT_SEARCH = (
    "name",
    "code",
    "model.name",
    "brand.name",
    "category.name",
    "condition",
    "@created",
)
PRODUCTS = (
    ListEndpoint(
        "/products",
        "products",
        (
            *UPDATED,
            choice("type", ("product", "service")),
            choice("condition", ("New", "Used")),
            Filter("code", "equals", ("code",)),
            *text("category=category.id|category.name model=model.id|model.name"),
            choice("status", ACTIVE),
        ),
        _PRODUCT_SEARCH,
        WITH_UPDATED,
        include=(("includeCustomFields", "custom_fields"), ("includeXsellUpsell", "xsell_upsell")),
        detail=True,
    ),
    ListEndpoint(
        "/products/updated",
        "products",
        (*UPDATED, Filter("code", "equals", ("code",))),
        _PRODUCT_SEARCH,
        sort=(),
        default_sort="recently_updated",
        created=False,
        include=(("includeCustomFields", "custom_fields"),),
    ),
    ListEndpoint(
        "/warranties",
        "warranties",
        (),
        ("name", "term_days", "description", "@created", "status"),
    ),
    ListEndpoint(
        "/models",
        "models",
        text("make model model_group=model_group.name"),
        ("make", "model", "model_group.name", "@created"),
        detail=True,
    ),
    ListEndpoint("/modelGroups", "model_groups", (), ("name", "@created"), detail=True),
    ListEndpoint("/categories", "categories", (), ("name", "@created"), detail=True),
    ListEndpoint("/brands", "brands", (), ("name", "@created"), detail=True),
)
STOCK = (
    ListEndpoint("/stockCount", "stock_count", created=False),
    ListEndpoint(
        "/stock",
        "stock",
        (
            Filter("product_id", "equals", ("product_id",)),
            Filter("serializeStock", "flag", ("serialize_stock",)),
            Filter("internal_use", "flag", ("internal_use",)),
            Filter("breakage", "flag", ("breakage",)),
        ),
        ("product.name", "product.code", "location", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/serials",
        "serials",
        (Filter("productId", "equals", ("product_id",)),),
        ("serial", "product.name", "product.code", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/adjustments",
        "adjustments",
        (
            *days("adjustmentDate", "adjustment_day"),
            Filter("internal_use", "flag", ("[]products.internal_use",)),
            Filter("breakage", "flag", ("[]products.breakage",)),
        ),
        ("reference_no", "notes", "@created"),
        detail=True,
    ),
)
LEAD_STATUSES = (
    "New",
    "Lead",
    "First Contact",
    "Opportunity",
    "Prospect",
    "Waiting on Customer",
    "In Negotiation",
    "Pending",
    "Won",
    "Lost",
)
"""Specification, States: lead status."""
REST = (
    ListEndpoint(
        "/suppliers",
        "suppliers",
        (
            *text(
                "company contactname=contact_name mobile phone email address town county postcode "
                "countrycode=country_code"
            ),
            choice("status", ACTIVE),
        ),
        ("company", "contact_name", "mobile", "phone", "email", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/purchaseOrders",
        "purchase_orders",
        (
            Filter("number", "equals", ("number",)),
            choice(
                "status",
                ("Received", "Pending", "Ordered", "Waiting Confirmation", "Partially Delivered"),
            ),
        ),
        ("number", "status", "supplier.company", "@created"),
        include=(("includeLines", "lines"),),
        detail=True,
    ),
    ListEndpoint("/expenses", "expenses", (), ("reference", "notes", "category.name", "@created")),
    ListEndpoint("/expenseCategories", "expense_categories", (), ("name", "@created")),
    ListEndpoint(
        "/leads",
        "leads",
        (
            *text(
                "ticket=tickets:ticket.id>short_info customer=name|business_name "
                "issue=subject issueDescription=description"
            ),
            Filter("issuetype", "equals", ("issue_type.id",)),
            choice("status", LEAD_STATUSES),
            *text("referredBy=referred_by"),
        ),
        ("name", "business_name", "mobile", "email", "subject", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/customFields/{type}",
        "custom_fields",
        (
            Filter("categoryId", "number", ("category_id",)),
            Filter("tabId", "number", ("tab_id",)),
        ),
        sort=(),
        default_sort="oldest",
        created=False,
    ),
    ListEndpoint(
        "/shipments",
        "shipments",
        (
            Filter("ticketId", "equals", ("ticket_id",)),
            Filter("customerId", "equals", ("customer_id",)),
            Filter("pin", "equals", ("pin",)),
        ),
        created=False,
    ),
    ListEndpoint(
        "/shipments/deleted",
        "shipments_deleted",
        (Filter("ticketId", "equals", ("ticket_id",)), Filter("pin", "equals", ("pin",))),
        created=False,
    ),
)
