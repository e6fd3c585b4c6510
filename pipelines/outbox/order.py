"""What a queued change waits for, and what is sent for it."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from pipelines.bodies import fields
from pipelines.outbox.change import OPEN, Change, Fields, State
from pipelines.outbox.match import KEYS
from pipelines.outbox.store import Outbox

OnConflict = Literal["park", "ours", "theirs"]


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


def waits_for(
    outbox: Outbox, change: Change, goes: Callable[[Change], bool] = lambda other: False
) -> str:
    """What a change waits for that is queued, or in doubt; empty when it may be sent. ``goes``: of
    which others it need not be waited for."""
    for other, words in _blocks(outbox, change):
        if other is None or not goes(other):
            return words
    return ""


def _blocks(outbox: Outbox, change: Change) -> Iterator[tuple[Change | None, str]]:
    yield from _missing(outbox, change)
    if change.record_id is not None:
        for other in outbox.of_record(change, before=change.number, states=OPEN):
            yield other, f"waits for {other.stands}: both are of one record"
    if change.op == "delete":
        # What still names the record, or the change that made it, would be refused then.
        record: dict[str, Any] = {"resource": change.resource, "id": change.record_id}
        made = outbox.changes(shop=change.shop, op="create", **record)
        names: list[dict[str, Any]] = [{"naming": change.record_id}]
        for named in [*names, *({"referring": one.number} for one in made)]:
            named |= {"shop": change.shop, "before": change.number, "states": OPEN}
            for other in outbox.changes(**named):
                yield other, f"waits for {other.stands}: it names the record"
    if change.op == "create":
        kind: dict[str, Any] = {"resource": change.resource, "op": "create", "but": change.number}
        may_be_there = [State.SENDING, State.IN_DOUBT]
        for other in outbox.changes(shop=change.shop, states=may_be_there, **kind):
            is_first = change.state is State.QUEUED or other.number < change.number
            if is_first and _alike(change, other):
                yield other, f"waits for {other.stands}: one could be mistaken for the other"


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return not set(invoices_of(change.body)).isdisjoint(invoices_of(other.body))
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in KEYS[change.resource]
    )


def missing_reference(outbox: Outbox, change: Change) -> str:
    """Which change it refers to has no id yet; empty when all have."""
    return next((words for _, words in _missing(outbox, change)), "")


def _missing(outbox: Outbox, change: Change) -> Iterator[tuple[Change | None, str]]:
    numbers = [one["$queued"] for one in fields.references(change.body)]
    target = change.record_id or ""
    if target.startswith("@") and target[1:].isdecimal():
        numbers.append(int(target[1:]))
    for number in numbers:
        found = outbox.changes(number=number)
        if not found:
            yield (
                None,
                f"waits for change {number}, which the queue does not hold; 'queue discard' it",
            )
        elif found[0].state != "done":
            yield found[0], f"waits for {found[0].stands}"
        elif found[0].id is None:
            yield None, f"waits for the id of {found[0].what}, which has none; 'queue discard' it"


def filled(outbox: Outbox, body: Fields) -> dict[str, Any]:
    """A stored body with the ids that other changes got, or are to get (``@12``)."""
    named: dict[str, Any] = fields.filled(
        body, lambda one: outbox.get(one["$queued"]).id or f"@{one['$queued']}"
    )
    return named


def prepared(outbox: Outbox, change: Change) -> dict[str, Any]:
    """The body of a change as it is sent; :class:`Unsendable` if what it refers to has no id, or
    its file is not as it was queued."""
    if reason := missing_reference(outbox, change):
        raise Unsendable(reason)
    read_file(change)
    return filled(outbox, change.body)


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


def invoices_of(body: Fields) -> list[str]:
    """Ids of the invoices a payment is for, each once."""
    found = body["invoiceId"]
    return list(dict.fromkeys(map(str, found if isinstance(found, list) else [found])))
