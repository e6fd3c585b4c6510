"""Every kind of change at services that shape their answers otherwise, and lose or lie about them.

Each acts at most once, is called done only if it is there, and rejected only if it is not.
"""

import itertools

import pytest

from pipelines.outbox import Outbox, enqueue, push
from pipelines.settings import Settings, ShopSettings
from tests.fakes.odd_shop import MANNERS, OddShop
from tests.outbox.desk import HOUR

PRODUCT = {"name": "P", "code": "P1", "cost": 1, "price": 2, "tax": 1, "type": "product"}
KINDS = [
    ("customers", "create", {"name": "Ann", "mobile": "5551234"}),
    ("customers", "update", {"name": "Bea"}),
    ("customers", "delete", None),
    ("tickets", "create", {"customerId": "1", "shortInfo": "Screen"}),
    ("tickets", "update", {"shortInfo": "Battery"}),
    ("tickets", "upload", None),
    ("ticketComments", "create", {"ticket": "1", "type": "Private", "comment": "Hi"}),
    (
        "ticketTimers",
        "create",
        {
            "ticket": "1",
            "startDate": "01-Feb-2026 10:00:00",
            "endDate": "01-Feb-2026 11:00:00",
            "userId": "1",
        },
    ),
    ("payments", "create", {"lines": [{"amount": 50, "paymentMethod": "1"}]}),
    ("products", "create", PRODUCT | {"condition": "New", "status": "Active"}),
    ("products", "update", {"price": 3}),
    ("products", "update", {"stockQuantity": 3}),
    ("models", "create", {"brand": "1", "name": "M", "status": "Active"}),
    ("categories", "create", {"name": "C"}),
    ("brands", "create", {"name": "B"}),
    ("stock", "create", {"product": "1", "quantity": 2}),
    ("serials", "update", {"serial": "X1"}),
    (
        "adjustments",
        "create",
        {
            "adjustment_date": "01-Feb-2026 10:00",
            "products": [{"product_id": "1", "quantity": 1, "type": "Addition"}],
        },
    ),
    ("leads", "create", {"name": "L", "mobile": "5551234", "subject": "S"}),
    (
        "appointments",
        "create",
        {"subject": "S", "dateandtime": "01-Feb-2026 10:00", "duration": 10},
    ),
    (
        "timeClock",
        "create",
        {"inDate": "01-Feb-2026 10:00:00", "inNotes": "x", "userId": "1"},
    ),
    ("timeClock", "update", {"inNotes": "y"}),
]
FAULTS = [
    "reset done",
    "reset",
    "timeout done",
    "empty done",
    "empty",
    "words",
    "words done",
    "html done",
    "busy",
    "busy done",
    "unavailable done",
    "401 done",
    "403",
    "409 done",
    "202 done",
    "408 done",
    "422",
    "400",
]
OLD = {
    "name": "Old",
    "shortInfo": "Old",
    "comment": "Old",
    "code": "OLD",
    "subject": "Old",
    "startDate": "01-Jan-2026 10:00:00",
    "endDate": "01-Jan-2026 11:00:00",
    "product": "1",
    "adjustment_date": "01-Jan-2026 10:00",
    "dateandtime": "01-Jan-2026 10:00",
    "inDate": "01-Jan-2026 10:00:00",
}


def outcome(home, manners, kind, fault):
    """The change as it stands in the end, and how often it acted."""
    shop = OddShop(MANNERS[manners])
    for name in {name for name, _, _ in KINDS} - {"payments"}:
        shop.put(name, **OLD)
    invoice = shop.put("ticketInvoices", number="7", status="Due", amount_total=1234.5)
    shop.put("payments", amount=100, date="2026-01-01", _invoice=invoice, paymentNote="deposit")
    shop.clock.ticks += 24 * HOUR
    resource, op, body = kind
    if resource == "payments":
        body = body | {"invoiceId": invoice}
    record = None if op == "create" else next(iter(shop.tables[resource]))
    more = {"base_url": "http://127.0.0.1:9/v1", "requests_per_minute": 100_000}
    main = ShopSettings(name="main", api_key="key", timeout_seconds=5.0, **more)
    settings = Settings(home=home, shops=(main,))
    file = home.with_suffix(".png")
    file.write_bytes(b"picture")
    enqueue(
        resource,
        op,
        body,
        record_id=record,
        file=file if op == "upload" else None,
        check=False,
        settings=settings,
        clock=shop.clock,
    )
    shop.faults.extend([fault] if fault else [])
    for _ in range(3):
        push(settings, clock=shop.clock, sleep=shop.clock.sleep, transport=shop.of)
        shop.faults.clear()
        shop.clock.ticks += 6 * HOUR
        with Outbox(home) as outbox:
            [change] = outbox.changes()
        if change.state in ("done", "rejected"):
            break
    return change, len(shop.applied)


@pytest.mark.parametrize("manners", MANNERS)
def test_each_kind_of_change_is_done_once_however_answers_are_shaped(manners, tmp_path):
    for place, kind in enumerate(KINDS):
        change, acted = outcome(tmp_path / str(place), manners, kind, "")
        assert (change.state, acted) == ("done", 1), (kind, change.reason)


@pytest.mark.parametrize("manners", MANNERS)
def test_a_fault_doubles_nothing_and_is_told_rightly(manners, tmp_path):
    faults = itertools.cycle(FAULTS[list(MANNERS).index(manners) * 3 :] + FAULTS)
    for place, kind in enumerate(KINDS):
        fault = next(faults)
        change, acted = outcome(tmp_path / str(place), manners, kind, fault)
        told = (kind, fault, change.state, acted, change.reason)
        acts = kind[1] in ("create", "upload") or "stockQuantity" in (kind[2] or {})
        assert not acts or acted <= 1, told
        assert change.state != "queued", told
        assert acted or change.state != "done", told
        assert not acted or change.state != "rejected", told
        assert change.state != "in_doubt" or (change.needs_person and change.reason), told
