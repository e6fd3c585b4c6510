"""Lists of people, tickets and money: specification, Shop to Invoices and payments."""

from __future__ import annotations

from sandbox.filters import Filter
from sandbox.listing import (
    ACTIVE,
    UPDATED,
    WITH_UPDATED,
    ListEndpoint,
    choice,
    days,
    label,
    text,
)

_GENDER = ("Female", "Male")
_PAID = ("Paid", "Due")
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
_APPOINTMENT_SEARCH = ("subject", "description", "@created")
PRIORITIES = ("Urgent", "High", "Normal", "Low")
"""Ticket priorities 0, 1, 2, 3 in this order (specification, States)."""
PIPELINE = "in_pipeline = 1"
"""Tickets listed when no status is asked for (specification, GET /tickets)."""

SHOP = (
    ListEndpoint(
        "/users",
        "users",
        (
            *text("name=name|first_name|last_name mobile phone email address website"),
            choice("gender", _GENDER),
            *text("type"),
            choice("status", ACTIVE),
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
APPOINTMENTS = (
    ListEndpoint(
        "/appointments",
        "appointments",
        (
            *days("startDate", "start_day"),
            *days("endDate", "end_day"),
            *text(
                "ticket=ticket.id|ticket.ticket_no|tickets:ticket.id>short_info "
                "customer=customer.id|customer.name|customer.mobile|customer.email "
                "lead=lead.id|lead.name|leads:lead.id>business_name|leads:lead.id>telephone|"
                "leads:lead.id>mobile|leads:lead.id>email "
                "attendee=[]attendees.id|[]attendees.first_name|[]attendees.last_name"
            ),
            choice("type", ("InShop", "OnSite", "PhoneCall")),
        ),
        _APPOINTMENT_SEARCH,
        detail=True,
    ),
    ListEndpoint(
        "/appointments/updated",
        "appointments",
        UPDATED,
        _APPOINTMENT_SEARCH,
        sort=(),
        default_sort="recently_updated",
        created=False,
    ),
)
CUSTOMERS = (
    ListEndpoint(
        "/customers",
        "customers",
        (
            *text(
                "name mobile phone company email invoiceemail address=fulladdress.address "
                "city=fulladdress.city postCode=fulladdress.post_code group"
            ),
            choice("gender", (*_GENDER, "Not Specified")),
            *text("type"),
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
        text(
            "name billingname=billing_name billingmobile=billing_mobile billingemail=billing_email"
        ),
        ("name", "billing_name", "billing_mobile", "billing_email", "@created"),
        detail=True,
    ),
)
TICKETS = (
    ListEndpoint(
        "/tickets",
        "tickets",
        (
            _TICKET_NO,
            *UPDATED,
            *text("customer=customer.name company=customer.company issue=short_info"),
            label("issueType", "issue_type.id", "issue_types", "label"),
            Filter("issueTypeCondition", "condition", of="issueType"),
            label("status", "status_id", "statuses", "label"),
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
        (*UPDATED, _TICKET_NO),
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
        ("notes", "@start_date", "@end_date"),
        created=False,
        detail=True,
    ),
    ListEndpoint(
        "/statuses",
        "statuses",
        (choice("type", ("repair", "repair_notes")), *text("status=label")),
        ("label", "type"),
    ),
    ListEndpoint(
        "/presets",
        "presets",
        (
            label("category", "category.id", "preset_categories", "name"),
            label("brand", "brand.id", "brands", "name"),
            label("model", "model.id", "models", "model"),
            label("issueType", "issue_type.id", "issue_types", "label"),
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
    ListEndpoint("/issueTypes", "issue_types", text("label"), ("label",)),
)
_POS = ListEndpoint(
    "/posOrders",
    "pos_orders",
    (Filter("orderNo", "equals", ("number",)), choice("status", _PAID)),
    ("notes", "customer.name"),
    include=_DOCUMENT_INCLUDE,
    detail=True,
)
_OF = "EXISTS (SELECT 1 FROM {} AS d WHERE d.shop = r_payments.shop AND d.id = document_id)"
MONEY = (
    ListEndpoint(
        "/ticketInvoices",
        "ticket_invoices",
        (
            Filter("invoiceNo", "equals", ("number",)),
            Filter("ticketNo", "equals", ("ticket_id", "ticket_ref", "ticket_no")),
            choice("status", _PAID),
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
            Filter("invoiceId", "ids", ("document_id",), where=_OF.format("r_ticket_invoices")),
            Filter("orderId", "ids", ("document_id",), where=_OF.format("r_pos_orders")),
            Filter("filter", "choice", ("kind",), ("pos", "invoice", "return")),
            *days("paymentDate", "created_day"),
        ),
        include=(("includeResource", ""),),
        created=False,
    ),
    ListEndpoint(
        "/posInvoices", _POS.resource, _POS.filters, _POS.search, include=_POS.include, detail=True
    ),
)
