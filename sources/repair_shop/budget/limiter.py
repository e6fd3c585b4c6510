"""Slots: never more than ``requests_per_minute - reserve`` requests in ANY minute of the server's.

A request may reach the server at any time between its grant and its answer. So a slot is free one
minute (and 0.3 %) after the answer, and an unanswered request holds its slot. Any two requests that
share a slot are then a minute apart at the server, whenever they arrived. A slot of a process that
died is free a minute after that was noticed.

Everything is in one SQLite file (:mod:`repair_shop.budget.file`): processes share it, a restart
remembers it. Keys appear there as fingerprints only. What answers mean: :mod:`.rules`.
"""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from ..errors import ConfigurationError, Refused, Stopped
from ..settings import ShopSettings
from .clock import process_born
from .file import BudgetFile
from .rules import LONGEST_SILENCE, MARGIN, Address, Standing

Lane = Literal["sync", "push"]
Outcome = Literal["ok", "other", "rate_error", "block", "lost"]
"""``ok`` proper · ``other`` says nothing about rate or key · ``lost`` no answer came."""
LONGEST_WAIT_MINUTES = 10
"""A silence longer than this is not waited out: the run ends and says when to come back."""
_MOST_WORDINGS = 8
_born_of_ours = cache(process_born)


@dataclass(frozen=True, slots=True)
class BudgetState:
    """What ``status`` shows of one key. Times are seconds from now, or aware moments (UTC)."""

    limit: int
    used: int
    in_flight: int
    left: int
    cooldown_seconds: float
    strikes: int
    refused_until: datetime | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Wait:
    """No slot now: ask again in ``seconds`` at the latest."""

    seconds: float
    reason: Literal["silence", "full", "in flight", "lane"]


class Slot:
    """One request that may be made now. Tell it exactly once how the request ended.

    ``taken``: the moment of the grant. ``on_probation``: the key or its address was refused before,
    and this one request tells whether it still is.
    """

    def __init__(self, budget: "KeyBudget", number: int, taken: float, on_probation: bool) -> None:
        self.number, self.taken, self.on_probation = number, taken, on_probation
        self._budget = budget
        self._open = True

    def answered(
        self,
        outcome: Outcome,
        *,
        retry_after: float | None = None,
        skew: float | None = None,
        request: str = "",
    ) -> None:
        """The request ended; later calls are ignored. ``retry_after`` in seconds, if asked for;
        ``skew``: seconds that the service's clock is ahead of ours, if it said; ``request``: its
        kind, such as ``GET /customers``."""
        if self._open:
            self._open = False
            self._budget._answered(self, outcome, retry_after or 0.0, skew, request)


class Budget(BudgetFile):
    """All keys' budgets, over the file that the machine's processes share."""

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
        self.base = _fingerprint(shop.base_url.lower())
        self.fingerprint = fingerprint_of(shop)
        self._budget = budget
        self._poll = min(0.5, max(0.005, self.minute / 120))
        self._waiting = threading.Lock()

    def __repr__(self) -> str:
        return f"KeyBudget({self.shop_name!r}, {self.fingerprint[:8]})"

    # -- taking slots ---------------------------------------------------------------------------

    def acquire(self, lane: Lane = "sync", *, stop: Callable[[], bool] | None = None) -> Slot:
        """Wait for the next free slot.

        A waiting ``push`` goes before any ``sync``, up to half of the slots while both wait.
        :class:`Stopped` as soon as ``stop``, asked four times a second, says so;
        :class:`Refused` while blocked or out of strikes.
        """
        with self._waiting:  # of all threads that wait, one looks at the file
            while True:
                if stop is not None and stop():
                    raise Stopped("Stopped on request before the next request.")
                found = self.try_acquire(lane)
                if isinstance(found, Slot):
                    return found
                # A slot's end is known; whatever else is waited for may be over at any moment.
                longest = 4 * self._poll if found.reason == "full" else self._poll
                self._budget.pause(min(found.seconds, longest), stop)

    def try_acquire(self, lane: Lane = "sync") -> Slot | Wait:
        """A slot if one is free now; else the caller counts as waiting for a second."""
        with self._budget.transaction() as (db, now):
            key, address = self._load(db)
            self._refuse_if_stopped(key, address, now)
            found = self._decide(db, key, address, lane, now)
            if isinstance(found, Wait):
                db.execute(
                    "insert or replace into waiting values (?, ?, ?)", (self.fingerprint, lane, now)
                )
                return found
            db.execute("delete from waiting where key = ? and lane = ?", (self.fingerprint, lane))
            pid = os.getpid()
            [number] = db.execute(
                "insert into slots (key, address, lane, minute, taken, pid, born)"
                " values (?, ?, ?, ?, ?, ?, ?) returning id",
                (self.fingerprint, self.base, lane, self.minute, now, pid, _born_of_ours(pid)),
            ).fetchone()
            on_probation = key.why == "block" or bool(address.in_doubt)
            return Slot(self, int(number), now, on_probation)

    def _decide(
        self, db: sqlite3.Connection, key: Standing, address: Address, lane: Lane, now: float
    ) -> Wait | None:
        """None: a request may go now."""
        silent_until = max(key.silent_until, address.silent_until)
        if silent_until > now:
            return Wait(silent_until - now, "silence")
        self._clear(db, now)
        if address.in_doubt and _count(db, "address = ? and free_at is null", self.base):
            return Wait(self._poll, "in flight")
        unanswered = _count(db, "key = ? and free_at is null", self.fingerprint)
        if unanswered >= key.most_unanswered(now, address.shut_at):
            return Wait(self._poll, "in flight")
        limit = key.limit(now, self.allowed)
        used = _count(db, "key = ?", self.fingerprint)
        if used >= limit:
            # The slot whose end brings us under the limit; those unanswered have no end yet.
            end = db.execute(
                "select free_at from slots where key = ? and free_at is not null"
                " order by free_at limit 1 offset ?",
                (self.fingerprint, used - limit),
            ).fetchone()
            return Wait(max(end[0] - now, 0.0005) if end else self._poll, "full")
        others = db.execute(
            "select 1 from waiting where key = ? and lane <> ? and seen > ?",
            (self.fingerprint, lane, now - max(1.0, 8 * self._poll)),
        ).fetchone()
        if others is not None:
            pushes = _count(db, "key = ? and lane = 'push'", self.fingerprint)
            if (pushes >= max(1, limit // 2)) == (lane == "push"):
                return Wait(self._poll, "lane")
        return None

    def _clear(self, db: sqlite3.Connection, now: float) -> None:
        """Drop slots that are free; those of processes that died have had their answer now."""
        db.execute("delete from slots where key = ? and free_at <= ?", (self.fingerprint, now))
        old = db.execute(
            "select id, pid, born, minute from slots where address = ? and free_at is null"
            " and pid <> ? and taken < ? - minute / 12",
            (self.base, os.getpid(), now),
        ).fetchall()
        for number, pid, born, minute in old:
            if process_born(pid) != born:
                free_at = now + minute * MARGIN
                db.execute("update slots set free_at = ? where id = ?", (free_at, number))

    def _refuse_if_stopped(self, key: Standing, address: Address, now: float) -> None:
        shop, later = self.shop_name, now + LONGEST_WAIT_MINUTES * self.minute
        until = key.silent_until
        if until > now and key.why == "block":
            message = (
                f"The service refuses the key of shop '{shop}', which worked before: it blocked "
                "us, or the key was replaced. Nothing is asked with it until {until}. "
                "If the shop has a new key, put it into the settings."
            )
        elif until > now and key.why == "strikes":
            message = (
                "The rate limit was met three times although we kept to it: other clients use the "
                f"key of shop '{shop}'. We stop before the service blocks it. Try again after "
                "{until}, with a higher 'reserve' or without the others."
            )
        elif address.silent_until > later or (address.in_doubt and not key.worked):
            # A refusal of a key that never worked could as well mean that it is wrong.
            until = max(address.silent_until, address.shut_at + LONGEST_SILENCE * self.minute)
            until = address.silent_until if key.worked else until
            message = (
                "The service blocked us: it refused another key of this address, so nothing is "
                "asked of it until {until}."
            )
            if not key.worked:
                message += " The shop's new key? 'shopmirror doctor --lift-block' asks now."
        elif until > later:
            message = "The service asked us to stay away until {until}."
        else:
            return
        if until > now:
            moment = datetime.fromtimestamp(self._budget.clock.wall() + until - now, UTC)
            when = f"{moment.astimezone():%Y-%m-%d %H:%M %Z}"
            raise Refused(message.replace("{until}", when), moment)

    # -- what came ------------------------------------------------------------------------------

    def _answered(
        self, slot: Slot, outcome: Outcome, retry_after: float, skew: float | None, request: str
    ) -> None:
        with self._budget.transaction() as (db, now):
            free_at = now + self.minute * MARGIN
            db.execute("update slots set free_at = ? where id = ?", (free_at, slot.number))
            key, address = self._load(db)
            before = _rows(key, address)
            if skew is not None and (address.skew is None or abs(skew - address.skew) >= 1):
                address.skew = skew  # a Date tells whole seconds; what is within them is no news
            if outcome == "ok":
                key.answered(slot.taken)
                address.answered(slot.taken)
                key.denied = [one for one in key.denied if one != request]
                if request.startswith("GET /") and "…" not in request:
                    key.good = request.removeprefix("GET ")
            elif outcome == "rate_error":
                ours = _count(
                    db, "key = ? and free_at is not null and id <> ?", self.fingerprint, slot.number
                )
                key.rate_error(now, slot.taken, allowed=self.allowed, used=ours)
            elif outcome == "block":
                key.silence(now + LONGEST_SILENCE * self.minute, "block")
                address.block(now, slot.taken, self.minute)
            if retry_after and outcome in ("rate_error", "other"):
                key.silence(now + retry_after, "limit")
            if _rows(key, address) != before:
                self._save(db, key, address)

    def forget(self) -> None:
        """The key worked once, and was refused for longer than any block lasts: it was replaced."""
        with self._changing() as key:
            key.answered_at, key.silent_until, key.why = 0.0, 0.0, "replaced"

    def deny(self, request: str) -> None:
        """The key has no right to such requests, so their refusals were no strike."""
        with self._changing() as key:
            key.denied = [*(one for one in key.denied if one != request), request]
            key.forgive()

    def lift_block(self) -> None:
        """Drop strikes and block after a person made sure that the service answers again."""
        with self._budget.transaction() as (db, _):
            key, address = self._load(db)
            fresh = Standing(key.key, key.address, key.shop, key.minute, key.answered_at)
            fresh.good, fresh.wordings, fresh.denied = key.good, key.wordings, key.denied
            self._save(db, fresh, Address(address.address, skew=address.skew))

    def record_wording(self, wording: str) -> None:
        """Keep how the service told a read of its rate limit: a write told the same way surely
        had no effect."""
        with self._changing() as key:
            others = [one for one in key.wordings if one != wording]
            key.wordings = [*others, wording][-_MOST_WORDINGS:]

    # -- how it stands --------------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        """How the key stands, by all that any process saw."""
        with self._budget.transaction() as (db, _):
            return self._load(db)[0]

    @property
    def shop_worked(self) -> bool:
        """Whether this shop was ever answered at this address, with whatever key."""
        with self._budget.transaction() as (db, _):
            return bool(
                db.execute(
                    "select 1 from keys where address = ? and shop = ?"
                    " and (answered_at > 0 or why = 'replaced')",
                    (self.base, self.shop_name),
                ).fetchone()
            )

    @property
    def skew(self) -> float | None:
        """Seconds that the service's clock was ahead of ours at its last answer to anybody here;
        None while it never said."""
        with self._budget.transaction() as (db, _):
            return self._load(db)[1].skew

    def state(self) -> BudgetState:
        """How the key stands now, for ``status``."""
        with self._budget.transaction() as (db, now):
            key, address = self._load(db)
            self._clear(db, now)
            used = _count(db, "key = ?", self.fingerprint)
            limit = key.limit(now, self.allowed)
            until, reason = None, None
            try:
                self._refuse_if_stopped(key, address, now)
            except Refused as refused:
                until, reason = refused.until, str(refused)
            silence = max(0.0, key.silent_until - now, address.silent_until - now)
            return BudgetState(
                limit=limit,
                used=used,
                in_flight=_count(db, "key = ? and free_at is null", self.fingerprint),
                left=0 if silence or until else max(0, limit - used),
                cooldown_seconds=silence,
                strikes=key.counted(now),
                refused_until=until,
                reason=reason,
            )

    # -- rows -----------------------------------------------------------------------------------

    def _load(self, db: sqlite3.Connection) -> tuple[Standing, Address]:
        row = db.execute("select * from keys where key = ?", (self.fingerprint,)).fetchone()
        key = Standing(self.fingerprint, self.base, "", self.minute)
        if row:
            key = Standing(*row[:-2], *map(json.loads, row[-2:]))
        key.shop, key.minute = self.shop_name, self.minute
        row = db.execute("select * from addresses where address = ?", (self.base,)).fetchone()
        return key, Address(*row) if row else Address(self.base)

    def _save(self, db: sqlite3.Connection, key: Standing, address: Address) -> None:
        for table, row in _rows(key, address).items():
            marks = ", ".join("?" * len(row))
            db.execute(f"insert or replace into {table} values ({marks})", row)  # noqa: S608 - ours

    @contextmanager
    def _changing(self) -> Iterator[Standing]:
        with self._budget.transaction() as (db, _):
            key, address = self._load(db)
            yield key
            self._save(db, key, address)


def _rows(key: Standing, address: Address) -> dict[str, tuple[Any, ...]]:
    """Table -> the row that stands for it there."""
    *columns, wordings, denied = vars(key).values()
    texts = json.dumps(wordings), json.dumps(denied)
    return {"keys": (*columns, *texts), "addresses": tuple(vars(address).values())}


def _count(db: sqlite3.Connection, where: str, *values: object) -> int:
    """Slots for which a condition of this module holds."""
    return int(db.execute(f"select count(*) from slots where {where}", values).fetchone()[0])  # noqa: S608


def fingerprint_of(shop: ShopSettings) -> str:
    """What stands for a shop's key at its address in files; nobody reads the key from it."""
    return _fingerprint(shop.base_url.lower(), shop.api_key.get_secret_value())


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\n".join(("shopmirror", *parts)).encode()).hexdigest()
