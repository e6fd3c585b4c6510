"""Pushing the queue: each change exactly once, in an order that keeps its meaning.

A change waits for the changes it refers to, for earlier changes of the same record, and for an
earlier create in doubt that could be mistaken for it; everything else goes on. One push at a time
in a home folder. Requests go through the shop's rate budget in the lane "push", which a sync that
waits does not starve. Run it alone with ``shopmirror push``.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines.home import LEDGER
from pipelines.outbox.change import Group, State
from pipelines.outbox.doubt import Resolver
from pipelines.outbox.errors import OutboxError, ShopUnknown
from pipelines.outbox.identity import claim, locked, refuse_foreign, taken
from pipelines.outbox.lookup import Lookup
from pipelines.outbox.mirrored import brief
from pipelines.outbox.order import OnConflict, Walk, together
from pipelines.outbox.preview import Planned, preview
from pipelines.outbox.sending import MOST_SILENT, Hook, Sender
from pipelines.outbox.store import Change, Outbox
from pipelines.outbox.verify import Earlier
from pipelines.settings import Settings, ShopSettings
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import ShopError, Stopped
from sources.repair_shop.http.client import Client, RequestCounter
from sources.repair_shop.ledger import refuse_newer

WORKERS = 4
"""Changes in flight at once when answers are slow; at 3 s each they use 30 requests a minute."""
SLOW_SECONDS = 1.0
"""Mean time of an answer from which changes are sent side by side."""


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

    @property
    def exit_code(self) -> int:
        """As the interface page has it: 3 refused or unreachable, 4 stopped, 1 something parked."""
        codes = [getattr(error, "exit_code", 3) for error in self.errors.values()]
        for code in (3, 2, 4):
            if code in codes:
                return code
        parked = any(c["state"] in ("rejected", "conflict", "in_doubt") for c in self.changes)
        return 1 if parked or self.waiting or codes else 0


@dataclass(frozen=True)
class _Asked:
    """How a push is to go, see :func:`push`."""

    on_conflict: OnConflict
    stop: Callable[[], bool] | None
    wait: bool
    hook: Hook
    progress: Callable[[str], None]
    max_requests: int | None


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
) -> PushReport:
    """Push what is queued for one shop or for all, side by side.

    ``wait`` False leaves changes in doubt to the next push instead of waiting (up to a minute of
    the service) for the second lookup. ``progress`` gets a line for every outcome. Raises
    :class:`PushBusy` when another push is at work, :class:`QueueBroken` when the queue cannot be
    used, :class:`LedgerError` when a newer version works in this home; what stops one shop is in
    the report's ``errors`` and leaves the others complete.
    """
    shops = settings.chosen(shop)
    refuse_newer(settings.home / LEDGER)
    if dry_run:
        return _dry_run(settings, shops, on_conflict)
    with Outbox(settings.home) as outbox:
        outbox.refuse_faulty()
    began = time.monotonic()
    report = PushReport()
    hook, progress = hook or (lambda *_: None), progress or (lambda _: None)
    asked = _Asked(on_conflict, stop, wait, hook, progress, max_requests)
    workers = ThreadPoolExecutor(max_workers=min(len(shops), 16))
    with locked(settings), taken(settings), workers as pool:
        pushes = [pool.submit(_push_shop, settings.home, one, asked) for one in shops]
        for of_shop in (future.result() for future in pushes):
            report.requests += of_shop.requests
            report.changes += of_shop.changes
            report.waiting += of_shop.waiting
            report.errors |= of_shop.errors
    if shop is None:
        report.errors |= _left_out(settings)
    report.done = sum(change["state"] == "done" for change in report.changes)
    report.seconds = time.monotonic() - began
    return report


def _dry_run(
    settings: Settings, shops: Sequence[ShopSettings], on_conflict: OnConflict
) -> PushReport:
    report = PushReport()
    with Outbox(settings.home) as outbox:
        outbox.refuse_faulty()
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
        waiting = outbox.waiting_by_shop()
    known = {one.name for one in settings.shops}
    return {
        name: ShopUnknown(
            f"{count} changes wait for the shop '{name}', which the settings do not name. Name it "
            "there, or 'queue discard' them."
        )
        for name, count in waiting.items()
        if name not in known
    }


def _push_shop(home: Path, shop: ShopSettings, asked: _Asked) -> PushReport:
    with (
        closing(Budget(home / "budget.sqlite")) as budget,
        Outbox(home) as outbox,
        Client(
            shop, budget, lane="push", stop=asked.stop, counter=RequestCounter(asked.max_requests)
        ) as client,
    ):
        pusher = _Pusher(outbox, client, budget, asked)
        report = PushReport()
        try:
            service = claim(outbox, shop)
            try:
                pusher.run()
            finally:
                outbox.note_service_time(service, client.clock)
        except (ShopError, OutboxError) as stopped:
            report.errors[shop.name] = stopped
        report.requests, report.waiting = client.requests, pusher.waiting()
        report.changes = pusher.outcome()
        return report


class _Pusher:
    """One push of one shop."""

    def __init__(self, outbox: Outbox, client: Client, budget: Budget, asked: _Asked) -> None:
        self._outbox = outbox
        self._shop = client.shop.name
        self._budget = budget
        self._asked = asked
        self._lookup = Lookup(client)
        earlier = Earlier(client, self._lookup)
        self._sender = Sender(client, outbox, self._lookup, asked.on_conflict, asked.hook, earlier)
        self._resolver = Resolver(self._sender)
        self._touched: dict[int, None] = {}
        self._seconds: deque[float] = deque(maxlen=8)
        client.on_request(lambda event: self._seconds.append(event.seconds))
        self._told: dict[int, str] = {}
        self._walk = Walk(
            outbox, self._shop, deliver=self._deliver, goes_on=self._goes_on, fits=self._fits
        )

    def run(self) -> None:
        """Until nothing more can be done now."""
        self._walk.begin(self._asked.on_conflict)
        worked = self._doubts()
        while True:
            began = self._outbox.now()
            worked = self._walk.once() or worked
            if not worked:
                due = self._outbox.next_lookup(self._shop, began)
                if due is None or not self._asked.wait:
                    if self.waiting():
                        self._sender.silence.check(MOST_SILENT)
                    return
                self._budget.pause(max(due - self._outbox.now(), 0.01), self._asked.stop)
            worked = self._doubts(self._outbox.now())

    def outcome(self) -> list[dict[str, Any]]:
        """The changes this push touched and those parked, as ``queue list`` has them."""
        parked = [State.IN_DOUBT, State.CONFLICT]
        rows = self._outbox.changes(shop=self._shop, states=parked)
        seen = set(self._touched) | {row.number for row in rows}
        return [brief(self._outbox.get(number)) for number in sorted(seen)]

    def waiting(self) -> int:
        """Changes still queued."""
        return self._outbox.counts(self._shop)["queued"]

    def _doubts(self, due: float | None = None) -> bool:
        """Look up what is ``due``; the first time also what was left for a person, as a late answer
        of the service may have shown up since."""
        wanted: dict[str, Any] = {} if due is None else {"due": due}
        leads = self._outbox.changes(shop=self._shop, states=[State.IN_DOUBT], leads=True, **wanted)
        for lead in leads:
            self._halt()
            rest = self._outbox.changes(merged_into=lead.number, states=[State.IN_DOUBT])
            self._resolver.resolve([lead, *rest])
            self._note(lead)
        return bool(leads)

    def _goes_on(self) -> bool:
        """Whether more may be sent; raises when the push was asked to stop."""
        self._halt()
        return self._sender.silence.count < MOST_SILENT

    def _fits(self, batch: list[Group], change: Change) -> bool:
        """Whether a change may be in flight with the batch. One at a time is enough, and plainer,
        while the service answers fast; a slow one gives its full rate only to several."""
        slow = len(self._seconds) > 1 and sum(self._seconds) / len(self._seconds) > SLOW_SECONDS
        return (
            slow
            and len(batch) < WORKERS
            and all(together(self._outbox, change, group[0]) for group in batch)
        )

    def _deliver(self, batch: list[Group]) -> bool:
        """Send the groups, side by side if there are several; whether anything moved."""
        failure: BaseException | None = None
        if len(batch) == 1:
            self._sender.push(batch[0])
        elif batch:
            with ThreadPoolExecutor(max_workers=len(batch)) as pool:
                futures = [pool.submit(self._push_apart, group) for group in batch]
            failure = next((f.exception() for f in futures if f.exception() is not None), None)
        worked = False
        for group in batch:
            lead = group[0]
            after = self._outbox.get(lead.number)
            if after.state == "done" and lead.op == "create" and after.id:
                self._lookup.created(lead.resource, after.id)
            for member in group:
                self._note(member)
            # Any member: one discarded during the check leaves the others to the next pass.
            worked = worked or after.attempts != lead.attempts
            worked = worked or any(self._outbox.get(one.number).state != one.state for one in group)
        if failure is not None:
            raise failure
        return worked

    def _push_apart(self, group: Group) -> None:
        with Outbox(self._outbox.path.parent) as outbox:
            replace(self._sender, outbox=outbox).push(group)

    def _note(self, change: Change) -> None:
        after = self._outbox.get(change.number)
        if after.state != "queued" or after.attempts:
            self._touched[change.number] = None
        line = f"{after.what}: {after.state}" + (f", {after.reason}" if after.reason else "")
        if self._told.get(change.number) != line:
            self._told[change.number] = line
            self._asked.progress(line)

    def _halt(self) -> None:
        if self._asked.stop is not None and self._asked.stop():
            raise Stopped("Stopped as asked; what is queued stays queued.")
