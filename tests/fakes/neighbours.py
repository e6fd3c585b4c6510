"""A simulated service, its other clients and ours, on a clock that jumps from event to event.

The service is written from the specification's Limits, independently of the budget: a sliding
window of a minute, a minute of silence after a rate error, and a block after ten ignored ones.
"""

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from sources.repair_shop.budget import KeyBudget, Lane, Slot
from sources.repair_shop.errors import Refused
from tests.fakes.clock import FakeClock

MINUTE = 60.0


@dataclass
class Service:
    """What the server sees of one key, whoever sends it."""

    limit: int = 30
    arrivals: deque[float] = field(default_factory=deque)
    silent_until: float = 0.0
    blocked_until: float = 0.0
    ignored: int = 0

    def arrives(self, now: float) -> str:
        if now < self.blocked_until:
            return "block"
        if now < self.silent_until:
            self.ignored += 1
            if self.ignored >= 10:
                self.ignored, self.blocked_until = 0, now + 480 * MINUTE
                return "block"
            self.silent_until = now + MINUTE
            return "rate_error"
        while self.arrivals and self.arrivals[0] <= now - MINUTE:
            self.arrivals.popleft()
        if len(self.arrivals) >= self.limit:
            self.silent_until = now + MINUTE
            return "rate_error"
        self.arrivals.append(now)
        return "ok"


class World:
    """Runs events in the order of their times and writes down what our requests met."""

    def __init__(self, clock: FakeClock, service: Service, seed: int) -> None:
        self.clock = clock
        self.service = service
        self.random = random.Random(seed)
        self.arrivals: list[float] = []
        self.grants: list[tuple[float, Lane]] = []
        self.rate_errors: list[tuple[float, float]] = []
        self.blocks: list[float] = []
        self.ignored: list[float] = []
        self.refusals = 0
        self.done = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()

    def at(self, moment: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._number), action))

    def run(self, until: float = float("inf")) -> None:
        while self._events and self._events[0][0] <= until:
            moment, _, action = heapq.heappop(self._events)
            self.clock.ticks = max(self.clock.ticks, moment)
            action()

    def job(
        self,
        key: KeyBudget,
        requests: int,
        *,
        workers: int,
        latency: Callable[[], float],
        lane: Lane = "sync",
    ) -> None:
        """Begin to make ``requests`` now, ``workers`` at a time; refused means the end of it."""
        left = [requests]

        def work() -> None:
            if left[0] <= 0:
                return
            try:
                found = key.try_acquire(lane)
            except Refused:
                self.refusals += 1
                left[0] = 0
                return
            now = self.clock.ticks
            if not isinstance(found, Slot):
                wait = found.seconds if found.reason in ("silence", "full") else 0.5
                self.at(now + wait, work)
                return
            left[0] -= 1
            self.grants.append((now, lane))
            seconds = latency()
            verdict: list[str] = []

            def arrive() -> None:
                if self.clock.ticks < self.service.silent_until:
                    self.ignored.append(self.clock.ticks)
                self.arrivals.append(self.clock.ticks)
                verdict.append(self.service.arrives(self.clock.ticks))

            def answer() -> None:
                outcome = verdict[0]
                found.answered(outcome)  # type: ignore[arg-type] # one of the outcomes by name
                if outcome == "ok":
                    self.done += 1
                else:
                    left[0] += 1
                    where = self.rate_errors if outcome == "rate_error" else None
                    if where is None:
                        self.blocks.append(self.clock.ticks)
                    else:
                        where.append((now, self.clock.ticks))
                work()

            self.at(now + seconds * self.random.random(), arrive)
            self.at(now + seconds, answer)

        for _ in range(workers):
            self.at(self.clock.ticks, work)


def incidents(rate_errors: list[tuple[float, float]]) -> list[float]:
    """When each incident began: a rate error to a request granted after the one before it."""
    found: list[float] = []
    for taken, answered in sorted(rate_errors, key=lambda pair: pair[1]):
        if not found or taken > found[-1]:
            found.append(answered)
    return found
