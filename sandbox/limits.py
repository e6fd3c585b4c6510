"""The request limits, exactly as the specification's section Limits states them.

Thirty requests in any window of a minute for each key, counted as they arrive; a rate error asks
for a minute of silence, and any request within it is an ignored rate error, answered by another;
the tenth ignored one shuts the key and the client's address. All times scale with the minute.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from specification import LIMITS

MINUTE_SECONDS = 60.0
BLOCK_MINUTES = LIMITS.block_hours[1] * 60
"""Specification, Limits: blocked for 6 to 8 hours; here always 8."""


class Verdict(StrEnum):
    """What the limits say to one request."""

    OK = "ok"
    RATE_ERROR = "rate_error"
    BLOCKED = "blocked"


@dataclass
class Counts:
    """What is known of one key: ``ignored`` rate errors begin anew with each block."""

    arrivals: deque[float] = field(default_factory=deque)
    silent_until: float = float("-inf")
    ignored: int = 0
    rate_errors: int = 0


class Limiter:
    """Counts requests by key and address; safe to call from several threads."""

    def __init__(self, *, minute_seconds: float, clock: Callable[[], float]) -> None:
        if minute_seconds <= 0:
            raise ValueError("a minute has to last longer than 0 seconds")
        self.minute_seconds = minute_seconds
        self.counts: defaultdict[str, Counts] = defaultdict(Counts)
        """Key -> what is known of it."""
        self._clock = clock
        self._blocked: dict[str, float] = {}
        self._lock = threading.Lock()

    def arrives(
        self, key: str, address: str, limit: int | None, *, shuts_address: bool = True
    ) -> Verdict:
        """Judge one request of ``key`` from ``address``; ``limit`` is requests a minute or None.

        ``shuts_address``: a block shuts the address and not only the key.
        """
        with self._lock:
            now = self._clock()
            state = self.counts[key]
            if any(now < self._blocked.get(one, now) for one in (key, address)):
                return Verdict.BLOCKED
            if now < state.silent_until:
                state.ignored += 1
                if state.ignored < LIMITS.ignored_before_block:
                    return self._rate_error(state)
                state.ignored = 0
                self.block(key, *([address] if shuts_address else []))
                return Verdict.BLOCKED
            while state.arrivals and state.arrivals[0] <= now - self.minute_seconds:
                state.arrivals.popleft()
            if limit is not None and len(state.arrivals) >= limit:
                return self._rate_error(state)
            state.arrivals.append(now)
            return Verdict.OK

    def _rate_error(self, state: Counts) -> Verdict:
        state.rate_errors += 1
        state.silent_until = self._clock() + self.minute_seconds
        return Verdict.RATE_ERROR

    def refuse(self, key: str) -> None:
        """Answer a rate error out of turn, as another client of the key causes: silence begins."""
        with self._lock:
            self._rate_error(self.counts[key])

    def spend(self, key: str, requests: int) -> None:
        """Count ``requests`` as arrived now: another client of the same key."""
        with self._lock:
            self.counts[key].arrivals.extend([self._clock()] * requests)

    def block(self, *shut: str) -> None:
        """Shut keys and addresses at once, as after the tenth ignored rate error."""
        until = self._clock() + BLOCK_MINUTES * self.minute_seconds
        self._blocked |= dict.fromkeys(shut, until)
