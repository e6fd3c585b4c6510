"""What must hold of a queue, whatever people do: see :mod:`tests.simulations.queue`."""

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from pipelines.outbox import Outbox
from tests.fakes.shop import FakeShop

ACTING = ("payments", "stock", "adjustments")


class QueueTruth:
    """Compares what the queue tells with what the service holds."""

    home: Path
    shop: FakeShop
    sender: str
    asked: dict[str, dict[str, Any]]
    told: set[tuple[str, str]]
    discarded: set[str]
    shown: set[str]
    errors: list[str]
    decided: tuple[int, Any] | None
    approved: Counter[str]
    """How often a person, who was asked, said that a change is to be sent again."""

    def tag_of(self, number: int) -> str:
        with Outbox(self.home, self.shop.clock) as outbox:
            return outbox.get(number).queued_by

    def rows(self, shop: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.home / "outbox.sqlite") as db:
            return db.execute("select * from changes where shop = ?", (shop,)).fetchall()

    def decision(self, number: int) -> Any:
        """What a person decides of a change, or is asked: not when it is looked for next."""
        with sqlite3.connect(self.home / "outbox.sqlite") as db:
            return db.execute(
                "select state, approved_by, needs_person, reason from changes where number = ?",
                (number,),
            ).fetchone()

    def what_a_person_decided_stands(self) -> None:
        """A push that read a change before a person decided on it leaves it as it is now."""
        if self.decided is not None:
            number, decision = self.decided
            self.decided = None
            if self.decision(number) != decision:
                # In the midst of a push, which parks a change over an error of ours.
                self.errors.append(f"change {number} was moved over a decision")

    def acted(self, tag: str) -> int:
        return sum(one.by == tag for one in self.shop.writes)

    def check(self) -> None:
        try:
            self._check()
        except BaseException as error:
            self.errors.append(str(error))
            raise

    def _check(self) -> None:
        for tag, asked in self.asked.items():
            acts = asked["op"] in ("create", "upload") or "stockQuantity" in (asked["body"] or {})
            most = 1 + self.approved[tag]
            assert not acts or self.acted(tag) <= most, f"{tag} {asked} acted {most + 1} times"
        with Outbox(self.home, self.shop.clock) as outbox:
            changes = outbox.changes()
        for change in changes:
            tag, state = change.queued_by, str(change.state)
            if (tag, state) in self.told or tag not in self.asked:
                continue
            self.told.add((tag, state))
            asked, there = self.asked[tag], self.acted(tag)
            if state == "done":
                assert there or tag in self.shop.lied | self.shown or self.shows(asked), (
                    f"{tag} {asked} not there"
                )
            if state == "rejected" and tag not in self.discarded:
                assert not there, f"{tag} {asked} rejected, and there"

    def shows(self, asked: dict[str, Any]) -> bool:
        """Whether the service holds what was asked for, whoever made it; never of what acts."""
        table = self.shop.tables[asked["resource"]]
        if asked["op"] == "delete":
            row = table.get(asked["id"])
            return row is None or row["_at"] >= asked["at"]
        if asked["resource"] in ACTING or asked["op"] == "upload":
            return False
        if asked["op"] == "create":
            return any(
                row["_at"] >= asked["at"] and self.is_shown("name", asked["body"]["name"], row)
                for row in table.values()
            )
        # A detail may show how it was a minute ago, before somebody wrote over it.
        rows = table.get(asked["id"]), self.shop.as_known(asked["resource"], asked["id"])
        body = asked["body"].items()
        return any(row and all(self.is_shown(*pair, row) for pair in body) for row in rows)

    def is_shown(self, name: str, value: Any, row: dict[str, Any]) -> bool:
        """Whether a record holds a value, as it was sent or as the service keeps it."""
        return str(row.get(name)) in (str(value), str(self.shop.edit(name, value)))

    def note_sender(self, step: str, of: int) -> None:
        if step == "intent":
            self.sender = self.tag_of(of)
        # The next change of the push may write over what this one is done for.
        if step == "adopted" and (tag := self.tag_of(of)) in self.asked:
            self.shown |= {tag} if self.shows(self.asked[tag]) else set()
