"""What goes on around a queue: staff, till, time, clocks; see :mod:`tests.simulations.queue`."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from pipelines.outbox import Outbox
from tests.fakes.shop import FakeShop

MOBILES = {"Ann": "55510001", "Bob": "55510002"}
NAMES = st.sampled_from(sorted(MOBILES))
AMOUNTS = st.sampled_from([10, 20])


class Staff:
    """They do the very same as ours."""

    home: Path
    shop: FakeShop
    invoices: list[str]
    products: list[str]
    customers: list[str]

    @rule(place=st.integers(0, 1), amount=AMOUNTS, note=st.sampled_from(["", "cash"]))
    def till(self, place: int, amount: int, note: str) -> None:
        self.shop.take(self.invoices[place], amount, note)

    @rule(
        what=st.sampled_from(["customers", "brands", "stock", "adjustments", "count"]), name=NAMES
    )
    def staff(self, what: str, name: str) -> None:
        if what == "count":
            self.shop.tables["products"][self.products[0]]["stock"] += 1
        elif what == "stock":
            self.shop.put("stock", product={"id": self.products[0]}, quantity=1)
        elif what == "adjustments":
            self.shop.put("adjustments", adjustment_date="2026-10-01T10:00:00+0000")
        else:
            more = {"mobile": MOBILES[name]} if what == "customers" else {}
            self.shop.put(what, name=name, **more)

    @rule(place=st.integers(0, 2), city=st.sampled_from(["A", "B", ""]))
    def staff_edit_or_delete(self, place: int, city: str) -> None:
        table, record = self.shop.tables["customers"], self.customers[place]
        if city and record in table:
            table[record] |= {"city": city, "last_updated": self.shop.shown()}
        elif place:
            table.pop(record, None)

    @rule(name=NAMES)
    def staff_delete_one_of_theirs_or_ours(self, name: str) -> None:
        """Never one that the queue, as it is now, does not call done: nothing could tell it from
        one that was not made."""
        table = self.shop.tables["brands"]
        made = {one.id: one.by for one in self.shop.writes if one.path == "brands"}
        with Outbox(self.home, self.shop.clock) as outbox:
            done = {one.queued_by for one in outbox.changes() if one.state == "done"}
        for record in [one for one, row in table.items() if row.get("name") == name][-1:]:
            if not made.get(record) or made[record] in done:
                del table[record]

    @rule(minutes=st.sampled_from([1, 6, 60, 1500]))
    def time_goes_by(self, minutes: int) -> None:
        self.shop.clock.ticks += 60 * minutes

    @rule(hours=st.sampled_from([-48, -1, 1, 48]))
    def somebody_sets_the_clock(self, hours: int) -> None:
        self.shop.clock.wall_offset += 3600 * hours

    @rule()
    def reboot(self) -> None:
        self.shop.clock.boot_id += "+"

    @precondition(lambda self: ("customers", "created_date") not in self.shop.hidden)
    @rule()
    def an_id_is_given_out_again(self) -> None:
        """Where records show when they were made: else nothing could tell the new one from the one
        that a queue put back is still to delete."""
        gone = [one.id for one in self.shop.writes if one.method == "DELETE"]
        free = [one for one in gone if one not in self.shop.tables["customers"]]
        self.shop.free_ids = free[-1:]
