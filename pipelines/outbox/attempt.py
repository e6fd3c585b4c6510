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
from dataclasses import dataclass
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.basis import conflicts, due_conflict, given_again, kept
from pipelines.outbox.change import METHODS, Change, Fields, Said, State, as_id, invoices_of
from pipelines.outbox.evidence import Evidence, Verdict
from pipelines.outbox.match import holds, picture
from pipelines.outbox.order import OnConflict, Unsendable, body_of, read_file
from pipelines.outbox.origin import write_stamp
from pipelines.outbox.outcome import MINUTE, Hook, Outcomes, proof
from pipelines.outbox.records import Gone, Records, Unsure
from pipelines.outbox.service_time import ServiceTime
from pipelines.outbox.store import Outbox
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import (
    BadAnswer,
    NotFound,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Unreachable,
    wrong_address,
)
from sources.repair_shop.http.client import Answer, Client

Checked = tuple[dict[str, Any], dict[str, Any]]
"""The fence of a change, and the body to be sent."""

MOST_SILENT = 3
"""Writes, or reads for them, in a row without an answer after which nothing new is sent: were the
service down, every change of the queue would end in doubt, and payments with a person."""
_FENCE_SECONDS = 600.0
"""How long a fence serves for the creates of a kind: what a look has to read grows with it."""
MOST_SENDS = 3
"""After so many sends somebody should look at why answers get lost."""


class _ToBeReadAgain(NotSent):
    """An update was refused for the rate limit: staff may edit the record in the minute since."""


@dataclass
class Attempts:
    """Sends the changes of one shop, and looks for those in doubt."""

    client: Client
    outbox: Outbox
    time: ServiceTime
    on_conflict: OnConflict
    hook: Hook
    silent: int = 0
    """Writes, and reads for them, in a row that got no answer."""

    def __post_init__(self) -> None:
        self.shop, self.now = ShopSettings.of(self.client.shop), self.time.now
        self.records = Records(self.client, self.now)
        self.evidence = Evidence(self.outbox, self.records, self.shop)
        self.outcomes = Outcomes(self.outbox, self.records, self.shop, self.hook, self.now)
        self._fences: dict[str, dict[str, Any]] = {}

    def refuse_silence(self, most: int = MOST_SILENT) -> None:
        """Raise :class:`Unreachable` from ``most`` changes without an answer on."""
        if self.silent >= most:
            raise Unreachable(
                f"The service left {self.silent} changes in a row without an answer. What was not "
                "sent stays queued; push again later."
            )

    # -- sending ------------------------------------------------------------------------------

    def attempt(self, change: Change) -> None:
        """Send a change, and commit what became of it. What stops the whole push is raised."""
        try:
            read_file(change)
            checked = self._checked(change, body_of(self.outbox, change))
        except (Unsendable, Gone) as refusal:
            self.outcomes.refused_by_us(change, str(refusal))
        except Unreachable as error:
            # Of one record perhaps; of all of them, the service is silent.
            if not error.sent:
                raise
            self.silent += 1
            self.outcomes.not_sent(change, str(error))
        except (BadAnswer, Unsure) as error:
            if isinstance(error, NotFound) and not self.client.budget.standing.worked:
                raise wrong_address(error) from None
            self.outcomes.not_sent(change, f"could not be checked before sending: {error}")
        else:
            if checked is not None:
                self._send_checked(change, *checked)

    def _send_checked(self, change: Change, fence: dict[str, Any], body: dict[str, Any]) -> None:
        self.hook("checked", change.number)
        if (first := change.fence) is not None:
            # What another copy may have sent has a fence that holds no record. A person who
            # approved saw what is there now, so none of it is ours.
            seen = fence.get("known") if change.approved_by else None
            fence = {"before": fence.get("before")} | first
            fence |= {"known": (first.get("known") or {}) | seen} if seen else {}
        try:
            self._send(change, body, fence)
        except _ToBeReadAgain:
            left = self.outbox.get(change.number)
            (self.look if left.state is State.IN_DOUBT else self.attempt)(left)
            return
        after = self.outbox.get(change.number)
        if after.said or after.needs_person:
            self.look(after)

    def _checked(self, change: Change, body: dict[str, Any]) -> Checked | None:
        """The fence, and the body to be sent; None for a conflict, which is parked or decided."""
        if change.resource == "payments":
            return self._checked_payment(change, body)
        if change.op == "create":
            fence = self._fences.get(change.resource, {})
            oldest = self.now() - self.shop.seconds(_FENCE_SECONDS)
            is_new = change.fence is None or change.approved_by
            if is_new and fence.get("since", 0.0) < oldest:
                fence = self._fences[change.resource] = self.records.fence(change.resource)
            return fence, body
        # What is not there is refused by us or, of a delete, by the service, which is no fault.
        read = self._there if change.op == "update" else self.records.one
        row = read(change.resource, str(change.record_id))
        if row and (why := given_again(change, row, self.shop.zone)):
            self._conflict(change, why, _shown(change, body, row))
            return None
        if row and change.op == "update":
            return self._checked_update(change, body, row)
        before = {"before": kept(change.resource, {}, row)} if row else {}
        return {"since": self.now()} | before, body

    def _there(self, resource: str, record_id: str) -> dict[str, Any]:
        """The record of an update. One that we made a moment ago may not show yet."""
        try:
            return self.records.there(resource, record_id)
        except Gone as gone:
            lately = self.now() - self.shop.seconds(MINUTE) * self.shop.settle_minutes
            if record_id in self.outbox.made(self.shop.name, resource, since=lately):
                raise Unsure(f"{gone} yet") from None
            raise

    def _checked_payment(self, change: Change, body: dict[str, Any]) -> Checked | None:
        invoices = self.records.invoices(invoices_of(body))
        rows = self.records.payments(invoices)
        marker = change.marker if change.state is State.QUEUED else None
        if marker and any(holds(row, marker) for row in rows.values()):
            # Another queue booked the row of this key, or this one before it was put back.
            why = "a payment of the invoice holds its marker"
            self.look(self.outcomes.in_doubt(change, why))
            return None
        for row in invoices.values():
            if why := given_again(change, row, self.shop.zone):
                self._conflict(change, why, {"made": row.get("created_date")})
                return None
        if found := due_conflict(self.outbox, change, body, invoices, rows):
            self._conflict(change, *found)
            return None
        known = {key: str(row.get("amount")) for key, row in rows.items()}
        return {"since": self.now(), "known": known}, body

    def _checked_update(
        self, change: Change, body: dict[str, Any], row: dict[str, Any]
    ) -> Checked | None:
        fence = {"since": self.now(), "before": kept(change.resource, body, row)}
        differing = conflicts(self.outbox, change, body, row, self.shop.zone)
        if not differing or self.on_conflict == "ours":
            return fence, body
        reason = "; ".join(
            f"{name}: was '{was}' when queued, is now '{now}' at the service, "
            f"ours is '{body[name]}'"
            for name, (was, now) in differing.items()
        )
        if self.on_conflict == "theirs":
            rest = {name: value for name, value in body.items() if name not in differing}
            if rest:
                self.outbox.note(change.number, "theirs kept", reason)
                return fence, rest
            self.outbox.move(
                change, State.REJECTED, "discarded", f"discarded, theirs kept: {reason}",
                look_at=None, needs_person=0, approved_by=None,
            )  # fmt: skip
            return None
        self._conflict(change, reason, _shown(change, body, row))
        return None

    def _conflict(self, change: Change, reason: str, shown: dict[str, Any]) -> None:
        """Park a change over what the service ``shown``; a retry of it goes over just that, and
        over what was approved before."""
        reason += f" ({change.reason})" if change.approved_by else ""
        self.outbox.move(
            change, State.CONFLICT, "conflict", reason,
            basis=change.basis | {"shown": change.basis.get("shown", {}) | shown},
            needs_person=1, look_at=None,
        )  # fmt: skip

    def _send(self, change: Change, body: dict[str, Any], fence: dict[str, Any]) -> None:
        left = change

        def intend(again: ShopError | None) -> None:
            nonlocal left
            # What found no connection surely never left.
            attempts = left.attempts + (not isinstance(again, Unreachable))
            # One without words is told by the same request alone, made again.
            if change.op == "update" and type(again) is RateLimited:
                raise _ToBeReadAgain(str(again))
            if again is not None:
                left = self.outbox.move(
                    left, None, "sent again", f"after: {again}", attempts=attempts
                )
                return
            until = self.now() + self.outcomes.settle(change)
            sent = fence | {"first": fence.get("first") or self.now(), "until": until}
            with self.outbox.transaction():
                left = self.outbox.move(
                    change, State.SENDING, "sending", f"attempt {attempts}", attempts=attempts,
                    sent_body=body, sent_at=self.now(), fence=sent, look_at=None, looks=0,
                    said="", needs_person=0, approved_by=None, reason="",
                )  # fmt: skip
                write_stamp(self.outbox, change.number)
                self.time.note()
            self.hook("intent", change.number)

        try:
            answer = self._request(change, body, intend)
            left, before = self.outbox.get(change.number), fence.get("before") or {}
            named, is_proven = proof(answer, left, body, before, self.shop.zone)
        except NotSent as error:
            self.outcomes.never_left(change, str(error))
            raise
        except OutcomeUnknown as error:
            # Words of the service's own are an answer, though not one that settles it.
            self.silent = 0 if error.reason else self.silent + 1
            # 202 and the like: it will be done, at any time.
            said = Said.DONE if 201 < error.status < 300 else Said.NOTHING
            last = str(error.__cause__ or error)
            self.outcomes.in_doubt(left, str(error), said=said, answer=last)
        except BadAnswer as error:
            self.silent = 0
            self.hook("answered", change.number)
            self.outcomes.refused(change, error)
        except ShopError as error:
            if left is change:
                raise
            # It had no effect, as the specification says; a look, which tells of a fault that
            # lasts, is cheaper than a double.
            self.outcomes.in_doubt(left, str(error))
        else:
            self.silent = 0
            self.hook("answered", change.number)
            self.outcomes.answered(left, body, answer, named, is_proven=is_proven)

    def _request(
        self, change: Change, body: dict[str, Any], intend: Callable[[ShopError | None], None]
    ) -> Answer:
        path = PATHS[change.resource]
        target = f"{path}/{change.record_id}"
        once: dict[str, Any] = {"raises_rate_error": not change.is_idempotent, "on_send": intend}
        if change.op == "upload":
            return self._upload(change, body, target, once)
        if change.op != "delete":
            once["json"] = body
        return self.client.send(
            METHODS[change.op], path if change.op == "create" else target, **once
        )

    def _upload(
        self, change: Change, body: dict[str, Any], target: str, once: dict[str, Any]
    ) -> Answer:
        """Metadata first, then the file to the place that ``Location`` names. A place whose answer
        was lost stays empty for good, so asking for another doubles nothing."""
        # Before its place is asked for: a file that changes meanwhile would leave that empty.
        content = (body["fileName"], read_file(change))
        place = change.answered
        if place is None:
            answer = self.client.send("POST", f"{target}/upload", json=body, **once)
            self.hook("slot", change.number)
            place = answer.headers.get("location", "").rstrip("/").rpartition("upload/")[2]
            if as_id(place) is None:
                told = "no Location of the form .../upload/{uploadId}"
                raise BadAnswer(told, method="POST", path=target)
            self.outbox.move(self.outbox.get(change.number), None, "place", place, answered=place)
            self.hook("slot kept", change.number)
            once = {**once, "on_send": None}
        return self.client.send("POST", f"{target}/upload/{place}", files={"file": content}, **once)

    # -- what is in doubt ---------------------------------------------------------------------

    def look(self, change: Change) -> None:
        """Look once for a change in doubt, and act on what is found."""
        fence = change.fence or {}
        try:
            verdict = self.evidence.probe(change, fence)
        except Unreachable as error:
            if not error.sent:
                raise
            self.outcomes.wait(change, fence, str(error))
            self.silent += 1
            self.refuse_silence()
            return
        self.hook("looked", change.number)
        # Where no answer had told the time, ours was believed, which people set.
        until = self.now() + self.outcomes.settle(change)
        fence = fence | {"until": min(float(fence.get("until") or until), until)}
        told = f"may have been applied: {verdict.found}"
        told += f", though refused: {change.answer}" if change.said is Said.NO else ""
        is_early = self.now() < float(fence["until"])
        is_refused = bool(fence.get("refused")) and change.said is Said.NO
        if verdict.kind == "applied":
            # It takes writes, then, and only its answers get lost.
            self.silent = 0
            event = "done" if change.op == "delete" and change.said is Said.DONE else "adopted"
            body, found = body_of(self.outbox, change), verdict.id or str(change.record_id)
            self.outcomes.finish(change, body, found, f"found: {verdict.found}", event)
        elif (
            change.approved_by and verdict.kind == "unknown" and verdict.found not in change.reason
        ):
            # A person approves what was known then, and not over what came to light since.
            self.outcomes.park(change, told, approved_by=None)
        elif change.approved_by and not (verdict.kind == "absent" and is_early):
            self.outbox.note(change.number, "looked", verdict.found)
            self.attempt(change)
        elif is_refused and (verdict.kind == "absent" or verdict.is_final):
            self._absent(change, verdict)
        elif verdict.is_final:
            self.outcomes.park(change, told, looks=False)
        elif change.needs_person or is_early:
            self.outcomes.wait(change, fence, verdict.found)
        elif verdict.kind == "unknown":
            self.outcomes.park(change, told)
        else:
            self._absent(change, verdict)

    def _absent(self, change: Change, verdict: Verdict) -> None:
        why = ""
        if change.resource == "payments" and change.attempts:
            why = "and a payment is not sent again by itself"
        elif change.said is Said.DONE and not change.is_idempotent:
            why = "though the service answered that it was done"
        elif change.attempts >= MOST_SENDS:
            why = f"though it was sent {change.attempts} times"
        if change.said is Said.NO:
            told = f"refused: {(change.answer or '').rstrip('.')}; {verdict.found}"
            self.outbox.move(change, State.REJECTED, "rejected", told)
        elif why:
            last = f": {change.answer}" if change.answer else ""
            self.outcomes.park(change, f"{verdict.found}, {why}{last}")
        else:
            # One more than that was sent again, to see whether the service is back.
            self.refuse_silence(MOST_SILENT + 1)
            self.outbox.note(change.number, "looked", verdict.found)
            self.attempt(change)


def _shown(change: Change, body: Fields, row: Fields) -> dict[str, Any]:
    """What a record shows of a change that is parked over it."""
    seen = {name: picture(change.resource, name, row) for name in body}
    return {"seen": seen, "made": row.get("created_date")}
