"""What a push would send, without asking the service anything (``push --dry-run``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipelines.outbox.intake import references
from pipelines.outbox.merge import mergeable
from pipelines.outbox.order import invoices_of
from pipelines.outbox.store import Change, Outbox
from sources.repair_shop.schema.bodies import PATHS


@dataclass(frozen=True)
class Planned:
    """What a push would send for a change. ``waits`` says what for, if it would not be sent yet."""

    number: int
    shop: str
    method: str
    path: str
    body: dict[str, Any]
    requests: int
    waits: str = ""


def preview(outbox: Outbox, shop: str) -> list[Planned]:
    """Every queued change as it would be sent, looked at as if those before it were done."""
    planned = []
    seen: set[str] = set()
    parked = {
        change.number: change
        for change in outbox.changes("shop = ? and state in ('in_doubt', 'conflict')", shop)
    }
    merged: set[int] = set()
    queued = outbox.changes("shop = ? and state = 'queued'", shop)
    by_record: dict[tuple[str, str | None], list[Change]] = {}
    for change in queued:
        by_record.setdefault((change.resource, change.record_id), []).append(change)
    for change in queued:
        if change.number in merged:
            continue
        body = dict(change.body)
        if change.op == "update" and not change.alone:
            chain = by_record[change.resource, change.record_id]
            for other in chain[chain.index(change) + 1 :]:
                if other.op != "update" or other.alone or not mergeable(body, other.body):
                    break
                body |= other.body
                merged.add(other.number)
        path = PATHS[change.resource]
        method = {"create": "POST", "update": "PUT", "delete": "DELETE", "upload": "POST"}[
            change.op
        ]
        requests = 1
        if change.op == "create":
            fresh = change.resource not in seen
            invoices = len(invoices_of(change)) if change.resource == "payments" else 0
            requests += invoices or int(fresh)
            seen.add(change.resource)
        elif change.op in ("update", "upload"):
            requests = 2
        if change.op != "create":
            path += f"/{change.record_id}"
        if change.op == "upload":
            path += "/upload"
        waits = _waits_for(change, parked)
        planned.append(
            Planned(change.number, shop, method, path, body, 0 if waits else requests, waits)
        )
    for change in parked.values():
        if change.state == "in_doubt" and change.merged_into is None:
            path = PATHS[change.resource]
            planned.append(
                Planned(change.number, shop, "GET", path, {}, 1, "in doubt, looked up first")
            )
    return planned


def _waits_for(change: Change, parked: dict[int, Change]) -> str:
    needed = references(change.body)
    if change.record_id and change.record_id.startswith("@"):
        needed.append(int(change.record_id[1:]))
    for number in needed:
        if number in parked:
            return f"waits for {parked[number].what}, {parked[number].state}"
    for other in parked.values():
        same = (other.resource, other.record_id) == (change.resource, change.record_id)
        if same and change.record_id is not None and other.number < change.number:
            return f"waits for {other.what}, {other.state}, of the same record"
    return ""
