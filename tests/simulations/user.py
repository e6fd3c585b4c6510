"""The changes a user queues, and what the service must have applied of each in the end."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.outbox.mirrored import not_shown
from pipelines.outbox.review import discard
from pipelines.outbox.store import Outbox
from sandbox.service import Write
from sandbox.store import ShopStore
from specification import BODIES, Field

CREATES = tuple(
    (
        "customers tickets ticket_comments ticket_timers payments products models categories "
        "brands stock adjustments leads appointments time_clock"
    ).split()
)
WORD_FIELD = {
    "customers": "comments",
    "tickets": "shortInfo",
    "ticket_timers": "notes",
    "products": "description",
    "models": "name",
    "categories": "name",
    "brands": "name",
    "adjustments": "notes",
    "leads": "subject",
    "appointments": "subject",
    "time_clock": "inNotes",
    "serials": "serial",
}
_PATHS = {
    "ticket_comments": "ticketComments",
    "ticket_timers": "ticketTimers",
    "time_clock": "timeClock",
}


def body_of(one: Callable[[str], str], resource: str, word: str, day: str) -> dict[str, Any]:
    """A body that the service takes: ``one`` gives an id of a list, ``word`` tells it apart."""
    fields = BODIES[resource].fields.values()
    needed = (field for field in fields if field.required and field.default is None)
    body = {field.name: _value(field, one, word, day) for field in needed}
    if resource == "adjustments":
        body["products"] = [{"product_id": one("products"), "quantity": 1, "type": "Addition"}]
    if resource == "customers":
        body["gdprCompliant"] = "Yes"
    return body | ({WORD_FIELD[resource]: word} if resource in WORD_FIELD else {})


def _value(field: Field, one: Callable[[str], str], word: str, day: str) -> Any:
    if field.of:
        return [{"amount": 1.25, "paymentMethod": one("payment_methods")}]
    if field.names:
        return int(one(field.names)) if field.type == "numeric" else one(field.names)
    if field.format:
        return f"{day}:00" if field.format[0].endswith("ss") else day
    return 3 if field.type == "numeric" else (*field.values, word)[0]


@dataclass
class Expected:
    """One change: ``word`` is in its body and nowhere else."""

    word: str
    resource: str
    op: str
    night: int
    restored: bool = False
    """A backup from before it ended was restored since: the queue may have forgotten its end."""
    target: str = ""


@dataclass
class User:
    """Queues changes of every resource and operation."""

    store: ShopStore
    folder: Path
    marker: bool = False
    expected: list[Expected] = field(default_factory=list)

    def day(self, chance: random.Random, count: int, night: int) -> list[dict[str, Any]]:
        """Arguments of ``enqueue`` for a day's changes."""
        changes = []
        for _ in range(count):
            word = f"w{len(self.expected):05}q"
            op = chance.choices(("create", "update", "upload", "delete"), (6, 4, 1, 1))[0]
            change = getattr(self, f"_{op}")(chance, word, night)
            if change is not None:
                changes.append(change)
        return changes

    def _pick(self, chance: random.Random, table: str) -> str:
        ids = self.store.ids(table)
        return chance.choice(ids) if ids else ""

    def _create(self, chance: random.Random, word: str, night: int) -> dict[str, Any] | None:
        resource = chance.choice(CREATES)
        body = self._body(chance, resource, word)
        if body is None:
            return None
        self.expected.append(Expected(word, resource, "create", night))
        marker = resource == "payments" and self.marker
        queued = {"resource": resource, "op": "create", "data": body}
        return {**queued, "marker": marker, "check": False}

    def _body(self, chance: random.Random, resource: str, word: str) -> dict[str, Any] | None:
        day = f"{chance.randint(1, 28):02}-Jul-2026 10:{chance.randint(0, 59):02}"
        body = body_of(lambda table: self._pick(chance, table), resource, word, day)
        if resource == "payments":
            due = self.store.select("ticket_invoices", "status = 'Due'", ())
            if not due:
                return None
            body["invoiceId"] = chance.choice(due)["id"]
            body["lines"][0]["paymentNote"] = word
        if resource == "stock":
            body["quantity"] = 100_000 + int(word[1:-1])
        return body

    def _update(self, chance: random.Random, word: str, night: int) -> dict[str, Any] | None:
        resource = chance.choice(sorted(WORD_FIELD))
        target = self._pick(chance, resource)
        if not target:
            return None
        body: dict[str, Any] = {WORD_FIELD[resource]: word}
        if resource == "products":
            body["stockQuantity"] = 2
        self.expected.append(Expected(word, resource, "update", night, target=target))
        return {"resource": resource, "op": "update", "data": body, "record_id": target}

    def _upload(self, chance: random.Random, word: str, night: int) -> dict[str, Any] | None:
        resource = chance.choice(("tickets", "products"))
        target = self._pick(chance, resource)
        if not target:
            return None
        self.folder.mkdir(exist_ok=True)
        photo = self.folder / f"{word}.png"
        photo.write_bytes(word.encode() * 50)
        self.expected.append(Expected(word, resource, "upload", night, target=target))
        return {"resource": resource, "op": "upload", "record_id": target, "file": photo}

    def _delete(self, chance: random.Random, word: str, night: int) -> dict[str, Any] | None:
        """Of something the queue made: what the staff keeps is theirs to delete."""
        resource = chance.choice(("brands", "categories", "leads", "appointments", "customers"))
        made = self.store.first(resource, "doc LIKE '%w0____q%'", ())
        if made is None:
            return None
        self.expected.append(Expected(word, resource, "delete", night, target=str(made["id"])))
        return {"resource": resource, "op": "delete", "record_id": str(made["id"])}

    def broken(self, home: Path, writes: list[Write]) -> list[str]:
        """Promises that the queue did not keep."""
        with Outbox(home) as outbox:
            changes = list(outbox.changes())
        texts = [(write, write.body.decode("utf-8", "replace")) for write in writes]
        found: list[str] = []
        for one in self.expected:
            change = next((c for c in changes if _is(c, one)), None)
            took = [write.path for write, text in texts if _applies(write, text, one)]
            # A file sent again to the same place is stored there once.
            applied = len(set(took)) if one.op == "upload" else len(took)
            fault = self._fault(one, change.state if change else "forgotten", applied)
            if fault:
                reason = change.reason if change else ""
                found.append(
                    f"{one.op} {one.resource} {one.word} of night {one.night}: {fault} {reason}"
                )
        return found

    def _fault(self, one: Expected, state: str, applied: int) -> str:
        repeatable = one.op == "delete" or (one.op == "update" and one.resource != "products")
        if applied > 1 and not repeatable:
            return f"applied {applied} times, {state}"
        if state == "done" and applied == 0 and one.op != "delete":
            return "done, but never applied"
        went_nowhere = state in ("queued", "rejected", "conflict")
        excused = repeatable or one.restored
        return f"{state}, but applied" if went_nowhere and applied and not excused else ""

    def let_be(self, home: Path) -> None:
        """What is done and not shown may be an edit of the staff's, in a list that shows no date of
        it. A person lets it be, and :meth:`broken` says whether it was ever applied."""
        for _, told in not_shown(home):
            discard(home, int(told.split()[1]), by="the shop")

    def restored(self) -> None:
        """A backup was restored: from now on the queue may not know how a change ended."""
        for one in self.expected:
            one.restored = True

    def waiting(self, home: Path) -> Counter[str]:
        """How many changes there are in each state, and why those that wait do."""
        with Outbox(home) as outbox:
            return Counter(
                f"{c.state} {c.op} {c.resource}: {c.reason[:90]}" if c.state != "done" else "done"
                for c in outbox.changes()
            )


def _is(change: Any, one: Expected) -> bool:
    if change.resource != one.resource or change.op != one.op:
        return False
    if one.op == "delete":
        return bool(change.record_id == one.target)
    if one.op == "upload":
        return one.word in str(change.file)
    return _word(one) in str(change.body)


def _word(one: Expected) -> str:
    return str(100_000 + int(one.word[1:-1])) if one.resource == "stock" else one.word


def _applies(write: Write, text: str, one: Expected) -> bool:
    parts = write.path.strip("/").split("/")
    if parts[0] != _PATHS.get(one.resource, one.resource):
        return False
    if one.op == "create":
        return write.method == "POST" and len(parts) == 1 and _word(one) in text
    if one.op == "delete":
        return write.method == "DELETE" and parts[1] == one.target
    if one.op == "upload":
        return write.method == "POST" and len(parts) == 4 and one.word in text
    return write.method == "PUT" and _word(one) in text


def states(found: Mapping[str, int]) -> str:
    """For a report: the most frequent first."""
    return "; ".join(f"{count} {what}" for what, count in Counter(found).most_common(12))
