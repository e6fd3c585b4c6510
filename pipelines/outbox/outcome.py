"""The outcome of a change that the service holds, committed with all that follows from it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.outbox.snapshot import touched
from pipelines.outbox.states import State
from pipelines.outbox.store import Change, Outbox


def settle_done(
    outbox: Outbox,
    group: Sequence[Change],
    body: Mapping[str, Any],
    new_id: str,
    answer: str,
    event: str,
) -> None:
    """Commit that the service holds it: the outcome, what the sync should read back, the id for
    those that refer to it, and the new basis of later changes to the same fields."""
    change = group[0]
    with outbox.transaction():
        outbox.set(
            [member.number for member in group],
            event,
            answer,
            state=State.DONE,
            id=new_id,
            reason="" if event == "done" else answer,
            answer=answer,
            pushed_at=time.time(),
            next_look=None,
            for_person=0,
        )
        outbox.wrote(change, new_id, touched(change, body, new_id))
        if change.op == "update":
            _move_bases(outbox, change, body)


def _move_bases(outbox: Outbox, change: Change, body: Mapping[str, Any]) -> None:
    """Later changes of the same fields are based on what this one sent."""
    later = outbox.changes(
        shop=change.shop,
        resource=change.resource,
        record_id=change.record_id,
        op="update",
        states=[State.QUEUED, State.CONFLICT],
    )
    for other in later:
        shared = [name for name in other.body if name in body]
        if shared:
            seen = {k: v for k, v in other.base.get("seen", {}).items() if k not in shared}
            values = other.base.get("values", {}) | {name: body[name] for name in shared}
            outbox.set(
                [other.number],
                "new basis",
                f"change {change.number} set {', '.join(shared)}",
                base={"values": values, "seen": seen},
            )
