"""The transports under the HTTP client: retries over the rate budget over the network.

::

    httpx.Client
      RetryTransport     tries again what is safe to try again; waits out a rate error
        BudgetTransport  takes a slot of the budget for every single try, tells it the outcome
          HTTPTransport  the network

Nothing above can forget the limit, and a retry pays like any request. Each answer is read whole
and told apart here (:mod:`repair_shop.http.answers`), because the budget must know whether a
200 is a rate error in disguise. The exceptions of httpx end here: :func:`from_httpx`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from tenacity import (
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from ..budget import KeyBudget, Lane, Outcome, Slot
from ..errors import (
    BadAnswer,
    BudgetUnusable,
    ConfigurationError,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Stopped,
    Unreachable,
    ValidationRefused,
)
from ..http.answers import Reading, denied_kind, error_of, read_answer
from ..http.service_clock import ServiceClock

log = logging.getLogger(__name__)

TRIES = 3
"""How often a read is tried when the wire fails."""
LARGEST_BODY = 64 * 1024 * 1024
"""Bytes; a list has at most 50 records (specification, Limits), so this is no list."""
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.InvalidURL,
)


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
                raise Stopped(f"Stopped after {self.count} requests, as asked.")
            self.count += 1
            return self.count

    def give_back(self) -> None:
        """The reserved request was not made."""
        with self._lock:
            self.count -= 1


def from_httpx(error: Exception, method: str, path: str, host: str = "") -> ShopError:
    """Our error for any exception of httpx, the only place where that is decided.

    ``host`` is the host and port that were asked.
    """
    name = type(error).__name__
    service = f"The service at {host}" if host else "The service"
    what = f"{method} {path}"
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        return ConfigurationError(f"{what} cannot be sent ({name}). Check base_url and api_key.")
    if isinstance(error, httpx.DecodingError):
        return BadAnswer(
            "the answer's compression is damaged", method=method, path=path, transient=True
        )
    if isinstance(error, httpx.ConnectTimeout):
        message = f"{service} cannot be reached: no connection in time."
    elif isinstance(error, httpx.ConnectError | httpx.ProxyError):
        message = f"{service} cannot be reached: {str(error) or name}."
    elif isinstance(error, httpx.TimeoutException):
        message = f"{service} gave no answer in time to {what} ({name})."
    else:
        message = f"The connection broke during {what} ({name})."
    return Unreachable(message, sent=not isinstance(error, _NEVER_SENT))


class BudgetTransport(httpx.BaseTransport):
    """One try: waits for a slot, sends, reads the answer whole, tells the budget what came.

    Returns proper answers only (``extensions["reading"]`` holds the :class:`Reading`); everything
    else raises. The lane comes from the request's extension ``lane``.
    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        budget: KeyBudget,
        *,
        secret: str,
        base_path: str,
        counter: RequestCounter,
        stop: Callable[[], bool] | None,
        longest: float,
        notify: Callable[[RequestEvent], None],
        clock: ServiceClock,
    ) -> None:
        self._inner = inner
        self._budget = budget
        self._clock = clock
        self._secret = secret
        self._base_path = base_path
        self._counter = counter
        self._stop = stop
        self._longest = longest
        self._notify = notify
        self._wrong_key: ConfigurationError | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See the class."""
        if self._wrong_key is not None:
            raise self._wrong_key
        path = request.url.path.removeprefix(self._base_path)
        lane: Lane = request.extensions.get("lane", "sync")
        number = self._counter.take()
        try:
            slot = self._budget.acquire(lane, stop=self._stop)
        except BaseException:
            self._counter.give_back()
            raise
        if self._wrong_key is not None:
            # Found out by the request before, while this one waited for its turn.
            self._counter.give_back()
            slot.answered("other")
            raise self._wrong_key
        try:
            return self._one_try(request, path, slot, number)
        except BudgetUnusable as error:
            # It failed after the request went out; a write may have had its effect by then.
            if request.method in ("GET", "HEAD"):
                raise
            raise _unknown(request, str(error)) from error

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()

    def _one_try(
        self, request: httpx.Request, path: str, slot: Slot, number: int
    ) -> httpx.Response:
        started, sent_at = time.monotonic(), datetime.now(UTC)
        outcome: Outcome = "lost"
        reading: Reading | None = None
        skew: float | None = None
        try:
            response, body = self._exchange(request, path, started)
            skew = self._clock.observe(response.headers)
            reading = read_answer(
                response.status_code,
                response.headers,
                body,
                method=request.method,
                secret=self._secret,
            )
            outcome, error = self._judge(reading, request.method, path)
        finally:
            retry_after = None if reading is None else reading.retry_after
            slot.answered(outcome, retry_after=retry_after, skew=skew)
            self._tell(request.method, path, reading, outcome, started, number)
        if error is not None:
            raise error
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        ]
        return httpx.Response(
            response.status_code,
            headers=headers,
            content=body,
            request=request,
            extensions={"reading": reading, "sent_at": sent_at},
        )

    def _exchange(
        self, request: httpx.Request, path: str, started: float
    ) -> tuple[httpx.Response, bytes]:
        """Send and read whole, within a total time: a drop a second would never time out."""
        try:
            response = self._inner.handle_request(request)
            response.request = request
            try:
                chunks: list[bytes] = []
                size = 0
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > LARGEST_BODY:
                        raise BadAnswer("an answer without end", method=request.method, path=path)
                    if time.monotonic() - started > self._longest:
                        raise httpx.ReadTimeout("the answer took too long", request=request)
            finally:
                response.close()
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            host = request.url.netloc.decode("ascii", "replace")  # without any user and password
            raise from_httpx(error, request.method, path, host) from error
        return response, b"".join(chunks)

    def _judge(self, reading: Reading, method: str, path: str) -> tuple[Outcome, ShopError | None]:
        if reading.kind == "ok":
            return "ok", None
        kind: str = reading.kind
        worked = self._budget.worked
        if kind in ("denied", "rate") and reading.status in (401, 403):
            kind = denied_kind(reading, worked=worked)
        if kind == "rate":
            return "rate_error", RateLimited(
                f"Too many requests ({reading.status}): {reading.text}", reading.retry_after
            )
        if kind == "block":
            # Not final: the budget's own refusal, which names the time, replaces it.
            return "block", RateLimited(f"Blocked ({reading.status}): {reading.text}")
        if kind == "wrong key":
            self._wrong_key = ConfigurationError(
                f"The service refused the API key of shop '{self._budget.shop_name}' "
                f"({reading.status}: {reading.text}). It never worked before: check api_key."
            )
            return "other", self._wrong_key
        return "other", error_of(reading, method, path, worked=worked)

    def _tell(
        self,
        method: str,
        path: str,
        reading: Reading | None,
        outcome: Outcome,
        started: float,
        number: int,
    ) -> None:
        status = None if reading is None else reading.status
        seconds = time.monotonic() - started
        log.debug("%s %s -> %s %s in %.3f s", method, path, status, outcome, seconds)
        self._notify(
            RequestEvent(self._budget.shop_name, method, path, status, outcome, seconds, number)
        )


class RetryTransport(httpx.BaseTransport):
    """Tries again: reads when the wire failed, anything that surely was not applied.

    A rate error is waited out in the budget, however often the budget lets us. A write is sent
    once: :class:`OutcomeUnknown` when its answer did not come, :class:`NotSent` when it surely
    never arrived.
    """

    def __init__(
        self, inner: httpx.BaseTransport, *, base: float, pause: Callable[[float], None]
    ) -> None:
        self._inner = inner
        self._base = base
        self._pause = pause

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See the class."""
        is_read = request.method in ("GET", "HEAD")

        def again(error: BaseException) -> bool:
            if isinstance(error, Unreachable):
                return is_read or not error.sent
            return is_read and isinstance(error, BadAnswer) and error.transient

        tries = Retrying(
            stop=stop_after_attempt(TRIES),
            wait=wait_exponential(multiplier=self._base) + wait_random(0, self._base),
            retry=retry_if_exception(again),
            sleep=self._pause,
            reraise=True,
        )
        try:
            return tries(self._through_rate_errors, request)
        except Unreachable as error:
            if is_read:
                raise
            if error.sent:
                raise _unknown(request, str(error)) from error
            raise NotSent(str(error)) from error
        except BadAnswer as error:
            if is_read or not _may_be_applied(error):
                raise
            reason = error.reason if isinstance(error, ValidationRefused) else ""
            raise _unknown(request, str(error), error.status, reason) from error

    def close(self) -> None:
        """Close the transports below."""
        self._inner.close()

    def _through_rate_errors(self, request: httpx.Request) -> httpx.Response:
        while True:
            try:
                return self._inner.handle_request(request)
            except RateLimited as error:
                # The budget keeps silent for the minute, or refuses for good; so this ends.
                log.info("%s", error)


def network(base_url: str, timeout: float) -> httpx.HTTPTransport:
    """The real connections. Idle ones are dropped before a usual server would drop them."""
    return httpx.HTTPTransport(
        limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=3.0),
        proxy=_proxy_for(base_url),
    )


def _proxy_for(base_url: str) -> str | None:
    """The machine's proxy, if one is set; never for this machine itself."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def _may_be_applied(error: BadAnswer) -> bool:
    """Whether the write behind an improper answer may have had its effect all the same."""
    return not 400 <= error.status < 500 or error.status == 408


def _unknown(
    request: httpx.Request, message: str, status: int = 0, reason: str = ""
) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"It is not known whether this took effect: {message}",
        method=request.method,
        path=request.url.path,
        status=status,
        reason=reason,
    )


def timeouts(seconds: float) -> httpx.Timeout:
    """The same patience for connecting, sending and reading; waiting for a connection is ours."""
    return httpx.Timeout(seconds, pool=None)
