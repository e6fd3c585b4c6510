"""A fence around each change: what nobody foresaw in one of them stops no other."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pipelines.outbox.change import State
from pipelines.outbox.errors import OutboxError
from pipelines.outbox.store import Change, Outbox
from sources.repair_shop.errors import ShopError

log = logging.getLogger(__name__)


@contextmanager
def fenced(outbox: Outbox, group: Sequence[Change]) -> Iterator[None]:
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
        _park(outbox, group, f"unexpected {type(error).__name__}: {error}"[:500])


def _park(outbox: Outbox, group: Sequence[Change], why: str) -> None:
    state = outbox.get(group[0].number).state
    if state is State.SENDING:
        outbox.put_in_doubt(group, why)
    elif state is State.IN_DOUBT:
        reason = f"may have been applied: {why}"
        outbox.set(group, "left for a person", why, reason=reason, for_person=1, next_lookup=None)
    elif state is State.QUEUED:
        outbox.set(group, "not sent", why, reason=why)
