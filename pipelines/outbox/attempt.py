"""One change, one request (a file: two), with its intent and its outcome on disk around it.

::

    check   read the record (update), the new records (create) or the invoice (payment)
    intent  committed as the request leaves: state ``sending``, what is sent, the fence
    send    the request
    outcome committed: done, rejected, in_doubt, or queued again if it surely never arrived

and :meth:`Attempts.look`, for what is in doubt: probe, and act on what is found. ``hook`` is called
with the name of each step as it is reached; tests crash there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.answer import MOST_ANSWER, named_id, place_of_upload, proven_id, short
from pipelines.outbox.basis import conflicts, due_conflict, kept, move_bases
from pipelines.outbox.change import Change, Fields, Said, State
from pipelines.outbox.evidence import Evidence, Verdict
from pipelines.outbox.match import is_left_out, picture
from pipelines.outbox.order import OnConflict, Unsendable, invoices_of, prepared, read_file
from pipelines.outbox.origin import write_stamp
from pipelines.outbox.records import Records, Unsure
from pipelines.outbox.store import Outbox
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import (
    BadAnswer,
    ConfigurationError,
    NotFound,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Unreachable,
)
from sources.repair_shop.http.client import Answer, Client

Hook = Callable[[str, int], None]
Checked = tuple[dict[str, Any], dict[str, Any]]
"""The fence of a change, and the body to be sent."""

MOST_SILENT = 3
"""Writes, or reads for them, in a row without an answer after which nothing new is sent: were the
service down, every change of the queue would end in doubt, and payments with a person."""
MOST_SENDS = 3
"""After so many sends somebody should look at why answers get lost."""
MINUTE = 60.0
_HOUR, DAY = 3600.0, 86400.0


@dataclass
class Silence:
    """Writes, and reads for them, in a row that got no answer."""

    count: int = 0

    def check(self, most: int) -> None:
        """Raise :class:`Unreachable` from ``most`` on."""
        if self.count >= most:
            raise Unreachable(
                f"The service left {self.count} changes in a row without an answer. What was not "
                "sent stays queued; push again later."
            )


@dataclass
class Attempts:
    """Sends the changes of one shop, and looks for those in doubt. ``now``: the service's clock."""

    client: Client
    outbox: Outbox
    service: int
    on_conflict: OnConflict
    hook: Hook
    now: Callable[[], float]
    silence: Silence = field(default_factory=Silence)

    def __post_init__(self) -> None:
        self.shop = ShopSettings.of(self.client.shop)
        self.records = Records(self.client, self.now)
        self.evidence = Evidence(self.outbox, self.records, self.shop)
        self._fences: dict[str, dict[str, Any]] = {}
        self._read_back: set[tuple[str, frozenset[str]]] = set()

    # -- sending ------------------------------------------------------------------------------

    def attempt(self, change: Change) -> Change:
        """Send a change, and commit what became of it. What stops the whole push is raised."""
        try:
            body = prepared(self.outbox, change)
            checked = self._checked(change, body)
        except Unsendable as refusal:
            return self._refused_by_us(change, str(refusal))
        except Unreachable as error:
            # Of one record perhaps; of all of them, the service is silent.
            if not error.sent:
                raise
            self.silence.count += 1
            return self._not_sent(change, str(error))
        except (BadAnswer, Unsure) as error:
            if isinstance(error, NotFound) and not self.client.budget.worked:
                raise ConfigurationError(
                    f"base_url does not look like the service: {error}. It ends with /v1 "
                    "(specification, Versioning)."
                ) from None
            return self._not_sent(change, f"could not be checked before sending: {error}")
        if isinstance(checked, Change):
            return checked
        fence, body = checked
        self.hook("checked", change.number)
        return self._send(change, body, change.fence or fence)

    def _checked(self, change: Change, body: dict[str, Any]) -> Checked | Change:
        """The fence, and the body to be sent; or the change as it was parked."""
        fence: dict[str, Any] = {"since": self.now()}
        if change.resource == "payments":
            return self._checked_payment(change, body, fence)
        if change.op == "create":
            if change.fence is None and change.resource not in self._fences:
                self._fences[change.resource] = self.records.fence(change.resource)
            return self._fences.get(change.resource, fence), body
        if change.op == "update":
            return self._checked_update(change, body, fence)
        return fence, body

    def _checked_payment(
        self, change: Change, body: dict[str, Any], fence: dict[str, Any]
    ) -> Checked | Change:
        try:
            invoices = {one: self.records.invoice(one) for one in invoices_of(body)}
        except BadAnswer as error:
            if 400 <= error.status < 500:
                raise Unsendable(f"the invoice cannot be read: {error}") from None
            raise
        rows, is_listed = self.records.payments(invoices)
        if found := due_conflict(change, body, invoices, rows):
            return self._conflict(change, *found)
        known = {key: str(row.get("amount")) for key, row in rows.items()}
        return fence | {"known": known, "listed": is_listed}, body

    def _checked_update(
        self, change: Change, body: dict[str, Any], fence: dict[str, Any]
    ) -> Checked | Change:
        row = self.records.one(change.resource, str(change.record_id))
        if row is None:
            raise Unsendable(f"the service has no {change.resource} with id {change.record_id}")
        fence["before"] = kept(change.resource, body, row)
        differing = conflicts(self.outbox, change, body, row, self.shop.zone)
        if not differing or self.on_conflict == "ours":
            return fence, body
        reason = "; ".join(
            f"{name}: was '{values['base']}' when queued, is now '{values['theirs']}' at the "
            f"service, ours is '{body[name]}'"
            for name, values in differing.items()
        )
        if self.on_conflict == "theirs":
            rest = {name: value for name, value in body.items() if name not in differing}
            if rest:
                self.outbox.note(change.number, "theirs kept", reason)
                return fence, rest
            raise Unsendable(f"theirs kept: {reason}")
        seen = {name: picture(change.resource, name, row) for name in body}
        return self._conflict(change, reason, {"seen": seen})

    def _conflict(self, change: Change, reason: str, shown: dict[str, Any]) -> Change:
        """Park a change over what the service ``shown``; a retry of it goes over just that."""
        return self.outbox.move(
            change, State.CONFLICT, "conflict", reason,
            basis=change.basis | {"shown": shown}, needs_person=1, look_at=None,
        )  # fmt: skip

    def _send(self, change: Change, body: dict[str, Any], fence: dict[str, Any]) -> Change:
        left = change

        def intend(again: str) -> None:
            nonlocal left
            attempts = left.attempts + 1
            if left is not change:
                left = self.outbox.move(
                    left, None, "sent again", f"after: {again}", attempts=attempts
                )
                return
            sent = {"first": self.now()} | fence | {"until": self.now() + self._settle(change)}
            with self.outbox.transaction():
                left = self.outbox.move(
                    change, State.SENDING, "sending", f"attempt {attempts}", attempts=attempts,
                    sent_body=body, sent_at=self.now(), fence=sent, look_at=None, looks=0,
                    said="", needs_person=0, approved_by=None, reason="",
                )  # fmt: skip
                write_stamp(self.outbox, change.number)
                self.outbox.note_time(self.service, self.now())
            self.hook("intent", change.number)

        try:
            answer, new_id = self._request(change, body, intend)
        except NotSent as error:
            self._never_left(change, str(error))
            raise
        except OutcomeUnknown as error:
            # Words of the service's own are an answer, though not one that settles it.
            self.silence.count = 0 if error.reason else self.silence.count + 1
            # 202 and the like: it will be done, at any time.
            said = Said.DONE if 201 < error.status < 300 else Said.NOTHING
            return self._in_doubt(left, str(error), said=said)
        except BadAnswer as error:
            self.silence.count = 0
            self.hook("answered", change.number)
            return self._refused(change, error)
        except (RateLimited, ShopError) as error:
            if left is change:
                raise
            # It had no effect, as the specification says; a look is cheaper than a double.
            after = self._in_doubt(left, str(error))
            if not isinstance(error, RateLimited):
                raise
            return after
        self.silence.count = 0
        self.hook("answered", change.number)
        return self._answered(self.outbox.get(change.number), body, answer, new_id)

    def _request(
        self, change: Change, body: dict[str, Any], intend: Callable[[str], None]
    ) -> tuple[Answer, str]:
        """The answer, and the id that it names."""
        path = PATHS[change.resource]
        target = f"{path}/{change.record_id}"
        once: dict[str, Any] = {"raises_rate_error": not change.is_idempotent, "on_send": intend}
        if change.op == "create":
            answer = self.client.send("POST", path, json=body, **once)
        elif change.op == "update":
            answer = self.client.send("PUT", target, json=body, **once)
        elif change.op == "delete":
            answer = self.client.send("DELETE", target, **once)
        else:
            return self._upload(change, body, target, once)
        return answer, proven_id(answer, change, body, self._before(change), self.shop.zone)

    def _upload(
        self, change: Change, body: dict[str, Any], target: str, once: dict[str, Any]
    ) -> tuple[Answer, str]:
        """Metadata first, then the file to the place that ``Location`` names. A place whose answer
        was lost stays empty for good, so asking for another doubles nothing."""
        place = change.answered
        if place is None:
            answer = self.client.send("POST", f"{target}/upload", json=body, **once)
            self.hook("slot", change.number)
            place = place_of_upload(answer, target)
            self.outbox.move(self.outbox.get(change.number), None, "place", place, answered=place)
            self.hook("slot kept", change.number)
            once = {**once, "on_send": None}
        assert change.file is not None
        content = (change.file["name"], read_file(change), change.file["type"])
        answer = self.client.send(
            "POST", f"{target}/upload/{place}", files={"file": content}, **once
        )
        return answer, place if not answer.body.strip() or answer.payload in (
            {},
            {"id": place},
        ) else ""

    # -- outcomes -----------------------------------------------------------------------------

    def _answered(
        self, change: Change, body: dict[str, Any], answer: Answer, new_id: str
    ) -> Change:
        """What follows from a success: done if it proves itself, else in doubt and looked up."""
        said = f"{answer.status} {short(answer)}"
        why = self._not_shown(change, body) if new_id else "that does not prove it"
        if not why and change.op != "delete":
            return self._finish(change, body, new_id, said, "done")
        named = change.answered or new_id or named_id(answer, change)
        told = f"the service answered {said}" + (f", but {why}" if why else "")
        after = self._in_doubt(change, told, said=Said.DONE, answered=named or None)
        if change.op == "delete" and not why:
            return self.look(after, "done", said)
        return after

    def _not_shown(self, change: Change, body: Fields) -> str:
        """Why the record does not show an update that the service says it took; empty if it does.
        Of each kind one is read back: what a service does not take, it never does. The sync
        compares the others."""
        kind = change.resource, frozenset(body)
        if change.op != "update" or (kind in self._read_back and "lines" not in body):
            return ""
        try:
            row = self.records.one(change.resource, str(change.record_id))
        except ShopError:
            return ""
        before, zone = self._before(change), self.shop.zone
        left = [
            name for name, sent in body.items()
            if row and is_left_out(change.resource, name, sent, before, row, zone)
        ]  # fmt: skip
        if not left:
            self._read_back.add(kind)
        return f"the record shows {', '.join(left)} as before" if left else ""

    def _before(self, change: Change) -> dict[str, Any]:
        """What the record showed before the request."""
        return dict((self.outbox.get(change.number).fence or {}).get("before") or {})

    def _finish(self, change: Change, body: Fields, new_id: str, answer: str, event: str) -> Change:
        with self.outbox.transaction():
            after = self.outbox.finish(change, event, answer, new_id, touched(change, body, new_id))
            if change.op == "update":
                move_bases(self.outbox, change, body)
        self.hook("outcome" if event == "done" else "adopted", change.number)
        return after

    def _in_doubt(self, change: Change, why: str, **columns: Any) -> Change:
        """It may have been applied; looked up from now on. What was sent has its minute from now
        to show up, not from the intent: the answer may have taken long."""
        current = self.outbox.get(change.number)
        fence = (current.fence or {}) | {"until": self.now() + self._settle(change)}
        columns = {"fence": fence, "look_at": self.now(), "looks": 0} | columns
        return self.outbox.move(current, State.IN_DOUBT, "in doubt", why, **columns)

    def _refused(self, change: Change, error: BadAnswer) -> Change:
        before, change = change, self.outbox.get(change.number)
        # A rate error may follow a write that was done; what was sent anew is refused for that.
        was_sent = _was_sent(before) or change.attempts > before.attempts + 1
        told, answer = str(error), f"{error.status} {error.excerpt}"[:MOST_ANSWER]
        if error.status in (401, 403) and not change.is_idempotent:
            return self._in_doubt(change, told, answer=answer)
        if was_sent or (change.op == "upload" and change.answered and error.status == 409):
            # A service that takes no second of a name most likely has the first, though it does
            # not show it.
            why = f"may have been applied before; sent again, the service said: {told}"
            return self._park(self._in_doubt(change, why, answer=answer), why)
        if error.status == 409:
            why = f"{told}; a proxy that tried twice is told so: it is looked for"
            return self._in_doubt(change, why, answer=answer, said=Said.NO)
        after = self.outbox.move(change, State.REJECTED, "rejected", told, answer=answer)
        self.hook("outcome", change.number)
        return after

    def _refused_by_us(self, change: Change, reason: str) -> Change:
        """Validation said no: rejected, unless it may have been applied before."""
        if change.state is State.IN_DOUBT:
            return self._park(change, f"may have been applied; it cannot be sent again: {reason}")
        return self.outbox.move(change, State.REJECTED, "rejected", reason)

    def _not_sent(self, change: Change, reason: str) -> Change:
        look_at = None if change.state is State.QUEUED else self.now() + self.shop.seconds(MINUTE)
        return self.outbox.move(change, None, "not sent", reason, reason=reason, look_at=look_at)

    def _never_left(self, change: Change, reason: str) -> None:
        """What surely never arrived waits for its turn; what was sent before stays in doubt."""
        was_sent = _was_sent(change)
        change = self.outbox.get(change.number)
        if change.state is not State.SENDING:
            return
        if was_sent or change.answered:
            self.outbox.move(change, State.IN_DOUBT, "not sent", reason, look_at=self.now())
        else:
            self.outbox.move(
                change, State.QUEUED, "not sent", reason, attempts=0, fence=None, sent_body=None
            )

    # -- what is in doubt ---------------------------------------------------------------------

    def look(self, change: Change, event: str = "adopted", answer: str = "") -> Change:
        """Look once for a change in doubt, and act on what is found."""
        fence = change.fence or {}
        if fence.get("until") is None:
            fence = fence | {"until": self.now() + self._settle(change)}
        try:
            verdict = self.evidence.probe(change, fence)
        except Unreachable as error:
            if not error.sent:
                raise
            self._wait(change, fence, str(error))
            self.silence.count += 1
            self.silence.check(MOST_SILENT)
            return self.outbox.get(change.number)
        self.hook("looked", change.number)
        change = self.outbox.get(change.number) if event == "done" else change
        if verdict.kind == "applied":
            # It takes writes, then, and only its answers get lost.
            self.silence.count = 0
            body = self.evidence.body_of(change)
            found = verdict.id or str(change.record_id)
            words = answer or f"found: {verdict.found}"
            return self._finish(change, body, found, words, event)
        if change.approved_by:
            self.outbox.note(change.number, "looked", verdict.found)
            return self.attempt(change)
        if verdict.kind == "unknown" and verdict.is_final:
            return self._park(change, f"may have been applied: {verdict.found}", looks=False)
        if change.needs_person or self.now() < float(fence["until"]):
            return self._wait(change, fence, verdict.found)
        if verdict.kind == "unknown":
            return self._park(change, f"may have been applied: {verdict.found}")
        return self._absent(change, verdict)

    def _absent(self, change: Change, verdict: Verdict) -> Change:
        either = f"'queue retry {change.number}' or 'queue discard {change.number}'"
        if change.said is Said.NO:
            why = f"refused: {change.answer}; {verdict.found}"
            return self.outbox.move(change, State.REJECTED, "rejected", why)
        if change.resource == "payments" and change.attempts:
            why = (
                f"{verdict.found}. A payment is not sent again by itself: check the invoice, then "
                f"{either}"
            )
        elif change.said is Said.DONE and not change.is_idempotent:
            why = (
                f"{verdict.found}, though the service answered that it was done. Do it at the "
                f"service, or {either}"
            )
        elif change.attempts >= MOST_SENDS:
            why = f"{verdict.found}, though sent {change.attempts} times ({change.reason})"
        else:
            # One more than that was sent again, to see whether the service is back.
            self.silence.check(MOST_SILENT + 1)
            self.outbox.note(change.number, "looked", verdict.found)
            return self.attempt(change)
        return self._park(change, why)

    def _park(self, change: Change, why: str, *, looks: bool = True) -> Change:
        """Leave what may have been applied to a person; looked at again, ever more seldom."""
        look_at = self.now() + self.shop.seconds(_HOUR) if looks else None
        return self.outbox.move(
            change, None, "left for a person", why, reason=why, needs_person=1, look_at=look_at,
            looks=change.looks + 1,
        )  # fmt: skip

    def _wait(self, change: Change, fence: Fields, found: str) -> Change:
        """Look again later: while it may still show, when four times as long has gone by; what is
        left for a person, after an hour, two, and so on up to a day. A wait is no line of history,
        but what was found anew is."""
        now, minute = self.now(), self.shop.seconds(MINUTE)
        until = float(fence["until"])
        if change.needs_person:
            wait = min(self.shop.seconds(_HOUR) * 2 ** min(change.looks, 5), self.shop.seconds(DAY))
        else:
            since = max(now - (change.sent_at or now), minute / 4)
            wait = max(min(4 * since, until - now), minute / 60)
        is_new = not change.needs_person and found not in change.reason
        reason = f"may have been applied: {found}" if is_new else change.reason
        return self.outbox.move(
            change, None, "looked" if is_new else "", found, reason=reason, fence=dict(fence),
            look_at=now + wait, looks=change.looks + 1,
        )  # fmt: skip

    def _settle(self, change: Change) -> float:
        """Seconds after which a record that holds a change would show it."""
        minutes = 1 if change.is_idempotent or change.op == "upload" else self.shop.settle_minutes
        return self.shop.seconds(MINUTE) * minutes


def _was_sent(change: Change) -> bool:
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
