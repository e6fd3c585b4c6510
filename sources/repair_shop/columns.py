"""What each raw table holds: columns, kinds, the other names a service may use for them.

The specification shows no response field but a customer's ``id``, ``name`` and ``email``
("Resources and their fields"); the rest are the fields seen in the wild. So nothing here is relied
on to be there: a declared column exists in the warehouse even when no row has it, an undeclared
field becomes a text column of its own, and :mod:`sources.repair_shop.clean` loses neither.

Kinds of a column: ``text``; ``amount`` DECIMAL(28,4), money and prices; ``number`` DECIMAL(28,4),
quantities and percentages; ``whole`` BIGINT; ``flag`` BOOLEAN; ``moment`` ISO 8601 text as the
service said it, in one spelling (an offset only if the service gave one; staging makes it a time).
A reference such as ``customer`` is flattened to ``customer__id``, ``customer__name`` ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "amount", "number", "whole", "flag", "moment"]


@dataclass(frozen=True)
class Column:
    """One declared column: its name in ``raw``, its kind, its other names at services."""

    name: str
    kind: Kind = "text"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    """An object that names another record, e.g. ``customer {id, name}``.

    A service that answers plain text where the object belongs says it in ``scalar``.
    """

    name: str
    fields: tuple[str, ...]
    scalar: str = "label"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Child:
    """A nested list, loaded as the child table ``<parent>__<name>``."""

    name: str
    table: Table
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The declared shape of one raw table (or of one nested list)."""

    columns: tuple[Column, ...] = ()
    references: tuple[Reference, ...] = ()
    children: tuple[Child, ...] = ()
    identifiers: tuple[str, ...] = field(default=())
    """Other names of ``id``."""

    def flat_columns(self) -> dict[str, Kind]:
        """Column name in the warehouse -> kind, references flattened."""
        flat: dict[str, Kind] = {column.name: column.kind for column in self.columns}
        for reference in self.references:
            flat |= {f"{reference.name}__{name}": "text" for name in reference.fields}
        return flat


# Names under which a column of that name is also looked for, in every table.
COMMON_ALIASES: dict[str, tuple[str, ...]] = {
    "created_date": ("created", "created_at", "date_created", "creation_date", "date_added"),
    "last_updated": ("updated", "updated_at", "updated_date", "modified_date", "date_updated"),
    "amount_total": ("total_amount", "grand_total", "total", "amount"),
    "vat_registration_number": ("vat_registration",),
    "fulladdress__address": ("address",),
    "fulladdress__city": ("city",),
    "fulladdress__post_code": ("post_code", "postcode", "postal_code"),
    "fulladdress__country": ("country", "country_code"),
    "phone": ("telephone",),
    "invoiceemail": ("invoice_email",),
    "due_date": ("due",),
}


def _of(kind: Kind, names: str) -> tuple[Column, ...]:
    return tuple(Column(name, kind, COMMON_ALIASES.get(name, ())) for name in names.split())


def _text(names: str) -> tuple[Column, ...]:
    return _of("text", names)


def _amount(names: str) -> tuple[Column, ...]:
    return _of("amount", names)


def _number(names: str) -> tuple[Column, ...]:
    return _of("number", names)


def _flag(names: str) -> tuple[Column, ...]:
    return _of("flag", names)


def _moment(names: str) -> tuple[Column, ...]:
    return _of("moment", names)


def _label(name: str, *aliases: str) -> Reference:
    return Reference(name, ("id", "label"), "label", aliases)


def _named(name: str, *aliases: str) -> Reference:
    return Reference(name, ("id", "name"), "name", aliases)


CUSTOMER = Reference(
    "customer", ("id", "internal_id", "name", "email", "mobile", "phone", "company"), "name"
)
TICKET = Reference("ticket", ("id", "ticket_ref", "ticket_no"), "id")
STAFF_FIELDS = ("id", "first_name", "last_name", "email")
USER = Reference("user", STAFF_FIELDS, "id", ("staff", "created_by"))
PRODUCT = Reference("product", ("id", "name", "code"), "id")

LINES = Child(
    "lines",
    Table(
        _text("id product_code item_description")
        + _number("quantity")
        + _amount("unit_price discount tax total cost")
    ),
    ("item_lines", "items"),
)
PAYMENTS = Child(
    "payments",
    Table(
        _text("id payment_id payment_note")
        + _amount("amount")
        + (Column("date", "moment", ("payment_date", "created_date")),)
        + _flag("is_advance"),
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
        _text("id number reason")
        + (
            Column("amount", "amount", ("amount_total", "total", "total_amount")),
            Column("created_date", "moment", ("date", "return_date", "created_at")),
        ),
        children=(LINES,),
    ),
)

_DOCUMENT = (
    _text("notes")
    + (
        Column("number", "text", ("invoice_no", "order_no", "invoice_number", "order_number")),
        Column("status", "text", ("payment_status",)),
        Column("amount_total", "amount", COMMON_ALIASES["amount_total"]),
        Column("created_date", "moment", (*COMMON_ALIASES["created_date"], "date", "invoice_date")),
    )
    + _amount("tax_total discount_total")
    + _moment("due_date last_updated")
)

TABLES: dict[str, Table] = {
    "users": Table(
        _text("first_name last_name name email mobile phone address website gender type status")
        + _moment("created_date")
    ),
    "tax_rates": Table(_text("name code type") + _number("value")),
    "payment_methods": Table(
        (Column("title", "text", ("name", "label")),) + _moment("created_date")
    ),
    "time_clock": Table(
        (
            Column("in_date", "moment", ("clock_in", "indate")),
            Column("out_date", "moment", ("clock_out", "outdate")),
            Column("in_notes", "text", ("notes_in",)),
            Column("out_notes", "text", ("notes_out",)),
        )
        + _moment("created_date"),
        (USER,),
    ),
    "appointments": Table(
        _text("subject description type color location latitude longitude status")
        + (Column("start_date", "moment", ("dateandtime", "date_and_time", "start")),)
        + _moment("end_date created_date last_updated")
        + _number("duration"),
        (TICKET, CUSTOMER, _named("lead", "leads")),
        (Child("attendees", Table(_text("id first_name last_name email"))),),
    ),
    "customers": Table(
        _text(
            "ref name email invoiceemail mobile phone company vat_registration_number gender type "
            "referred_by account_manager comments country_code"
        )
        + _moment("created_date last_updated date_of_birth")
        + _number("payment_term_days")
        + (Column("credit_limit", "amount", ("creditlimit",)),)
        + (
            Column("gdpr_compliant", "flag", ("gdpr",)),
            Column("sub_sms_service", "flag", ("sms_service",)),
        )
        + _flag(
            "sub_print_media sub_email_marketing sub_email_notifications intra_community "
            "vat_exemption"
        ),
        (
            Reference("name_parts", ("first_name", "middle_name", "last_name"), "first_name"),
            Reference("fulladdress", ("address", "city", "post_code", "country"), "address"),
            _named("group", "customer_group"),
        ),
    ),
    "groups": Table(
        _text("name billing_name billing_mobile billing_email")
        + _number("discount")
        + _moment("created_date")
    ),
    "tickets": Table(
        _text("ticket_ref ticket_no short_info description device created_from work_approved")
        + _amount("amount_total discount tax")
        + _moment("created_date last_updated due_date"),
        (
            _label("status"),
            _label("issue_type", "issuetype"),
            _label("priority"),
            CUSTOMER,
            Reference("technician", STAFF_FIELDS, "first_name", ("assigned_to", "user")),
            Reference("invoice", ("id", "number", "amount", "last_payment_date"), "number"),
        ),
        (LINES, PAYMENTS),
    ),
    "ticket_comments": Table(
        _text("comment type") + _moment("created_date last_updated"),
        (TICKET, _label("status"), USER),
    ),
    "ticket_timers": Table(
        _text("notes") + _moment("start_date end_date created_date"), (TICKET, USER)
    ),
    "statuses": Table(
        (Column("label", "text", ("status", "name")),)
        + _text("type color")
        + _flag("in_pipeline")
        + _moment("created_date")
    ),
    "presets": Table(
        _text("name legal_document_id") + _moment("created_date"),
        (_named("category"), _named("brand"), _named("model"), _label("issue_type")),
        (LINES,),
    ),
    "preset_categories": Table(_text("name") + _moment("created_date")),
    "issue_types": Table(
        (Column("label", "text", ("issue", "name")),) + _moment("created_date"),
        (Reference("photourls", ("large",), "large"),),
    ),
    "ticket_invoices": Table(_DOCUMENT, (TICKET, CUSTOMER), (LINES, PAYMENTS, RETURNS)),
    "pos_orders": Table(_DOCUMENT, (CUSTOMER,), (LINES, PAYMENTS, RETURNS)),
    "payments": Table(
        _text("payment_id payment_note")
        + _amount("amount")
        + (
            Column("date", "moment", ("payment_date", "created_date")),
            Column("kind", "text", ("payment_kind", "resource_type")),
        )
        + _flag("is_advance"),
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
        _text(
            "type name code physical_location supplier_code condition status description imei "
            "supplier_item_code"
        )
        + _number("stock alert_quantity reorder_quantity")
        + _flag("inventory_control serialised_stock discountable one_time_use")
        + (
            Column("prices__retail_price", "amount", ("price", "retail_price")),
            Column("prices__retail_price_inc_vat", "amount", ("retail_price_inc_vat",)),
            Column("prices__cost_price", "amount", ("cost", "cost_price")),
            Column("prices__cost_price_inc_vat", "amount", ("cost_price_inc_vat",)),
            Column("prices__vat", "amount", ("vat",)),
        )
        + _moment("created_date last_updated"),
        (
            _named("brand"),
            _named("model"),
            _named("category"),
            Reference("supplier", ("id", "company"), "company"),
            Reference("photourls", ("large",), "large"),
        ),
    ),
    "warranties": Table(
        _text("name description status") + _number("term_days") + _moment("created_date")
    ),
    "models": Table(
        _text("status")
        + (Column("model", "text", ("name",)), Column("make", "text", ("brand",)))
        + _moment("created_date"),
        (_named("model_group"), Reference("photourls", ("large",), "large")),
    ),
    "model_groups": Table(_text("name") + _moment("created_date")),
    "categories": Table(
        _text("name") + _number("profit_margin") + _moment("created_date"),
        (_named("parent_category", "parent"),),
    ),
    "brands": Table(
        _text("name") + _moment("created_date"), (Reference("logourls", ("large",), "large"),)
    ),
    "stock_count": Table(
        _text("reference status notes") + _moment("created_date"),
        (USER,),
        (
            Child(
                "products",
                Table(
                    (Column("product_id", "text", ("product",)),)
                    + _text("id product_code product_name")
                    + _number("expected counted difference quantity")
                ),
                ("counts", "items", "lines"),
            ),
        ),
    ),
    "stock": Table(
        _number("quantity remaining")
        + (Column("cog_per_item", "amount", ("cost_per_item", "cog")),)
        + _flag("serialize_stock internal_use breakage")
        + _text("location")
        + _moment("expired_on created_date"),
        (PRODUCT,),
    ),
    "serials": Table(
        (Column("serial", "text", ("serial_number", "serial_no")),)
        + _text("status stock_id")
        + _number("term_in_days")
        + _moment("created_date"),
        (PRODUCT,),
    ),
    "adjustments": Table(
        _text("reference_no notes") + _moment("adjustment_date created_date"),
        (),
        (
            Child(
                "products",
                Table(
                    (Column("product_id", "text", ("product",)),)
                    + _text("id stock_id type")
                    + _number("quantity")
                    + _flag("internal_use breakage")
                ),
                ("lines", "items"),
            ),
        ),
    ),
    "suppliers": Table(
        _text(
            "company contact_name mobile phone email address town county postcode country_code "
            "status"
        )
        + _moment("created_date")
    ),
    "purchase_orders": Table(
        (Column("number", "text", ("order_no", "po_number")),)
        + _text("status notes")
        + _moment("created_date received_date expected_date last_updated")
        + (Column("cost", "amount", ("amount_total", "total", "amount", "total_cost")),)
        + (Column("shipping_cost", "amount", ("shipping",)),)
        + _amount("tax_total"),
        (Reference("supplier", ("id", "company"), "company"),),
        (LINES,),
    ),
    "expenses": Table(
        _text("reference notes")
        + (Column("amount", "amount", ("amount_total", "total")),)
        + _amount("tax")
        + (Column("created_date", "moment", (*COMMON_ALIASES["created_date"], "date")),),
        (_named("category", "expense_category"),),
    ),
    "expense_categories": Table(
        (Column("name", "text", ("category", "label")),) + _moment("created_date")
    ),
    "leads": Table(
        _text(
            "name business_name telephone mobile email address subject description referred_by "
            "status country_code"
        )
        + _flag("gdpr_compliant")
        + _moment("created_date last_updated"),
        (_label("issue_type", "issue"), TICKET, CUSTOMER, USER),
    ),
    "custom_fields": Table(
        _text("type name label field_type category_id tab_id options")
        + _flag("required")
        + _moment("created_date")
    ),
    "shipments": Table(
        (Column("pin", "text", ("tracking_number",)),)
        + _text("carrier status")
        + _moment("created_date"),
        (TICKET, CUSTOMER),
    ),
    "shipments_deleted": Table(
        (Column("pin", "text", ("tracking_number",)),)
        + _text("carrier status")
        + _moment("created_date deleted_date"),
        (TICKET, CUSTOMER),
    ),
}
"""Raw table -> its declared shape; one entry for each list endpoint."""
