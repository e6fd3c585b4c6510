"""What an answer to a write proves, and what becomes of a change: done, rejected, in doubt, left to
a person, or queued again.

A success status proves little: services have been seen to answer ``200 {"id": 7, "error": "Customer
is locked"}``. Proof is what the specification promises, ``{"id": ...}``, with a word of success
perhaps, or the record as it was sent. What is neither is no failure either: it is looked up.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.bodies import PATHS
from pipelines.outbox.basis import was_seen
from pipelines.outbox.change import NAMES, Change, Fields, Said, State, as_id, invoices_of
from pipelines.outbox.match import KEYS, Match, compare, kind_of, left_out, picture
from pipelines.outbox.records import Records
from pipelines.outbox.store import Outbox
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import BadAnswer, ShopError
from sources.repair_shop.http.client import Answer
from sources.repair_shop.schema.clean import clean_row

Hook = Callable[[str, int], None]
MINUTE = 60.0
_HOUR, DAY = 3600.0, 86400.0
_DATE_SECONDS = 1.0
"""What time it is there is known to whole seconds; it matters where a minute is one."""
_MOST_ANSWER = 500
"""Characters kept of what the service answered."""
_GONE = (404, 410)
_AFFIRMED = {"success": ("true",), "ok": ("true",), "status": ("success", "ok", "200", "201")}


def proof(
    answer: Answer, change: Change, body: Fields, before: Fields, zone: ZoneInfo
) -> tuple[str, bool]:
    """The id of the record that an answer names, and whether it proves that it was written."""
    found = answer.payload
    if isinstance(found, dict) and len(found) == 1:
        [inner] = found.values()
        found = inner if isinstance(inner, dict | list) else found
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    content: dict[str, Any] = found if isinstance(found, dict) else {}
    record = str(change.record_id)
    if change.op in ("delete", "upload"):
        # A delete answers no content, a file nothing that is specified. Words alone say nothing.
        is_plain = not isinstance(answer.payload, str) and content.keys() != {"message"}
        return change.answered or record, is_plain and _affirms(content)
    # Its place is answered as a file's is, where the body names no id.
    place = answer.headers.get("location", "").rstrip("/").partition(f"{PATHS[change.resource]}/")
    named = as_id(content.get("id", place[2])) or ""
    known = {named} if named else set()
    if change.op == "update":
        known = {record, *(str(before[name]) for name in NAMES if before.get(name))}
        is_plain = answer.status == 204 and not change.acts
        if "id" not in content and (is_plain or content.keys() & _AFFIRMED.keys()):
            named = record  # words of success are of no other, nor is "no content"
    # Words may say that a like one was there, so what they tell of is looked for.
    affirmed = _affirms(content) and not (change.op == "create" and "message" in content)
    is_told = named in known and (affirmed or _echoes(content, change, body, zone))
    return record if change.op == "update" else named, is_told


def _affirms(content: Fields) -> bool:
    """Whether an answer says nothing beside the id but that it was done."""
    return all(
        name in ("id", "message") or str(value).lower() in _AFFIRMED.get(name, ())
        for name, value in content.items()
    )


def _echoes(content: Fields, change: Change, body: Fields, zone: ZoneInfo) -> bool:
    """Whether an answer is the record as it was sent, as far as it shows that."""
    row = clean_row(content, change.resource, zone)
    grades = {name: compare(change.resource, name, body[name], row, zone) for name in body}
    keys = KEYS.get(change.resource, ())
    told = [name for name in keys if name in body]
    if not told and not any(picture(change.resource, name, row) for name in keys):
        told = list(body)  # it may be no record at all
    return Match.DIFFERENT not in grades.values() and all(grades[k] is Match.SAME for k in told)


@dataclass
class Outcomes:
    """Commits the outcomes of one shop's changes. ``now``: the service's clock."""

    outbox: Outbox
    records: Records
    shop: ShopSettings
    hook: Hook
    now: Callable[[], float]
    _read_back: set[tuple[str, frozenset[str]]] = field(default_factory=set)

    def answered(
        self, change: Change, body: dict[str, Any], answer: Answer, named: str, *, is_proven: bool
    ) -> None:
        """What follows from a success that names a record: done if it proves itself, else in doubt
        and looked up."""
        said = f"{answer.status} {answer.body.decode('utf-8', 'replace')[:_MOST_ANSWER]}"
        why = self._against(change, body, named) if is_proven else "that does not prove it"
        told = f"the service answered {said}" + (f", but {why}" if why else "")
        if not why and change.op != "delete":
            self.finish(change, body, named, said, "done")
        else:
            answered = change.answered or named or None
            self.in_doubt(change, told, said=Said.DONE, answer=said, answered=answered)

    def _against(self, change: Change, body: Fields, named: str) -> str:
        """What speaks against an answer that proves itself: the record was there before it was
        made, or does not show an update; empty if nothing does. Of each kind of update one is read
        back: what a service does not take, it never does. The sync compares the others."""
        kind = change.resource, frozenset(body)
        if change.op == "create":
            others = self.outbox.made(change.shop, change.resource, but=change.number)
            known = (change.fence or {}).get("known") or {}
            if named in others or named in known:
                return f"record {named} was there before"
            # Some say another name of it, by which nothing that refers to it is taken.
            is_name = known and kind_of(named) not in map(kind_of, known)
            is_name = is_name and change.resource in ("customers", "tickets")
            return f"{named} is no id as the others have" if is_name else ""
        if change.op != "update" or (kind in self._read_back and "lines" not in body):
            return ""
        try:
            row = self.records.one(change.resource, str(change.record_id))
        except ShopError as error:
            return f"it could not be read back: {error}"
        before = (change.fence or {}).get("before") or {}
        zone = self.shop.zone
        left = left_out(change.resource, body, before, row, zone, before) if row else []
        if not left:
            self._read_back.add(kind)
        return f"the record shows {', '.join(left)} as before" if left else ""

    def finish(self, change: Change, body: Fields, new_id: str, answer: str, event: str) -> None:
        """Note that the service has it: the outcome, and the id for those that wait for it. A sync
        is to read the records back."""
        now = self.outbox.clock.wall()
        with self.outbox.transaction():
            self.outbox.move(
                change, State.DONE, event, answer, id=new_id, answer=answer, pushed_at=now,
                sent_body=body, look_at=None, needs_person=0,
                reason="" if event == "done" else answer,
            )  # fmt: skip
            self.outbox.ask("fill_targets", first=change.number)
            for resource, record in touched(change, body, new_id):
                written = {"shop": change.shop, "resource": resource, "id": record, "now": now}
                self.outbox.ask("wrote", number=change.number, **written)
        self.hook("outcome" if event == "done" else "adopted", change.number)

    def in_doubt(self, change: Change, why: str, **columns: Any) -> Change:
        """It may have been applied; looked up from now on. What was sent has its minute from now
        to show up, not from the intent: the answer may have taken long."""
        current = self.outbox.get(change.number)
        fence = (current.fence or {}) | {"until": self.now() + self.settle(change)}
        columns = {"fence": fence, "look_at": self.now(), "looks": 0} | columns
        return self.outbox.move(current, State.IN_DOUBT, "in doubt", why, **columns)

    def refused(self, change: Change, error: BadAnswer) -> None:
        """The service said no: rejected, unless it may have been applied all the same."""
        before, change = change, self.outbox.get(change.number)
        # A rate error may follow a write that was done; what was sent anew is refused for that.
        sent_before = was_sent(before) or change.attempts > before.attempts + 1
        told, answer = str(error), f"{error.status} {error.excerpt}"[:_MOST_ANSWER]
        if sent_before or (change.answered and error.status == 409):
            # A service that takes no second of a name most likely has the first, though it does
            # not show it.
            why = f"may have been applied before; sent again, the service said: {told}"
            self.park(self.in_doubt(change, why, answer=answer), why)
        elif error.status in _GONE and change.op == "delete" and not was_seen(self.outbox, change):
            self.outbox.move(change, State.REJECTED, "rejected", told, answer=answer)
            self.hook("outcome", change.number)
        else:
            fence = dict(change.fence or {}) | {"until": self.now() + self.settle(change)}
            if not _speaks_of_one(change, error):
                # It is there by now, or it is not done.
                fence |= {"until": self.now(), "refused": True}
            why = f"{told}; it may be done all the same, so it is looked for"
            self.in_doubt(change, why, answer=answer, said=Said.NO, fence=fence)

    def refused_by_us(self, change: Change, reason: str) -> None:
        """Validation said no: rejected, unless it may have been applied before."""
        if change.state is State.IN_DOUBT:
            self.park(change, f"may have been applied; it could not be sent again: {reason}")
        else:
            self.outbox.move(change, State.REJECTED, "rejected", reason)

    def not_sent(self, change: Change, reason: str) -> None:
        """It could not be checked before it was sent; the next push tries again."""
        look_at = None if change.state is State.QUEUED else self.now() + self.shop.seconds(MINUTE)
        self.outbox.move(change, None, "not sent", reason, reason=reason, look_at=look_at)

    def never_left(self, change: Change, reason: str) -> None:
        """What surely never arrived waits for its turn; what was sent before stays in doubt."""
        left = self.outbox.get(change.number)
        if was_sent(change) or left.answered:
            self.outbox.move(left, State.IN_DOUBT, "not sent", reason, look_at=self.now())
        else:
            unsent = {"attempts": 0, "fence": None, "sent_body": None}
            self.outbox.move(left, State.QUEUED, "not sent", reason, **unsent)

    def park(self, change: Change, why: str, *, looks: bool = True, **columns: Any) -> None:
        """Leave what may have been applied to a person; looked at again, ever more seldom."""
        look_at = self.now() + self.shop.seconds(_HOUR) if looks else None
        self.outbox.move(
            change, None, "left for a person", why, reason=why, needs_person=1, look_at=look_at,
            looks=1, **columns,
        )  # fmt: skip

    def wait(self, change: Change, fence: Fields, found: str) -> None:
        """Look again later: while it may still show, when four times as long has gone by; what is
        left for a person, after an hour, two, and so on up to a day. A wait is no line of history,
        but what was found anew is."""
        now, minute = self.now(), self.shop.seconds(MINUTE)
        until = float(fence.get("until") or now + self.settle(change))
        if change.needs_person:
            wait = min(self.shop.seconds(_HOUR) * 2 ** min(change.looks, 5), self.shop.seconds(DAY))
        else:
            since = max(now - (change.sent_at or now), minute / 4)
            wait = max(min(4 * since, until - now), minute / 60)
        last = self.outbox.history(change.number)[-1]["detail"]
        is_new = found not in change.reason and found not in last
        # A person's word is on the reason as it was told.
        is_asked = change.needs_person or change.approved_by
        reason = f"may have been applied: {found}" if is_new and not is_asked else change.reason
        self.outbox.move(
            change, None, "looked" if is_new else "", found, reason=reason, fence=dict(fence),
            look_at=now + wait, looks=change.looks + 1,
        )  # fmt: skip

    def settle(self, change: Change) -> float:
        """Seconds after which a record that holds a change would show it."""
        minutes = 1 if change.is_idempotent or change.op == "upload" else self.shop.settle_minutes
        return self.shop.seconds(MINUTE) * minutes + _DATE_SECONDS


def _speaks_of_one(change: Change, error: BadAnswer) -> bool:
    """Whether a refusal is of a second one, holds the record, or is of one that was deleted."""
    is_gone = change.op == "delete" and error.status in _GONE
    return error.status == 409 or '"id"' in error.excerpt or is_gone


def was_sent(change: Change) -> bool:
    """Whether a change may have been sent before this attempt."""
    return change.attempts > 0 or bool((change.fence or {}).get("restored"))


def touched(change: Change, body: Fields, new_id: str) -> set[tuple[str, str]]:
    """Records the sync should read back: the one written and those it changes along."""
    found = {(change.resource, str(change.record_id) if change.op == "upload" else new_id)}
    if change.resource == "payments":
        found |= {("ticket_invoices", one) for one in invoices_of(body)}
    if change.resource == "stock" and "product" in body:
        found.add(("products", str(body["product"])))
    for line in (*body.get("products", ()), *body.get("add_products", ())):
        found.add(("products", str(line.get("product_id", line.get("ad_product_id")))))
    return found
