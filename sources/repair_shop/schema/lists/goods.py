"""Products, models, categories, brands, and stock."""

from __future__ import annotations

from ...schema.endpoint import Endpoint
from ...schema.lists.common import INACTIVE, PHOTO, PHOTO_NAME, PRODUCT, SUPPLIER, USED_UP, USER
from ...schema.shapes import (
    Child,
    Column,
    Reference,
    Table,
    flag,
    moment,
    named,
    number,
    text,
)

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/products",
        "product or service on sale",
        Table(
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
            (named("brand"), named("model"), named("category"), SUPPLIER, PHOTO),
            staged={
                **PHOTO_NAME,
                "inventory_control": "has_inventory_control",
                "serialised_stock": "has_serialised_stock",
                "prices__retail_price": "retail_price",
                "prices__retail_price_inc_vat": "retail_price_inc_vat",
                "prices__cost_price": "cost_price",
                "prices__cost_price_inc_vat": "cost_price_inc_vat",
                "prices__vat": "vat",
            },
            means={
                "physical_location": "Where it is kept.",
                "supplier_code": "Code of the supplier.",
                "imei": "IMEI number.",
                "supplier_item_code": "Code under which the supplier sells it.",
                "stock": "stock_quantity",
                "cost_price_inc_vat": "Cost of one unit with VAT, in the shop's currency.",
                "vat": "VAT of one unit as the service gives it.",
                "has_inventory_control": "Whether stock is counted.",
                "is_discountable": "Whether a discount may be given.",
                "is_one_time_use": "Whether it is sold once only.",
            },
        ),
        include=("includeCustomFields", "includeXsellUpsell"),
        recently_updated=True,
        updated_path="/products/updated",
        detail=True,
        hidden=(INACTIVE, ("type", "service")),
    ),
    Endpoint(
        "/warranties",
        "warranty",
        Table(
            text("name description status") + number("term_days") + moment("created_date"),
            means={"term_days": "Term in days."},
        ),
    ),
    Endpoint(
        "/models",
        "device model",
        Table(
            text("status")
            + (Column("model", "text", ("name",)), Column("make", "text", ("brand",)))
            + moment("created_date"),
            (named("model_group"), PHOTO),
            staged=PHOTO_NAME,
            means={"model": "Model name.", "make": "Make."},
        ),
        detail=True,
    ),
    Endpoint(
        "/modelGroups",
        "group of device models",
        Table(text("name") + moment("created_date")),
        detail=True,
    ),
    Endpoint(
        "/categories",
        "product category",
        Table(
            text("name") + number("profit_margin") + moment("created_date"),
            (named("parent_category", "parent"),),
            means={
                "profit_margin": "Margin wanted, in percent (specification, Limits: between 0 and "
                "100).",
            },
        ),
        detail=True,
    ),
    Endpoint(
        "/brands",
        "brand",
        Table(
            text("name") + moment("created_date"),
            (Reference("logourls", ("large",), "large"),),
            staged={"logourls__large": "logo_url"},
            means={"logo_url": "Address of the logo."},
        ),
        detail=True,
    ),
    Endpoint(
        "/stockCount",
        "stock count",
        Table(
            text("reference status notes") + moment("created_date"),
            (USER,),
            (
                Child(
                    "products",
                    "product counted in a stock count",
                    Table(
                        (Column("product_id", "text", ("product",)),)
                        + text("id product_code product_name")
                        + number("expected counted difference quantity"),
                        means={
                            "product_id": "product_id__product",
                            "expected": "Units the books expect.",
                            "counted": "Units counted.",
                            "difference": "Units counted less units expected.",
                        },
                    ),
                    ("counts", "items", "lines"),
                ),
            ),
        ),
        created_filter=False,
    ),
    Endpoint(
        "/stock",
        "stock record (a batch of one product)",
        Table(
            number("quantity remaining")
            + (Column("cog_per_item", "amount", ("cost_per_item", "cog")),)
            + flag("serialize_stock internal_use breakage")
            + text("location")
            + moment("expired_on created_date"),
            (PRODUCT,),
            staged={
                "cog_per_item": "cost_per_item",
                "serialize_stock": "has_serialised_stock",
                "expired_on": "expiry",
            },
            means={
                "location": "location__place",
                "remaining": "Units of the batch still there.",
                "cost_per_item": "Cost of goods of one unit of the batch, in the shop's currency.",
                "expiry": "the batch expires",
            },
        ),
        detail=True,
        hidden=USED_UP,
    ),
    Endpoint(
        "/serials",
        "serial number",
        Table(
            (Column("serial", "text", ("serial_number", "serial_no")),)
            + text("status stock_id")
            + number("term_in_days")
            + moment("created_date"),
            (PRODUCT,),
            means={"serial": "Serial number.", "term_in_days": "Warranty term in days."},
        ),
        detail=True,
    ),
    Endpoint(
        "/adjustments",
        "stock adjustment",
        Table(
            text("reference_no notes")
            + (Column("adjustment_date", "moment", ("date",)),)
            + moment("created_date"),
            (),
            (
                Child(
                    "products",
                    "product moved by a stock adjustment",
                    Table(
                        (Column("product_id", "text", ("product",)),)
                        + text("id stock_id type")
                        + number("quantity")
                        + flag("internal_use breakage"),
                        means={"product_id": "product_id__product"},
                    ),
                    ("lines", "items"),
                ),
            ),
            means={
                "reference_no": "Reference number.",
                "adjustment": "the adjustment takes effect",
            },
        ),
        detail=True,
        hidden=USED_UP,
    ),
)
