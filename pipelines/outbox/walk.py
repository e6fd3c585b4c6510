"""The way through the queue: what is sent next, with what, and what waits. A push and its dry run
walk the same way; they differ in what they do with what is to be sent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pipelines.outbox.change import State
from pipelines.outbox.merge import mergeable
from pipelines.outbox.order import blocked, missing_reference
from pipelines.outbox.store import Change, Outbox

OnConflict = Literal["park", "ours", "theirs"]
Group = list[Change]
"""A change, or several updates of one record that leave as one request."""
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
        """Take over what an earlier push left."""
        self._recover()
        self._decide(on_conflict)

    def _recover(self) -> None:
        """What a killed push left as ``sending`` may have been applied, or be on its way still."""
        self.outbox.fill_targets()
        left = self.outbox.changes(shop=self.shop, states=[State.SENDING])
        if left:
            self.outbox.put_in_doubt(left, "a push ended while it was being sent")

    def _decide(self, on_conflict: OnConflict) -> None:
        """Conflicts parked by an earlier push are decided by this one's ``on_conflict``."""
        parked = self.outbox.changes(shop=self.shop, states=[State.CONFLICT])
        if parked and on_conflict != "park":
            told = f"--on-conflict {on_conflict}"
            self.outbox.set(parked, "decided", told, state=State.QUEUED, reason="")

    def once(self) -> bool:
        """Deliver all that may be sent now, in the order it was queued; whether anything moved."""
        worked = False
        batch: list[Group] = []
        cursor = 0
        while chunk := self._after(cursor):
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

    def _after(self, cursor: int) -> list[Change]:
        return self.outbox.changes(
            shop=self.shop, states=[State.QUEUED], after=cursor, limit=_CHUNK
        )

    def _sendable(self, listed: Change) -> Change | None:
        """The change as it is now, if it may be sent; else why it waits is noted."""
        change = self.outbox.get(listed.number)
        if change.state is not State.QUEUED:
            return None
        reason = blocked(self.outbox, change)
        if reason and reason != change.reason:
            self.outbox.set([change], "waits", reason, reason=reason)
        return None if reason else change

    def _with_mergeable(self, change: Change) -> Group:
        group = [change]
        if change.op != "update" or change.alone:
            return group
        later = self.outbox.of_record(change, after=change.number, states=[State.QUEUED])
        body = dict(change.body)
        for other in later:
            if other.op != "update" or other.alone or not mergeable(body, other.body):
                break
            if missing_reference(self.outbox, other):
                break
            if (other.doubted_since is None) is not (change.doubted_since is None):
                # The one may be at the service already, the other surely is not.
                break
            group.append(other)
            body |= other.body
        return group
