"""The transports under the HTTP client: retries over the rate budget over the network.

::

    Client
      RetryTransport     tries again what is safe to try again; waits out a rate error
        BudgetTransport  takes a slot of the budget for every single try, tells it the outcome
          HTTPTransport  the network

Nothing above can forget the limit, and a retry pays like any request. Each answer is read whole
and told apart here (:mod:`repair_shop.http.answers`), because the budget must know whether a
200 is a rate error in disguise. What the wire throws ends here (:mod:`repair_shop.http.wire`), and
so does the key, should the service echo it (:mod:`repair_shop.http.redaction`).
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, stop_after_attempt, wait_exponential, wait_random

from ..budget import KeyBudget, Lane, Outcome, Slot
from ..errors import (
    BadAnswer,
    BudgetUnusable,
    KeyRefused,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Stopped,
    Unreachable,
    ValidationRefused,
)
from ..http.answers import (
    Answer,
    Reading,
    denied_kind,
    error_of,
    proves_no_effect,
    read_answer,
)
from ..http.breaker import Breaker
from ..http.redaction import Redactor
from ..http.service_clock import ServiceClock
from ..http.wire import from_wire, longest_answer, read_body
from ..settings import ShopSettings

log = logging.getLogger(__name__)

READS = ("GET", "HEAD")
TRIES = 3
"""How often a read is tried when the wire fails."""
# The body is unpacked already; a cookie would only be one more thing that may be odd.
_DROPPED_HEADERS = ("content-encoding", "content-length", "transfer-encoding", "set-cookie")


@dataclass(frozen=True, slots=True)
class RequestEvent:
    """One request that went out, for progress and logs. ``seconds`` from grant to answer."""

    shop: str
    method: str
    path: str
    status: int | None
    outcome: str
    seconds: float
    requests: int


@dataclass
class RequestCounter:
    """Counts requests that went out; :class:`Stopped` beyond ``maximum``. Clients may share one."""

    maximum: int | None = None
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self) -> int:
        """Reserve one request; the new count."""
        with self._lock:
            if self.maximum is not None and self.count >= self.maximum:
                words = "1 request" if self.count == 1 else f"{self.count} requests"
                raise Stopped(f"Stopped after {words}, as asked.")
            self.count += 1
            return self.count

    def give_back(self) -> None:
        """The reserved request was not made."""
        with self._lock:
            self.count -= 1


class BudgetTransport:
    """One try: waits for a slot, sends, reads the answer whole, tells the budget what came.

    Returns proper answers only; everything else raises. The lane and the path as it was asked for
    are extensions of the request.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        budget: KeyBudget,
        shop: ShopSettings,
        *,
        counter: RequestCounter,
        stop: Callable[[], bool] | None,
        notify: Callable[[RequestEvent], None],
        clock: ServiceClock,
    ) -> None:
        self._inner = inner
        self._budget = budget
        self._clock = clock
        self._redactor = Redactor(shop.api_key.get_secret_value())
        self._base_path = urlsplit(shop.base_url).path.rstrip("/")
        self._counter = counter
        self._stop = stop
        self._longest = longest_answer(shop)
        self._most = shop.max_answer_mb * 2**20
        self._notify = notify
        self._wrong_key: KeyRefused | None = None
        self._breaker = Breaker(self._ask_again)

    def handle_request(self, request: httpx.Request) -> Answer:
        """See the class."""
        if self._wrong_key is not None:
            raise self._wrong_key
        number, slot = self._take(request)
        if self._wrong_key is not None:
            # Found out by the request before, while this one waited for its turn.
            self._counter.give_back()
            slot.answered("other")
            raise self._wrong_key
        try:
            answer = self._one_try(request, slot, number)
        except BudgetUnusable as error:
            # It failed after the request went out; a write may have had its effect by then.
            if request.method in READS:
                raise
            raise OutcomeUnknown(str(error)) from error
        except BadAnswer as error:
            if request.method in READS and self._budget.worked:
                self._breaker.refused(request, error, slot.taken)
            raise
        if request.method in READS:
            self._breaker.answered(request, slot.taken)
        return answer

    def _take(self, request: httpx.Request) -> tuple[int, Slot]:
        """A request's number and slot."""
        lane: Lane = request.extensions.get("lane", "sync")
        number = self._counter.take()
        try:
            return number, self._budget.acquire(lane, stop=self._stop)
        except BaseException:
            self._counter.give_back()
            raise

    def _ask_again(self, request: httpx.Request, words: str) -> tuple[float, str | None]:
        """See :class:`~repair_shop.http.breaker.Breaker`."""
        number, slot = self._take(request)
        try:
            self._one_try(request, slot, number, limit=words)
        except BadAnswer as error:
            return slot.taken, error.wording
        return slot.taken, None

    def _one_try(
        self, request: httpx.Request, slot: Slot, number: int, limit: str | None = None
    ) -> Answer:
        path = request.url.path.removeprefix(self._base_path)
        started, sent_at = time.monotonic(), datetime.now(UTC)
        outcome: Outcome = "lost"
        reading: Reading | None = None
        skew: float | None = None
        try:
            if (on_send := request.extensions.get("on_send")) is not None:
                on_send(str(request.extensions.get("again", "")))
            status, headers, body = self._exchange(request, path, started)
            skew = self._clock.observe(headers)
            reading = read_answer(status, headers, body, method=request.method)
            outcome, error = self._judge(reading, request.method, path)
            if outcome == "other" and limit == reading.wording:
                outcome = "rate_error"
        finally:
            retry_after = None if reading is None else reading.retry_after
            slot.answered(
                outcome, retry_after=retry_after, skew=skew, asked=_asked(request.method, path)
            )
            told = None if reading is None else reading.status
            seconds = time.monotonic() - started
            log.debug("%s %s -> %s %s in %.3f s", request.method, path, told, outcome, seconds)
            shop = self._budget.shop_name
            self._notify(RequestEvent(shop, request.method, path, told, outcome, seconds, number))
        if error is not None:
            raise error
        asked = str(request.extensions.get("path", path))
        return Answer(asked, reading.payload, status, headers, sent_at, datetime.now(UTC), body)

    def _exchange(
        self, request: httpx.Request, path: str, started: float
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send, read whole and mask the key, in a total time: a drop a second would never end.

        Status, headers and body.
        """
        answered = False
        try:
            response = self._inner.handle_request(request)
            answered = True
            response.request = request
            try:
                body = read_body(
                    response,
                    most=self._most,
                    until=started + self._longest,
                    method=request.method,
                    path=path,
                )
            finally:
                response.close()
            headers = [
                (name, self._redactor.text(value))
                for name, value in response.headers.multi_items()
                if name.lower() not in _DROPPED_HEADERS
            ]
            clean = httpx.Headers(headers, encoding="utf-8")
            return response.status_code, clean, self._redactor.body(body)
        except Exception as error:
            # Whatever it is, it happened on the wire: a read may be tried again, a write is in
            # doubt. Nothing that a service can cause may end a run in another way.
            host = request.url.netloc.decode("ascii", "replace")  # without any user and password
            raise from_wire(error, request.method, path, host, answered=answered) from error

    def _judge(self, reading: Reading, method: str, path: str) -> tuple[Outcome, ShopError | None]:
        if reading.kind == "ok":
            return "ok", None
        kind: str = reading.kind
        worked = self._budget.worked
        if kind in ("denied", "rate") and reading.status in (401, 403):
            alone = self._budget.was_denied(_asked(method, path))
            kind = denied_kind(reading, worked=worked, alone=alone)
        if kind == "rate" or (method in READS and self._breaker.is_limit(reading.wording)):
            return "rate_error", self._rate_error(reading, method)
        if kind == "block":
            # Not final: the budget's own refusal, which names the time, replaces it.
            return "block", RateLimited(f"Blocked ({reading.status}): {reading.text}")
        if kind == "wrong key":
            self._wrong_key = KeyRefused(
                f"The service refused the API key of shop '{self._budget.shop_name}' "
                f"({reading.status}: {reading.text}). It never worked before: check api_key."
            )
            return "other", self._wrong_key
        return "other", error_of(reading, method, path, worked=worked)

    def _rate_error(self, reading: Reading, method: str) -> ShopError:
        """A rate error is waited out and asked again; a write only if it surely had no effect: by
        the status, or by the very words in which this service told a read of its limit."""
        message = f"Too many requests ({reading.status}): {reading.text}"
        if not proves_no_effect(reading):
            if method in READS:
                self._budget.record_wording(reading.wording)
            elif not self._budget.knows_wording(reading.wording):
                return OutcomeUnknown(message, reading.status, reading.text)
        return RateLimited(message)


class RetryTransport:
    """Tries again: reads when the wire failed, anything that surely was not applied.

    A rate error is waited out in the budget, however often the budget lets us. A write is sent
    once: :class:`OutcomeUnknown` when its answer did not come, :class:`NotSent` when it surely
    never arrived.
    """

    def __init__(
        self, inner: BudgetTransport, *, base: float, pause: Callable[[float], None]
    ) -> None:
        self._inner = inner
        self._tries = Retrying(  # made once: to make it takes longer than to use it
            stop=stop_after_attempt(TRIES),
            wait=wait_exponential(multiplier=base) + wait_random(0, base),
            retry=_may_try_again,
            sleep=pause,
            reraise=True,
        )

    def handle_request(self, request: httpx.Request) -> Answer:
        """See the class."""
        try:
            return self._tries(self._through_rate_errors, request)
        except (Unreachable, BadAnswer) as error:
            told = error if request.method in READS else _of_write(error)
            if told is error:
                raise
            raise told from error

    def _through_rate_errors(self, request: httpx.Request) -> Answer:
        while True:
            try:
                return self._inner.handle_request(request)
            except RateLimited as error:
                if request.extensions.get("raises_rate_error"):
                    raise
                # The budget keeps silent for the minute, or refuses for good; so this ends.
                log.info("%s", error)
                request.extensions["again"] = str(error)


def _asked(method: str, path: str) -> str:
    """The kind of a request, whichever record it is about."""
    first, more, _ = path.strip("/").partition("/")
    return f"{method} /{first}/…" if more else f"{method} /{first}"


def _may_try_again(tried: RetryCallState) -> bool:
    """Whether it is safe, and may help, to send a request again."""
    error = tried.outcome.exception() if tried.outcome else None
    if error is None:
        return False
    request: httpx.Request = tried.args[0]
    request.extensions["again"] = str(error)
    is_read = request.method in READS
    if isinstance(error, Unreachable):
        return is_read or not error.sent
    return is_read and isinstance(error, BadAnswer) and error.transient


def _of_write(error: Unreachable | BadAnswer) -> ShopError:
    """What the failure of a write means: the same error where it surely was not applied."""
    if isinstance(error, Unreachable):
        return OutcomeUnknown(str(error)) if error.sent else NotSent(str(error))
    if 400 <= error.status < 500 and error.status != 408:
        return error
    reason = error.reason if isinstance(error, ValidationRefused) else ""
    return OutcomeUnknown(str(error), error.status, reason)
