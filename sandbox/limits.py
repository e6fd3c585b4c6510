"""The request limits, exactly as the specification's section Limits states them.

Thirty requests in any window of a minute for each key, counted as they arrive; a rate error asks
for a minute of silence, and any request within it is an ignored rate error, answered by another;
the tenth ignored one shuts the key and the client's address for 8 hours (specification: 6 to 8;
the longest is the strict reading). Every time scales with ``minute_seconds``.
"""

import threading
from collections import deque
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
class _Key:
    arrivals: deque[float] = field(default_factory=deque)
    silent_until: float = float("-inf")
    blocked_until: float = float("-inf")
    ignored: int = 0
    rate_errors: int = 0


class Limiter:
    """Counts requests by key and address; safe to call from several threads."""

    def __init__(self, *, minute_seconds: float, clock: Callable[[], float]) -> None:
        if minute_seconds <= 0:
            raise ValueError("a minute has to last longer than 0 seconds")
        self.minute_seconds = minute_seconds
        self._clock = clock
        self._keys: dict[str, _Key] = {}
        self._addresses: dict[str, float] = {}
        self._lock = threading.Lock()

    def arrives(
        self, key: str, address: str, limit: int | None, *, shuts_address: bool = True
    ) -> Verdict:
        """Judge one request of ``key`` from ``address``; ``limit`` is requests a minute or None.

        ``shuts_address``: a block shuts the address and not only the key.
        """
        with self._lock:
            now = self._clock()
            state = self._keys.setdefault(key, _Key())
            if now < max(state.blocked_until, self._addresses.get(address, float("-inf"))):
                return Verdict.BLOCKED
            if now < state.silent_until:
                state.ignored += 1
                if state.ignored >= LIMITS.ignored_before_block:
                    until = now + BLOCK_MINUTES * self.minute_seconds
                    state.blocked_until = until
                    if shuts_address:
                        self._addresses[address] = until
                    state.ignored = 0
                    return Verdict.BLOCKED
                return self._rate_error(state, now)
            while state.arrivals and state.arrivals[0] <= now - self.minute_seconds:
                state.arrivals.popleft()
            if limit is not None and len(state.arrivals) >= limit:
                return self._rate_error(state, now)
            state.arrivals.append(now)
            return Verdict.OK

    def _rate_error(self, state: _Key, now: float) -> Verdict:
        state.rate_errors += 1
        state.silent_until = now + self.minute_seconds
        return Verdict.RATE_ERROR

    def refuse(self, key: str) -> None:
        """Answer a rate error out of turn, as another client of the key causes: silence begins."""
        with self._lock:
            self._rate_error(self._keys.setdefault(key, _Key()), self._clock())

    def spend(self, key: str, requests: int) -> None:
        """Count ``requests`` as arrived now: another client of the same key."""
        with self._lock:
            now = self._clock()
            self._keys.setdefault(key, _Key()).arrivals.extend([now] * requests)

    def block(self, key: str, address: str | None = None) -> None:
        """Shut the key (and an address) at once, as after the tenth ignored rate error."""
        with self._lock:
            until = self._clock() + BLOCK_MINUTES * self.minute_seconds
            self._keys.setdefault(key, _Key()).blocked_until = until
            if address is not None:
                self._addresses[address] = until

    def rate_errors(self, key: str) -> int:
        """Rate errors answered to this key so far."""
        with self._lock:
            return self._keys.setdefault(key, _Key()).rate_errors

    def ignored(self, key: str) -> int:
        """Ignored rate errors of this key so far; the tenth blocks."""
        with self._lock:
            return self._keys.setdefault(key, _Key()).ignored
