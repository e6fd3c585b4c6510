"""What a queued change waits for, and what is sent for it."""

import hashlib
from pathlib import Path
from typing import Any, Literal

from pipelines.outbox.change import OPEN, Change, Fields, State
from pipelines.outbox.match import KEYS
from pipelines.outbox.store import Outbox

OnConflict = Literal["park", "ours", "theirs"]


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


def waits_for(outbox: Outbox, change: Change) -> str:
    """What a change waits for that is queued, or in doubt; empty when it may be sent."""
    if reason := missing_reference(outbox, change):
        return reason
    if change.record_id is not None:
        earlier = outbox.of_record(change, before=change.number, states=OPEN)
        if earlier:
            return f"waits for {earlier[0].stands}: both are of one record"
    if change.op == "delete":
        # What still mentions the record, or the change that made it, would be refused then.
        record: dict[str, Any] = {"resource": change.resource, "id": change.record_id}
        made = outbox.changes(shop=change.shop, op="create", **record)
        names: list[dict[str, Any]] = [{"naming": change.record_id}]
        for named in [*names, *({"referring": one.number} for one in made)]:
            earlier = outbox.changes(shop=change.shop, before=change.number, states=OPEN, **named)
            if earlier:
                return f"waits for {earlier[0].stands}: it names the record"
    if change.op == "create":
        for other in outbox.creates(change, State.SENDING, State.IN_DOUBT):
            is_first = change.state is State.QUEUED or other.number < change.number
            if is_first and _alike(change, other):
                return f"waits for {other.stands}: one could be mistaken for the other"
    return ""


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return not set(invoices_of(change.body)).isdisjoint(invoices_of(other.body))
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in KEYS[change.resource]
    )


def missing_reference(outbox: Outbox, change: Change) -> str:
    """Which change it refers to has no id yet; empty when all have."""
    numbers = _references(change.body)
    target = change.record_id or ""
    if target.startswith("@") and target[1:].isdecimal():
        numbers.append(int(target[1:]))
    for number in numbers:
        found = outbox.changes(number=number)
        if not found:
            return f"waits for change {number}, which the queue does not hold; 'queue discard' it"
        if found[0].state != "done":
            return f"waits for {found[0].stands}"
        if found[0].id is None:
            return f"waits for the id of {found[0].what}, which has none; 'queue discard' it"
    return ""


def _references(value: Any) -> list[int]:
    """Numbers of the changes that a stored body refers to."""
    if isinstance(value, dict) and set(value) == {"$queued"}:
        return [value["$queued"]]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [number for one in inner for number in _references(one)]


def filled(outbox: Outbox, value: Any) -> Any:
    """A stored value with its references replaced by the ids that the changes got."""
    if isinstance(value, dict):
        if set(value) == {"$queued"}:
            return outbox.get(value["$queued"]).id
        return {name: filled(outbox, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(outbox, inner) for inner in value]
    return value


def prepared(outbox: Outbox, change: Change) -> dict[str, Any]:
    """The body of a change as it is sent; :class:`Unsendable` if what it refers to has no id, or
    its file is not as it was queued."""
    if reason := missing_reference(outbox, change):
        raise Unsendable(reason)
    read_file(change)
    return dict(filled(outbox, change.body))


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
