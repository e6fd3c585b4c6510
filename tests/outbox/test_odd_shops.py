"""Every kind of change at services that shape their answers otherwise, and lose or lie about them.

Each acts at most once, is called done only if it is there, and rejected only if it is not.
"""

import itertools
from contextlib import closing
from datetime import UTC, datetime

import pytest

from pipelines.outbox import Outbox, enqueue, push
from pipelines.settings import Settings
from sandbox.service import Sandbox
from sandbox.shops import ShopSpec
from tests.fakes.clock import FakeClock
from tests.fakes.network import InProcess
from tests.homes import shop_of
from tests.outbox.desk import HOUR
from tests.simulations.user import CREATES, WORD_FIELD, body_of
from tests.simulations.world import DIALECTS

KINDS = [
    *((resource, "create") for resource in CREATES),
    *((resource, "update") for resource in ("customers", "tickets", "serials", "time_clock")),
    *(("products", "stock"), ("customers", "delete"), ("tickets", "upload")),
]
MANNERS = {
    "plain": {"written": "data", "shows_after": 60},
    "spanish": {"written": "message"},
    "offset": {"shows_after": 60},
    "loose": {"written": "text", "keeps": "upper"},
    "dates": {"shows_after": 60},
}
"""Dialect of the service -> how it is odd besides."""
WORDS = {"error": "Something is wrong. Check it."}
FAULTS = [
    *((kind, {}) for kind in ("drop_answer_after_commit", "reset", "truncated_json", "no_right")),
    *(
        (when, {"status": status, "content": content, "headers": {"Retry-After": "30"}})
        for when, status, content in (
            ("answer_after", 200, None),
            ("answer_before", 201, None),
            ("answer_before", 200, WORDS),
            *(("answer_after", status, WORDS) for status in (200, 202, 401, 408, 409, 429, 503)),
            *(("answer_before", status, WORDS) for status in (400, 422, 429)),
        )
    ),
]


@pytest.fixture(params=MANNERS)
def outcome(tmp_path, request):
    """``outcome(kind, fault)``: the change as it stands in the end, and how often it acted."""
    clock = FakeClock()
    quirks = DIALECTS[request.param][0].model_copy(update=MANNERS[request.param])
    sandbox = Sandbox(
        [ShopSpec(quirks=quirks, limit=None)],
        clock=clock.monotonic,
        now=lambda: datetime.fromtimestamp(clock.wall(), UTC),
    )
    store = sandbox.store()
    shop = shop_of(api_key=sandbox.keys["main"], requests_per_minute=100_000)
    numbers = itertools.count()
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")

    def one(resource):
        if resource == "ticket_invoices":
            return store.insert(resource, {"amount_total": 1234.5, "number": "N-1"})
        return store.ids(resource)[-1]

    def live(kind, fault=None):
        (resource, op), word = kind, f"w{next(numbers):05}q"
        body = {"stockQuantity": 3} if op == "stock" else None
        if op == "update":
            body = {WORD_FIELD[resource]: word}
        if op == "create":
            body = body_of(one, resource, word, "01-Feb-2026 10:00")
        settings = Settings(home=tmp_path / word, shops=(shop,))
        enqueue(
            resource,
            "update" if op == "stock" else op,
            body,
            record_id=None if op == "create" else store.ids(resource)[0],
            file=photo if op == "upload" else None,
            check=False,
            settings=settings,
            clock=clock,
        )
        before = len(sandbox.writes())
        if fault is not None:
            sandbox.faults.next(fault[0], method=METHODS.get(op, "PUT"), **fault[1])
        for _ in range(3):
            push(
                settings,
                clock=clock,
                sleep=clock.sleep,
                transport=lambda _: InProcess(sandbox.transport()),
            )
            sandbox.faults.clear()
            clock.ticks += 6 * HOUR
            with Outbox(settings.home) as outbox:
                [change] = outbox.changes()
            if change.state in ("done", "rejected"):
                break
        # Where a file is to go is asked for first.
        acted = [one for one in sandbox.writes()[before:] if not one.path.endswith("/upload")]
        return change, len(acted)

    with closing(sandbox):
        yield live


METHODS = {"create": "POST", "upload": "POST", "delete": "DELETE"}


def test_each_kind_of_change_is_done_once_however_answers_are_shaped(outcome):
    for kind in KINDS:
        change, acted = outcome(kind)
        assert (change.state, acted) == ("done", 1), (kind, change.reason)


def test_a_fault_doubles_nothing_and_is_told_rightly(outcome, request):
    place = list(MANNERS).index(request.node.callspec.params["outcome"])
    faults = itertools.cycle(FAULTS[place * 3 :] + FAULTS[: place * 3])
    for kind in KINDS:
        fault = next(faults)
        change, acted = outcome(kind, fault)
        told = (kind, fault, change.state, acted, change.reason)
        acts = kind[1] in ("create", "upload", "stock")
        assert not acts or acted <= 1, told
        assert change.state != "queued", told
        assert acted or change.state != "done", told
        assert not acted or change.state != "rejected", told
        assert change.state != "in_doubt" or (change.needs_person and change.reason), told
