"""Pushing the queue: each change exactly once, in the order in which it was queued.

A change waits for the changes it refers to and for earlier changes of the same record. It waits for
an earlier create in doubt that could be mistaken for it, too. Everything else goes on. One push at
a time in a home folder. Requests go through the shop's rate budget in the lane "push", which a sync
that waits does not starve. Every wait is of the service's clock, so ours may be set at will.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from pipelines.home import LEDGER
from pipelines.outbox.attempt import MOST_SILENT, Attempts
from pipelines.outbox.change import Change, State
from pipelines.outbox.errors import Moved, OutboxError, ShopUnknown
from pipelines.outbox.mirrored import brief
from pipelines.outbox.order import OnConflict, Planned, preview, waits_for
from pipelines.outbox.origin import (
    locked,
    put_in_doubt,
    refuse_foreign,
    refuse_others,
    settle,
    take,
)
from pipelines.outbox.outcome import DAY, Hook
from pipelines.outbox.service_time import ServiceTime
from pipelines.outbox.store import Outbox
from pipelines.settings import Settings, ShopSettings
from sources.repair_shop.budget import Budget
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.errors import ShopError, Stopped
from sources.repair_shop.http.client import Client, RequestCounter
from sources.repair_shop.http.wire import Network
from sources.repair_shop.ledger import refuse_newer

NetworkOf = Callable[[ShopSettings], Network]


@dataclass
class PushReport:
    """What a push did: states of the changes it touched, requests spent, what stopped a shop."""

    done: int = 0
    changes: list[dict[str, Any]] = field(default_factory=list)
    requests: int = 0
    seconds: float = 0.0
    planned: list[Planned] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)
    waiting: int = 0
    sent: bool = False

    @property
    def exit_code(self) -> int:
        """As the interface page has it: 3 refused or unreachable, 2 nothing was sent, 4 stopped, 1
        something parked."""
        codes = [getattr(error, "exit_code", 3) for error in self.errors.values()]
        for code in (3, 4) if self.sent else (3, 2, 4):
            if code in codes:
                return code
        return 1 if self.parked or self.waiting or codes else 0

    @property
    def parked(self) -> list[dict[str, Any]]:
        """The changes that wait for a person."""
        return [c for c in self.changes if c["state"] in ("rejected", "conflict", "in_doubt")]


def push(
    settings: Settings,
    shop: str | None = None,
    *,
    dry_run: bool = False,
    on_conflict: OnConflict = "park",
    stop: Callable[[], bool] | None = None,
    wait: bool = True,
    hook: Hook | None = None,
    progress: Callable[[str], None] | None = None,
    max_requests: int | None = None,
    clock: SystemClock | None = None,
    sleep: Callable[[float], None] | None = None,
    transport: NetworkOf | None = None,
) -> PushReport:
    """Push what is queued for one shop or for all, side by side.

    ``wait`` False leaves changes in doubt to the next push instead of waiting until their lists
    must show them. ``progress`` gets a line for every outcome. ``clock``, ``sleep`` and
    ``transport`` are the machine's own, but for tests. Raises :class:`PushBusy` when another push
    is at work, :class:`QueueBroken` when the queue cannot be used, :class:`QueueForeign` for a copy
    that nobody adopted, :class:`LedgerError` when a newer version works in this home; what stops
    one shop is in the report's ``errors`` and leaves the others complete.
    """
    shops = settings.chosen(shop)
    clock = clock or SystemClock()
    refuse_newer(settings.home / LEDGER)
    if dry_run:
        planned = _dry_run(settings, shops, on_conflict, clock)
        planned.errors |= {} if shop else _left_out(settings)
        return planned
    home, began, report = settings.home, time.monotonic(), PushReport()
    Outbox(settings.home, clock).close()

    def of_shop(one: ShopSettings) -> PushReport:
        with (
            closing(
                Budget(home / "budget.sqlite", clock=clock, sleep=sleep or time.sleep)
            ) as budget,
            Outbox(home, clock) as outbox,
            Client(
                one,
                budget,
                lane="push",
                stop=stop,
                counter=RequestCounter(max_requests),
                transport=transport(one) if transport else None,
            ) as client,
        ):
            how = on_conflict, wait, stop, hook or (lambda *_: None), progress or (lambda _: None)
            return _Pusher(outbox, client, budget, *how).report()

    with locked(settings.home):
        with Outbox(settings.home, clock) as outbox:
            take(outbox, refuse_foreign(outbox))
        with ThreadPoolExecutor(max_workers=min(len(shops), 16)) as pool:
            for pushed in pool.map(of_shop, shops):
                report.requests += pushed.requests
                report.changes += pushed.changes
                report.waiting += pushed.waiting
                report.sent |= pushed.sent
                report.errors |= pushed.errors
    if shop is None:
        report.errors |= _left_out(settings)
    report.done = sum(change["state"] == "done" for change in report.changes)
    report.seconds = time.monotonic() - began
    return report


def _dry_run(
    settings: Settings, shops: Sequence[ShopSettings], on_conflict: OnConflict, clock: SystemClock
) -> PushReport:
    report = PushReport()
    with Outbox(settings.home, clock) as outbox:
        refuse_foreign(outbox)
        for one in shops:
            try:
                report.planned += preview(outbox, one, on_conflict)
            except OutboxError as error:
                report.errors[one.name] = error
    report.requests = sum(entry.requests for entry in report.planned)
    return report


def _left_out(settings: Settings) -> dict[str, Exception]:
    """Shops that changes wait for and that no push will ever serve."""
    with Outbox(settings.home) as outbox:
        waiting = dict(map(tuple, outbox.ask("waiting_by_shop")))
    known = {one.name for one in settings.shops}
    return {
        name: ShopUnknown(
            f"{count} change(s) wait for the shop '{name}', which the settings do not name. Name "
            "it there, or 'queue discard' them."
        )
        for name, count in waiting.items()
        if name not in known
    }


@dataclass
class _Pusher:
    """One push of one shop."""

    outbox: Outbox
    client: Client
    budget: Budget
    on_conflict: OnConflict
    wait: bool
    stop: Callable[[], bool] | None
    hook: Hook
    progress: Callable[[str], None]

    def __post_init__(self) -> None:
        self._shop = ShopSettings.of(self.client.shop)
        self._touched: dict[int, None] = {}
        self._told: dict[int, str] = {}
        self._tried: set[int] = set()
        self._sent = self._moved = False

    def report(self) -> PushReport:
        """Push, and tell what became of the changes it touched and of those parked, as ``queue
        list`` has them."""
        found, name = PushReport(), self._shop.name
        try:
            self.run()
        except (ShopError, OutboxError) as stopped:
            found.errors[name] = stopped
            is_used_up = self.client.counter.count == self.client.counter.maximum
            if isinstance(stopped, Stopped) and is_used_up and not self._moved:
                told = "That is too few for a change, and each push begins anew: allow more."
                found.errors[name] = Stopped(f"{stopped} {told}")
        found.sent = self._sent
        found.requests, found.waiting = self.client.requests, self.outbox.counts(name)["queued"]
        parked = self.outbox.changes(shop=name, states=[State.IN_DOUBT, State.CONFLICT])
        seen = set(self._touched) | {row.number for row in parked}
        found.changes = [brief(self.outbox.get(number)) for number in sorted(seen)]
        return found

    def run(self) -> None:
        """Until nothing more can be done now."""
        service = refuse_others(self.outbox, self._shop)
        settle(self.outbox, self._shop.name)
        self._time = ServiceTime(self.client, self.outbox, service)
        self._attempts = Attempts(self.client, self.outbox, self._time, self.on_conflict, self.hook)
        try:
            self._begin()
            while True:
                worked = self._look()
                worked = self._send() or worked
                if worked:
                    continue
                due = [c.look_at for c in self._doubts() if not c.needs_person and c.look_at]
                if not due or not self.wait:
                    if self.outbox.counts(self._shop.name)["queued"]:
                        self._attempts.refuse_silence()
                    return
                pause = max(min(due) - self._time.now(), self._shop.seconds(0.1))
                self.budget.pause(min(pause, self._shop.seconds(DAY)), self.stop)
        finally:
            if self.client.requests:
                self._time.note()

    def _begin(self) -> None:
        """Take over what an earlier push left: what it was sending when it was killed may have been
        applied, or be on its way still; the conflicts that it parked are decided now."""
        for left in self.outbox.changes(shop=self._shop.name, states=[State.SENDING]):
            put_in_doubt(self.outbox, left, "a push ended while it was being sent", restored=False)
        if self.on_conflict != "park":
            for one in self.outbox.changes(shop=self._shop.name, states=[State.CONFLICT]):
                if one.resource != "payments":  # money asks for a person's word of its own
                    basis = {name: one.basis[name] for name in one.basis if name != "shown"}
                    self.outbox.move(
                        one, State.IN_DOUBT if one.fence else State.QUEUED, "decided",
                        f"--on-conflict {self.on_conflict}", reason="", needs_person=0,
                        basis=basis, look_at=0.0 if one.fence else None,
                    )  # fmt: skip

    def _look(self) -> bool:
        """Look for what is in doubt and due; whether anything was."""
        now, longest = self._time.now(), self._shop.seconds(1.1 * DAY)
        # A look further away than any wait is one of a clock that was wrong.
        due = [one for one in self._doubts() if not now < (one.look_at or 0) <= now + longest]
        for change in due:
            self._halt()
            current = self.outbox.get(change.number)
            if current.state is State.IN_DOUBT:  # or a person discarded it meanwhile
                self._deal(current, self._attempts.look)
        return bool(due)

    def _doubts(self) -> list[Change]:
        """Changes in doubt that are to be looked for, and wait for no other."""
        found = self.outbox.changes(shop=self._shop.name, states=[State.IN_DOUBT])
        looked = [one for one in found if one.look_at is not None]
        return [one for one in looked if not waits_for(self.outbox, one)]

    def _send(self) -> bool:
        """Send all that may be sent now, in the order it was queued; whether anything moved."""
        worked = False
        for [number] in self.outbox.ask("queued", shop=self._shop.name):
            self._halt()
            if self._attempts.silent >= MOST_SILENT:
                return worked
            change, is_new = self.outbox.get(number), number not in self._tried
            if change.state is State.QUEUED and is_new and not waits_for(self.outbox, change):
                worked = True
                self._deal(change, self._attempts.attempt)
                if self.outbox.get(number).state is State.QUEUED:
                    self._tried.add(number)  # could not be checked: the next push tries again
        return worked

    def _deal(self, change: Change, how: Callable[[Change], None]) -> None:
        """Deal with one change. One that cannot be dealt with, in a way nobody foresaw, parks alone
        with the reason; the others go on."""
        try:
            how(change)
        except Moved:
            pass  # a person, or another process, dealt with it: that stands
        except (ShopError, OutboxError):
            self._note(change)
            raise
        except Exception as error:  # noqa: BLE001 - see above
            why = f"unexpected {type(error).__name__}: {error}"[:500]
            after = self.outbox.get(change.number)
            state = State.IN_DOUBT if after.state is State.SENDING else None
            columns = {} if after.state is State.QUEUED else {"needs_person": 1, "look_at": None}
            self.outbox.move(after, state, "left for a person", why, **{"reason": why, **columns})
        self._note(change)

    def _note(self, change: Change) -> None:
        after = self.outbox.get(change.number)
        self._sent |= after.attempts > change.attempts
        self._moved |= after.version > change.version
        if after.state != "queued" or after.attempts:
            self._touched[change.number] = None
        line = f"{after.what}: {after.state}" + (f", {after.reason}" if after.reason else "")
        if self._told.get(change.number) != line:
            self._told[change.number] = line
            self.progress(line)

    def _halt(self) -> None:
        if self.stop is not None and self.stop():
            raise Stopped("Stopped as asked; what is queued stays queued.")
