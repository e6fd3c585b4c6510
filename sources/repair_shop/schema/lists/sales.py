"""Invoices and payments. ``/posInvoices`` has the role of ``/posOrders`` and is not asked twice."""

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
from ...schema.shapes import Reference, Table

_INCLUDE = ("includePayments", "includeLines", "includeReturns")
_SETTLED = (("status", "Paid"), ("status", "Due"))
_COLUMNS = (
    "notes number|invoice_no|order_no|invoice_number|order_number status|payment_status "
    "amount_total:amount created_date:moment|+invoice_date tax_total:amount discount_total:amount "
    "due_date:moment last_updated:moment"
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
            "payment_id payment_note amount:amount date:moment|payment_date|created_date "
            f"kind|payment_kind|resource_type {IS_ADVANCE}",
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
                "kind": "Kind the service names: pos, invoice or return (specification, Payment)."
            },
        ),
        include=("includeResource",),
        window=("paymentDateFrom", "paymentDateTo"),
        day_column="date",
        hidden=(("filter", "pos"), ("filter", "return")),
    ),
)
