"""Lines of tickets and invoices, with their tax and discount; every amount in whole cents."""

from decimal import Decimal
from typing import Any

from sandbox.calls import Call, Refusal
from sandbox.writing import CENT, Body, exact, money

ZERO = Decimal("0.00")


def tax_rate(call: Call, tax_id: Any) -> Decimal:
    """Per cent of a tax rate; none when there is no such rate."""
    record = call.store.get("tax_rates", tax_id) if tax_id is not None else None
    return Decimal(record["value"]) if record is not None else Decimal(0)


def upsert(call: Call, lines: list[Body], sent: list[Body]) -> list[Body]:
    """Take over lines: one whose product code is there already is updated, others are added."""
    merged = [dict(line) for line in lines]
    for one in sent:
        code = one["product_code"]
        known = next((line for line in merged if line.get("product_code") == code), None)
        if known is None:
            known = _new_line(call, code)
            merged.append(known)
        known["quantity"] = exact(one["quantity"])
        if "unit_price" in one:
            known["unit_price"] = money(one["unit_price"])
        if "item_description" in one:
            known["item_description"] = one["item_description"]
    return merged


def _new_line(call: Call, code: str) -> Body:
    product = call.store.first("products", "code = ?", (code,))
    if product is None:
        raise Refusal(f"lines: productCode '{code}' does not exist. Please check the product.")
    prices = product.get("prices") or {}
    return {
        "id": call.store.next_number("line", 1_000_000),
        "product_code": code,
        "item_description": product.get("name", ""),
        "quantity": 1,
        "unit_price": money(prices.get("retail_price") or 0),
        "_rate": tax_rate(call, product.get("tax")),
    }


def priced(
    call: Call, lines: list[Body], discount: Decimal, level: str
) -> tuple[list[Body], Decimal]:
    """Fill discount, tax and total of each line; gives them and their sum.

    A discount is an amount, shared out over the lines by their value: before tax at level
    ``gross``, tax included at level ``grand``.
    """
    nets = [money(Decimal(line["quantity"]) * Decimal(line["unit_price"])) for line in lines]
    rates = [_rate(call, line) for line in lines]
    whole = sum(nets, ZERO)
    if discount and level == "grand":
        taxed = sum((net * (100 + rate) / 100 for net, rate in zip(nets, rates, strict=True)), ZERO)
        discount = money(discount * whole / taxed) if taxed else ZERO
    discount = max(ZERO, min(discount, whole))
    left = discount
    done: list[Body] = []
    for place, (line, net, rate) in enumerate(zip(lines, nets, rates, strict=True)):
        last = place == len(lines) - 1
        share = left if last else money(discount * net / whole) if whole else ZERO
        left -= share
        tax = ((net - share) * rate / 100).quantize(CENT)
        public = {name: value for name, value in line.items() if name != "_rate"}
        done.append({**public, "discount": share, "tax": tax, "total": net - share + tax})
    return done, sum((line["total"] for line in done), ZERO)


def _rate(call: Call, line: Body) -> Decimal:
    if "_rate" in line:
        return Decimal(line["_rate"])
    product = call.store.first("products", "code = ?", (line.get("product_code"),))
    return tax_rate(call, product.get("tax")) if product is not None else Decimal(0)
