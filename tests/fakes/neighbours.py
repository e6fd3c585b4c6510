"""A simulated service, its other clients and ours, on a clock that jumps from event to event.

The service is the sandbox's limiter, written from the specification independently of the budget.
"""

import heapq
import itertools
import random
from collections.abc import Callable

from sandbox.limits import Limiter, Verdict
from sources.repair_shop.budget import KeyBudget, Lane, Slot
from sources.repair_shop.errors import Refused
from specification import LIMITS
from tests.fakes.clock import FakeClock

MINUTE = 60.0


class World:
    """Runs events in the order of their times and writes down what our requests met."""

    def __init__(self, clock: FakeClock, seed: int) -> None:
        self.clock = clock
        self.service = Limiter(minute_seconds=MINUTE, clock=clock.monotonic)
        self.silent_until = 0.0
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

    def arrives(self) -> Verdict:
        """A request of anybody with the key reaches the service."""
        found = self.service.arrives("the key", "the address", LIMITS.requests_per_minute)
        if found is Verdict.RATE_ERROR:
            self.silent_until = self.clock.ticks + MINUTE
        return found

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
            verdict: list[Verdict] = []

            def arrive() -> None:
                if self.clock.ticks < self.silent_until:
                    self.ignored.append(self.clock.ticks)
                self.arrivals.append(self.clock.ticks)
                verdict.append(self.arrives())

            def answer() -> None:
                if verdict[0] is Verdict.OK:
                    found.answered("ok")
                    self.done += 1
                elif verdict[0] is Verdict.RATE_ERROR:
                    found.answered("rate_error")
                    self.rate_errors.append((now, self.clock.ticks))
                else:
                    found.answered("block")
                    self.blocks.append(self.clock.ticks)
                left[0] += verdict[0] is not Verdict.OK
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
