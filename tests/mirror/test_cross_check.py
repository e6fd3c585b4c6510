"""Payments are told twice, in their list and in their document: where one is old, it shows."""

from datetime import date, timedelta

import pytest

from pipelines.sync.run import sync
from tests.few_models import build_few
from tests.mirror.shop import Mirror, Recorder


def _paid_on_another_day(mirror: Mirror) -> tuple[str, str]:
    """(invoice, payment) of a payment that the report of the invoice's day has no part in."""
    return next(
        (str(invoice["id"]), str(payment["id"]))
        for invoice in mirror.store.all("ticket_invoices")
        for payment in invoice["payments"]
        if _day(payment["date"]) > _day(invoice["created_date"]) + timedelta(days=3)
    )


def _day(moment: str) -> date:
    return date.fromisoformat(moment[:10])


def test_payments_told_differently_by_their_list_and_document_are_read_again(
    make_mirror, mirrored, monkeypatch
):
    build_few(monkeypatch)
    mirror = make_mirror(home=mirrored, audit_requests=0)
    store = mirror.store
    mirror.recorder = Recorder()  # what this one reads is loaded by the night
    # The list shows that a payment went; its order, read before, still holds it.
    store.delete("payments", store.all("pos_orders")[3]["payments"][0]["id"])
    assert mirror.run("payments", full=True).exit_code == 0
    mirror.recorder = None
    # A report has the invoice read again, and not the payment, which was edited with it.
    invoice, payment = _paid_on_another_day(mirror)
    for table, one, field in (
        ("ticket_invoices", invoice, "amount_total"),
        ("payments", payment, "amount"),
    ):
        store.update(table, one, {field: store.get(table, one)[field] + 5}, touch=False)
    mirror.server.forget_requests()
    night = sync(mirror.settings)
    assert night.exit_code == 0, night.details
    assert mirror.asked("/posOrders"), "by itself, or on a page of its list"
    mirror.assert_same("payments", "pos_orders", "ticket_invoices")
    asked = night.requests
    night = sync(mirror.settings)
    assert night.exit_code == 0, night.details
    assert night.requests < asked - 3, "what is settled is not asked again"


def test_what_names_a_customer_who_was_merged_into_another_is_read_again(
    make_mirror, mirrored, monkeypatch
):
    build_few(monkeypatch)
    mirror = make_mirror(home=mirrored, audit_requests=0)
    store, lists = mirror.store, ("tickets", "ticket_invoices", "pos_orders")
    customers = {row["customer"]["id"] for row in store.all("tickets")[:3]}
    for table in lists:
        for row in store.all(table):
            if (row["customer"] or {}).get("id") in customers:
                kept = store.all("customers")[-1]["id"]
                customer = {**row["customer"], "id": kept}
                store.update(table, row["id"], {"customer": customer}, touch=False)
    for gone in customers:
        store.delete("customers", gone)
    night = sync(mirror.settings)
    assert night.exit_code == 0, night.details
    for table in lists:
        named = mirror.sql(f"SELECT DISTINCT customer__id FROM raw.{table}")
        assert {identity for (identity,) in named}.isdisjoint(customers), table
    # What goes on naming who is gone is asked once, however few requests a night has for it.
    mirror.changes["repair_requests"] = 1
    store.delete("customers", store.all("tickets")[-1]["customer"]["id"])
    mirror.server.forget_requests()
    assert [sync(mirror.settings).exit_code for _ in range(2)] == [0, 0]
    asked = mirror.asked("/ticketInvoices/")
    assert len(asked) == len(set(asked)) == 2


@pytest.mark.parametrize(("count", "resets"), [(6, 3), (20, 0)])
def test_stock_of_what_was_sold_is_read_though_no_product_says_that_it_changed(
    make_mirror, mirrored, monkeypatch, count, resets
):
    """Of many products the list tells in fewer requests."""
    build_few(monkeypatch)
    mirror = make_mirror(home=mirrored, audit_requests=0)
    store = mirror.store
    sold = [row for row in store.all("products") if row["stock"] is not None][:count]
    for number in range(60):  # a night reads the last page alone
        more = {**sold[0], "id": f"more {number}", "code": f"M{number}"}
        store.insert("products", more | {"created_date": "2025-09-01T10:00:00-0600"})
    assert mirror.run("products", full=True).exit_code == 0
    lines = [{"product_code": row["code"], "quantity": 1, "total": 1} for row in sold]
    order = {"customer": None, "status": "Due", "amount_total": 6, "lines": lines, "payments": []}
    store.insert("pos_orders", {**order, "number": "S1", "created_date": store.now_text()})
    for row in sold:
        store.update("products", row["id"], {"stock": 77}, touch=False)
    if resets:  # a night that ends before it asks them leaves them to the next
        first = min(str(row["id"]) for row in sold)
        mirror.server.faults.next("reset", path=f"/products/{first}", times=resets)
        assert sync(mirror.settings).exit_code == 3
    mirror.server.forget_requests()
    report = sync(mirror.settings)
    assert report.exit_code == 0, report.details
    assert mirror.sql("SELECT count(*) FROM raw.products WHERE stock = 77") == [(count,)]
    assert len(mirror.asked("/products/")) < 12
    # Where the path of a product does not answer, that makes no list incomplete.
    for row in sold:
        mirror.server.faults.next("not_found", path=f"/products/{row['id']}", times=9)
    store.insert("pos_orders", {**order, "number": "S2", "created_date": store.now_text()})
    report = sync(mirror.settings)
    assert report.exit_code == 0, report.details
