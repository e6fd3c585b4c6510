"""The outcome of a change that the service holds, committed with all that follows from it."""

from __future__ import annotations

import sqlite3
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
    now = time.time()
    with outbox.transaction() as db:
        outbox.set_in(
            db,
            [member.number for member in group],
            event,
            answer,
            state=State.DONE,
            id=new_id,
            reason="" if event == "done" else answer,
            answer=answer,
            pushed_at=now,
            next_look=None,
            for_person=0,
        )
        db.execute(
            "update changes set record_id = ? where shop = ? and record_id = ?",
            (new_id, change.shop, f"@{change.number}"),
        )
        db.executemany(
            "insert into touched values (?, ?, ?, ?, null, ?) on conflict (shop, resource, id)"
            " do update set pushed_at = excluded.pushed_at, mirrored_at = null,"
            " number = excluded.number",
            [
                (change.shop, resource, record, now, change.number)
                for resource, record in touched(change, body, new_id)
            ],
        )
        if change.op == "update":
            _move_bases(outbox, db, change, body)


def _move_bases(
    outbox: Outbox, db: sqlite3.Connection, change: Change, body: Mapping[str, Any]
) -> None:
    """Later changes of the same fields are based on what this one sent."""
    later = outbox.changes(
        "shop = ? and resource = ? and record_id = ? and op = 'update'"
        " and state in ('queued', 'conflict')",
        change.shop,
        change.resource,
        change.record_id,
    )
    for other in later:
        shared = [name for name in other.body if name in body]
        if shared:
            seen = {k: v for k, v in other.base.get("seen", {}).items() if k not in shared}
            values = other.base.get("values", {}) | {name: body[name] for name in shared}
            outbox.set_in(
                db,
                [other.number],
                "new basis",
                f"change {change.number} set {', '.join(shared)}",
                base={"values": values, "seen": seen},
            )
