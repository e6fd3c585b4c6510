"""Products, models, categories, brands, and stock."""

from ...schema.endpoint import Endpoint
from ...schema.lists.common import INACTIVE, PHOTO, PHOTO_NAME, PRODUCT, SUPPLIER, USED_UP, USER
from ...schema.shapes import Child, Reference, Table, named

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/products",
        "product or service on sale",
        Table(
            "type name|title|product_name code|sku|product_code physical_location supplier_code "
            "condition status description imei supplier_item_code "
            "stock:number|stock_quantity|in_stock|quantity|qty alert_quantity:number "
            "reorder_quantity:number inventory_control:flag serialised_stock:flag "
            "discountable:flag one_time_use:flag "
            "prices__retail_price:amount|price|retail_price "
            "prices__retail_price_inc_vat:amount|retail_price_inc_vat "
            "prices__cost_price:amount|cost|cost_price|unit_cost "
            "prices__cost_price_inc_vat:amount|cost_price_inc_vat prices__vat:amount|vat "
            "created_date:moment last_updated:moment",
            (
                named("brand", is_word=True),
                named("model", is_word=True),
                named("category", "product_category"),
                SUPPLIER,
                PHOTO,
            ),
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
            "name description status term_days:number created_date:moment",
            means={"term_days": "Term in days."},
        ),
    ),
    Endpoint(
        "/models",
        "device model",
        Table(
            "status model|name make|brand created_date:moment",
            (named("model_group"), PHOTO),
            staged=PHOTO_NAME,
            means={"model": "Model name.", "make": "Make."},
        ),
        detail=True,
    ),
    Endpoint(
        "/modelGroups", "group of device models", Table("name created_date:moment"), detail=True
    ),
    Endpoint(
        "/categories",
        "product category",
        Table(
            "name profit_margin:number created_date:moment",
            (named("parent_category", "parent"),),
            means={
                "profit_margin": "Margin wanted, in percent (specification, Limits: between 0 and "
                "100)."
            },
        ),
        detail=True,
    ),
    Endpoint(
        "/brands",
        "brand",
        Table(
            "name created_date:moment",
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
            "reference status notes created_date:moment",
            (USER,),
            (
                Child(
                    "products",
                    "product counted in a stock count",
                    Table(
                        "product_id|product id product_code product_name expected:number "
                        "counted:number difference:number quantity:number",
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
            "quantity:number remaining:number cog_per_item:amount|cost_per_item|cog "
            "serialize_stock:flag internal_use:flag breakage:flag location "
            "expired_on:moment created_date:moment",
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
            "serial|serial_number|serial_no status stock_id term_in_days:number "
            "created_date:moment",
            (PRODUCT,),
            means={"serial": "Serial number.", "term_in_days": "Warranty term in days."},
        ),
        detail=True,
    ),
    Endpoint(
        "/adjustments",
        "stock adjustment",
        Table(
            "reference_no notes adjustment_date:moment|date created_date:moment",
            (),
            (
                Child(
                    "products",
                    "product moved by a stock adjustment",
                    Table(
                        "product_id|product id stock_id type quantity:number "
                        "internal_use:flag breakage:flag",
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
