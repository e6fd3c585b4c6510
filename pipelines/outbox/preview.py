"""What a push would send, without asking the service anything (``push --dry-run``).

The queue is copied into memory and walked by the code of a push (:mod:`pipelines.outbox.order`),
with a service that takes everything.
"""

from dataclasses import dataclass, field
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.change import Group, State
from pipelines.outbox.identity import claim
from pipelines.outbox.order import OnConflict, Unsendable, Walk, prepared, read_file
from pipelines.outbox.outcome import settle_done
from pipelines.outbox.paid import invoices_of
from pipelines.outbox.store import Change, Outbox
from pipelines.settings import ShopSettings

_METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE", "upload": "POST"}


@dataclass(frozen=True)
class Planned:
    """What a push would send for a change. ``waits`` says what for, if it would not be sent yet.

    An id that only the service can give is shown as ``@12``: that of change 12.
    """

    number: int
    shop: str
    method: str
    path: str
    body: dict[str, Any]
    requests: int
    waits: str = ""


def preview(
    outbox: Outbox, settings: ShopSettings, on_conflict: OnConflict = "park"
) -> list[Planned]:
    """Every queued change as it would be sent, in that order, if the service took those before it;
    then what waits, and what is in doubt. Raises what keeps a push from sending any of them."""
    shop = settings.name
    with outbox.copy() as copy:
        claim(copy, settings)
        taker = _Taker(copy)
        walk = Walk(copy, shop, deliver=taker.take)
        walk.begin(on_conflict)
        while walk.once():
            pass
        waiting = [
            _planned(change, dict(change.body), 0, change.reason)
            for change in copy.changes(shop=shop, states=[State.QUEUED])
        ]
        doubtful = [
            Planned(
                one.number, shop, "GET", PATHS[one.resource], {}, 1, "in doubt, looked up first"
            )
            for one in copy.changes(shop=shop, states=[State.IN_DOUBT], leads=True)
        ]
    return taker.planned + waiting + doubtful


@dataclass
class _Taker:
    """A service that takes whatever it is sent."""

    outbox: Outbox
    planned: list[Planned] = field(default_factory=list)
    listed: set[str] = field(default_factory=set)

    def take(self, batch: list[Group]) -> bool:
        for group in batch:
            self._take(group)
        return True

    def _take(self, group: Group) -> None:
        lead = group[0]
        body = prepared(self.outbox, group)
        try:
            read_file(lead)
        except Unsendable as refusal:
            self.outbox.set(group, "rejected", state=State.REJECTED, reason=str(refusal))
            self.planned.append(_planned(lead, {}, 0, f"will be rejected: {refusal}"))
            return
        self.planned.append(_planned(lead, body, self._requests(lead)))
        self.outbox.set(group, "sending", state=State.SENDING)
        new_id = f"@{lead.number}" if lead.op == "create" else str(lead.record_id)
        settle_done(self.outbox, group, body, new_id, "", "done")

    def _requests(self, change: Change) -> int:
        """The write and what is read for it; a list of more than a page costs more."""
        if change.resource == "payments":
            return 1 + len(invoices_of(change.body))
        # The newest page, and a look behind it, once a push for each list; one of each kind of
        # update is read back.
        kind = change.resource + ("" if change.op == "create" else str(sorted(change.body)))
        fresh = kind not in self.listed
        self.listed.add(kind)
        if change.op == "create":
            return 3 if fresh else 1
        return 3 if change.op == "update" and (fresh or "lines" in change.body) else 2


def _planned(change: Change, body: dict[str, Any], requests: int, waits: str = "") -> Planned:
    path = PATHS[change.resource]
    if change.op != "create":
        path += f"/{change.record_id}"
    if change.op == "upload":
        path += "/upload"
    return Planned(change.number, change.shop, _METHODS[change.op], path, body, requests, waits)
