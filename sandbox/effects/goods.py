"""Products' prices, models, categories, stock, serials and adjustments, with the stock's sums."""

import uuid
from decimal import Decimal
from typing import Any

from sandbox.calls import Call
from sandbox.errors import Refusal
from sandbox.resources import RESOURCES
from sandbox.writing import CENT, Body, Effects, exact, money, named_by, reference

_PRICES = (
    ("price", "TaxIncludedInPrice", "retail_price", "_tax_included_in_price"),
    ("cost", "TaxIncludedInCost", "cost_price", "_tax_included_in_cost"),
)


def _product_changes(call: Call, body: Body, record: Body) -> Body:
    changes: Body = {}
    if "model" in body:  # and with it its brand
        model = named_by(call, "model", "models", body["model"])
        changes["model"] = {"id": model["id"], "name": model["model"]}
        changes["brand"] = model["brand"]
    return changes | _prices(call, body, record)


def _prices(call: Call, body: Body, record: Body) -> Body:
    """Prices with and without tax; a VAT Margin Scheme ignores the "tax included" flags."""
    if not {"cost", "price", "tax", "TaxIncludedInCost", "TaxIncludedInPrice"} & set(body):
        return {}
    tax = call.store.get("tax_rates", record.get("tax")) or {}
    margin = "margin" in f"{tax.get('name', '')} {tax.get('type', '')}".lower()
    factor = 1 + Decimal(tax.get("value") or 0) / 100
    prices = dict(record.get("prices") or {})
    flags: Body = {}
    for field, flag, name, kept in _PRICES:
        sent = money(body[field]) if field in body else Decimal(prices.get(name) or 0)
        # What the flag said last holds until it is sent again.
        flags[kept] = bool(body.get(flag, record.get(kept, False)))
        included = flags[kept] and field in body and not margin
        prices[name] = (sent / factor).quantize(CENT) if included else sent
        prices[f"{name}_inc_vat"] = sent if included else (sent * factor).quantize(CENT)
    prices["vat"] = prices["retail_price_inc_vat"] - prices["retail_price"]
    return {"prices": prices, **flags}


def _product_stock(call: Call, body: Body, product: Body) -> None:
    """``stockQuantity`` adds a stock record (specification, Product)."""
    if "stockQuantity" not in body:
        return
    quantity = exact(body["stockQuantity"])
    record = {
        **RESOURCES["stock"].fresh(),
        "product": reference(call, "product", "products", product["id"]),
        "quantity": quantity,
        "cog_per_item": money(body.get("stock_cog_per_item", body.get("cost", 0))),
    }
    call.store.insert("stock", record)
    _move(call, product["id"], quantity)


def _move(call: Call, product_id: str, by: Any) -> None:
    """Change a product's stock."""
    product = call.store.get("products", product_id)
    if product is not None and by:
        call.store.update("products", product_id, {"stock": exact(product.get("stock") or 0) + by})


def _stock_updated(call: Call, body: Body, before: Body) -> None:
    after = call.store.get("stock", before["id"]) or before
    _move(call, before["product"]["id"], -before["quantity"])
    _move(call, after["product"]["id"], after["quantity"])


def _serial_changes(call: Call, body: Body, record: Body) -> Body:
    if "term_in_days" not in body:
        return {}
    text = body["term_in_days"].strip()
    if not (text.isascii() and text.isdecimal()) or len(text) > 6:
        raise Refusal("term_in_days must be a number of days.")
    if body.get("other_serial_update"):
        of_stock = "json_extract(doc, '$.stock_id') = ?"
        for other in call.store.select("serials", of_stock, (record.get("stock_id"),)):
            call.store.update("serials", other["id"], {"term_in_days": int(text)})
    return {"term_in_days": int(text)}


_OF_LINE = ("quantity", "type", "internal_use", "breakage")


def _line(call: Call, sent: Body, prefix: str = "") -> Body:
    """One adjusted product, applied to its stock."""
    product_id = str(sent[f"{prefix}product_id"])
    reference(call, f"{prefix}product_id", "products", product_id)
    given = {name: exact(sent.get(f"{prefix}{name}", False)) for name in _OF_LINE}
    line = {"stock_id": str(uuid.uuid4()), "product_id": product_id, **given}
    _move(call, product_id, _signed(line))
    return line


def _signed(line: Body) -> Any:
    quantity = exact(line["quantity"])
    return quantity if line["type"] == "Addition" else -quantity


def _adjustment_changes(call: Call, body: Body, record: Body) -> Body:
    if "products" in record and not any(name.endswith("products") for name in body):
        return {}
    lines = {line["stock_id"]: dict(line) for line in record.get("products") or []}

    def known(field: str, stock_id: str) -> Body:
        if stock_id not in lines:
            raise Refusal(f"{field} '{stock_id}' is not part of this adjustment.")
        return lines[stock_id]

    for sent in body.get("delete_products", []):
        line = known("stock_id", str(sent["stock_id"]))
        _move(call, line["product_id"], -_signed(line))
        del lines[line["stock_id"]]
    for sent in body.get("update_products", []):
        line = known("up_stock_id", str(sent["up_stock_id"]))
        before = _signed(line)
        line |= {name: exact(sent[f"up_{name}"]) for name in _OF_LINE if f"up_{name}" in sent}
        _move(call, line["product_id"], _signed(line) - before)
    added = [_line(call, sent, "ad_") for sent in body.get("add_products", [])]
    added += [_line(call, sent) for sent in body.get("products", [])]
    return {"products": [*lines.values(), *added]}


def _adjustment_deleted(call: Call, before: Body) -> None:
    for line in before.get("products") or []:
        _move(call, line["product_id"], -_signed(line))


def _model_changes(call: Call, body: Body, record: Body) -> Body:
    return {"make": record["brand"]["name"]} if "brand" in body else {}


def _category_changes(call: Call, body: Body, record: Body) -> Body:
    if "parent_category" in body and str(body["parent_category"]) == str(record.get("id")):
        raise Refusal("parent_category must be another category.")
    return {}


GOODS = {
    "products": Effects(_product_changes, created=_product_stock, updated=_product_stock),
    "models": Effects(_model_changes),
    "categories": Effects(_category_changes),
    "stock": Effects(
        created=lambda call, body, record: _move(call, record["product"]["id"], record["quantity"]),
        updated=_stock_updated,
        deleted=lambda call, before: _move(call, before["product"]["id"], -before["quantity"]),
    ),
    "serials": Effects(_serial_changes),
    "adjustments": Effects(_adjustment_changes, deleted=_adjustment_deleted),
}
