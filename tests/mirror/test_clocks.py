"""Nights of a machine whose clock is wrong: the service's rows are all read all the same."""

from datetime import UTC, datetime, timedelta

import pytest

from sandbox.store import ShopStore

EDITS = {
    "tickets": ("short_info", "New words"),
    "products": ("name", "New name"),
    "appointments": ("subject", "New subject"),
}


def ahead(store: ShopStore, days: float) -> None:
    """The service's clock goes so far ahead of ours: ours is behind."""
    store.now = lambda: datetime.now(UTC) + timedelta(days=days)


@pytest.mark.parametrize("days", [5, 400])
def test_what_changed_after_our_tomorrow_is_read(synced, days):
    mirror = synced
    ahead(mirror.store, days)
    for table, (name, value) in EDITS.items():
        mirror.store.update(table, mirror.store.all(table)[0]["id"], {name: value}, touch=True)
        old = ("id", "_updated", "last_updated")
        copy = {k: v for k, v in mirror.store.all(table)[1].items() if k not in old}
        mirror.store.insert(table, {**copy, "created_date": mirror.store.now_text()})
    mirror.same(*EDITS)
    for table, (name, value) in EDITS.items():
        first = str(mirror.store.all(table)[0]["id"])
        assert mirror.recorder.held["main", table, first][name] == value


def test_an_old_invoice_paid_after_our_tomorrow_is_read(synced):
    mirror = synced
    ahead(mirror.store, 5)
    invoice = next(i for i in mirror.store.all("ticket_invoices") if i["status"] == "Due")
    left = float(invoice["amount_total"]) - sum(float(p["amount"]) for p in invoice["payments"])
    paid = {"amount": round(left, 2), "date": mirror.store.now_text()}
    mirror.store.pay("ticket_invoices", invoice, paid)
    mirror.same("ticket_invoices", "payments")


def test_what_a_killed_run_read_by_a_clock_ahead_is_not_taken_for_just_read(synced):
    mirror = synced
    assert mirror.run(max_requests=25).exit_code == 4
    # The clock was a day ahead then and is right now, a day later.
    tomorrow = (datetime.now(UTC) + timedelta(seconds=5)).isoformat(timespec="microseconds")
    mirror.ledger("UPDATE scans SET opened_at = ?, ticks = ticks - 86400", tomorrow)
    for table in ("pos_orders", "ticket_invoices", "customers", "brands"):
        mirror.store.insert(table, {"name": "new", "number": "N-1"})
    mirror.store.update("products", mirror.store.ids("products")[0], {"name": "New name"})
    mirror.complete()
    mirror.assert_same()
    held = mirror.recorder.live("products", "main")
    assert held[mirror.store.ids("products")[0]]["name"] == "New name"
