"""What several lists have in common: the records they name, the lists nested in documents."""

from ...schema.shapes import Child, Reference, Table

CUSTOMER = Reference(
    "customer",
    ("id", "internal_id", "name", "email", "mobile", "phone", "company"),
    "name",
    ("client",),
)
TICKET = Reference("ticket", ("id", "ticket_ref", "ticket_no"), "id")
STAFF_FIELDS = ("id", "first_name", "last_name", "email")
USER = Reference("user", STAFF_FIELDS, "id", ("staff", "created_by"), "member of staff")
PRODUCT = Reference("product", ("id", "name", "code"), "id")
SUPPLIER = Reference("supplier", ("id", "company"), "company", ("vendor",))
PAYMENT_METHOD = Reference(
    "payment_method", ("id", "title"), "title", ("payment_type", "method", "type")
)
PHOTO = Reference("photourls", ("large",), "large")
PHOTO_NAME = {"photourls__large": "photo_url"}

IS_ADVANCE = "is_advance:flag|advance|is_deposit"
INACTIVE = ("status", "In active")
USED_UP = (("internal_use", "True"), ("breakage", "True"))


def lines(one: str) -> Child:
    """The lines of a document."""
    of_line = (
        "id product_code|product__code|code|sku "
        "item_description|product__name|description|product_name|name "
        "quantity:number|qty|count unit_price:amount|price|price_per_unit "
        "discount:amount|discount_amount "
        "tax:amount|tax_amount total:amount|line_total|total_price|total_amount|amount "
        "cost:amount|unit_cost|cost_price"
    )
    # A bare id is the product's; its name and code belong to the columns above.
    of_product = Reference("product", ("id",), "name")
    return Child(
        "lines",
        one,
        Table(of_line, (of_product,), means={"product_id": "product_id__product"}),
        ("item_lines", "items", "line_items"),
    )


def payments(one: str) -> Child:
    """The payments embedded in a document."""
    of_payment = (
        "id payment_id payment_note amount:amount date:moment|payment_date|created_date "
        f"{IS_ADVANCE}"
    )
    return Child("payments", one, Table(of_payment, (PAYMENT_METHOD,), staged={"date": "paid"}))


def returns(document: str) -> Child:
    """The returns embedded in a document, with their lines."""
    of_return = (
        "id number reason amount:amount|amount_total|total|total_amount "
        "created_date:moment|date|return_date|created_at"
    )
    its_lines = lines(f"line of a return of {document}")
    shape = Table(of_return, (), (its_lines,), means={"number": "document_number"})
    return Child("returns", f"return embedded in {document}", shape)
