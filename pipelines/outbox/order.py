"""What a queued change has to wait for, and what it would send, from what is in the queue alone."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipelines.outbox.change import OPEN, State
from pipelines.outbox.intake import references
from pipelines.outbox.known import mentions
from pipelines.outbox.merge import merged_body
from pipelines.outbox.paid import invoices_of
from pipelines.outbox.resemblance import KEYS
from pipelines.outbox.store import Change, Outbox
from sources.repair_shop.schema.bodies import PATHS

_PARENTS = frozenset(PATHS) | {"ticket_invoices"}
"""Lists whose records other changes can belong to; a user or a status is no such record."""


def blocked(outbox: Outbox, change: Change) -> str:
    """What a queued change waits for; empty when it may be sent."""
    if reason := missing_reference(outbox, change):
        return reason
    if change.record_id is not None:
        earlier = outbox.of_record(change, before=change.number, states=OPEN)
        if earlier:
            return f"waits for {earlier[0].what}, {earlier[0].state}, of the same record"
    if change.op == "delete":
        # What still mentions the record would be refused once it is gone.
        earlier = outbox.changes(
            shop=change.shop, before=change.number, naming=change.record_id, states=OPEN
        )
        if earlier:
            return f"waits for {earlier[0].what}, {earlier[0].state}, which names the record"
    if change.op == "create":
        for other in outbox.changes(
            shop=change.shop,
            resource=change.resource,
            op="create",
            but=change.number,
            states=[State.SENDING, State.IN_DOUBT],
        ):
            if _alike(change, other):
                return f"waits for {other.what}, in doubt, which it could be mistaken for"
    return ""


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return not set(invoices_of(change.body)).isdisjoint(invoices_of(other.body))
    keys = KEYS[change.resource]
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in keys
    )


def filled(outbox: Outbox, value: Any) -> Any:
    """A stored value with its references replaced by the ids that the changes got.

    :class:`LookupError` when one of them has none.
    """
    if isinstance(value, dict):
        if set(value) == {"$queued"}:
            known = outbox.get(value["$queued"]).id
            if known is None:
                raise LookupError(f"change {value['$queued']} has no id to fill in")
            return known
        return {name: filled(outbox, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(outbox, inner) for inner in value]
    return value


def together(outbox: Outbox, one: Change, other: Change) -> bool:
    """Whether two changes that may be sent may be in flight at once.

    Not if they could be mistaken for one another, and not if they name a common record: comments of
    one ticket are read in the order they were written.
    """
    if "delete" in (one.op, other.op):
        return False
    if one.op == other.op == "create" and one.resource == other.resource and _alike(one, other):
        return False
    return not _records(outbox, one) & _records(outbox, other)


def _records(outbox: Outbox, change: Change) -> set[tuple[str, str]]:
    named = mentions(change.resource, change.record_id, filled(outbox, change.body))
    return {(target.table, value) for _, target, value in named if target.table in _PARENTS}


def missing_reference(outbox: Outbox, change: Change) -> str:
    """Which change it refers to has no id yet; empty when all have."""
    numbers = references(change.body)
    if change.record_id and change.record_id.startswith("@"):
        numbers.append(int(change.record_id[1:]))
    for number in numbers:
        found = outbox.changes(number=number)
        if not found:
            return f"waits for change {number}, which the queue does not hold; 'queue discard' it"
        if found[0].state != "done":
            return f"waits for {found[0].what}, {found[0].state}"
    return ""


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


def prepared(outbox: Outbox, group: Sequence[Change]) -> dict[str, Any]:
    """The body of one request for a change, or for several updates of a record.

    Raises :class:`Unsendable` when an id is missing, or the file of an upload.
    """
    if group[0].op == "upload":
        read_file(group[0])
    try:
        return merged_body([filled(outbox, member.body) for member in group])
    except LookupError as missing:
        raise Unsendable(str(missing)) from None


def read_file(change: Change) -> bytes:
    """The file of an upload; :class:`Unsendable` unless it is as it was queued."""
    file = change.file or {}
    try:
        content = Path(file["path"]).read_bytes()
    except OSError as error:
        raise Unsendable(f"{file['path']} cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != file["sha256"]:
        raise Unsendable(f"{file['path']} changed since it was queued; queue it again")
    return content
