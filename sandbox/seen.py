"""What the service saw: requests and writes, for tests and benches."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from functools import partial
from typing import NamedTuple

_MOST = 200_000
"""Requests remembered of a shop: four days of the full rate, for a sandbox that runs on."""


class Request(NamedTuple):
    """One request as the service saw it; ``status`` 0 means that it was never answered."""

    method: str
    path: str
    query: str
    status: int
    at: float


class Write(NamedTuple):
    """One write that took effect, whatever became of its answer; ``body`` as it was sent."""

    method: str
    path: str
    body: bytes


class Seen:
    """The newest 200,000 requests and writes of each shop. Safe for threads."""

    def __init__(self) -> None:
        self._requests: dict[str, deque[Request]] = defaultdict(partial(deque, maxlen=_MOST))
        self._writes: dict[str, deque[Write]] = defaultdict(partial(deque, maxlen=_MOST))
        self._lock = threading.Lock()

    def requests(self, shop: str) -> list[Request]:
        """The shop's requests so far, in the order of the answers."""
        with self._lock:
            return list(self._requests[shop])

    def writes(self, shop: str) -> list[Write]:
        """The shop's writes that took effect."""
        with self._lock:
            return list(self._writes[shop])

    def forget_requests(self) -> None:
        """Start counting anew."""
        with self._lock:
            self._requests.clear()

    def note(self, shop: str, request: Request) -> None:
        """Remember a request."""
        with self._lock:
            self._requests[shop].append(request)

    def note_write(self, shop: str, write: Write) -> None:
        """Remember a write that took effect."""
        with self._lock:
            self._writes[shop].append(write)
