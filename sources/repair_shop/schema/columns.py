"""What each raw table holds: columns, kinds, the other names a service may use for them.

The specification shows no response field but a customer's ``id``, ``name`` and ``email``
("Resources and their fields"); the rest are the fields seen in the wild. So nothing here is relied
on to be there: a declared column exists in the warehouse even when no row has it, an undeclared
field becomes a text column of its own, and :mod:`repair_shop.schema.clean` loses neither.

Kinds of a column: ``text``; ``amount`` DECIMAL(28,4), money and prices; ``number`` DECIMAL(28,4),
quantities and percentages; ``flag`` BOOLEAN; ``moment`` ISO 8601 text as the
service said it, in one spelling (an offset only if the service gave one; staging makes it a time).
A reference such as ``customer`` is flattened to ``customer__id``, ``customer__name`` ...
"""

from __future__ import annotations

from ..schema.shapes import (
    COMMON_ALIASES,
    Child,
    Column,
    Kind,
    Reference,
    Table,
    amount,
    flag,
    labelled,
    moment,
    named,
    number,
    text,
)

__all__ = ["COMMON_ALIASES", "TABLES", "Child", "Column", "Kind", "Reference", "Table"]

CUSTOMER = Reference(
    "customer", ("id", "internal_id", "name", "email", "mobile", "phone", "company"), "name"
)
TICKET = Reference("ticket", ("id", "ticket_ref", "ticket_no"), "id")
STAFF_FIELDS = ("id", "first_name", "last_name", "email")
USER = Reference("user", STAFF_FIELDS, "id", ("staff", "created_by"))
PRODUCT = Reference("product", ("id", "name", "code"), "id")

IS_ADVANCE = Column("is_advance", "flag", ("advance", "is_deposit"))

LINES = Child(
    "lines",
    Table(
        text("id product_code item_description")
        + number("quantity")
        + amount("unit_price discount tax total cost")
    ),
    ("item_lines", "items"),
)
PAYMENTS = Child(
    "payments",
    Table(
        text("id payment_id payment_note")
        + amount("amount")
        + (Column("date", "moment", ("payment_date", "created_date")),)
        + (IS_ADVANCE,),
        (
            Reference(
                "payment_method", ("id", "title"), "title", ("payment_type", "method", "type")
            ),
        ),
    ),
)
RETURNS = Child(
    "returns",
    Table(
        text("id number reason")
        + (
            Column("amount", "amount", ("amount_total", "total", "total_amount")),
            Column("created_date", "moment", ("date", "return_date", "created_at")),
        ),
        children=(LINES,),
    ),
)

_DOCUMENT = (
    text("notes")
    + (
        Column("number", "text", ("invoice_no", "order_no", "invoice_number", "order_number")),
        Column("status", "text", ("payment_status",)),
        Column("amount_total", "amount", COMMON_ALIASES["amount_total"]),
        Column("created_date", "moment", (*COMMON_ALIASES["created_date"], "invoice_date")),
    )
    + amount("tax_total discount_total")
    + moment("due_date last_updated")
)

TABLES: dict[str, Table] = {
    "users": Table(
        text("first_name last_name name email mobile phone address website gender type status")
        + moment("created_date")
    ),
    "tax_rates": Table(text("name code type") + number("value")),
    "payment_methods": Table(
        (Column("title", "text", ("name", "label")),) + moment("created_date")
    ),
    "time_clock": Table(
        (
            Column("in_date", "moment", ("clock_in", "indate")),
            Column("out_date", "moment", ("clock_out", "outdate")),
            Column("in_notes", "text", ("notes_in",)),
            Column("out_notes", "text", ("notes_out",)),
        )
        + moment("created_date"),
        (USER,),
    ),
    "appointments": Table(
        text("subject description type color location latitude longitude status")
        + (Column("start_date", "moment", ("dateandtime", "date_and_time", "start", "date")),)
        + moment("end_date created_date last_updated")
        + number("duration"),
        (TICKET, CUSTOMER, named("lead", "leads")),
        (Child("attendees", Table(text("id first_name last_name email"))),),
    ),
    "customers": Table(
        text(
            "ref name email invoiceemail mobile phone company vat_registration_number gender type "
            "referred_by account_manager comments country_code"
        )
        + moment("created_date last_updated date_of_birth")
        + number("payment_term_days")
        + (Column("credit_limit", "amount", ("creditlimit",)),)
        + (
            Column("gdpr_compliant", "flag", ("gdpr",)),
            Column("sub_sms_service", "flag", ("sms_service",)),
        )
        + flag(
            "sub_print_media sub_email_marketing sub_email_notifications intra_community "
            "vat_exemption"
        ),
        (
            Reference("name_parts", ("first_name", "middle_name", "last_name"), "first_name"),
            Reference("fulladdress", ("address", "city", "post_code", "country"), "address"),
            named("group", "customer_group"),
        ),
    ),
    "groups": Table(
        text("name billing_name billing_mobile billing_email")
        + number("discount")
        + moment("created_date")
    ),
    "tickets": Table(
        text("ticket_ref ticket_no short_info description device created_from work_approved")
        + amount("amount_total discount tax")
        + moment("created_date last_updated due_date"),
        (
            labelled("status"),
            labelled("issue_type", "issuetype"),
            labelled("priority"),
            CUSTOMER,
            Reference("technician", STAFF_FIELDS, "first_name", ("assigned_to", "user")),
            Reference("invoice", ("id", "number", "amount", "last_payment_date"), "number"),
        ),
        (LINES, PAYMENTS),
    ),
    "ticket_comments": Table(
        text("comment type") + moment("created_date last_updated"),
        (TICKET, labelled("status"), USER),
    ),
    "ticket_timers": Table(
        text("notes") + moment("start_date end_date created_date"), (TICKET, USER)
    ),
    "statuses": Table(
        (Column("label", "text", ("status", "name")),)
        + text("type color")
        + flag("in_pipeline")
        + moment("created_date")
    ),
    "presets": Table(
        text("name legal_document_id") + moment("created_date"),
        (named("category"), named("brand"), named("model"), labelled("issue_type")),
        (LINES,),
    ),
    "preset_categories": Table(text("name") + moment("created_date")),
    "issue_types": Table(
        (Column("label", "text", ("issue", "name")),) + moment("created_date"),
        (Reference("photourls", ("large",), "large"),),
    ),
    "ticket_invoices": Table(_DOCUMENT, (TICKET, CUSTOMER), (LINES, PAYMENTS, RETURNS)),
    "pos_orders": Table(_DOCUMENT, (CUSTOMER,), (LINES, PAYMENTS, RETURNS)),
    "payments": Table(
        text("payment_id payment_note")
        + amount("amount")
        + (
            Column("date", "moment", ("payment_date", "created_date")),
            Column("kind", "text", ("payment_kind", "resource_type")),
        )
        + (IS_ADVANCE,),
        (
            Reference(
                "payment_method", ("id", "title"), "title", ("payment_type", "method", "type")
            ),
            # Embedded by includeResource (specification, GET /payments).
            Reference("invoice", ("id", "number"), "id", ("ticket_invoice",)),
            Reference("pos", ("id", "number"), "id", ("pos_order", "order", "pos_invoice")),
            Reference("return", ("id", "number"), "id"),
        ),
    ),
    "products": Table(
        text(
            "type name code physical_location supplier_code condition status description imei "
            "supplier_item_code"
        )
        + number("stock alert_quantity reorder_quantity")
        + flag("inventory_control serialised_stock discountable one_time_use")
        + (
            Column("prices__retail_price", "amount", ("price", "retail_price")),
            Column("prices__retail_price_inc_vat", "amount", ("retail_price_inc_vat",)),
            Column("prices__cost_price", "amount", ("cost", "cost_price")),
            Column("prices__cost_price_inc_vat", "amount", ("cost_price_inc_vat",)),
            Column("prices__vat", "amount", ("vat",)),
        )
        + moment("created_date last_updated"),
        (
            named("brand"),
            named("model"),
            named("category"),
            Reference("supplier", ("id", "company"), "company"),
            Reference("photourls", ("large",), "large"),
        ),
    ),
    "warranties": Table(
        text("name description status") + number("term_days") + moment("created_date")
    ),
    "models": Table(
        text("status")
        + (Column("model", "text", ("name",)), Column("make", "text", ("brand",)))
        + moment("created_date"),
        (named("model_group"), Reference("photourls", ("large",), "large")),
    ),
    "model_groups": Table(text("name") + moment("created_date")),
    "categories": Table(
        text("name") + number("profit_margin") + moment("created_date"),
        (named("parent_category", "parent"),),
    ),
    "brands": Table(
        text("name") + moment("created_date"), (Reference("logourls", ("large",), "large"),)
    ),
    "stock_count": Table(
        text("reference status notes") + moment("created_date"),
        (USER,),
        (
            Child(
                "products",
                Table(
                    (Column("product_id", "text", ("product",)),)
                    + text("id product_code product_name")
                    + number("expected counted difference quantity")
                ),
                ("counts", "items", "lines"),
            ),
        ),
    ),
    "stock": Table(
        number("quantity remaining")
        + (Column("cog_per_item", "amount", ("cost_per_item", "cog")),)
        + flag("serialize_stock internal_use breakage")
        + text("location")
        + moment("expired_on created_date"),
        (PRODUCT,),
    ),
    "serials": Table(
        (Column("serial", "text", ("serial_number", "serial_no")),)
        + text("status stock_id")
        + number("term_in_days")
        + moment("created_date"),
        (PRODUCT,),
    ),
    "adjustments": Table(
        text("reference_no notes")
        + (Column("adjustment_date", "moment", ("date",)),)
        + moment("created_date"),
        (),
        (
            Child(
                "products",
                Table(
                    (Column("product_id", "text", ("product",)),)
                    + text("id stock_id type")
                    + number("quantity")
                    + flag("internal_use breakage")
                ),
                ("lines", "items"),
            ),
        ),
    ),
    "suppliers": Table(
        text(
            "company contact_name mobile phone email address town county postcode country_code "
            "status"
        )
        + moment("created_date")
    ),
    "purchase_orders": Table(
        (Column("number", "text", ("order_no", "po_number")),)
        + text("status notes")
        + moment("created_date expected_date last_updated")
        + (Column("received_date", "moment", ("received_at", "date_received", "received_on")),)
        + (Column("cost", "amount", ("amount_total", "total", "amount", "total_cost")),)
        + (Column("shipping_cost", "amount", ("shipping", "shipping_amount", "delivery_cost")),)
        + amount("tax_total"),
        (Reference("supplier", ("id", "company"), "company"),),
        (LINES,),
    ),
    "expenses": Table(
        text("reference notes")
        + (Column("amount", "amount", ("amount_total", "total")),)
        + amount("tax")
        + moment("created_date"),
        (named("category", "expense_category"),),
    ),
    "expense_categories": Table(
        (Column("name", "text", ("category", "label")),) + moment("created_date")
    ),
    "leads": Table(
        text(
            "name business_name telephone mobile email address subject description referred_by "
            "status country_code"
        )
        + flag("gdpr_compliant")
        + moment("created_date last_updated"),
        (labelled("issue_type", "issue"), TICKET, CUSTOMER, USER),
    ),
    "custom_fields": Table(
        text("type name label field_type category_id tab_id options")
        + flag("required")
        + moment("created_date")
    ),
    "shipments": Table(
        (Column("pin", "text", ("tracking_number",)),)
        + text("carrier status")
        + moment("created_date"),
        (TICKET, CUSTOMER),
    ),
    "shipments_deleted": Table(
        (Column("pin", "text", ("tracking_number",)),)
        + text("carrier status")
        + moment("created_date deleted_date"),
        (TICKET, CUSTOMER),
    ),
}
"""Raw table -> its declared shape; one entry for each list endpoint."""
