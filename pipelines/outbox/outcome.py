"""What is kept of a record before an update; the outcome of a change that the service holds,
committed with all that follows from it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pipelines.outbox.change import NAMES, Fields, Group, State
from pipelines.outbox.compare import columns_of, picture
from pipelines.outbox.errors import OutboxError
from pipelines.outbox.paid import invoices_of
from pipelines.outbox.store import Change, Outbox
from sources.repair_shop.errors import ShopError


def settle_done(
    outbox: Outbox, group: Group, body: Fields, new_id: str, answer: str, event: str
) -> None:
    """Commit that the service holds it: the outcome, what the sync should read back, the id for
    those that refer to it, and the new basis of later changes to the same fields."""
    change = group[0]
    with outbox.transaction():
        outbox.set(
            group,
            event,
            answer,
            state=State.DONE,
            id=new_id,
            reason="" if event == "done" else answer,
            answer=answer,
            pushed_at=time.time(),
            next_lookup=None,
            for_person=0,
            baseline=None,
        )
        outbox.wrote(change, new_id, touched(change, body, new_id))
        if change.op == "update":
            _move_bases(outbox, change, body)


def _move_bases(outbox: Outbox, change: Change, body: Fields) -> None:
    """Later changes of the same fields are based on what this one sent."""
    waiting = [State.QUEUED, State.CONFLICT]
    for other in outbox.of_record(change, op="update", states=waiting):
        shared = [name for name in other.body if name in body]
        if shared:
            seen = {k: v for k, v in other.base.get("seen", {}).items() if k not in shared}
            values = other.base.get("values", {}) | {name: body[name] for name in shared}
            outbox.set(
                [other],
                "new basis",
                f"change {change.number} set {', '.join(shared)}",
                base={"values": values, "seen": seen},
            )


def kept(resource: str, body: Fields, row: Fields) -> dict[str, Any]:
    """The part of a record that can later tell whether an update was applied."""
    wanted: dict[str, Any] = {}
    for name in body:
        wanted |= picture(resource, name, row)
        wanted |= {root: row[root] for root in columns_of(resource, name) if root in row}
    for extra in ("lines", "products", "stock", "last_updated", *NAMES):
        if extra in row:
            wanted[extra] = row[extra]
    return wanted


def touched(change: Change, body: Fields, new_id: str) -> set[tuple[str, str]]:
    """Records the sync should read back: the one written and those it changes along."""
    written = str(change.record_id) if change.op == "upload" else new_id
    found = {(change.resource, written)}
    if change.resource == "payments":
        found |= {("ticket_invoices", one) for one in invoices_of(body)}
    if change.resource == "stock" and "product" in body:
        found.add(("products", str(body["product"])))
    for line in (*body.get("products", ()), *body.get("add_products", ())):
        found.add(("products", str(line.get("product_id", line.get("ad_product_id")))))
    return found


log = logging.getLogger(__name__)


@contextmanager
def fenced(outbox: Outbox, group: Group) -> Iterator[None]:
    """Park the changes, with the reason, when dealing with them fails in a way nobody foresaw.

    One not sent stays queued for the next push, one that was being sent is looked up, one whose
    lookup fails is left to a person. Errors of the service and the queue that stop a push pass.
    """
    try:
        yield
    except (ShopError, OutboxError):
        raise
    except Exception as error:
        log.debug("%s failed", group[0].what, exc_info=True)
        why = f"unexpected {type(error).__name__}: {error}"[:500]
        state = outbox.get(group[0].number).state
        if state is State.SENDING:
            outbox.put_in_doubt(group, why)
        elif state is State.IN_DOUBT:
            leave(outbox, [outbox.get(one.number) for one in group], why)
        elif state is State.QUEUED:
            outbox.set(group, "not sent", why, reason=why)


def leave(outbox: Outbox, group: Group, why: str) -> None:
    """Leave what may have been applied to a person, unless one dealt with it meanwhile."""
    columns = {"for_person": 1, "lookups": group[0].lookups + 1, "next_lookup": None}
    refused = f"; {group[0].answer}" if group[0].answer else ""
    reason = f"may have been applied: {why}{refused}"
    outbox.settle(group, "left for a person", why, reason=reason, **columns)
