"""What time it is at the service: every wait of the queue is by its clock, and ours may be set.

It also tells a machine that was put back while it ran (a snapshot with its memory): the files and
the boot are as they were, but more time went by at the service than here since the last push. What
waits of the shop is in doubt then, as soon as it is known what time it is there. So nothing that a
push was about to decide stands: no change is as it was read any more.
"""

from pipelines.outbox.match import SLACK
from pipelines.outbox.origin import settle
from pipelines.outbox.store import Outbox
from sources.repair_shop.http.client import Client

_DRIFT = 0.001
"""What a machine's clock that nobody sets may gain or lose."""


class ServiceTime:
    """The service's time by the ``Date`` of its last answer, carried on by the machine's ticks;
    before the first one, by how far it was ahead of our clock at the last push."""

    def __init__(self, client: Client, outbox: Outbox, service: int) -> None:
        self._client, self._outbox, self._service = client, outbox, service
        self._last = outbox.ask("last_time", id=service)[0]
        self._seen, self._at = 0.0, 0.0
        client.on_request(lambda _: self._observe())

    def _observe(self) -> None:
        if (seen := self._client.clock.seen) and seen.timestamp() != self._seen:
            is_first = not self._seen
            self._seen, self._at = seen.timestamp(), self._outbox.clock.monotonic()
            if is_first and self._went_by_unlived():
                shop, why = self._client.shop.name, "the machine stood still, or was put back"
                said = {"kind": "restored", "why": why, "stamp": "", "number": None}
                with self._outbox.transaction():
                    self._outbox.ask("unsettle", shop=shop, **said)
                    settle(self._outbox, shop)

    def now(self) -> float:
        """Seconds since 1970."""
        if self._seen:
            return self._seen + self._outbox.clock.monotonic() - self._at
        return self._outbox.clock.wall() + float(self._last["ahead"] or 0.0)

    def note(self) -> None:
        """Keep it, for the next push."""
        clock = self._outbox.clock
        times = {"at": self.now(), "wall": clock.wall(), "ticks": clock.monotonic()}
        self._outbox.ask("note_time", id=self._service, boot=clock.boot(), **times)

    def _went_by_unlived(self) -> bool:
        """Whether the service lived longer since the last push than this machine did in this boot:
        it was put back meanwhile, or stood still."""
        last, clock = self._last, self._outbox.clock
        if last["ticks"] is None or last["boot"] != clock.boot():
            return False
        if self._client.shop.minute_seconds < 60:
            return False  # a sandbox, whose clock may run as it likes
        here = clock.monotonic() - float(last["ticks"])
        return self.now() - float(last["last_at"]) > here + SLACK + _DRIFT * abs(here)
