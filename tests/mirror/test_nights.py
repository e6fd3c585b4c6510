"""The nightly sync: what changed at the service is in raw the next night, at few requests."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from pipelines.monitor.status import status
from tests.mirror.shop import Mirror
from tests.promises import promise

pytestmark = pytest.mark.core


def now_text(days: int = 0) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S+0000")


def test_a_night_without_a_change_asks_little_and_loads_nothing(synced):
    assert synced.complete().requests <= 60
    assert synced.loaded == 0


def test_nights_leave_no_notes_of_their_scans_in_the_ledger(synced):
    def names():
        found = {name for (name,) in synced.ledger("SELECT name FROM notes")}
        return {name for name in found if not name.startswith("key ")}  # of each address one

    before = names()
    synced.run("brands", "models", full=True)
    assert names() == before


def test_pages_that_are_shorter_from_one_night_to_the_next_end_no_night(synced):
    synced.server.turn(page_rows=20)
    asked = [synced.same("stock", "payments", "customers").requests for _ in range(2)]
    assert asked[1] < asked[0], "each list is read whole once"


def test_what_staff_did_in_a_day_is_there_the_next_night(mirror):
    synced, store = mirror, mirror.store
    supplier = store.all("suppliers")[0]
    store.insert(
        "purchase_orders",
        {
            "number": "PO-1",
            "status": "Ordered",
            "supplier": {"id": supplier["id"], "company": supplier["company"]},
            "created_date": now_text(40),
            "cost": 100,
            "shipping_cost": 5,
            "lines": [],
        },
    )
    assert synced.run().exit_code == 0
    customer = store.all("customers")[0]
    invoice = next(i for i in store.all("ticket_invoices") if i["status"] == "Due")
    order = next(o for o in store.all("purchase_orders") if o["status"] != "Received")
    comment = store.all("ticket_comments")[0]
    ticket, product = store.all("tickets")[0], store.all("products")[0]
    store.insert("pos_orders", {"number": "N-1", "amount_total": 12.5, "customer": customer})
    store.insert("customers", {"name": "Nueva"})
    left = float(invoice["amount_total"]) - sum(float(p["amount"]) for p in invoice["payments"])
    store.pay("ticket_invoices", invoice, {"amount": round(left, 2), "date": now_text()})
    store.update(
        "purchase_orders", order["id"], {"status": "Received", "received_date": now_text()}
    )
    store.update("ticket_comments", comment["id"], {"comment": "edited"})
    store.update("tickets", ticket["id"], {"short_info": "edited"})
    store.update("products", product["id"], {"name": "edited"})
    assert synced.complete().requests <= 90
    synced.assert_same()
    for table, record, field, value in (
        ("ticket_invoices", invoice, "status", "Paid"),
        ("purchase_orders", order, "status", "Received"),
        ("ticket_comments", comment, "comment", "edited"),
        ("tickets", ticket, "short_info", "edited"),
        ("products", product, "name", "edited"),
    ):
        assert synced.recorder.live(table, "main")[record["id"]][field] == value


def test_a_refund_of_an_old_pos_order_is_followed_to_the_order(synced):
    order = synced.store.all("pos_orders")[0]
    synced.store.pay("pos_orders", order, {"amount": -1.0, "date": now_text()})
    # Cut off right after the payments were read: the order is still followed by the next run.
    synced.run("payments")
    synced.run()
    synced.assert_same("pos_orders", "payments")


@pytest.mark.parametrize("name", ["ticket_invoices", "pos_orders"])
def test_an_old_document_is_read_again_when_its_payment_is_deleted(synced, name):
    paid = (one for one in synced.store.all(name) if one["status"] == "Paid" and one["payments"])
    document = next(paid)
    for payment in list(document["payments"]):
        synced.store.delete("payments", payment["id"])
    assert synced.store.get(name, document["id"])["status"] == "Due"
    synced.complete()
    assert synced.recorder.live(name, "main")[document["id"]]["status"] == "Due"
    synced.assert_same(name, "payments")


def test_rows_of_short_lists_that_vanish_are_marked_and_lose_the_mark_when_they_return(synced):
    gone = synced.store.all("brands")[0]
    synced.store.delete("brands", gone["id"])
    synced.run("brands")
    assert synced.gone("brands") == {str(gone["id"])}
    synced.store.insert("brands", gone)
    synced.run("brands")
    assert not synced.gone("brands")
    synced.assert_same("brands")


def test_a_deleted_shipment_is_marked_as_its_list_counts_one_less(synced):
    gone = synced.store.ids("shipments")[0]
    synced.store.delete("shipments", gone)
    synced.run("shipments", "shipments/deleted")
    assert synced.gone("shipments") == {gone}


@promise("many rows that vanish at once are not believed without a person")
def test_many_rows_vanishing_at_once_are_refused_until_confirmed(synced):
    ids = synced.store.ids("brands")
    gone = ids[: len(ids) // 2]
    for identity in gone:
        synced.store.delete("brands", identity)
    report = synced.run("brands", full=True)
    assert report.exit_code == 1
    assert "vanished" in " ".join(report.details)
    [doubt] = status(synced.settings).shops[0].doubts
    assert "vanished" in doubt and "--confirm-deletions" in doubt
    assert _well(synced) == (False, 1)
    assert not synced.gone("brands")
    synced.complete("brands", full=True, confirm_deletions=True)
    assert synced.gone("brands") == set(gone)
    assert not status(synced.settings).shops[0].doubts


def _well(synced: Mirror) -> tuple[bool, int]:
    """What a monitor hears: complete, and the exit code of ``status --check``."""
    found = status(synced.settings)
    return bool(found.as_json()["complete"]), found.exit_code


def test_an_empty_answer_is_never_believed_at_its_first_sighting(synced):
    known = synced.live("brands")
    for full in (False, True):
        synced.server.faults.next("empty_list", path="/brands", times=9)
        report = synced.run("brands", full=full)
        synced.server.faults.clear()
        assert report.exit_code == 1
        assert _well(synced) == (False, 1)
        if not full:
            # A list that was really emptied would stay in doubt, so the way out is said.
            assert "--confirm-deletions" in " ".join(report.details)
        assert synced.live("brands") == known
    synced.same("brands")


def test_a_list_that_lost_its_only_row_is_empty_once_that_was_looked_up_or_seen_twice(make_mirror):
    """It was in doubt for ever, and a person had to say what each night showed."""
    only = [(table, {"id": 1, "name": "One"}) for table in ("adjustments", "tax_rates")]
    mirror = make_mirror(records=only)
    assert mirror.run("adjustments", "taxRates").exit_code == 0
    for table, _ in only:
        mirror.store.delete(table, "1")
    assert mirror.run("adjustments", "taxRates").exit_code == 1
    assert (mirror.live("adjustments"), mirror.live("tax_rates")) == (set(), {"1"})
    mirror.same("adjustments", "taxRates")


def test_audits_leave_no_day_out_and_move_a_row_whose_date_was_edited(synced):
    mirror = synced
    mirror.changes["audit_requests"] = 1000
    invoice = mirror.store.all("ticket_invoices")[3]
    mirror.store.update(
        "ticket_invoices", invoice["id"], {"created_date": "2025-11-03T10:00:00-0600"}
    )
    # One that came back as it was, on a day that no other row has, announced by nothing.
    old = "2019-03-15T10:00:00-0600"
    back = {**mirror.store.all("appointments")[0], "id": "came-back", "created_date": old}
    mirror.store.insert("appointments", {**back, "last_updated": old, "_updated": old})
    mirror.complete()
    assert mirror.asked("/ticketInvoices") != []
    assert invoice["id"] not in mirror.gone("ticket_invoices")
    mirror.assert_same("ticket_invoices", "appointments")


def test_the_day_of_the_last_reading_is_read_again_whole(make_mirror):
    """No list tells of edits of that day, whose rows fill more than the last page."""
    edited = {"c-475", "c-525"}  # on two pages: a night looks at one of the old ones anyway
    mirror = make_mirror(records=customers(595, busy=145))
    assert mirror.run("customers").exit_code == 0
    for one in edited:
        mirror.store.update("customers", one, {"name": "edited"}, touch=False)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1)):
        insert_new(mirror)
        assert mirror.run("customers").exit_code == 0
    held = mirror.recorder.live("customers", "main")
    assert {one for one, row in held.items() if row["name"] == "edited"} == edited


def delete_first(mirror: Mirror) -> None:
    mirror.store.delete("customers", "c-0")


def insert_new(mirror: Mirror) -> None:
    mirror.store.insert("customers", {"name": "in between"})


def insert_old(mirror: Mirror) -> None:
    mirror.store.insert("customers", {"name": "old", "created_date": now_text(2000)})


def edit(mirror: Mirror) -> None:
    mirror.store.update("customers", "c-7", {"name": "edited"})


def customers(count: int, *, busy: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """One a day, ``c-0`` first; the last ``busy`` ones of today."""
    days = [900 - n if n < count - busy else 0 for n in range(count)]
    return [
        ("customers", {"id": f"c-{n}", "name": f"Customer {n}", "created_date": now_text(ago)})
        for n, ago in enumerate(days)
    ]


CASES: list[tuple[Callable[[Mirror], None], int, int]] = [
    *((change, 130, at) for change in (delete_first, insert_new, edit) for at in (1, 2, 3, 4)),
    # A row with an old date is looked for in lists that take more than seconds to read.
    *((insert_old, 560, at) for at in (2, 5, 9, 12)),
    *((delete_first, 560, at) for at in (5, 12)),
]


@promise("rows that come and go while a list is read hide no other, or the list is unproven")
@pytest.mark.parametrize(("change", "count", "answer"), CASES)
def test_rows_that_come_and_go_while_a_list_is_read_hide_no_other(
    make_mirror, change, count, answer
):
    mirror = make_mirror(records=customers(count))
    mirror.server.faults.after(answer, lambda: change(mirror), path="/customers")
    mirror.complete("customers")
    assert {f"c-{n}" for n in range(1, count)} <= mirror.live("customers")
    mirror.run("customers", full=True)
    assert mirror.live("customers") == set(mirror.store.ids("customers"))


def test_ids_that_differ_only_by_case_are_two_rows(make_mirror):
    records = [("brands", {"id": identity, "name": identity}) for identity in ("ab", "AB", "Ab")]
    mirror = make_mirror(records=records)
    mirror.run("brands")
    assert mirror.live("brands") == {"ab", "AB", "Ab"}


def test_fields_that_appear_vanish_or_change_their_type_lose_no_row(synced):
    store = synced.store
    for number, identity in enumerate(store.ids("brands")):
        odd: Any = [7, "7.5", True, {"a": 1}, [1, 2], [{"b": 2}], None, "", "Q1,234.50"][number % 9]
        store.update("brands", identity, {"name": odd, "brand_new": odd})
    synced.same("brands", full=True)


@pytest.mark.parametrize(
    ("percent", "gone", "believed"), [(20, 20, True), (20, 25, False), (60, 50, True)]
)
def test_as_many_rows_may_vanish_as_the_setting_says(make_mirror, percent, gone, believed):
    mirror = make_mirror(vanish_limit_percent=percent)
    for identity in mirror.store.ids("brands"):
        mirror.store.delete("brands", identity)
    for index in range(100):
        mirror.store.insert("brands", {"id": f"b{index}", "name": f"Brand {index}"})
    assert mirror.run("brands").exit_code == 0
    for index in range(gone):
        mirror.store.delete("brands", f"b{index}")
    for _ in range(2):  # what is gone is believed at its second sighting
        report = mirror.run("brands", full=True)
    assert report.exit_code == (0 if believed else 1), report.details
    assert len(mirror.live("brands")) == (100 - gone if believed else 100)
