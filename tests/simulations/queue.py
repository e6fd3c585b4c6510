"""People, a till and a service around one queue of changes, drawn by Hypothesis.

Staff and till do the very same as ours: the same amounts, names and minutes. Whoever looks at the
service cannot tell by content alone whose a record is; the fake service keeps that for us.
"""

import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pipelines.outbox import (
    Outbox,
    OutboxError,
    QueueBroken,
    QueueForeign,
    adopt,
    discard,
    enqueue,
    mark_restored,
    push,
    retry,
)
from pipelines.outbox.order import waits_for
from pipelines.settings import Settings
from sources.repair_shop.errors import ShopError
from tests.fakes.shop import FakeShop
from tests.homes import shop_of
from tests.outbox.desk import Killed, as_if_the_disk_was_put_back, kept_copy, torn
from tests.simulations.queue_staff import AMOUNTS, MOBILES, NAMES, Staff
from tests.simulations.queue_truth import ACTING, QueueTruth

WHEN = ("before", "after")
FAULTS = st.sampled_from(
    [
        "",
        "down",
        "lie",
        "lost late",
        *(
            f"{what} {when}"
            for what in ("lost", "reset", "500", "429", "401", "403")
            for when in WHEN
        ),
        *(f"{what} {when}" for what in ("503", "odd", "empty", "200", "202") for when in WHEN),
        "400 before",
        "409 after",
        "warned after",
        "success after",
        "record after",
    ]
)
STEPS = st.sampled_from(
    ["", *"checked stamp intent slot answered outcome looked adopted".split(), "slot kept"]
)
READ_FAULTS = st.sampled_from([0, 0, 0, 400, 401, 404, 429, 500, -1, -2])
DEEDS = ["retry", "discard", "till", "staff", "push", "adopt", "queue"]
CHECKS = ["checked", "looked"]
"""Steps after which a push moves the change as it had read it."""
MINUTE = "01-Oct-2026 10:00"


class Queue(Staff, QueueTruth, RuleBasedStateMachine):
    """``home`` is where people work, ``spare`` a backup, ``copy`` another folder."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="queue"))
        self.home, self.spare, self.copy = (self.folder / n for n in ("home", "spare", "copy"))
        self.shop = FakeShop(sender=lambda: self.sender)
        self.sender = ""
        self.tags = 0
        self.asked: dict[str, dict[str, Any]] = {}
        self.told: set[tuple[str, str]] = set()
        self.discarded: set[str] = set()
        self.shown: set[str] = set()
        self.photo = self.folder / "photo.png"
        self.photo.write_bytes(b"picture")
        self.errors: list[str] = []
        self.saved = 0.0, "", self.home, set[str]()
        self.decided: tuple[int, Any] | None = None
        self.approved: Counter[str] = Counter()

    def teardown(self) -> None:
        try:
            if not self.errors:
                self.everything_comes_to_an_end()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @initialize(
        lag=st.sampled_from([0.0, 100.0]),
        detail_lag=st.sampled_from([0.0, 0.0, 60.0]),
        hidden=st.sets(
            st.sampled_from(["tax", "notes", "quantity", "created_date", "payment_note"])
        ),
        edit=st.sampled_from([None, str.upper, lambda text: text[:2]]),
        rows=st.sampled_from([50, 3]),
    )
    def open(self, lag: float, detail_lag: float, hidden: set[str], edit: Any, rows: int) -> None:
        self.shop.lag, self.shop.detail_lag = lag, detail_lag
        self.shop.page_rows = rows
        if edit is not None:
            self.shop.edit = lambda _, value: edit(value) if isinstance(value, str) else value
        self.shop.hidden = {(table, name) for table in ("customers", *ACTING) for name in hidden}
        self.invoices = [self.shop.invoice(1000) for _ in range(2)]
        self.products = [self.shop.put("products", name="Screen", stock=5)]
        self.customers = [self.shop.put("customers", name="Old", city="x") for _ in range(3)]
        self.shop.put("brands", name="Acme")
        self.shop.put("stock", product={"id": "0"}, quantity=1)
        self.shop.put("adjustments", adjustment_date="2026-01-01T10:00:00+0000")
        self.shop.clock.ticks += 2 * 86400
        for name in ("north", "south"):
            enqueue(
                "brands", "create", {"name": "First"}, by="nobody", check=False, shop=name,
                settings=self.settings(), clock=self.shop.clock,
            )  # fmt: skip
        self.run(None, True, None)

    def settings(self, home: Path | None = None) -> Settings:
        more = {"requests_per_minute": 100_000, "timeout_seconds": 5.0}
        shops = (shop_of("north", **more), shop_of("south", **more))
        return Settings(home=home or self.home, shops=shops)

    # -- people queue -------------------------------------------------------------------------

    def queue(
        self, resource: str, op: str, body: Any, record: str | None = None, **more: Any
    ) -> None:
        self.tags += 1
        tag = f"tag{self.tags}"
        with suppress(OutboxError):
            enqueue(
                resource,
                op,
                body,
                record_id=record,
                by=tag,
                check=False,
                shop="south" if self.tags % 3 == 0 else "north",
                settings=self.settings(),
                clock=self.shop.clock,
                **more,
            )
            self.asked[tag] = {"resource": resource, "op": op, "body": body, "id": record}
            self.asked[tag]["at"] = self.shop.now()

    @rule(
        place=st.integers(0, 1),
        amount=AMOUNTS,
        note=st.sampled_from(["", "cash"]),
        marker=st.sampled_from([None, False]),
    )
    def pay(self, place: int, amount: int, note: str, marker: bool | None) -> None:
        line: dict[str, Any] = {"amount": amount, "paymentMethod": "1"}
        if note:
            line["paymentNote"] = note
        body = {"invoiceId": self.invoices[place], "lines": [line]}
        self.queue("payments", "create", body, marker=marker)

    @rule(name=NAMES, marker=st.booleans())
    def create_customer(self, name: str, marker: bool) -> None:
        self.queue("customers", "create", {"name": name, "mobile": MOBILES[name]}, marker=marker)

    @rule(name=NAMES)
    def create_brand(self, name: str) -> None:
        self.queue("brands", "create", {"name": name})

    @rule(quantity=st.integers(1, 2))
    def create_stock(self, quantity: int) -> None:
        self.queue("stock", "create", {"product": self.products[0], "quantity": quantity})

    @rule()
    def adjust(self) -> None:
        line = {"product_id": self.products[0], "quantity": 1, "type": "Addition"}
        self.queue("adjustments", "create", {"adjustment_date": MINUTE, "products": [line]})

    @rule(quantity=st.integers(1, 2))
    def add_stock(self, quantity: int) -> None:
        self.queue("products", "update", {"stockQuantity": quantity}, self.products[0])

    @rule(city=st.sampled_from("AB"), tax=st.integers(1, 2))
    def update(self, city: str, tax: int) -> None:
        self.queue("customers", "update", {"city": city, "tax": tax}, self.customers[0])

    @rule(place=st.integers(1, 2))
    def delete(self, place: int) -> None:
        self.queue("customers", "delete", None, self.customers[place])

    @rule()
    def upload(self) -> None:
        self.queue("products", "upload", None, self.products[0], file=self.photo)

    # -- push, and what happens in its midst --------------------------------------------------

    @rule(
        faults=st.lists(FAULTS, max_size=3),
        kill=STEPS,
        meddle=STEPS,
        number=st.integers(1, 9),
        deed=st.sampled_from(DEEDS),
        reads=st.lists(READ_FAULTS, max_size=8),
        shop=st.sampled_from([None, "north", "south"]),
        wait=st.booleans(),
    )
    def push(self, faults, kill, meddle, number, deed, reads, shop, wait) -> None:  # type: ignore[no-untyped-def]
        self.shop.faults.extend(faults)
        self.shop.read_faults.extend(reads)
        before = self.rows("south") if shop == "north" else self.rows("north")
        met = []

        def hook(step: str, of: int) -> None:
            self.what_a_person_decided_stands()
            self.note_sender(step, of)
            if step == meddle and not met:
                met.append(1)
                self.meddle(deed, of if deed.endswith(" it") else number, step)
            if step == kill:
                raise Killed

        with suppress(Killed, OutboxError, ShopError), torn(kill == "stamp"):
            self.run(shop, wait, hook)
        self.what_a_person_decided_stands()
        assert not self.errors, self.errors
        self.sender = ""
        self.shop.faults.clear()
        self.shop.read_faults.clear()
        if shop is not None and not met:
            other = "south" if shop == "north" else "north"
            after = self.rows(other)
            assert shop == "south" or after == before, "another shop's changes moved"
        self.check()

    @rule(
        deed=st.sampled_from(["retry it", "discard it"]),
        step=st.sampled_from(CHECKS),
        fault=st.sampled_from(["lost before", "lost after", "429 before"]),
    )
    def decide_while_it_is_looked_at(self, deed: str, step: str, fault: str) -> None:
        """What is in doubt is due, so that the push has something to do with it."""
        self.create_stock(1)
        self.push([fault], "", "", 0, "", [], None, False)
        self.shop.clock.ticks += 2 * 3600
        self.push([], "", step, 0, deed, [], None, False)

    def run(self, shop: str | None, wait: bool, hook: Any, home: Path | None = None) -> Any:
        """Push, one shop after the other: what is drawn must come out the same again. What stopped
        the last of them."""
        for name in ("north", "south") if shop is None else (shop,):
            report = push(
                self.settings(home),
                name,
                wait=wait,
                hook=hook,
                clock=self.shop.clock,
                sleep=self.shop.clock.sleep,
                transport=self.shop.of,
            )
            stopped = report.errors.get(name)
            assert not isinstance(stopped, QueueBroken), str(stopped)
        return stopped

    def meddle(self, deed: str, number: int, step: str) -> None:
        if deed.endswith(" it"):
            before = self.decision(number)
            self.decide(deed.removesuffix(" it"), number)
            if step in CHECKS and self.decision(number) != before:
                self.decided = number, self.decision(number)
        elif deed in ("retry", "discard"):
            self.decide(deed, number)
        elif deed == "adopt":
            self.adopt_at_the_wrong_moment(None)
        elif deed == "queue":
            self.create_brand("Ann")
        elif deed == "till":
            self.shop.take(self.invoices[0], 10, "cash")
        elif deed == "staff":
            self.shop.put("customers", name="Ann", mobile=MOBILES["Ann"])
            self.shop.put("stock", product={"id": self.products[0]}, quantity=1)
        else:
            with suppress(OutboxError):
                self.run(None, False, None)

    @rule(deed=st.sampled_from(["retry", "discard"]), number=st.integers(1, 9))
    def decide(self, deed: str, number: int) -> None:
        with suppress(OutboxError):
            tag = self.tag_of(number)
            if deed == "retry":
                with Outbox(self.home, self.shop.clock) as outbox:
                    was_asked = outbox.get(number).needs_person
                retry(self.home, number, by="ann")
                self.approved[tag] += was_asked
                self.discarded.discard(tag)
            else:
                discard(self.home, number, by="ann")
                self.discarded.add(tag)

    # -- backups and copies -------------------------------------------------------------------

    @rule()
    def back_up(self) -> None:
        kept_copy(self.home, self.spare)
        clock = self.shop.clock
        self.saved = clock.monotonic(), clock.boot_id, self.home, set(self.discarded)

    @precondition(lambda self: self.spare.exists())
    @rule(kind=st.sampled_from(["folder", "file", "disk", "machine", "command"]))
    def put_back(self, kind: str) -> None:
        if kind == "file":
            for old in self.home.glob("outbox.sqlite*"):
                old.unlink()
            shutil.copy2(self.spare / "outbox.sqlite", self.home)
        else:
            shutil.rmtree(self.home)
            shutil.copytree(self.spare, self.home)
        self.discarded |= self.saved[3]  # a retry since is lost, too
        if kind == "command":
            mark_restored(self.home)
        if kind in ("disk", "machine"):
            as_if_the_disk_was_put_back(self.home)
        if kind == "disk":
            self.reboot()
        if kind == "machine":  # with its memory: its clock goes on from where it was
            clock = self.shop.clock
            clock.ticks += 600
            clock.unlived += clock.monotonic() - self.saved[0]
            clock.boot_id = self.saved[1]
        if self.saved[2] != self.home:  # a push says that it has to be adopted there
            self.adopt_at_the_wrong_moment(None)

    @rule(shop=st.sampled_from([None, "north", "south"]))
    def adopt_at_the_wrong_moment(self, shop: str | None) -> None:
        with suppress(OutboxError):
            adopt(self.settings(), shop, by="ann", clock=self.shop.clock)

    @rule(first=st.sampled_from(["north", "south"]), both=st.booleans())
    def move_shop_by_shop(self, first: str, both: bool) -> None:
        """The copy is adopted for one shop; the other shop goes on here, then moves, too."""
        kept_copy(self.home, self.copy)
        other = "south" if first == "north" else "north"
        adopt(self.settings(self.copy), first, by="ann", clock=self.shop.clock)
        self.run(first, both, self.note_sender, self.copy)
        refused = self.run(other, both, None, self.copy)
        assert isinstance(refused, QueueForeign), "a shop that nobody adopted was pushed"
        with suppress(OutboxError, ShopError):
            self.run(other, both, self.note_sender)
        self.sender = ""
        adopt(self.settings(self.copy), other, by="ann", clock=self.shop.clock)
        self.home, self.copy = self.copy, self.home
        self.check()

    @rule(tried=st.booleans())
    def move_to_a_copy(self, tried: bool) -> None:
        kept_copy(self.home, self.copy)
        if tried:
            count = len(self.shop.writes)
            with suppress(OutboxError):
                self.run(None, False, None, self.copy)
            assert len(self.shop.writes) == count, "a copy that nobody adopted sent something"
        if adopt(self.settings(self.copy), by="ann", clock=self.shop.clock):
            self.home, self.copy = self.copy, self.home

    # -- the end -----------------------------------------------------------------------------

    def everything_comes_to_an_end(self) -> None:
        """Whatever waits is done in two quiet days, or a person was told what to do."""
        if not hasattr(self, "customers"):
            return
        self.shop.faults.clear()
        self.shop.free_ids.clear()
        self.adopt_at_the_wrong_moment(None)  # a push says so, where it has to be done
        for _ in range(7):
            self.shop.clock.ticks += 7 * 3600
            with suppress(OutboxError, ShopError):
                self.run(None, True, self.note_sender)
            self.check()
        with Outbox(self.home, self.shop.clock) as outbox:
            for change in outbox.changes():
                unsure = change.state != "queued" or not self.acted(change.queued_by)
                assert unsure, f"{change} is called queued, and acted"
                told = change.needs_person and change.reason
                final = change.state in ("done", "rejected", "conflict")
                assert final or told or waits_for(outbox, change), f"{change} waits for ever"
