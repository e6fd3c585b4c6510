"""Products' prices, models, categories, stock, serials and adjustments, with the stock's sums."""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from sandbox.calls import Call, Refusal
from sandbox.writing import CENT, After, Body, Effects, exact, made, money, named

_PRICES = (
    ("price", "TaxIncludedInPrice", "retail_price", "_tax_included_in_price"),
    ("cost", "TaxIncludedInCost", "cost_price", "_tax_included_in_cost"),
)


def _product_changes(call: Call, body: Body, record: Body) -> Body:
    changes: Body = {}
    if "model" in body:  # and with it its brand
        model = named(call, "products", "model", body["model"])
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


def _product_stock(call: Call, body: Body, _before: Body | None, product: Body | None) -> None:
    """``stockQuantity`` adds a stock record (specification, Product)."""
    if "stockQuantity" not in body or product is None:
        return
    cost = body.get("stock_cog_per_item", body.get("cost", 0))
    stock = {"product": product["id"], "quantity": body["stockQuantity"], "cog_per_item": cost}
    made(call, "stock", GOODS["stock"], stock)


def _moves(lines: Callable[[Body], Iterable[tuple[str, Any]]]) -> After:
    """The stock follows what these lines of a record say of products and quantities."""

    def after(call: Call, _body: Body, before: Body | None, record: Body | None) -> None:
        sums: defaultdict[str, Any] = defaultdict(int)
        for one, sign in ((before, -1), (record, 1)):
            for product_id, quantity in lines(one) if one is not None else ():
                sums[product_id] += sign * quantity
        for product_id, by in sums.items():
            if by and (product := call.store.get("products", product_id)):
                stock = exact(product.get("stock") or 0) + by
                call.store.update("products", product_id, {"stock": stock})

    return after


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


def _adjustment_changes(call: Call, body: Body, record: Body) -> Body:
    if "products" in record and not any(name.endswith("products") for name in body):
        return {}
    lines = {line["stock_id"]: dict(line) for line in record.get("products") or []}

    def known(field: str, sent: Body) -> Body:
        if sent[field] not in lines:
            raise Refusal(f"{field} '{sent[field]}' is not part of this adjustment.")
        return lines[sent[field]]

    for sent in body.get("delete_products", []):
        del lines[known("stock_id", sent)["stock_id"]]
    for sent in body.get("update_products", []):
        changes = {name: exact(sent[f"up_{name}"]) for name in _OF_LINE if f"up_{name}" in sent}
        known("up_stock_id", sent).update(changes)
    for field, table, prefix in (("add_products", "added", "ad_"), ("products", "adjusted", "")):
        for sent in body.get(field, []):
            product = named(call, table, f"{prefix}product_id", sent[f"{prefix}product_id"])
            line = {"stock_id": str(uuid.uuid4()), "product_id": product["id"]}
            line |= {name: exact(sent.get(f"{prefix}{name}", False)) for name in _OF_LINE}
            lines[line["stock_id"]] = line
    return {"products": [*lines.values()]}


def _adjusted(adjustment: Body) -> Iterator[tuple[str, Any]]:
    for line in adjustment.get("products") or []:
        sign = 1 if line["type"] == "Addition" else -1
        yield line["product_id"], sign * line["quantity"]


def _model_changes(call: Call, body: Body, record: Body) -> Body:
    return {"make": record["brand"]["name"]} if "brand" in body else {}


def _category_changes(call: Call, body: Body, record: Body) -> Body:
    if "parent_category" in body and str(body["parent_category"]) == str(record.get("id")):
        raise Refusal("parent_category must be another category.")
    return {}


GOODS = {
    "products": Effects(_product_changes, after=_product_stock),
    "models": Effects(_model_changes),
    "categories": Effects(_category_changes),
    "stock": Effects(after=_moves(lambda stock: [(stock["product"]["id"], stock["quantity"])])),
    "serials": Effects(_serial_changes),
    "adjustments": Effects(_adjustment_changes, after=_moves(_adjusted)),
}
