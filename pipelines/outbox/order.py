"""What a queued change waits for, what is sent for it, and what a push would send."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipelines.bodies import PATHS, fields
from pipelines.outbox.basis import old_values
from pipelines.outbox.change import METHODS, OPEN, Change, Fields, State, invoices_of
from pipelines.outbox.match import KEYS
from pipelines.outbox.origin import held_back, refuse_others
from pipelines.outbox.references import names
from pipelines.outbox.store import Outbox
from pipelines.settings import ShopSettings

OnConflict = Literal["park", "ours", "theirs"]


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


# -- what waits -------------------------------------------------------------------------------


def waits_for(
    outbox: Outbox, change: Change, goes: Callable[[Change], bool] = lambda other: False
) -> str:
    """What a change waits for that is queued, or in doubt; empty when it may be sent. ``goes``: of
    which others it need not be waited for."""
    return next((words for other, words in _blocks(outbox, change) if not goes(other)), "")


def _blocks(outbox: Outbox, change: Change) -> Iterator[tuple[Change, str]]:
    yield from _missing(outbox, change)
    if change.record_id is not None:
        # Each waits for the one before it, which waits for the others.
        for other in outbox.of_record(change, before=change.number, states=OPEN, last=True):
            yield other, f"waits for {other.stands}: both are of one record"
    if change.op == "delete":
        # What still names the record, or the change that made it, would be refused then.
        record: dict[str, Any] = {"resource": change.resource, "id": change.record_id}
        earlier: dict[str, Any] = {"shop": change.shop, "before": change.number, "states": OPEN}
        naming = outbox.changes(holding=change.record_id, **earlier)
        found = [one for one in naming if names(one, change.resource, str(change.record_id))]
        for made in outbox.changes(shop=change.shop, op="create", **record):
            found += outbox.changes(referring=made.number, **earlier)
        for other in found:
            yield other, f"waits for {other.stands}: it names the record"
    if change.op == "create":
        # Asked without the resource, which would have SQLite read all changes of it.
        kind: dict[str, Any] = {"shop": change.shop, "op": "create", "but": change.number}
        for other in outbox.changes(states=[State.SENDING, State.IN_DOUBT], **kind):
            is_first = change.state is State.QUEUED or other.number < change.number
            if is_first and other.resource == change.resource and _alike(change, other):
                yield other, f"waits for {other.stands}: one could be mistaken for the other"


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return not set(invoices_of(change.body)).isdisjoint(invoices_of(other.body))
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in KEYS[change.resource]
    )


def _missing(outbox: Outbox, change: Change) -> Iterator[tuple[Change, str]]:
    """The changes it refers to that have no id yet."""
    numbers = [one["$queued"] for one in fields.references(change.body)]
    target = change.record_id or ""
    if target.startswith("@") and target[1:].isdecimal():
        numbers.append(int(target[1:]))
    for made in map(outbox.get, numbers):
        if made.state is not State.DONE:
            yield made, f"waits for {made.stands}"


# -- what is sent -----------------------------------------------------------------------------


def filled(outbox: Outbox, body: Fields) -> dict[str, Any]:
    """A stored body with the ids that other changes got, or are to get (``@12``)."""
    named: dict[str, Any] = fields.filled(
        body, lambda one: outbox.get(one["$queued"]).id or f"@{one['$queued']}"
    )
    return named


def body_of(outbox: Outbox, change: Change) -> dict[str, Any]:
    """What was sent, which may be less than was queued (``--on-conflict theirs``), or is to be."""
    return change.sent_body or filled(outbox, change.body)


def read_file(change: Change) -> bytes:
    """The file of an upload; :class:`Unsendable` unless it is as it was queued. Other changes have
    none."""
    if (file := change.file) is None:
        return b""
    try:
        content = Path(file["path"]).read_bytes()
    except OSError as error:
        raise Unsendable(f"{file['path']} cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != file["sha256"]:
        raise Unsendable(f"{file['path']} changed since it was queued; queue it again")
    return content


# -- what would be sent (push --dry-run) ------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    """What a push would send for a change; ``old`` has what its fields were when it was queued.
    ``waits`` says what for, if it would not be sent yet.

    An id that only the service can give is shown as ``@12``: that of change 12.
    """

    number: int
    shop: str
    method: str
    path: str
    body: dict[str, Any]
    requests: int
    waits: str
    old: dict[str, str]


def preview(
    outbox: Outbox, settings: ShopSettings, on_conflict: OnConflict = "park"
) -> list[Planned]:
    """Every queued change as it would be sent, in that order, if the service took those before it;
    then what waits, and what is in doubt. Nothing is asked. Raises what keeps a push from sending
    any of them."""
    shop, held = settings.name, held_back(outbox)
    refuse_others(outbox, settings)
    states = [State.QUEUED, State.IN_DOUBT, State.SENDING]
    states += [State.CONFLICT] if on_conflict != "park" else []
    planned, waiting, doubtful = list[Planned](), list[Planned](), list[Planned]()
    sent, kinds = set[int](), set[tuple[str, str]]()
    for change in outbox.changes(shop=shop, states=states):
        if change.state is State.CONFLICT and change.resource == "payments":
            continue
        path = PATHS[change.resource]
        if change.number in held or change.state in (State.IN_DOUBT, State.SENDING):
            requests = 0 if change.needs_person else 1
            waits = "in doubt, " + ("looked up first" if requests else "for you to decide")
            doubtful.append(Planned(change.number, shop, "GET", path, {}, requests, waits, {}))
            continue
        body, requests, into = filled(outbox, change.body), 0, waiting
        waits = waits_for(outbox, change, lambda other: other.number in sent)
        if not waits:
            into = planned
            try:
                read_file(change)
                requests = _requests(change, kinds)
                sent.add(change.number)
            except Unsendable as refusal:
                body, waits = {}, f"will be rejected: {refusal}"
        path += f"/{change.record_id}" if change.op != "create" else ""
        path += "/upload" if change.op == "upload" else ""
        method, old = METHODS[change.op], old_values(change)
        into.append(Planned(change.number, shop, method, path, body, requests, waits, old))
    return planned + waiting + doubtful


def _requests(change: Change, kinds: set[tuple[str, str]]) -> int:
    """About how many: the write, what is read for it, and what is read once for all of a kind."""
    if change.resource == "payments":
        return 1 + len(invoices_of(change.body))
    is_first = (change.resource, change.op) not in kinds
    kinds.add((change.resource, change.op))
    return {"create": 1, "update": 2}.get(change.op, 3) + is_first
