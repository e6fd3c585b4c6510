"""Products, models, categories, brands, stock, serials and adjustments, with the stock's sums."""

import uuid
from decimal import Decimal
from typing import Any

from sandbox.errors import Refusal
from sandbox.resources import BLANK
from sandbox.routes import Call
from sandbox.writes.common import (
    CENT,
    NAMED,
    PRODUCT,
    Body,
    Writes,
    exact,
    known_ids,
    mapped,
    moments,
    money,
    reference,
    references,
    renamed,
    shown_as,
)

_PRODUCT = shown_as(
    "type name condition code imei additionalModels status oneTimeUse inventoryControl "
    "enableOfferPrice TaxIncludedInOfferPrice alertQuantity discountable reorderQuantity "
    "supplierItemCode=supplier_code emailToSupplier physicalLocation serialisedStock "
    "maintenancePlan planDuration serviceSchedule description tax"
)


def _of_model(call: Call, value: Any) -> Body:
    """A product's model, and with it its brand."""
    found = reference(call, "model", "models", value, ("id", "model", "brand"))
    return {"model": {"id": found["id"], "name": found["model"]}, "brand": found["brand"]}


def _product_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, _PRODUCT)
    if "tax" in body:
        reference(call, "tax", "tax_rates", body["tax"], NAMED)
    if "additionalModels" in body:
        known_ids(call, "additionalModels", "models", body["additionalModels"])
    changes |= references(call, body, _REFERENCES)
    if "model" in body:
        changes |= _of_model(call, body["model"])
    if "offerPrice" in body:
        changes["offer_price"] = money(body["offerPrice"])
    changes |= moments(call, body, {"offerStart": "offer_start", "offerEnd": "offer_end"})
    return changes | _prices(call, body, before)


_REFERENCES = {
    "boughtFrom": ("bought_from", "customers", NAMED),
    "category": ("category", "categories", NAMED),
    "supplier": ("supplier", "suppliers", ("id", "company")),
    "warranty": ("warranty", "warranties", NAMED),
}


def _prices(call: Call, body: Body, before: Body) -> Body:
    """Prices with and without tax; a VAT Margin Scheme ignores the "tax included" flags."""
    if not {"cost", "price", "tax", "TaxIncludedInCost", "TaxIncludedInPrice"} & set(body):
        return {}
    tax_id = body.get("tax", before.get("tax"))
    tax = call.store.get("tax_rates", tax_id) or {}
    margin = "margin" in f"{tax.get('name', '')} {tax.get('type', '')}".lower()
    factor = 1 + Decimal(tax.get("value") or 0) / 100
    prices = dict(before.get("prices") or {})
    flags: Body = {}
    for field, flag, name, kept in (
        ("price", "TaxIncludedInPrice", "retail_price", "_tax_included_in_price"),
        ("cost", "TaxIncludedInCost", "cost_price", "_tax_included_in_cost"),
    ):
        sent = money(body[field]) if field in body else Decimal(prices.get(name) or 0)
        # What the flag said last holds until it is sent again.
        flags[kept] = bool(body.get(flag, before.get(kept, False)))
        included = flags[kept] and field in body and not margin
        without = (sent / factor).quantize(CENT) if included else sent
        prices[name] = without
        prices[f"{name}_inc_vat"] = sent if included else (sent * factor).quantize(CENT)
    prices["vat"] = prices["retail_price_inc_vat"] - prices["retail_price"]
    return {"prices": prices, **flags}


def _product_stock(call: Call, body: Body, product: Body) -> None:
    """``stockQuantity`` adds a stock record (specification, Product)."""
    if "stockQuantity" in body:
        cost = body.get("stock_cog_per_item", body.get("cost", 0))
        _add_stock(call, str(product["id"]), exact(body["stockQuantity"]), money(cost))


def _add_stock(call: Call, product_id: str, quantity: Any, cost: Decimal) -> None:
    record = {
        **BLANK["stock"],
        "product": reference(call, "product", "products", product_id, PRODUCT),
        "quantity": quantity,
        "cog_per_item": cost,
    }
    call.store.insert("stock", record)
    _move(call, product_id, quantity)


def _move(call: Call, product_id: str, by: Any) -> None:
    """Change a product's stock."""
    product = call.store.get("products", product_id)
    if product is not None and by:
        call.store.update("products", product_id, {"stock": exact(product.get("stock") or 0) + by})


def _stock_changes(call: Call, body: Body, before: Body) -> Body:
    changes = references(call, body, {"product": ("product", "products", PRODUCT)})
    for name, read in (("quantity", exact), ("cog_per_item", money)):
        if name in body:
            changes[name] = read(body[name])
    return changes | moments(call, body, {"expired_on": "expired_on"})


def _stock_updated(call: Call, body: Body, before: Body) -> None:
    after = call.store.get("stock", before["id"]) or before
    _move(call, before["product"]["id"], -before["quantity"])
    _move(call, after["product"]["id"], after["quantity"])


def _serial_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"serial": "serial"})
    if "term_in_days" in body:
        text = body["term_in_days"].strip()
        if not (text.isascii() and text.isdecimal()) or len(text) > 6:
            raise Refusal("term_in_days must be a number of days.")
        changes["term_in_days"] = int(text)
        if body.get("other_serial_update"):
            others = call.store.select(
                "serials", "json_extract(doc, '$.stock_id') = ?", (before.get("stock_id"),)
            )
            for other in others:
                call.store.update("serials", other["id"], {"term_in_days": int(text)})
    return changes


def _line(call: Call, sent: Body, prefix: str = "") -> Body:
    """One adjusted product, applied to its stock."""
    product_id = str(sent[f"{prefix}product_id"])
    reference(call, f"{prefix}product_id", "products", product_id, PRODUCT)
    line = {
        "stock_id": str(uuid.uuid4()),
        "product_id": product_id,
        "quantity": exact(sent[f"{prefix}quantity"]),
        "type": sent[f"{prefix}type"],
        "internal_use": bool(sent.get(f"{prefix}internal_use", False)),
        "breakage": bool(sent.get(f"{prefix}breakage", False)),
    }
    _move(call, product_id, _signed(line))
    return line


def _signed(line: Body) -> Any:
    quantity = exact(line["quantity"])
    return quantity if line["type"] == "Addition" else -quantity


def _adjustment(call: Call, body: Body) -> Body:
    return {
        **_adjustment_texts(call, body),
        "products": [_line(call, sent) for sent in body.get("products", [])],
    }


def _adjustment_texts(call: Call, body: Body) -> Body:
    texts = mapped(body, {"reference_no": "reference_no", "notes": "notes"})
    return texts | moments(call, body, {"adjustment_date": "adjustment_date"})


def _adjustment_changes(call: Call, body: Body, before: Body) -> Body:
    changes = _adjustment_texts(call, body)
    lines = {line["stock_id"]: dict(line) for line in before.get("products") or []}
    for sent in body.get("delete_products", []):
        line = lines.pop(str(sent["stock_id"]), None)
        if line is None:
            raise Refusal(f"stock_id '{sent['stock_id']}' is not part of this adjustment.")
        _move(call, line["product_id"], -_signed(line))
    for sent in body.get("update_products", []):
        line = lines.get(str(sent["up_stock_id"]))
        if line is None:
            raise Refusal(f"up_stock_id '{sent['up_stock_id']}' is not part of this adjustment.")
        _move(call, line["product_id"], -_signed(line))
        for name in ("quantity", "type", "internal_use", "breakage"):
            if f"up_{name}" in sent:
                line[name] = exact(sent[f"up_{name}"])
        _move(call, line["product_id"], _signed(line))
    for sent in body.get("add_products", []):
        line = _line(call, sent, "ad_")
        lines[line["stock_id"]] = line
    if {"add_products", "update_products", "delete_products"} & set(body):
        changes["products"] = list(lines.values())
    return changes


def _adjustment_deleted(call: Call, before: Body) -> None:
    for line in before.get("products") or []:
        _move(call, line["product_id"], -_signed(line))


def _model_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"name": "model", "status": "status"})
    if "brand" in body:
        changes["brand"] = reference(call, "brand", "brands", body["brand"], NAMED)
        changes["make"] = changes["brand"]["name"]
    groups = {"model_group": ("model_group", "model_groups", NAMED)}
    return changes | references(call, body, groups)


def _category_changes(call: Call, body: Body, before: Body) -> Body:
    changes = mapped(body, {"name": "name"})
    if "profit_margin" in body:
        changes["profit_margin"] = money(body["profit_margin"])
    if "parent_category" in body and str(body["parent_category"]) == str(before.get("id")):
        raise Refusal("parent_category must be another category.")
    parents = {"parent_category": ("parent_category", "categories", NAMED)}
    return changes | references(call, body, parents)


GOODS = (
    Writes("products", _product_changes, created=_product_stock, updated=_product_stock),
    Writes("models", _model_changes, updated=renamed("models")),
    Writes("categories", _category_changes, updated=renamed("categories")),
    Writes(
        "brands",
        lambda call, body, before: mapped(body, {"name": "name"}),
        updated=renamed("brands"),
    ),
    Writes(
        "stock",
        _stock_changes,
        created=lambda call, body, record: _move(call, record["product"]["id"], record["quantity"]),
        updated=_stock_updated,
        deleted=lambda call, before: _move(call, before["product"]["id"], -before["quantity"]),
    ),
    Writes("serials", _serial_changes, methods=("PUT", "DELETE")),
    Writes("adjustments", _adjustment_changes, _adjustment, deleted=_adjustment_deleted),
)
"""Writes of goods and their stock."""
