"""What the service saw: requests and writes, for tests and benches."""

from collections import defaultdict, deque
from functools import partial
from typing import Any, NamedTuple

_MOST = 200_000
"""Remembered of a shop: four days of the full rate, for a sandbox that runs on."""


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


def newest() -> defaultdict[str, deque[Any]]:
    """Shop -> the newest 200,000 of it, in their order."""
    return defaultdict(partial(deque, maxlen=_MOST))
