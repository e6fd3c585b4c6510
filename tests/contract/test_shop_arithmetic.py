"""The books of a generated shop add up: documents, payments, returns, stock."""

import datetime as dt
from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.resources import RESOURCES
from tests.contract.shops import build, documents

CENT = Decimal("0.01")


def a_line_is_quantity_times_price_minus_discount_plus_tax(shop):
    rates = {str(rate["id"]): rate["value"] for rate in shop["tax_rates"]}
    rate_of = {product["code"]: rates[str(product["tax"])] for product in shop["products"]}
    for document in documents(shop):
        returned = [line for back in document["returns"] for line in back["lines"]]
        for line in [*document["lines"], *returned]:
            net = line["quantity"] * line["unit_price"] - line["discount"]
            assert net >= 0
            assert line["total"] == net + line["tax"]
            exact = net * rate_of[line["product_code"]] / 100
            assert line["tax"] == exact.quantize(CENT, ROUND_HALF_UP)


def a_documents_total_is_the_sum_of_its_lines(shop):
    for document in documents(shop):
        assert document["lines"]
        assert document["amount_total"] == sum(line["total"] for line in document["lines"])
        assert document["tax_total"] == sum(line["tax"] for line in document["lines"])


def a_document_is_paid_exactly_when_payments_and_returns_cover_it(shop):
    for document in documents(shop):
        paid = sum((p["amount"] for p in document["payments"]), Decimal(0))
        returned = sum((r["amount"] for r in document["returns"]), Decimal(0))
        covered = paid + returned >= document["amount_total"]
        assert document["status"] == ("Paid" if covered else "Due")
        assert paid + returned <= document["amount_total"]


def embedded_payments_are_those_of_the_payments_list(shop):
    listed = {payment["id"]: payment for payment in shop["payments"]}
    assert len(listed) == len(shop["payments"])
    seen: list[int] = []
    for resource in ("ticket_invoices", "pos_orders"):
        for document in shop[resource]:
            for embedded in document["payments"]:
                full = listed[embedded["id"]]
                assert {key: full[key] for key in embedded} == embedded
                assert full["_document_id"] == document["id"]
                assert full["_document_type"] == resource[:-1]
                seen.append(embedded["id"])
    assert sorted(seen) == sorted(listed)


def every_return_has_its_refund_and_the_other_way_round(shop):
    refunds = {p["_return_id"]: p for p in shop["payments"] if p["_kind"] == "return"}
    returns = {back["id"]: (doc, back) for doc in documents(shop) for back in doc["returns"]}
    assert refunds.keys() == returns.keys()
    for uid, (document, back) in returns.items():
        assert back["amount"] > 0
        assert back["amount"] == sum(line["total"] for line in back["lines"])
        assert refunds[uid]["amount"] == -back["amount"]
        assert refunds[uid]["date"] == back["created_date"]
        assert refunds[uid]["_document_id"] == document["id"]
        sold = Counter({x["product_code"]: x["quantity"] for x in document["lines"]})
        for line in back["lines"]:
            assert 0 < line["quantity"] <= sold[line["product_code"]]
    for payment in shop["payments"]:
        assert (payment["amount"] < 0) == (payment["_kind"] == "return")


def tickets_and_invoices_name_each_other(shop):
    invoices = {invoice["id"]: invoice for invoice in shop["ticket_invoices"]}
    invoiced = [ticket for ticket in shop["tickets"] if ticket["invoice"]]
    assert sorted(t["invoice"]["id"] for t in invoiced) == sorted(invoices)
    for ticket in shop["tickets"]:
        assert ticket["amount_total"] == sum(line["total"] for line in ticket["lines"])
        if not ticket["invoice"]:
            assert ticket["payments"] == []
            continue
        invoice = invoices[ticket["invoice"]["id"]]
        assert invoice["ticket"]["id"] == ticket["id"]
        assert invoice["ticket_no"] == ticket["ticket_no"]
        assert invoice["customer"] == ticket["customer"]
        assert ticket["invoice"]["number"] == invoice["number"]
        assert ticket["invoice"]["amount"] == invoice["amount_total"]
        assert ticket["payments"] == invoice["payments"]
        dates = [p["date"] for p in invoice["payments"] if p["amount"] > 0]
        last = max(dates, key=dt.datetime.fromisoformat, default=None)
        assert ticket["invoice"]["last_payment_date"] == last


def payments_of_invoices_name_the_ticket(shop):
    ticket_of = {invoice["id"]: invoice["ticket"]["id"] for invoice in shop["ticket_invoices"]}
    for payment in shop["payments"]:
        assert payment["_ticket_id"] == ticket_of.get(payment["_document_id"])


def stock_is_what_came_in_and_was_adjusted_minus_what_was_sold(shop):
    by_code = {p["code"]: p["id"] for p in shop["products"] if p["type"] == "product"}
    on_hand: defaultdict[str, int] = defaultdict(int)
    for stock in shop["stock"]:
        on_hand[stock["product"]["id"]] += stock["quantity"]
    for adjustment in shop["adjustments"]:
        for change in adjustment["products"]:
            sign = 1 if change["type"] == "Addition" else -1
            on_hand[change["product_id"]] += sign * change["quantity"]
    for document in documents(shop):
        for line in document["lines"]:
            on_hand[by_code.get(line["product_code"], "")] -= line["quantity"]
        for back in document["returns"]:
            for line in back["lines"]:
                on_hand[by_code.get(line["product_code"], "")] += line["quantity"]
    on_hand.pop("", None)
    served = {p["id"]: p["stock"] for p in shop["products"] if p["type"] == "product"}
    assert {uid: on_hand[uid] for uid in served} == served
    assert min(served.values()) >= 0
    counted = {
        row["product_id"]: row["counted"] for c in shop["stock_count"] for row in c["products"]
    }
    assert counted == served


def purchase_orders_cost_their_lines_and_are_received_with_a_date(shop):
    for order in shop["purchase_orders"]:
        assert order["cost"] == sum(line["total"] for line in order["lines"])
        assert (order["status"] == "Received") == (order["received_date"] is not None)


def serialised_stock_has_a_serial_for_each_piece(shop):
    serials = Counter(serial["stock_id"] for serial in shop["serials"])
    pieces = {s["id"]: s["quantity"] for s in shop["stock"] if s["serialize_stock"]}
    assert serials == pieces


CHECKS = (
    a_line_is_quantity_times_price_minus_discount_plus_tax,
    a_documents_total_is_the_sum_of_its_lines,
    a_document_is_paid_exactly_when_payments_and_returns_cover_it,
    embedded_payments_are_those_of_the_payments_list,
    every_return_has_its_refund_and_the_other_way_round,
    tickets_and_invoices_name_each_other,
    payments_of_invoices_name_the_ticket,
    stock_is_what_came_in_and_was_adjusted_minus_what_was_sold,
    purchase_orders_cost_their_lines_and_are_received_with_a_date,
    serialised_stock_has_a_serial_for_each_piece,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_books_add_up(small, check):
    check(small)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(-(2**40), 2**40),
    shop_name=st.text(max_size=20),
    zone=st.sampled_from(("UTC", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu")),
    until=st.dates(dt.date(2001, 1, 1), dt.date(2037, 12, 31)),
)
def test_the_books_add_up_for_any_seed_zone_and_day(seed, shop_name, zone, until):
    shop = build(seed=seed, shop=shop_name, size="tiny", timezone=zone, until=until)
    assert shop.keys() == RESOURCES.keys()
    assert 800 <= sum(map(len, shop.values())) <= 1500
    for check in CHECKS:
        check(shop)
