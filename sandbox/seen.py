"""What the service saw: requests and writes, for tests and benches."""

import threading
from collections import defaultdict, deque
from functools import partial
from typing import Generic, NamedTuple, TypeVar

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


Item = TypeVar("Item")


class Seen(Generic[Item]):
    """The newest 200,000 of each shop. Safe for threads."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Item]] = defaultdict(partial(deque, maxlen=_MOST))
        self._lock = threading.Lock()

    def note(self, shop: str, item: Item) -> None:
        """Remember one."""
        with self._lock:
            self._of[shop].append(item)

    def of(self, shop: str) -> list[Item]:
        """The shop's so far, in their order."""
        with self._lock:
            return list(self._of[shop])

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._of.clear()
