"""The rate budget: how many requests each key may still make, shared by the whole machine.

Flow: a request asks :meth:`KeyBudget.acquire` and waits for a :class:`Slot`; the answer is told to
:meth:`Slot.answered`. Everything is kept in one small SQLite file, so every process that uses the
key shares it and a restart remembers it. Keys appear there as fingerprints only.

The rule: never more than ``requests_per_minute - reserve`` requests in ANY window of a minute as
the *server* sees it. A request may reach the server at any time between its grant and its answer,
so a slot is free one minute (and 0.3 %) after the answer, and a request in flight holds its slot.
Any two requests that share a slot are then a minute apart at the server, whenever they arrived.
Slots of a dead process are free one minute and the time-out after they were granted.

What happens after rate errors: :mod:`repair_shop.budget.pace`; after a block, which may concern
one key or all keys of the address: :mod:`repair_shop.budget.blocks`.

Usage::

    key = Budget(home / "budget.sqlite").key(shop)
    slot = key.acquire("sync")
    ...                      # the request
    slot.answered("ok")
"""

import hashlib
import sqlite3
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..budget import blocks, slots
from ..budget.file import BudgetFile
from ..budget.pace import MARGIN, Pace
from ..errors import ConfigurationError, Refused, Stopped
from ..settings import ShopSettings

Lane = Literal["sync", "push"]
Outcome = Literal["ok", "other", "rate_error", "block", "lost"]
"""``ok`` proper · ``other`` says nothing about rate or key · ``lost`` no answer came."""

LONGEST_COOLDOWN_MINUTES = 10
"""A silence longer than this is not waited out: the run ends and says when to come back."""
MOST_WORDINGS = 8
"""Wordings of the rate limit kept of a key; a service has one or two."""


@dataclass(frozen=True, slots=True)
class BudgetState:
    """What ``status`` shows of one key. Times are seconds from now, or aware moments (UTC)."""

    fingerprint: str
    allowed: int
    limit: int
    used: int
    in_flight: int
    left: int
    cooldown_seconds: float
    strikes: int
    worked: bool
    refused_until: datetime | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Wait:
    """No slot now: ask again in ``seconds`` at the latest."""

    seconds: float
    reason: Literal["silence", "full", "in flight", "lane"]


class Slot:
    """One request that may be made now. Tell it exactly once how the request ended."""

    def __init__(self, budget: "KeyBudget", number: int, taken: float) -> None:
        self.number, self.taken = number, taken
        self._budget = budget
        self._open = True

    def answered(
        self,
        outcome: Outcome,
        *,
        retry_after: float | None = None,
        skew: float | None = None,
        asked: str = "",
    ) -> None:
        """The request ended; later calls are ignored. ``retry_after`` in seconds, if asked for;
        ``skew``: seconds that the service's clock is ahead of ours, if it said; ``asked``: the kind
        of request, as in :meth:`KeyBudget.was_denied`."""
        if self._open:
            self._open = False
            self._budget._answered(self, outcome, retry_after or 0.0, skew, asked)


class Budget(BudgetFile):
    """All keys' budgets, over the file that the machine's processes share.

    :class:`BudgetUnusable` when the file cannot be used. ``clock`` and ``sleep`` are for tests.
    """

    def key(self, shop: ShopSettings) -> "KeyBudget":
        """The budget of a shop's key."""
        return KeyBudget(self, shop)


class KeyBudget:
    """The budget of one key; all objects of the same key, in all processes, are one budget."""

    def __init__(self, budget: Budget, shop: ShopSettings) -> None:
        self.shop_name = shop.name
        self.allowed = shop.requests_per_minute - shop.reserve
        if self.allowed < 1:
            raise ConfigurationError(
                f"Shop '{shop.name}': reserve = {shop.reserve} leaves nothing of "
                f"requests_per_minute = {shop.requests_per_minute}."
            )
        self.minute = shop.minute_seconds
        address = shop.base_url.rstrip("/").lower()
        self.base = _fingerprint(address)
        self.fingerprint = _fingerprint(address, shop.api_key.get_secret_value())
        self._budget = budget
        self._timeout = shop.timeout_seconds
        self._poll = min(0.5, max(0.005, self.minute / 120))
        self._waiting = threading.Lock()

    def __repr__(self) -> str:
        return f"KeyBudget({self.shop_name!r}, {self.fingerprint[:8]})"

    def acquire(self, lane: Lane = "sync", *, stop: Callable[[], bool] | None = None) -> Slot:
        """Wait for the next free slot.

        A waiting ``push`` goes before any ``sync``, up to half of the slots while both wait.
        :class:`Stopped` as soon as ``stop``, asked four times a second, says so;
        :class:`Refused` while blocked or out of strikes.
        """
        # Of all threads that wait, one looks at the file.
        with self._waiting:
            return self._wait_for_slot(lane, stop)

    def _wait_for_slot(self, lane: Lane, stop: Callable[[], bool] | None) -> Slot:
        token = uuid.uuid4().hex
        waited = False
        try:
            while True:
                if stop is not None and stop():
                    raise Stopped("Stopped on request before the next request.")
                answer = self.try_acquire(lane, token)
                if isinstance(answer, Slot):
                    return answer
                waited = True
                # A slot's end is known; whatever else is waited for may be over at any moment.
                longest = 4 * self._poll if answer.reason == "full" else self._poll
                self._budget.pause(min(answer.seconds, longest), stop)
        finally:
            if waited:
                with self._budget.transaction() as (db, _):
                    slots.stop_waiting(db, token)

    def try_acquire(self, lane: Lane, token: str | None = None) -> Slot | Wait:
        """A slot if one is free now. With ``token`` the caller counts as waiting for a while."""
        with self._budget.transaction() as (db, now):
            pace = self._load(db)
            pace.refresh(now, self.minute, self.allowed)
            standing = blocks.standing(db, self.fingerprint, self.base, pace, self.minute)
            self._refuse_if_stopped(standing, pace, now)
            answer = self._decide(db, standing, pace, lane, token, now)
            if isinstance(answer, Wait):
                if token is not None:
                    slots.wait(db, token, self.fingerprint, lane, now)
                return answer
            self._save(db, pace)
            number = slots.take(
                db,
                self.fingerprint,
                self.base,
                lane,
                minute=self.minute,
                timeout=self._timeout,
                now=now,
            )
            return Slot(self, number, now)

    def state(self) -> BudgetState:
        """How the key stands now, for ``status``. Changes nothing."""
        with self._budget.transaction() as (db, now):
            pace = self._load(db)
            pace.refresh(now, self.minute, self.allowed)
            slots.clear(db, self.fingerprint, self.base, now)
            used, in_flight = slots.usage(db, self.fingerprint)
            limit = pace.limit(self.allowed)
            standing = blocks.standing(db, self.fingerprint, self.base, pace, self.minute)
            until, reason = None, None
            try:
                self._refuse_if_stopped(standing, pace, now)
            except Refused as refused:
                until, reason = refused.until, str(refused)
            silence = max(0.0, pace.cooldown_until - now, standing.until - now)
            return BudgetState(
                fingerprint=self.fingerprint[:12],
                allowed=self.allowed,
                limit=limit,
                used=used,
                in_flight=in_flight,
                left=0 if silence or until else max(0, limit - used),
                cooldown_seconds=silence,
                strikes=pace.strikes,
                worked=pace.worked,
                refused_until=until,
                reason=reason,
            )

    @property
    def worked(self) -> bool:
        """Whether the service ever gave this key a proper answer (known across runs)."""
        with self._budget.transaction() as (db, _):
            return self._load(db).worked

    @property
    def skew(self) -> float | None:
        """Seconds that the service's clock was ahead of ours at its last answer to anybody here;
        None while it never said."""
        with self._budget.transaction() as (db, _):
            row = db.execute("select skew from clocks where base = ?", (self.base,)).fetchone()
            return None if row is None else float(row[0])

    def record_wording(self, wording: str) -> None:
        """Keep how the service told a read of its rate limit: a write told the same way surely
        had no effect."""
        with self._budget.transaction() as (db, _):
            pace = self._load(db)
            if wording not in pace.wordings:
                pace.wordings = [*pace.wordings, wording][-MOST_WORDINGS:]
                self._save(db, pace)

    def knows_wording(self, wording: str) -> bool:
        """Whether a read was told of the rate limit in exactly these words."""
        with self._budget.transaction() as (db, _):
            return wording in self._load(db).wordings

    def was_denied(self, asked: str) -> bool:
        """Whether requests of a kind were taken for a block before, and none was answered since,
        while others were: then it is not the key that is refused."""
        with self._budget.transaction() as (db, _):
            shut = db.execute("select 1 from blocks where key = ?", (self.fingerprint,)).fetchone()
            return shut is None and asked in self._load(db).denied

    @property
    def denied(self) -> list[str]:
        """Requests, like ``GET /statuses``, that were taken for a block and not answered since."""
        with self._budget.transaction() as (db, _):
            return self._load(db).denied

    def lift_block(self) -> None:
        """Drop strikes and block after a person made sure that the service answers again."""
        with self._budget.transaction() as (db, _):
            pace = self._load(db)
            kept = Pace(worked=pace.worked, wordings=pace.wordings, denied=pace.denied)
            self._save(db, kept)
            blocks.lift_block(db, self.fingerprint, self.base)

    def _decide(
        self,
        db: sqlite3.Connection,
        standing: blocks.Standing,
        pace: Pace,
        lane: Lane,
        token: str | None,
        now: float,
    ) -> Wait | None:
        silent_until = max(pace.cooldown_until, standing.until)
        if silent_until > now:
            return Wait(silent_until - now, "silence")
        slots.clear(db, self.fingerprint, self.base, now)
        if standing.in_doubt and slots.any_in_flight(db, self.base):
            return Wait(self._poll, "in flight")
        used, in_flight = slots.usage(db, self.fingerprint)
        if in_flight >= pace.in_flight_cap():
            return Wait(self._poll, "in flight")
        limit = pace.limit(self.allowed)
        if used >= limit:
            # The slot whose end brings us under the limit; those in flight have no end yet.
            end = slots.next_end(db, self.fingerprint, used - limit)
            return Wait(self._poll if end is None else max(end - now, 0.0005), "full")
        since = now - max(1.0, 8 * self._poll)
        if slots.other_lanes(db, self.fingerprint, lane, token, since):
            push_has_half = slots.pushes(db, self.fingerprint) >= max(1, limit // 2)
            if push_has_half == (lane == "push"):
                return Wait(self._poll, "lane")
        return None

    def _refuse_if_stopped(self, standing: blocks.Standing, pace: Pace, now: float) -> None:
        shop, later = self.shop_name, now + LONGEST_COOLDOWN_MINUTES * self.minute
        denied = f", at {pace.denied[-1]}" if pace.denied else ""
        for end, beyond, words in (
            (
                standing.own_until,
                now,
                f"The service blocked us: it refused the key of shop '{shop}', which worked "
                f"before{denied}. "
                "Nothing is asked with it until {until}. (If it was replaced at the service, put "
                "the new one into the settings and wait, too.)",
            ),
            (
                standing.others_until,
                later,
                "The service blocked us: it refused more than one key of this address, so nothing "
                "is asked of it until {until}; then one careful request tells whether it answers "
                "again.",
            ),
            (
                pace.rest_until,
                now,
                "The rate limit was met three times although we kept to it: other clients use the "
                f"key of shop '{shop}'. We stop before the service blocks it. Try again after "
                "{until}, with a higher 'reserve' or without the others.",
            ),
            (pace.cooldown_until, later, "The service asked us to stay away until {until}."),
        ):
            if end > beyond:
                until = self._budget.wall_time(end, now)
                shown = f"{until.astimezone():%Y-%m-%d %H:%M %Z}"
                raise Refused(words.replace("{until}", shown), until)

    def _answered(
        self, slot: Slot, outcome: Outcome, retry_after: float, skew: float | None, asked: str
    ) -> None:
        taken = slot.taken
        with self._budget.transaction() as (db, now):
            if skew is not None:
                # A Date tells whole seconds; what is within them is no news.
                db.execute(
                    "insert into clocks values (?, ?) on conflict do update set skew=excluded.skew "
                    "where abs(skew - excluded.skew) >= 1",
                    (self.base, skew),
                )
            slots.free(db, slot.number, now + self.minute * MARGIN)
            pace = self._load(db)
            before = pace.to_text()
            if outcome == "ok":
                pace.on_ok(taken)
                pace.denied = [one for one in pace.denied if one != asked]
                blocks.note_answer(db, self.fingerprint, self.base, taken)
            elif outcome == "rate_error" or (outcome == "other" and retry_after):
                used, in_flight = slots.usage(db, self.fingerprint)
                pace.on_rate_error(
                    now,
                    taken,
                    minute=self.minute,
                    allowed=self.allowed,
                    used=used - in_flight - 1,
                    retry_after=retry_after,
                    is_strike=outcome == "rate_error",
                )
            elif outcome == "block":
                blocks.note_block(
                    db, self.fingerprint, self.base, now=now, taken=taken, minute=self.minute
                )
                pace = self._load(db)
                if asked:
                    pace.denied = [*(one for one in pace.denied if one != asked), asked]
            if pace.to_text() != before:
                self._save(db, pace)

    def _load(self, db: sqlite3.Connection) -> Pace:
        row = db.execute("select pace from keys where key = ?", (self.fingerprint,)).fetchone()
        return Pace() if row is None else Pace.from_text(row[0])

    def _save(self, db: sqlite3.Connection, pace: Pace) -> None:
        db.execute(
            "insert into keys values (?, ?, ?, ?) on conflict do update set base=excluded.base, "
            "minute=excluded.minute, pace=excluded.pace "
            "where minute <> excluded.minute or pace <> excluded.pace",
            (self.fingerprint, self.base, self.minute, pace.to_text()),
        )


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\n".join(("shopmirror", *parts)).encode()).hexdigest()
