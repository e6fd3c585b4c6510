"""A circuit breaker: tells a service that refuses everything from one that refuses some requests.

The rate limit may be told in ways that nobody foresaw (:mod:`repair_shop.http.limits`), and each
request that ignores it counts towards a block (specification, Limits). So when reads are refused in
the same words several times in a row, a request that was answered before is asked once more: if it
is answered, the words are about the requests; else nothing is asked for a minute, like after a rate
error, and if that does not help either, the run ends.
"""

import threading
from collections.abc import Callable

import httpx

from ..errors import BadAnswer, RateLimited, Unreachable, ValidationRefused

_IN_A_ROW = 3
"""Refusals in the same words, with nothing answered between them."""


class Breaker:
    """The breaker of one client.

    ``ask`` sends a request within the budget, begins the minute of silence if it is refused in
    these words too, and gives when it was sent, in the budget's time, and in which words it was
    refused, None if it was answered.
    """

    def __init__(self, ask: Callable[[httpx.Request, str], tuple[float, str | None]]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._good: httpx.Request | None = None
        self._words = ""
        self._count = 0
        self._shut_at = 0.0
        self._of_requests: set[str] = set()
        self._limits: set[str] = set()

    def answered(self, request: httpx.Request, sent_at: float) -> None:
        """A read was answered properly."""
        self._good = request
        if self._shut_at and sent_at <= self._shut_at:
            return  # it was on its way when the silence began, and tells nothing of it
        if self._shut_at:
            self._limits.add(self._words)  # a minute's silence helped
        self._words, self._count, self._shut_at = "", 0, 0.0

    def is_limit(self, words: str) -> bool:
        """Whether a minute's silence helped against these words before."""
        return words in self._limits

    def refused(self, request: httpx.Request, error: BadAnswer, sent_at: float) -> None:
        """A read was refused. Raises :class:`RateLimited` where it is to be asked again after the
        silence, :class:`Unreachable` where that was in vain."""
        if error.status < 300 and not isinstance(error, ValidationRefused):
            return  # a broken or odd answer, not a refusal
        words = error.wording
        with self._lock:
            if words in self._of_requests:
                return
            self._count = self._count + 1 if words == self._words else 1
            self._words = words
            if self._count < _IN_A_ROW:
                return
            if not self._shut_at:
                asked_at, said = self._ask(self._good or request, words)
                if said is None:
                    self._of_requests.add(words)
                if said != words:
                    self._count = 0
                    return
                self._shut_at = asked_at
            elif sent_at > self._shut_at:
                raise Unreachable(
                    f"The service refuses every request, also after a minute of silence: {error}. "
                    "It is out of order, or tells its rate limit so."
                )
            raise RateLimited(f"Nothing is answered any more: {error}")
