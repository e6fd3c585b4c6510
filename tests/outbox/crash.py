"""One run of a crash: a change is queued, a push dies at a step (or the answer is lost), pushes
follow until nothing moves, and the service is counted against the queue.
"""

import random
from dataclasses import dataclass
from pathlib import Path

from pipelines.bodies import PATHS
from pipelines.outbox import Outbox, enqueue, push
from tests.contract.values import minimal
from tests.outbox.conftest import settings_for

STEPS = ("checked", "intent", "answered", "outcome", "looked", "intent again", "adopted")
UPLOAD_STEPS = (*STEPS, "slot", "slot kept")
FAULTS = ("ok", "before", "after", "500 before", "500 after")
NAMES = {name: path.strip("/") for name, path in PATHS.items()}
"""Raw table -> its list at the service."""
CREATABLE = tuple(name for name in PATHS if name != "serials")
UPDATES = {
    "customers": {"city": "Cobán"},
    "tickets": {"shortInfo": "New words", "lines": [{"productCode": "A", "quantity": 2}]},
    "ticket_timers": {"notes": "late"},
    "products": {"name": "Other", "stockQuantity": 2},
    "models": {"name": "Other"},
    "categories": {"name": "Other"},
    "brands": {"name": "Other"},
    "stock": {"quantity": 7},
    "serials": {"serial": "S-2"},
    "adjustments": {"notes": "counted again"},
    "leads": {"subject": "Other"},
    "appointments": {"subject": "Other"},
    "time_clock": {"inNotes": "Other"},
}
CASES = (
    *((name, "create") for name in CREATABLE),
    *((name, "update") for name in UPDATES),
    *((name, "delete") for name in UPDATES),
    ("tickets", "upload"),
    ("products", "upload"),
)


class Crash(BaseException):
    """The process dies here: nothing of ours may catch it."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the state, how often the service applied it, how many pushes it took."""

    state: str
    applied: int
    pushes: int


def run(service, home: Path, resource: str, op: str, crashes, faults) -> Outcome:
    """``crashes``: (step, times it is reached) of each push that dies; then pushes that live."""
    settings = settings_for(home, service.base_url, minute_seconds=0.02)
    path = NAMES[resource]
    _queue(service, settings, resource, op, home)
    before = service.count(op, path)
    service.lose = list(faults)
    pushes = 0
    for step, times in crashes:
        pushes += 1
        counted = 0

        def die(reached, number, step=step, times=times):
            nonlocal counted
            if reached == step:
                counted += 1
                if counted == times:
                    raise Crash

        try:
            push(settings, hook=die)
        except Crash:
            continue
    for _ in range(2):
        pushes += 1
        push(settings)
    service.lose = []
    with Outbox(home) as outbox:
        [change] = outbox.changes()
    return Outcome(change.state, service.count(op, path) - before, pushes)


def holds(outcome: Outcome, resource: str, op: str) -> bool:
    """The promise: at most once, and ``done`` exactly when the service holds it.

    Updates of plain fields may be sent twice, which sets them once. What is in doubt was applied
    or not; it is not called done.
    """
    twice_is_once = op == "update" and resource != "products"
    if outcome.state == "done":
        return outcome.applied >= 1 if twice_is_once else outcome.applied == 1
    if outcome.state == "in_doubt":
        return outcome.applied <= 1 or twice_is_once
    return False


def random_run(service, home: Path, seed: int):
    """A run drawn from ``seed``: the case, one or two deaths, faults of the service."""
    draw = random.Random(seed)
    resource, op = draw.choice(CASES)
    steps = UPLOAD_STEPS if op == "upload" else STEPS
    crashes = [(draw.choice(steps), draw.choice((1, 1, 2))) for _ in range(draw.choice((1, 1, 2)))]
    faults = [draw.choice(FAULTS) for _ in range(draw.choice((0, 1, 2)))]
    return resource, op, crashes, faults, run(service, home, resource, op, crashes, faults)


def _queue(service, settings, resource, op, home):
    path = NAMES[resource]
    if op == "create":
        body = minimal(resource)
        if resource == "payments":
            body["invoiceId"] = service.put("ticketInvoices", number="1")
            service.records.setdefault("payments", {})
        enqueue(resource, op, body, marker=resource == "payments", settings=settings)
        return
    record = service.put(path, name="Old", stock=4, notes="", subject="Old", serial="S-1")
    if op == "update":
        enqueue(resource, op, UPDATES[resource], record_id=record, settings=settings)
    elif op == "delete":
        enqueue(resource, op, record_id=record, settings=settings)
    else:
        photo = home / "photo.png"
        home.mkdir(exist_ok=True)
        photo.write_bytes(b"picture")
        enqueue(resource, op, record_id=record, file=photo, settings=settings)
