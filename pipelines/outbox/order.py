"""The order of a push: what a queued change has to wait for."""

from __future__ import annotations

from pipelines.outbox.intake import references
from pipelines.outbox.lookup import KEYS
from pipelines.outbox.store import Change, Outbox


def blocked(outbox: Outbox, change: Change) -> str:
    """What a queued change waits for; empty when it may be sent."""
    if reason := missing_reference(outbox, change):
        return reason
    if change.record_id is not None:
        earlier = outbox.changes(
            "shop = ? and resource = ? and record_id = ? and number < ?"
            " and state in ('queued', 'sending', 'in_doubt', 'conflict')",
            change.shop,
            change.resource,
            change.record_id,
            change.number,
        )
        if earlier:
            return f"waits for {earlier[0].what}, {earlier[0].state}, of the same record"
    if change.op == "delete":
        # What still mentions the record would be refused once it is gone.
        mention = f'%"{change.record_id}"%'
        earlier = outbox.changes(
            "shop = ? and number < ? and body like ?"
            " and state in ('queued', 'sending', 'in_doubt', 'conflict')",
            change.shop,
            change.number,
            mention,
        )
        if earlier:
            return f"waits for {earlier[0].what}, {earlier[0].state}, which names the record"
    if change.op == "create":
        for other in outbox.changes(
            "shop = ? and resource = ? and op = 'create' and number != ?"
            " and state in ('sending', 'in_doubt')",
            change.shop,
            change.resource,
            change.number,
        ):
            if _alike(change, other):
                return f"waits for {other.what}, in doubt, which it could be mistaken for"
    return ""


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return bool(invoices_of(change) & invoices_of(other))
    keys = KEYS[change.resource]
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in keys
    )


def invoices_of(change: Change) -> set[str]:
    """Ids of the invoices that a payment is for."""
    found = change.body["invoiceId"]
    return {str(one) for one in (found if isinstance(found, list) else [found])}


def missing_reference(outbox: Outbox, change: Change) -> str:
    """Which change it refers to has no id yet; empty when all have."""
    numbers = references(change.body)
    if change.record_id and change.record_id.startswith("@"):
        numbers.append(int(change.record_id[1:]))
    for number in numbers:
        other = outbox.get(number)
        if other.state != "done":
            return f"waits for {other.what}, {other.state}"
    return ""
