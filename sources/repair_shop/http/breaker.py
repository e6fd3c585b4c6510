"""A circuit breaker: tells a service that refuses everything from one that refuses some requests.

The rate limit may be told in ways that nobody foresaw (:mod:`repair_shop.http.limits`), and each
request that ignores it counts towards a block (specification, Limits). So when reads are refused in
the same words three times in a row, a list that was answered before is asked. If it is answered,
the words are about the requests. Else a minute of silence begins, as after a rate error; if that
does not help either, the run ends.
"""

import threading
from collections.abc import Callable

from ..errors import BadAnswer, RateLimited, Unreachable, ValidationRefused

_IN_A_ROW = 3
"""Refusals in the same words, with nothing answered between them."""


class Breaker:
    """The breaker of one client.

    ``ask(words)`` asks the list within the budget and begins the silence if it is refused in these
    words too. It gives the moment of the grant and the words of the refusal, None if answered.
    """

    def __init__(self, ask: Callable[[str], tuple[float, str | None]]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._words = ""
        self._count = 0
        self._silent_from = 0.0
        self._of_requests: set[str] = set()
        self._limits: set[str] = set()

    def answered(self, granted: float) -> None:
        """A read was answered properly."""
        if self._silent_from and granted <= self._silent_from:
            return  # it was on its way when the silence began, and tells nothing of it
        if self._silent_from:
            self._limits.add(self._words)  # a minute's silence helped
        self._words, self._count, self._silent_from = "", 0, 0.0

    def is_limit(self, words: str) -> bool:
        """Whether a minute's silence helped against these words before."""
        return words in self._limits

    def is_of_requests(self, words: str) -> bool:
        """Whether other requests were answered while some were refused in these words."""
        return words in self._of_requests

    def refused(self, error: BadAnswer, granted: float) -> None:
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
            if not self._silent_from:
                asked_at, said = self._ask(words)
                if said is None:
                    self._of_requests.add(words)
                if said != words:
                    self._count = 0
                    return
                self._silent_from = asked_at
            elif granted > self._silent_from:
                raise Unreachable(
                    f"The service refuses every request, also after a minute of silence: {error}. "
                    "It is out of order, or tells its rate limit so."
                )
            raise RateLimited(f"Nothing is answered any more: {error}")
