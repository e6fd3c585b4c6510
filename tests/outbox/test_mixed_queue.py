"""Queues of many changes that depend on one another, with deaths and lost answers all along: in the
end the service is what applying the changes one after the other, once each, makes of it."""

import random

import pytest

from pipelines.outbox import Outbox, enqueue, push
from tests.outbox.conftest import settings_for
from tests.outbox.crash import STEPS, Crash
from tests.outbox.service import FakeService

FIELDS = ("city", "company", "email")


def fill(draw, settings, service):
    """Queue customers, updates of them, brands and tickets that refer to them."""
    staff = service.put("customers", name="staff's own")
    targets = [staff]
    for number in range(draw.randint(6, 14)):
        kind = draw.choice(("customer", "update", "update", "update", "brand", "ticket"))
        if kind == "customer":
            # Names repeat, so that records can be mistaken for one another.
            body = {"name": f"name {draw.randint(0, 2)}"}
            [made] = enqueue("customers", "create", body, settings=settings)
            targets.append(f"@{made}")
        elif kind == "update":
            body = {draw.choice(FIELDS): f"value {number}"}
            target = draw.choice(targets)
            enqueue("customers", "update", body, record_id=target, settings=settings)
        elif kind == "brand":
            enqueue("brands", "create", {"name": f"brand {draw.randint(0, 1)}"}, settings=settings)
        else:
            body = {"customerId": draw.choice(targets), "shortInfo": f"ticket {number}"}
            enqueue("tickets", "create", body, settings=settings)


@pytest.mark.parametrize("side_by_side", [False, True], ids=["in turn", "side by side"])
@pytest.mark.seeds(6)
def test_the_service_ends_as_if_nothing_had_ever_failed(tmp_path, monkeypatch, seed, side_by_side):
    if side_by_side:
        monkeypatch.setattr("pipelines.outbox.pushing.SLOW_SECONDS", -1.0)
    draw = random.Random(seed)
    with FakeService() as service:
        settings = settings_for(tmp_path, service.base_url, minute_seconds=0.02)
        fill(draw, settings, service)
        for _ in range(6):
            step, times = draw.choice(STEPS), draw.randint(1, 4)
            service.lose = [draw.choice(("ok", "ok", "before", "after")) for _ in range(4)]
            counted = 0

            def die(reached, number, step=step, times=times):
                nonlocal counted
                counted += reached == step
                if reached == step and counted == times:
                    raise Crash

            try:
                push(settings, hook=die)
            except Crash:
                continue
        service.lose = []
        push(settings)
        push(settings)
        with Outbox(tmp_path) as outbox:
            changes = outbox.changes()
        stuck = [change for change in changes if change.state not in ("done", "queued")]
        # Whatever waits, waits for something that a person has to decide.
        assert all(change.state == "in_doubt" and change.for_person for change in stuck), stuck
        assert stuck or all(change.state == "done" for change in changes)
        for resource in ("customers", "brands", "tickets"):
            done = [
                c for c in changes if (c.resource, c.op, c.state) == (resource, "create", "done")
            ]
            doubtful = [c for c in stuck if c.resource == resource and c.op == "create"]
            made = service.count("create", resource)
            assert len(done) <= made <= len(done) + len(doubtful)
            assert len({change.id for change in done}) == len(done)
        expected: dict[tuple[str, str], str] = {}
        for change in changes:
            if change.op == "update" and change.state == "done":
                expected |= {(change.id, name): value for name, value in change.body.items()}
        shown = {"city": "city", "company": "company", "email": "email"}
        open_updates = {change.record_id for change in stuck if change.op == "update"}
        for (record, name), value in expected.items():
            if record not in open_updates:
                assert service.records["customers"][record][shown[name]] == value
        for change in changes:
            if change.resource == "tickets" and change.state == "done":
                customer = service.records["tickets"][change.id]["customer"]["id"]
                assert customer in service.records["customers"]
