"""What a push would send, without asking the service anything (``push --dry-run``)."""

from dataclasses import dataclass, field
from typing import Any

from pipelines.bodies import PATHS
from pipelines.outbox.basis import old_values
from pipelines.outbox.change import METHODS, Change, State
from pipelines.outbox.order import (
    OnConflict,
    Unsendable,
    filled,
    invoices_of,
    read_file,
    waits_for,
)
from pipelines.outbox.origin import held_back, refuse_others
from pipelines.outbox.store import Outbox
from pipelines.settings import ShopSettings


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
    waits: str = ""
    old: dict[str, str] = field(default_factory=dict)


def preview(
    outbox: Outbox, settings: ShopSettings, on_conflict: OnConflict = "park"
) -> list[Planned]:
    """Every queued change as it would be sent, in that order, if the service took those before it;
    then what waits, and what is in doubt. Raises what keeps a push from sending any of them."""
    shop, held = settings.name, held_back(outbox)
    refuse_others(outbox, settings)
    queued = outbox.changes(shop=shop, states=[State.QUEUED])
    if on_conflict != "park":
        decided = outbox.changes(shop=shop, states=[State.CONFLICT])
        queued += [one for one in decided if one.resource != "payments"]
    doubts = outbox.changes(shop=shop, states=[State.IN_DOUBT, State.SENDING])
    doubts += [one for one in queued if one.number in held]
    planned, waiting, lists = list[Planned](), list[Planned](), set[str]()
    is_time_known = any(not one.needs_person for one in doubts)
    sent: set[int] = set()
    for change in sorted(queued, key=lambda one: one.number):
        if change.number in held:
            continue
        body = filled(outbox, change.body)
        if waits := waits_for(outbox, change, lambda other: other.number in sent):
            waiting.append(_planned(change, body, 0, waits))
            continue
        try:
            read_file(change)
        except Unsendable as refusal:
            planned.append(_planned(change, {}, 0, f"will be rejected: {refusal}"))
            continue
        # Nothing leaves before it is known what time it is there: the record tells.
        more = int(not is_time_known and change.op in ("delete", "upload"))
        planned.append(_planned(change, body, _requests(change, lists) + more))
        is_time_known = True
        sent.add(change.number)
    doubtful = [
        Planned(
            one.number, shop, "GET", PATHS[one.resource], {}, 0 if one.needs_person else 1,
            "in doubt, for you to decide" if one.needs_person else "in doubt, looked up first",
        )
        for one in doubts
    ]  # fmt: skip
    return planned + waiting + doubtful


def _requests(change: Change, lists: set[str]) -> int:
    """The write and what is read for it: a list once a push, one update of each kind."""
    if change.resource == "payments":
        return 1 + len(invoices_of(change.body))
    kind = change.resource + ("" if change.op == "create" else change.op + str(sorted(change.body)))
    is_first = kind not in lists
    lists.add(kind)
    if change.op == "create":
        return 1 + is_first * (2 if change.resource == "tickets" else 1)
    return 2 + is_first * {"delete": 2, "update": 1}.get(change.op, 0)


def _planned(change: Change, body: dict[str, Any], requests: int, waits: str = "") -> Planned:
    path = PATHS[change.resource]
    if change.op != "create":
        path += f"/{change.record_id}"
    if change.op == "upload":
        path += "/upload"
    return Planned(
        change.number, change.shop, METHODS[change.op], path, body, requests, waits,
        old_values(change),
    )  # fmt: skip
