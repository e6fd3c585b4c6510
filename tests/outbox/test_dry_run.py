"""What ``push --dry-run`` says that a push would do."""

import pytest

from pipelines.outbox import Outbox

pytestmark = pytest.mark.core


def test_a_dry_run_says_what_a_push_sends_and_asks_nothing(desk, record):
    desk.queue("customers", "create", {"name": "Bob"})
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.queue("tickets", "create", {"customerId": "@1", "shortInfo": "Screen"})
    desk.queue("customers", "delete", None, "@1")
    plan = desk.push(dry_run=True)
    assert desk.shop.requests == []
    assert plan.planned[1].old == {"mobile": "1"}
    desk.push()
    with Outbox(desk.home) as outbox:
        said = [
            (one.method, one.path.strip("/").replace("@1", str(outbox.get(1).id)))
            for one in plan.planned
        ]
    assert said == [(one.method, one.path) for one in desk.shop.writes]


@pytest.mark.parametrize("op", ["delete", "upload", "update", "customers", "tickets", "payments"])
def test_a_dry_run_says_about_how_many_requests_a_push_makes(desk, op, photo):
    for _ in range(2):
        product = desk.shop.put("products", name="Screen", code="A")
        if op == "upload":
            desk.queue("products", op, None, product, file=photo)
        elif op == "payments":
            desk.pay(desk.shop.invoice())
        elif op in ("customers", "tickets"):
            body = {"name": "Ann"} if op == "customers" else {"customerId": "1", "shortInfo": "x"}
            desk.queue(op, "create", body)
        else:
            desk.queue("products", op, {"name": "Case"} if op == "update" else None, product)
    planned = desk.push(dry_run=True).requests
    desk.push()
    assert abs(planned - len(desk.shop.requests)) <= 3


def test_a_dry_run_tells_what_waits_and_what_is_in_doubt(desk):
    for _ in range(2):
        desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost before", wait=False)
    told = {one.number: one.waits for one in desk.push(dry_run=True).planned}
    assert told[1] == "in doubt, looked up first"
    assert "one could be mistaken for the other" in told[2]


@pytest.mark.parametrize(("decided", "told"), [("park", []), ("ours", [1]), ("theirs", [1])])
def test_a_dry_run_has_the_conflicts_that_it_decides(desk, record, decided, told):
    desk.queue("customers", "update", {"mobile": "3"}, record, based_on={"mobile": "2"})
    desk.pay(desk.shop.invoice(10), 50)
    desk.push()
    assert desk.states() == ["conflict", "conflict"]
    plan = desk.push(dry_run=True, on_conflict=decided)
    assert [one.number for one in plan.planned] == told
