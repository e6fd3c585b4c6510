"""The way through the queue: what a change waits for, which updates of one record may leave as one
request, and what is sent next. A push and its dry run walk the same way; they differ in what they
do with what is to be sent.

Updates leave together only where that means the same: after the merged request the record is what
it would be after both, one after the other. Fields that do something (print, make an invoice, add
stock) or that are read together with others (prices with their tax, discounts with the group
discount) are not merged blindly.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipelines.bodies import PATHS
from pipelines.outbox.change import OPEN, Fields, Group, State
from pipelines.outbox.compare import KEYS
from pipelines.outbox.paid import invoices_of
from pipelines.outbox.refers import mentions
from pipelines.outbox.store import Change, Outbox

ONCE_ONLY = frozenset(
    (
        "printInvoice printReceipt printLabel stockQuantity stock_cog_per_item add_products "
        "delete_products"
    ).split()
)
"""Fields that must not be sent twice. Lines are upserted by product code, and an invoice that
exists is updated (specification, Ticket), so those may."""

ACTING = ONCE_ONLY.union(
    "lines presetId createInvoice invoiceDate invoiceDueDate".split(),
    "update_products other_serial_update".split(),
)
"""Fields that do something each time they are sent."""

_READ_TOGETHER = (
    frozenset({"discount", "discountLevel", "customerGroupDiscount"}),
    frozenset(
        (
            "tax cost price offerPrice TaxIncludedInCost TaxIncludedInPrice TaxIncludedInOfferPrice"
        ).split()
    ),
)


def mergeable(first: Fields, second: Fields) -> bool:
    """Whether sending ``first | second`` equals sending the two in turn."""
    if ACTING & (first.keys() | second.keys()):
        return False
    return all(
        not (group & second.keys()) or (group & first.keys()) <= second.keys()
        for group in _READ_TOGETHER
    )


def merged_base(group: Group) -> dict[str, Any]:
    """The basis of the one request: for each field the earliest."""
    result: dict[str, dict[str, Any]] = {"values": {}, "seen": {}}
    for member in group:
        for kind in result:
            for name, value in member.base.get(kind, {}).items():
                if name not in result["values"] and name not in result["seen"]:
                    result[kind][name] = value
    return result


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
        # What still mentions the record, or the change that made it, would be refused then.
        for named in _names(outbox, change):
            earlier = outbox.changes(shop=change.shop, before=change.number, states=OPEN, **named)
            if earlier:
                return f"waits for {earlier[0].what}, {earlier[0].state}, which names the record"
    return _mistakable(outbox, change)


def _mistakable(outbox: Outbox, change: Change) -> str:
    """Which change in doubt could be taken for it, or it for that one; empty if none could."""
    doubtful = (State.SENDING, State.IN_DOUBT)
    if change.op == "create":
        for other in outbox.creates(change, *doubtful):
            if _alike(change, other):
                return f"waits for {other.what}, in doubt, which it could be mistaken for"
    if _moves_stock(change):
        records = _records(outbox, change)
        for other in outbox.changes(shop=change.shop, states=doubtful):
            is_update = "products" in (change.resource, other.resource)
            if is_update and _moves_stock(other) and records & _records(outbox, other):
                return f"waits for {other.what}, in doubt, which is told by the same stock"
    return ""


def _moves_stock(change: Change) -> bool:
    """Whether it moves a product's stock, which tells of an update whose answer was lost; and such
    an update may well make a record of ``/stock``, as if that had been created."""
    return change.resource in ("stock", "adjustments") or "stockQuantity" in change.body


def _names(outbox: Outbox, change: Change) -> list[dict[str, Any]]:
    """How others name the record of a change: by its id, or by the change that made it."""
    record: dict[str, Any] = {"resource": change.resource, "id": change.record_id}
    made = outbox.changes(shop=change.shop, op="create", **record)
    return [{"naming": change.record_id}, *({"referring": one.number} for one in made)]


def _alike(change: Change, other: Change) -> bool:
    if change.resource == "payments":
        return not set(invoices_of(change.body)).isdisjoint(invoices_of(other.body))
    return all(
        str(change.body.get(name)).casefold() == str(other.body.get(name)).casefold()
        for name in KEYS[change.resource]
    )


def filled(outbox: Outbox, value: Any) -> Any:
    """A stored value with its references replaced by the ids that the changes got."""
    if isinstance(value, dict):
        if set(value) == {"$queued"}:
            return outbox.get(value["$queued"]).id
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
    numbers = _references(change.body)
    target = change.record_id or ""
    if target.startswith("@") and target[1:].isdecimal():
        numbers.append(int(target[1:]))
    for number in numbers:
        found = outbox.changes(number=number)
        if not found:
            return f"waits for change {number}, which the queue does not hold; 'queue discard' it"
        if found[0].state != "done":
            return f"waits for {found[0].what}, {found[0].state}"
        if found[0].id is None:
            return f"waits for the id of {found[0].what}, which has none; 'queue discard' it"
    return ""


def _references(value: Any) -> list[int]:
    """Numbers of the changes that a stored body refers to."""
    if isinstance(value, dict) and set(value) == {"$queued"}:
        return [value["$queued"]]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [number for one in inner for number in _references(one)]


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


def prepared(outbox: Outbox, group: Group) -> dict[str, Any]:
    """The body of one request for a change, or for several updates of a record: what was queued
    later wins. :class:`Unsendable` if what it refers to has no id."""
    if reason := next(filter(None, (missing_reference(outbox, one) for one in group)), ""):
        raise Unsendable(reason)
    return {k: value for one in group for k, value in filled(outbox, one.body).items()}


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


OnConflict = Literal["park", "ours", "theirs"]
_CHUNK = 200


@dataclass
class Walk:
    """See the module. ``deliver`` sends groups and says whether anything moved; ``goes_on`` is
    asked before each change; ``fits``: whether a change may be in flight with a batch."""

    outbox: Outbox
    shop: str
    deliver: Callable[[list[Group]], bool]
    goes_on: Callable[[], bool] = lambda: True
    fits: Callable[[list[Group], Change], bool] = lambda batch, change: False

    def begin(self, on_conflict: OnConflict) -> None:
        """Take over what an earlier push left: what it was sending when it was killed may have been
        applied, or be on its way still; the conflicts that it parked are decided now."""
        self.outbox.fill_targets()
        left = self.outbox.changes(shop=self.shop, states=[State.SENDING])
        self.outbox.put_in_doubt(left, "a push ended while it was being sent")
        if on_conflict != "park":
            parked = self.outbox.changes(shop=self.shop, states=[State.CONFLICT])
            told = f"--on-conflict {on_conflict}"
            self.outbox.set(parked, "decided", told, state=State.QUEUED, reason="")

    def once(self) -> bool:
        """Deliver all that may be sent now, in the order it was queued; whether anything moved."""
        worked = False
        batch: list[Group] = []
        cursor = 0
        queued: dict[str, Any] = {"shop": self.shop, "states": [State.QUEUED], "limit": _CHUNK}
        while chunk := self.outbox.changes(after=cursor, **queued):
            for listed in chunk:
                cursor = listed.number
                if not self.goes_on():
                    return worked
                change = self._sendable(listed)
                if change is not None and batch and not self.fits(batch, change):
                    worked = self.deliver(batch) or worked
                    batch = []
                    change = self._sendable(listed)
                if change is not None:
                    batch.append(self._with_mergeable(change))
        return (self.deliver(batch) if batch else False) or worked

    def _sendable(self, listed: Change) -> Change | None:
        """The change as it is now, if it may be sent; else why it waits is noted."""
        change = self.outbox.get(listed.number)
        due = change.next_lookup
        if change.state is not State.QUEUED or (due is not None and due > self.outbox.now()):
            return None
        reason = blocked(self.outbox, change)
        if reason and reason != change.reason:
            self.outbox.set([change], "waits", reason, reason=reason)
        return None if reason else change

    def _with_mergeable(self, change: Change) -> Group:
        group = [change]
        if change.op != "update" or change.alone:
            return group
        body = dict(change.body)
        for other in self.outbox.of_record(change, after=change.number, states=OPEN):
            if other.state is not State.QUEUED or other.op != "update" or other.alone:
                break
            if not mergeable(body, other.body) or missing_reference(self.outbox, other):
                break
            if (other.doubted_since is None) is not (change.doubted_since is None):
                # The one may be at the service already, the other surely is not.
                break
            group.append(other)
            body |= other.body
        return group
