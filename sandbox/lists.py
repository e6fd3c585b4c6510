"""The lists of the specification as a table: a row for each, with every parameter of its line."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.filters import Filter

NEWEST = ("newest", "oldest")
WITH_UPDATED = (*NEWEST, "recently_updated")
ACTIVE = ("Active", "In active")
PAGE_SIZE = 50
"""Specification, Limits: records per request."""


@dataclass(frozen=True)
class ListEndpoint:
    """One list: specification, Endpoints.

    Attributes:
        path: below the base address.
        resource: what it lists.
        filters: the parameters of its own.
        search: fields of ``searchKeyword``; empty where the list has no such parameter.
        sort: accepted values of ``sort``; empty where the list has no such parameter.
        default_sort: the order without ``sort``.
        created: takes ``createdDateFrom`` and ``createdDateTo``.
        include: flag -> part of the record that comes only when it is true.
        where: SQL condition that always holds.
        detail: ``GET path/{id}`` exists.
        tag: heading of the specification it stands under.
    """

    path: str
    resource: str
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    sort: tuple[str, ...] = NEWEST
    default_sort: str = "newest"
    created: bool = True
    include: tuple[tuple[str, str], ...] = ()
    where: str = "1"
    detail: bool = False
    tag: str = ""


def _text(names: str) -> tuple[Filter, ...]:
    """Free-text parameters written ``parameter=field`` or just ``field``, separated by blanks."""
    made = []
    for word in names.split():
        name, _, fields = word.partition("=")
        made.append(Filter(name, "contains", tuple((fields or name).split("|"))))
    return tuple(made)


def _days(prefix: str, path: str) -> tuple[Filter, Filter]:
    return Filter(f"{prefix}From", "from", (path,)), Filter(f"{prefix}To", "to", (path,))


def _choice(name: str, values: tuple[str, ...], path: str = "") -> Filter:
    return Filter(name, "choice", (path or name,), values)


_GENDER = ("Female", "Male")
_PAID = ("Paid", "Due")
_UPDATED = _days("updatedDate", "updated_day")
_TICKET_NO = Filter("ticketNo", "equals", ("id", "ticket_ref", "ticket_no"))
_TICKET_INCLUDE = (
    ("includeLines", "lines"),
    ("includePayments", "payments"),
    ("includeCustomFields", "custom_fields"),
)
_DOCUMENT_INCLUDE = (
    ("includePayments", "payments"),
    ("includeLines", "lines"),
    ("includeReturns", "returns"),
)
_TICKET_SEARCH = ("short_info", "@comments")
_PRODUCT_SEARCH = (
    "name",
    "code",
    "model.name",
    "brand.name",
    "category.name",
    "condition",
    "@created",
)
_APPOINTMENT_SEARCH = ("subject", "description", "@created")
PRIORITIES = ("Urgent", "High", "Normal", "Low")
"""Ticket priorities 0, 1, 2, 3 in this order (specification, States)."""
PIPELINE = "in_pipeline = 1"
"""Tickets listed when no status is asked for (specification, GET /tickets)."""


def _label(name: str, path: str, lookup: str, field: str) -> Filter:
    return Filter(name, "label", (path,), lookup=(lookup, field))


_SHOP = (
    ListEndpoint(
        "/users",
        "users",
        (
            *_text("name=name|first_name|last_name mobile phone email address website"),
            _choice("gender", _GENDER),
            *_text("type"),
            _choice("status", ACTIVE),
        ),
        ("first_name", "last_name", "email", "type", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/taxRates", "tax_rates", (), ("name", "code", "value", "type"), sort=(), created=False
    ),
    ListEndpoint("/paymentMethods", "payment_methods", (), ("title", "@created")),
    ListEndpoint(
        "/timeClock",
        "time_clock",
        (Filter("userId", "equals", ("user_id",)),),
        ("in_notes", "out_notes", "@created"),
        detail=True,
    ),
)
_APPOINTMENTS = (
    ListEndpoint(
        "/appointments",
        "appointments",
        (
            *_days("startDate", "start_day"),
            *_days("endDate", "end_day"),
            *_text(
                "ticket=ticket.id|ticket.ticket_no|ticket.short_info "
                "customer=customer.id|customer.name|customer.mobile|customer.email "
                "lead=lead.id|lead.name|lead.company|lead.telephone|lead.mobile|lead.email "
                "attendee=[]attendees.id|[]attendees.first_name|[]attendees.last_name"
            ),
            _choice("type", ("InShop", "OnSite", "PhoneCall")),
        ),
        _APPOINTMENT_SEARCH,
        detail=True,
    ),
    ListEndpoint(
        "/appointments/updated",
        "appointments",
        _UPDATED,
        _APPOINTMENT_SEARCH,
        sort=(),
        default_sort="recently_updated",
        created=False,
    ),
)
_CUSTOMERS = (
    ListEndpoint(
        "/customers",
        "customers",
        (
            *_text(
                "name mobile phone company email invoiceemail address=fulladdress.address "
                "city=fulladdress.city postCode=fulladdress.post_code group"
            ),
            _choice("gender", (*_GENDER, "Not Specified")),
            *_text("type"),
        ),
        (
            "name",
            "company",
            "mobile",
            "phone",
            "fulladdress.address",
            "fulladdress.city",
            "@created",
        ),
        include=(("includeCustomFields", "custom_fields"),),
        detail=True,
    ),
    ListEndpoint(
        "/groups",
        "groups",
        _text(
            "name billingname=billing_name billingmobile=billing_mobile billingemail=billing_email"
        ),
        ("name", "billing_name", "billing_mobile", "billing_email", "@created"),
        detail=True,
    ),
)
_TICKETS = (
    ListEndpoint(
        "/tickets",
        "tickets",
        (
            _TICKET_NO,
            *_UPDATED,
            *_text("customer=customer.name company=customer.company issue=short_info"),
            _label("issueType", "issue_type.id", "issue_types", "label"),
            Filter("issueTypeCondition", "condition", of="issueType"),
            _label("status", "status_id", "statuses", "label"),
            Filter("statusCondition", "condition", of="status"),
            Filter("priority", "choice", ("priority",), (*PRIORITIES, "0", "1", "2", "3")),
            Filter("priorityCondition", "condition", of="priority"),
        ),
        _TICKET_SEARCH,
        WITH_UPDATED,
        include=_TICKET_INCLUDE,
        detail=True,
    ),
    ListEndpoint(
        "/tickets/updated",
        "tickets",
        (*_UPDATED, _TICKET_NO),
        _TICKET_SEARCH,
        sort=(),
        default_sort="recently_updated",
        created=False,
        include=_TICKET_INCLUDE,
    ),
    ListEndpoint(
        "/ticketComments",
        "ticket_comments",
        (
            Filter("ticketId", "equals", ("ticket_id",)),
            Filter("type", "choice", ("type",), ("public", "private")),
        ),
        sort=WITH_UPDATED,
        created=False,
    ),
    ListEndpoint(
        "/ticketTimers",
        "ticket_timers",
        (
            Filter("ticketId", "equals", ("ticket_id",)),
            Filter("running", "flag", ("@running",), note="true: only running timers"),
        ),
        ("notes", "start_date", "end_date"),
        created=False,
        detail=True,
    ),
    ListEndpoint(
        "/statuses",
        "statuses",
        (_choice("type", ("repair", "repair_notes")), *_text("status=label")),
        ("label", "type"),
    ),
    ListEndpoint(
        "/presets",
        "presets",
        (
            _label("category", "category.id", "preset_categories", "name"),
            _label("brand", "brand.id", "brands", "name"),
            _label("model", "model.id", "models", "model"),
            _label("issueType", "issue_type.id", "issue_types", "label"),
            Filter("legalDocument", "equals", ("legal_document_id",)),
        ),
        ("name", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/presetCategories",
        "preset_categories",
        (Filter("name", "equals", ("name",)),),
        ("name",),
        default_sort="oldest",
        created=False,
    ),
    ListEndpoint("/issueTypes", "issue_types", _text("label"), ("label",)),
)
_POS = ListEndpoint(
    "/posOrders",
    "pos_orders",
    (Filter("orderNo", "equals", ("number",)), _choice("status", _PAID)),
    ("notes", "customer.name"),
    include=_DOCUMENT_INCLUDE,
    detail=True,
)
_MONEY = (
    ListEndpoint(
        "/ticketInvoices",
        "ticket_invoices",
        (
            Filter("invoiceNo", "equals", ("number",)),
            Filter("ticketNo", "equals", ("ticket_id", "ticket_ref", "ticket_no")),
            _choice("status", _PAID),
            Filter("paymentDateFrom", "from", ("@payment",)),
            Filter("paymentDateTo", "to", ("@payment",)),
        ),
        ("ticket_short_info", "notes", "customer.name"),
        include=_DOCUMENT_INCLUDE,
        detail=True,
    ),
    _POS,
    ListEndpoint(
        "/payments",
        "payments",
        (
            Filter("invoiceId", "ids", ("document_id",)),
            Filter("orderId", "ids", ("document_id",)),
            Filter("filter", "choice", ("kind",), ("pos", "invoice", "return")),
            *_days("paymentDate", "created_day"),
        ),
        include=(("includeResource", ""),),
        created=False,
    ),
    ListEndpoint(
        "/posInvoices", _POS.resource, _POS.filters, _POS.search, include=_POS.include, detail=True
    ),
)
_PRODUCTS = (
    ListEndpoint(
        "/products",
        "products",
        (
            *_UPDATED,
            _choice("type", ("product", "service")),
            _choice("condition", ("New", "Used")),
            Filter("code", "equals", ("code",)),
            *_text("category=category.id|category.name model=model.id|model.name"),
            _choice("status", ACTIVE),
        ),
        _PRODUCT_SEARCH,
        WITH_UPDATED,
        include=(("includeCustomFields", "custom_fields"), ("includeXsellUpsell", "xsell_upsell")),
        detail=True,
    ),
    ListEndpoint(
        "/products/updated",
        "products",
        (*_UPDATED, Filter("code", "equals", ("code",))),
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
        _text("make model model_group=model_group.name"),
        ("make", "model", "model_group.name", "@created"),
        detail=True,
    ),
    ListEndpoint("/modelGroups", "model_groups", (), ("name", "@created"), detail=True),
    ListEndpoint("/categories", "categories", (), ("name", "@created"), detail=True),
    ListEndpoint("/brands", "brands", (), ("name", "@created"), detail=True),
)
_STOCK = (
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
            *_days("adjustmentDate", "adjustment_day"),
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
_REST = (
    ListEndpoint(
        "/suppliers",
        "suppliers",
        (
            *_text(
                "company contactname=contact_name mobile phone email address town county postcode "
                "countrycode=country_code"
            ),
            _choice("status", ACTIVE),
        ),
        ("company", "contact_name", "mobile", "phone", "email", "@created"),
        detail=True,
    ),
    ListEndpoint(
        "/purchaseOrders",
        "purchase_orders",
        (
            Filter("number", "equals", ("number",)),
            _choice(
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
            *_text(
                "ticket=ticket.short_info customer=name|business_name "
                "issue=subject issueDescription=description"
            ),
            Filter("issuetype", "equals", ("issue_type.id",)),
            _choice("status", LEAD_STATUSES),
            *_text("referredBy=referred_by"),
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
CUSTOM_FIELD_TYPES = ("tickets", "leads", "customers", "products")

GROUPS: dict[str, tuple[ListEndpoint, ...]] = {
    "Shop": _SHOP,
    "Appointments": _APPOINTMENTS,
    "Customers": _CUSTOMERS,
    "Tickets": _TICKETS,
    "Invoices and payments": _MONEY,
    "Products": _PRODUCTS,
    "Stock": _STOCK,
    "Purchasing, leads and the rest": _REST,
}
"""Heading of the specification -> its lists."""

LISTS = tuple(row for rows in GROUPS.values() for row in rows)
"""Every list; the ``/updated`` ones stand behind their own list."""
