"""Invoices and payments. ``/posInvoices`` has the role of ``/posOrders`` and is not asked twice."""

from __future__ import annotations

from ...schema.endpoint import Endpoint
from ...schema.lists.common import (
    CUSTOMER,
    IS_ADVANCE,
    PAYMENT_METHOD,
    TICKET,
    lines,
    payments,
    returns,
)
from ...schema.shapes import COMMON_ALIASES, Column, Reference, Table, amount, moment, text

_INCLUDE = ("includePayments", "includeLines", "includeReturns")
_SETTLED = (("status", "Paid"), ("status", "Due"))
_COLUMNS = (
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


def _document(one: str, *references: Reference) -> Table:
    nested = (lines(f"line of {one}"), payments(f"payment embedded in {one}"), returns(one))
    return Table(_COLUMNS, references, nested, means={"number": "document_number"})


ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/ticketInvoices",
        "ticket invoice",
        _document("a ticket invoice", TICKET, CUSTOMER),
        called="invoice",
        include=_INCLUDE,
        detail=True,
        reread_by="paymentDateFrom",
        hidden=_SETTLED,
    ),
    Endpoint(
        "/posOrders",
        "point-of-sale order",
        _document("a POS order", CUSTOMER),
        called="order",
        include=_INCLUDE,
        detail=True,
        hidden=_SETTLED,
    ),
    Endpoint(
        "/payments",
        "payment the service lists",
        Table(
            text("payment_id payment_note")
            + amount("amount")
            + (
                Column("date", "moment", ("payment_date", "created_date")),
                Column("kind", "text", ("payment_kind", "resource_type")),
                IS_ADVANCE,
            ),
            (
                PAYMENT_METHOD,
                # Embedded by includeResource (specification, GET /payments).
                Reference("invoice", ("id", "number"), "id", ("ticket_invoice",)),
                Reference(
                    "pos",
                    ("id", "number"),
                    "id",
                    ("pos_order", "order", "pos_invoice"),
                    "POS order",
                ),
                Reference("return", ("id", "number"), "id"),
            ),
            staged={"date": "paid"},
            means={
                "kind": "Kind the service names: pos, invoice or return (specification, Payment).",
            },
        ),
        include=("includeResource",),
        window=("paymentDateFrom", "paymentDateTo"),
        day_column="date",
        hidden=(("filter", "pos"), ("filter", "return")),
    ),
)
