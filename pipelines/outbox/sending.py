"""One change, one request (an upload: two), with its intent and its outcome on disk around it.

::

    verify  only if another copy of the queue may have sent it: look it up
    check   read the record (update), the recent records (create) or the invoice (payment)
    intent  committed: state ``sending``, what is sent, what was there before
    send    the request
    gone?   a delete only: read the record that the service says it deleted
    outcome committed: done, rejected, in_doubt, or queued again if it surely never arrived

``hook`` is called with the name of each step as it is reached; tests crash there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.answered import MOST_ANSWER, doubt_of, error_sign, id_of, short
from pipelines.outbox.basis import moved
from pipelines.outbox.change import NAMES, Fields, Group, State
from pipelines.outbox.compare import left_out, picture, retains
from pipelines.outbox.lookup import Lookup
from pipelines.outbox.order import (
    ONCE_ONLY,
    OnConflict,
    Unsendable,
    merged_base,
    prepared,
    read_file,
)
from pipelines.outbox.outcome import fenced, kept, leave, settle_done
from pipelines.outbox.store import Change, Outbox
from pipelines.outbox.verify import SLACK, Earlier, surely_before
from sources.repair_shop.errors import (
    BadAnswer,
    ConfigurationError,
    NotFound,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Unreachable,
)
from sources.repair_shop.http.client import Answer, Client

Hook = Callable[[str, int], None]

TOO_FAST = "too many requests"
EXISTS = "exists"
"""409: to a change just sent, it may be what a proxy was told that tried twice."""
MOST_SILENT = 3
"""Writes, or reads for them, in a row without an answer after which nothing new is sent: were the
service down, every change of the queue would end in doubt, and payments with a person."""


@dataclass
class Silence:
    """Writes, and reads for them, in a row that got no answer; threads share it."""

    count: int = 0

    def check(self, most: int) -> None:
        """Raise :class:`Unreachable` from ``most`` on."""
        if self.count >= most:
            raise Unreachable(
                f"The service left {self.count} changes in a row without an answer. What was not "
                "sent stays queued; push again later."
            )


@dataclass
class Sender:
    """Sends the changes of one shop."""

    client: Client
    outbox: Outbox
    lookup: Lookup
    on_conflict: OnConflict
    hook: Hook
    earlier: Earlier
    silence: Silence = field(default_factory=Silence)
    read_back: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    """Kinds of updates of which the push read one back: what a service does not take, it never
    does."""

    def push(self, group: Group) -> None:
        """Send one change, or several updates of a record as one request.

        Outcomes end in the queue; only what stops the whole push is raised.
        """
        with fenced(self.outbox, group):
            self._push(group)

    def _push(self, group: Group) -> None:
        change = group[0]
        try:
            body = prepared(self.outbox, group)
            if any(member.doubted_since is not None for member in group):
                cleared = self.earlier.cleared(self.outbox, group, body)
                self.hook("verified", change.number)
                if not cleared:
                    return
            baseline = self._check(group, body)
        except Unsendable as refusal:
            self._reject(group, str(refusal))
            return
        except Unreachable as error:
            # Of one record perhaps; of all of them, the service is silent.
            if not error.sent:
                raise
            self.silence.count += 1
            self.outbox.settle(group, "not sent", str(error))
            return
        except BadAnswer as error:
            if isinstance(error, NotFound) and not self.client.budget.worked:
                raise ConfigurationError(
                    f"base_url does not look like the service: {error}. It ends with /v1 "
                    "(specification, Versioning)."
                ) from None
            self.outbox.settle(group, "not sent", f"could not be checked before sending: {error}")
            return
        if baseline is None:
            return
        body = baseline.pop("body", body)
        self.hook("checked", change.number)
        if self._intend(group, body, baseline, {}):
            self.hook("intent", change.number)
            self._send(group, body, {}, again=False)

    def resend(self, group: Group) -> None:
        """Send again what was proved absent (or, for an upload, goes to the same place)."""
        change = group[0]
        try:
            body = prepared(self.outbox, group)
            read_file(change)
        except Unsendable as refusal:
            # Its file is not what it was; the service may have it as it was.
            if "upload" in change.progress:
                leave(self.outbox, group, str(refusal))
            else:
                self._reject(group, str(refusal))
            return
        # Without what was left to the service's value, or sent along and discarded since.
        body = {name: body[name] for name in body if name in (change.sent_body or body)}
        progress = dict(change.progress)
        again = progress.pop("again", True)
        progress.pop("refused", None)
        if self._intend(group, body, change.baseline or {}, progress):
            self.hook("intent again", change.number)
            self._send(group, body, progress, again=again)

    def _reject(self, group: Group, reason: str) -> None:
        self.outbox.settle(group, "rejected", reason, state=State.REJECTED)

    def _check(self, group: Group, body: dict[str, Any]) -> dict[str, Any] | None:
        """What was there before; None when the change was parked."""
        change = group[0]
        if change.op == "create":
            try:
                return self.lookup.baseline(change.resource, body)
            except BadAnswer as error:
                if change.resource == "payments" and 400 <= error.status < 500:
                    raise Unsendable(f"the invoice cannot be read: {error}") from None
                raise
        read_file(change)
        if change.op != "update":
            return {}
        resource, zone = change.resource, self.client.shop.zone
        row = self.lookup.record(resource, str(change.record_id))
        if row is None:
            raise Unsendable(f"the service has no {resource} with id {change.record_id}")
        base = merged_base(group)
        differing = {
            name: values
            for name, values in moved(resource, base, row, zone).items()
            if name in body and retains(resource, name, body[name], row, zone) is not True
        }
        before = {"before": kept(resource, body, row)}
        if not surely_before(row.get("last_updated"), self.client.clock.now() - SLACK, zone):
            # Written just now: what is sent within the same second would leave it the same.
            before["before"].pop("last_updated", None)
        if not differing or self.on_conflict == "ours":
            return before
        reason = "; ".join(
            f"{name}: was '{values['base']}' when queued, is now '{values['theirs']}' at the "
            f"service, ours is '{body[name]}'"
            for name, values in differing.items()
        )
        if self.on_conflict == "theirs":
            rest = {name: value for name, value in body.items() if name not in differing}
            if rest:
                self.outbox.settle(group, "theirs kept", f"theirs kept: {reason}")
                return before | {"body": rest}
            self._reject(group, f"theirs kept: {reason}")
            return None
        progress = {"seen": {name: picture(resource, name, row) for name in body}}
        self.outbox.settle(group, "conflict", reason, state=State.CONFLICT, progress=progress)
        return None

    def _intend(
        self, group: Group, body: dict[str, Any], baseline: Fields, progress: Fields
    ) -> bool:
        """Commit that it is being sent; False when a person took it out while it was checked."""
        lead, *rest = group
        attempts = lead.attempts + 1
        along = f", with {', '.join(str(one.number) for one in rest)}" if rest else ""
        sending = {"state": State.SENDING, "sent_at": self.outbox.now()}
        sent: dict[str, Any] = {"sent_body": body, "baseline": baseline, "progress": progress}
        sent |= {"attempts": attempts, "lookups": 0, "next_lookup": None, "for_person": 0}
        with self.outbox.transaction():
            if not self.outbox.unmoved(group):
                return False
            self.outbox.set([lead], "sending", f"attempt {attempts}{along}", **sending, **sent)
            also = f"as one request with change {lead.number}"
            self.outbox.set(rest, "sending", also, merged_into=lead.number, **sending)
        return True

    def _send(self, group: Group, body: dict[str, Any], progress: Fields, *, again: bool) -> None:
        change = group[0]
        if change.op == "upload":
            again = "upload" in progress  # a place that was never sent to is as good as a new one
        acts = change.op in ("create", "delete") or bool(ONCE_ONLY & body.keys())
        try:
            answer, new_id, doubt = self._request(change, body, progress, looks=acts)
        except RateLimited as error:
            # It had no effect, as the specification says; a look is cheaper than a double.
            refused = {**progress, "refused": TOO_FAST, "again": again}
            self.outbox.put_in_doubt(group, str(error), progress=refused)
            return
        except OutcomeUnknown as error:
            # Words of the service's own are an answer, though not one that settles it.
            self.silence.count = 0 if error.reason else self.silence.count + 1
            # 202 and the like: it will be done, at any time.
            hint = self.outbox.get(change.number).progress
            hint |= {"said_done": True} if acts and 201 < error.status < 300 else {}
            self.outbox.put_in_doubt(group, str(error), progress=hint)
            return
        except Unreachable as error:
            if error.sent:
                self.silence.count += 1
                self.outbox.put_in_doubt(group, str(error))
                return
            self.requeue(group, str(error), again=again)
            raise
        except BadAnswer as error:
            self.silence.count = 0
            self.hook("answered", change.number)
            self._refused(group, error, again=again)
            return
        except ShopError as error:
            self.requeue(group, str(error), again=again)
            raise
        self.silence.count = 0
        self.hook("answered", change.number)
        hint = {**progress, "answered": new_id} if new_id else dict(progress)
        if acts and not error_sign(answer.payload):
            hint["said_done"] = True
        doubt = doubt or self._not_shown(change, body)
        if doubt or new_id is None:
            said = f"the service answered {answer.status} {short(answer)}"
            self.outbox.put_in_doubt(group, f"{said}, but {doubt}", progress=hint)
            return
        settle_done(self.outbox, group, body, new_id, f"{answer.status} {short(answer)}", "done")
        self.hook("outcome", change.number)

    def _request(
        self, change: Change, body: dict[str, Any], progress: Fields, *, looks: bool
    ) -> tuple[Answer, str | None, str]:
        """The answer, the id of the record, and why the answer does not prove that it was done.
        ``looks``: a rate error is raised, else it is waited out."""
        path = PATHS[change.resource]
        target = f"{path}/{change.record_id}"
        if change.op == "upload":
            answer, place = self._upload(change, body, target, progress)
            return answer, place, doubt_of(answer, "upload", path)
        if change.op == "create":
            answer = self._write(change, "POST", path, json=body, raises_rate_error=looks)
            return answer, id_of(answer, path), doubt_of(answer, "create", path)
        if change.op == "update":
            answer = self._write(change, "PUT", target, json=body, raises_rate_error=looks)
        else:
            answer = self._write(change, "DELETE", target, raises_rate_error=looks)
        before = self._before(change)
        names = [change.record_id, *(before[name] for name in NAMES if before.get(name))]
        return answer, change.record_id, doubt_of(answer, change.op, path, names)

    def _before(self, change: Change) -> dict[str, Any]:
        """What the record showed before the request."""
        return dict((self.outbox.get(change.number).baseline or {}).get("before", {}))

    def _not_shown(self, change: Change, body: Fields) -> str:
        """Why the record does not show what the service answered that it did; empty if it does."""
        kind = change.resource, frozenset(body)
        if change.op == "delete":
            return self._not_gone(change)
        if change.op != "update" or (kind in self.read_back and "lines" not in body):
            return ""
        try:
            row = self.lookup.record(change.resource, str(change.record_id))
        except ShopError:
            return ""
        zone = self.client.shop.zone
        if row and (left := left_out(change.resource, body, self._before(change), row, zone)):
            return f"the record shows {', '.join(left)} as before"
        self.read_back.add(kind)
        return ""

    def _not_gone(self, change: Change) -> str:
        """Why the answer to a delete is not believed: services were seen to answer 200 and to keep
        the record (field notes, writes). Empty when nothing shows it any more; how a service
        answers for what is gone is not specified, so any refusal will do."""
        record_id = str(change.record_id)
        try:
            row = self.lookup.record(change.resource, record_id)
        except BadAnswer:
            return ""
        except ShopError as error:
            return f"it could not be read whether the record is gone: {error}"
        return "the record is still there" if row and row.get("id") == record_id else ""

    def _write(self, change: Change, method: str, path: str, **content: Any) -> Answer:
        """One request. Each of its sendings is a row of the history before it leaves: the first is
        the intent (or, of a file, its place)."""

        def on_send(again: str) -> None:
            if again:
                self.outbox.set([change], "sent again", f"{method} {path}, after: {again}")

        return self.client.send(method, path, on_send=on_send, **content)

    def _upload(
        self, change: Change, body: dict[str, Any], target: str, progress: Fields
    ) -> tuple[Answer, str | None]:
        """Metadata first, then the file to the place that ``Location`` names. A place whose answer
        was lost stays empty for good, so asking for another doubles nothing."""
        place = progress.get("upload")
        if place is None:
            answer = self._write(change, "POST", f"{target}/upload", json=body)
            self.hook("slot", change.number)
            place = answer.headers.get("location", "").rstrip("/").rpartition("/upload/")[2]
            if not place or "/" in place:
                raise BadAnswer(
                    "no Location of the form .../upload/{uploadId}", method="POST", path=target
                )
            self.outbox.set([change], "place", place, progress={"upload": place})
            self.hook("slot kept", change.number)
        assert change.file is not None
        content = (change.file["name"], read_file(change), change.file["type"])
        answer = self._write(change, "POST", f"{target}/upload/{place}", files={"file": content})
        return answer, place

    def _has_place(self, change: Change) -> bool:
        """Whether the file of an upload was sent, and not only asked where to."""
        return change.op == "upload" and "upload" in self.outbox.get(change.number).progress

    def requeue(self, group: Group, reason: str, *, again: bool) -> None:
        """What had no effect waits for its turn."""
        # What was sent before stays in doubt: it keeps what was there before that, and a file its
        # place. Of several updates each is sent on its own.
        state = State.IN_DOUBT if again and len(group) == 1 else State.QUEUED
        columns = {"state": state, "reason": reason, "next_lookup": self.outbox.now()}
        self.outbox.set(group, "not sent", reason, merged_into=None, **columns)

    def _refused(self, group: Group, error: BadAnswer, *, again: bool) -> None:
        reason = str(error)
        columns: dict[str, Any] = {"answer": f"{error.status} {error.excerpt}"[:MOST_ANSWER]}
        if len(group) > 1:
            # One faulty field must not take the others down: each is sent on its own.
            apart: dict[str, Any] = {"state": State.QUEUED, "alone": 1, "merged_into": None}
            self.outbox.set(group, "sent apart", reason, **apart)
        elif again or (error.status == 409 and self._has_place(group[0])):
            # It was sent before, by us or by a proxy: a service that takes no second of a name, or
            # no second file in its place, most likely has the first, though it does not show it.
            reason = f"may have been applied before; sent again, the service said: {reason}"
            columns = {"state": State.IN_DOUBT, "reason": reason, "for_person": 1}
            self.outbox.set(group, "in doubt", reason, **columns)
        elif error.status == 409 and group[0].op != "upload":
            why = (
                f"{reason}; a proxy that tried twice is told so: looked for now and by later pushes"
            )
            self.outbox.put_in_doubt(group, why, progress={"refused": EXISTS}, **columns)
        else:
            columns |= {"state": State.REJECTED, "reason": reason}
            self.outbox.set(group, "rejected", reason, **columns)
        self.hook("outcome", group[0].number)
