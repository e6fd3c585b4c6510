"""What several lists have in common: the records they name, the lists nested in documents."""

from __future__ import annotations

from ...schema.shapes import Child, Column, Reference, Table, amount, number, text

CUSTOMER = Reference(
    "customer", ("id", "internal_id", "name", "email", "mobile", "phone", "company"), "name"
)
TICKET = Reference("ticket", ("id", "ticket_ref", "ticket_no"), "id")
STAFF_FIELDS = ("id", "first_name", "last_name", "email")
USER = Reference("user", STAFF_FIELDS, "id", ("staff", "created_by"), "member of staff")
PRODUCT = Reference("product", ("id", "name", "code"), "id")
SUPPLIER = Reference("supplier", ("id", "company"), "company")
PAYMENT_METHOD = Reference(
    "payment_method", ("id", "title"), "title", ("payment_type", "method", "type")
)
PHOTO = Reference("photourls", ("large",), "large")
PHOTO_NAME = {"photourls__large": "photo_url"}

IS_ADVANCE = Column("is_advance", "flag", ("advance", "is_deposit"))
INACTIVE = ("status", "In active")
USED_UP = (("internal_use", "True"), ("breakage", "True"))


def lines(one: str) -> Child:
    """The lines of a document."""
    columns = (
        text("id product_code item_description")
        + number("quantity")
        + amount("unit_price discount tax total cost")
    )
    return Child("lines", one, Table(columns), ("item_lines", "items"))


def payments(one: str) -> Child:
    """The payments embedded in a document."""
    columns = (
        text("id payment_id payment_note")
        + amount("amount")
        + (Column("date", "moment", ("payment_date", "created_date")), IS_ADVANCE)
    )
    return Child("payments", one, Table(columns, (PAYMENT_METHOD,), staged={"date": "paid"}))


def returns(document: str) -> Child:
    """The returns embedded in a document, with their lines."""
    columns = text("id number reason") + (
        Column("amount", "amount", ("amount_total", "total", "total_amount")),
        Column("created_date", "moment", ("date", "return_date", "created_at")),
    )
    of_return = lines(f"line of a return of {document}")
    shape = Table(columns, (), (of_return,), means={"number": "document_number"})
    return Child("returns", f"return embedded in {document}", shape)
