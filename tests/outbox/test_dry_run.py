"""``push --dry-run`` says what a push then sends, whatever waits in the queue and in what state."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pipelines.outbox import Outbox, enqueue, push
from tests.outbox.conftest import payment, settings_for
from tests.outbox.service import FakeService

OPS = st.sampled_from(("create", "name", "city", "stock", "comment", "delete", "pay", "upload"))
STEPS = st.lists(st.tuples(OPS, st.integers(0, 3)), min_size=1, max_size=9)
STATES = st.lists(st.sampled_from(("queued", "in_doubt", "conflict", "rejected")), max_size=4)
CHOICES = st.sampled_from(("park", "ours", "theirs"))


class Shop:
    """A home and a service with three records of each kind."""

    def __init__(self, folder, service):
        self.service = service
        self.settings = settings_for(folder, service.base_url, minute_seconds=0.02)
        self.photo = folder / "photo.png"
        self.photo.write_bytes(b"picture")
        made = ("customers", "products", "tickets", "ticketInvoices")
        self.ids = {
            name: [service.put(name, name="Old", stock=1) for _ in range(3)] for name in made
        }
        self.doomed = [service.put("customers", name="Gone") for _ in range(4)]
        service.records.setdefault("payments", {})
        self.creates = []

    def queue(self, op, place):
        customers = self.ids["customers"] + [f"@{number}" for number in self.creates]
        customer = customers[-1 - place % len(customers)]
        some = {name: ids[place % 3] for name, ids in self.ids.items()}
        screen = {
            "customerId": (customer, self.doomed[place])[place % 2],
            "shortInfo": f"Screen {place}",
        }
        resource, kind, body, record, file = {
            "create": ("customers", "create", {"name": f"Ann {place}"}, None, None),
            "name": ("customers", "update", {"name": f"Bob {place}"}, customer, None),
            "city": ("customers", "update", {"city": "A"}, customer, None),
            "stock": ("products", "update", {"stockQuantity": 1}, some["products"], None),
            "comment": ("tickets", "create", screen, None, None),
            "delete": ("customers", "delete", None, self.doomed[place], None),
            "pay": ("payments", "create", payment(some["ticketInvoices"], place + 1), None, None),
            "upload": ("tickets", "upload", None, some["tickets"], self.photo),
        }[op]
        [number] = enqueue(
            resource, kind, body, record_id=record, file=file, settings=self.settings, check=False
        )
        if op == "create":
            self.creates.append(number)


def told(outbox, planned):
    """The writes that a dry run names, with the ids that changes it names have got since."""

    def known(part):
        return outbox.get(int(part[1:])).id if part.startswith("@") else part

    return [
        (entry.method, "/".join(known(part) for part in entry.path.strip("/").split("/")))
        for entry in planned
        if not entry.waits
    ]


def bodies(outbox, planned):
    """What creates and updates are said to send."""
    return [
        {
            name: outbox.get(int(value[1:])).id if str(value).startswith("@") else value
            for name, value in entry.body.items()
        }
        for entry in planned
        if entry.method != "DELETE" and not entry.path.endswith("/upload") and not entry.waits
    ]


@examples(max_examples=8, deadline=None)
@given(steps=STEPS, states=STATES, on_conflict=CHOICES)
def test_a_push_sends_what_its_dry_run_said(steps, states, on_conflict):
    with FakeService() as service, tempfile.TemporaryDirectory() as folder:
        shop = Shop(Path(folder), service)
        for op, place in steps:
            shop.queue(op, place)
        with Outbox(shop.settings.home) as outbox, outbox.transaction() as db:
            for number, state in enumerate(states, 1):
                # In doubt for a person: a push looks it up, and cannot tell.
                db.execute(
                    "update changes set state = ?, for_person = ?, baseline = ? where number = ?"
                    " and (op = 'create' or ? != 'in_doubt')",
                    (state, state == "in_doubt", '{"ids": [], "unsure": "test"}', number, state),
                )
        plan = push(shop.settings, dry_run=True, on_conflict=on_conflict)
        assert service.requests == []
        push(shop.settings, on_conflict=on_conflict)
        with Outbox(shop.settings.home) as outbox:
            # A file goes to the place that is asked for first.
            places = [path for _, path in service.requests if "/upload/" in path]
            sent = [one for one in service.requests if one[0] != "GET" and one[1] not in places]
            assert told(outbox, plan.planned) == sent
            bodied = [body for kind, _, body in service.writes if body is not None]
            assert bodies(outbox, plan.planned) == bodied


def test_a_change_behind_one_in_doubt_is_said_to_wait(settings, service):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    plan = {entry.number: entry.waits for entry in push(settings, dry_run=True).planned}
    assert plan[1] == "in doubt, looked up first"
    assert "in doubt, which it could be mistaken for" in plan[2]


def test_a_dry_run_refuses_what_a_push_refuses(settings, service, tmp_path):
    """Queued for one service, and the settings name another."""
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    with FakeService() as other:
        elsewhere = settings_for(tmp_path, other.base_url)
        dry, real = push(elsewhere, dry_run=True), push(elsewhere)
        assert other.requests == []
    assert str(dry.errors["main"]) == str(real.errors["main"])
    assert dry.exit_code == real.errors["main"].exit_code == 2
