"""The client of one shop: ask for JSON, get rows, within the shop's rate budget.

::

    with Client(shop, Budget(home / "budget.sqlite")) as client:
        answer = client.get("/customers", {"page": 2})
        for row in answer.rows(): ...
        client.get("/dailySales", {"dateFrom": date(2026, 1, 1), "dateTo": date(2026, 1, 31)})
        client.send("PUT", "/customers/7f3c-…", json={"city": "Antigua"})
        print(client.requests)

Threads may share a client; several requests in flight is how a slow service still gives its full
rate. What may be raised: :mod:`repair_shop.errors`. The key is sent in the header
``Authorization`` only (specification, Authentication, 1) and appears in no message.

Nothing goes out without a slot of the budget, so a retry pays like any request. Each answer is read
whole and told apart here, because the budget must know whether a 200 is a rate error in disguise.
What the wire throws and a key that the service echoes end at :mod:`repair_shop.http.wire` and
:mod:`repair_shop.http.redaction`; what refusals mean: :mod:`repair_shop.http.refusals`.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from json import dumps
from typing import Any, Self
from urllib.parse import quote, urlencode

import httpx

from ..budget import Budget, KeyBudget, Lane, Outcome, Slot
from ..errors import (
    BadAnswer,
    BudgetUnusable,
    NotSent,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Stopped,
    Unreachable,
    ValidationRefused,
)
from ..schema.dates import format_day, format_moment
from ..settings import ShopSettings
from .answers import Answer
from .classify import Classified, classify
from .redaction import Redactor
from .refusals import Call, Found, Refusals
from .service_clock import ServiceClock
from .wire import ACCEPTED_ENCODINGS, Network, from_wire, longest_answer

__all__ = ["Answer", "Client", "RequestCounter"]

log = logging.getLogger(__name__)

TRIES = 3
"""How often a read is tried when the wire fails."""
# The body is unpacked already; a cookie would only be one more thing that may be odd.
_DROPPED_HEADERS = ("content-encoding", "content-length", "transfer-encoding", "set-cookie")

Params = Mapping[str, Any]
Files = Mapping[str, tuple[str, bytes]]
"""Form fields of an upload: field name → (file name, content)."""


@dataclass
class RequestCounter:
    """Counts requests that went out; :class:`Stopped` beyond ``maximum``. Clients may share one."""

    maximum: int | None = None
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self) -> None:
        """Reserve one request."""
        with self._lock:
            if self.maximum is not None and self.count >= self.maximum:
                words = "1 request" if self.count == 1 else f"{self.count} requests"
                raise Stopped(f"Stopped after {words}, as asked.")
            self.count += 1

    def give_back(self) -> None:
        """The reserved request was not made."""
        with self._lock:
            self.count -= 1


class Client:
    """One shop's service.

    ``stop`` is asked before each request and four times a second while waiting; when it says True
    the wait ends with :class:`~repair_shop.errors.Stopped`, and a request in flight is
    finished first. ``counter``, which several clients may share, bounds what goes out.
    ``transport``: the network, closed by who made it; by default one of its own. ``clock`` tells
    the service's time.
    """

    def __init__(
        self,
        shop: ShopSettings,
        budget: Budget,
        *,
        lane: Lane = "sync",
        transport: Network | None = None,
        stop: Callable[[], bool] | None = None,
        counter: RequestCounter | None = None,
    ) -> None:
        self.shop = shop
        self.lane: Lane = lane
        self.budget: KeyBudget = budget.key(shop)
        self.clock = ServiceClock(lambda: self.budget.skew)
        self.counter = counter or RequestCounter()
        self._own_requests = 0
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[str], object]] = []
        self._base = shop.base_url.rstrip("/")
        # Not under an httpx.Client: its cookies, logins and redirects are not the service's.
        self._network = transport or Network(self._base, longest_answer(shop))
        self._own = self._network if transport is None else None
        self._redactor = Redactor(shop.api_key.get_secret_value())
        self._refusals = Refusals(self.budget, self._ask)
        self._stop = stop
        self._pause = budget.pause
        self._headers = {
            "Authorization": shop.api_key.get_secret_value(),
            "Accept": "application/json",
            "Cache-Control": "no-cache",  # a cache on the way shows what was
            "Accept-Encoding": ACCEPTED_ENCODINGS,
            "Connection": "keep-alive",
            "User-Agent": "shopmirror",
        }
        # The same for connecting, sending and reading; waiting for a connection is ours.
        self._timeout = httpx.Timeout(shop.timeout_seconds, pool=None).as_dict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.shop.name!r}, {self._base!r}, lane={self.lane!r})"

    @property
    def requests(self) -> int:
        """Requests of this client that went out so far, tries that failed included."""
        return self._own_requests

    @property
    def is_limited(self) -> bool:
        """Whether requests of the run are counted up to a maximum."""
        return self.counter.maximum is not None

    def today(self) -> date:
        """The shop's day, by our clock or the service's, whichever is ahead: no period that the
        service has begun is left out because our clock is behind."""
        return self.clock.later().astimezone(self.shop.zone).date()

    def on_request(self, callback: Callable[[str], object]) -> None:
        """Call ``callback`` with its path after every request, from the thread that made it."""
        self._callbacks.append(callback)

    def get(self, path: str, params: Params | None = None) -> Answer:
        """Read ``path`` (relative to the base address, with a leading slash).

        Parameters: None is left out, a date becomes ``dd-mmm-yyyy``, booleans ``True``/``False``
        (specification, Resources and their fields), a list is repeated. Tried up to three times
        when the wire fails; every try takes a slot of the budget.
        """
        return self._make(self._call("GET", path, params))

    def send(
        self,
        method: str,
        path: str,
        json: Any = None,
        files: Files | None = None,
        params: Params | None = None,
        on_send: Callable[[ShopError | None], None] | None = None,
        raises_rate_error: bool = False,
    ) -> Answer:
        """Write once: ``POST``, ``PUT`` or ``DELETE``.

        Sent again only when it surely had no effect: no connection; a rate error under 429, 401 or
        403, or in the very words in which this service told a read of its limit. ``on_send`` is
        called before each sending, with the error that it is sent again after (None at first);
        ``raises_rate_error``: it is not sent again after one.
        :class:`~repair_shop.errors.OutcomeUnknown`: it may have been applied.
        :class:`~repair_shop.errors.NotSent`: it surely never arrived.
        :class:`~repair_shop.errors.ValidationRefused`,
        :class:`~repair_shop.errors.NotFound`: the service said no. ``Refused``, ``Stopped``
        and ``ConfigurationError`` come before anything was sent.
        """
        content = None if json is None else dumps(json, default=_jsonable, ensure_ascii=False)
        call = self._call(method.upper(), path, params, content, files)
        call.on_send, call.raises_rate_error = on_send, raises_rate_error
        return self._make(call)

    def close(self) -> None:
        """Close the connections that are its own."""
        if self._own is not None:
            self._own.close()

    def _call(
        self,
        method: str,
        path: str,
        params: Params | None,
        content: str | None = None,
        files: Files | None = None,
    ) -> Call:
        kind = {} if content is None else {"Content-Type": "application/json"}
        try:
            query = urlencode(_query(params or {}))
            # An id may hold anything; what separates a path from a query must not come from it.
            url = self._base + quote(path, safe="/:@!$&'()*+,;=~-._")
            request = httpx.Request(
                method,
                f"{url}?{query}" if query else url,
                content=None if content is None else content.encode(),
                files=files,
                headers=self._headers | kind,
                extensions={"timeout": self._timeout},
            )
        except UnicodeError as error:
            message = "it holds text that is no Unicode and was not sent"
            raise ValidationRefused(message, method=method, path=repr(path)) from error
        except httpx.InvalidURL as error:
            raise from_wire(error, method, path) from error
        return Call(request, path, self.lane)

    # -- making a request -----------------------------------------------------------------------

    def _make(self, call: Call) -> Answer:
        """The answer to a call, if it is a proper one; all else raises."""
        tries = 0
        while True:
            try:
                return self._try(call)
            except RateLimited as error:
                if call.raises_rate_error:
                    raise
                # The budget keeps silent for the minute, or refuses for good; so this ends.
                log.info("%s", error)
                call.again = error
                self._refusals.find_out(call, error)
            except (Unreachable, BadAnswer) as error:
                tries += 1
                if tries == TRIES or not _may_try_again(call, error):
                    if call.is_read:
                        raise
                    failure = _of_write(error)
                    if failure is error:
                        raise
                    raise failure from error
                call.again = error
                wait = 2 ** (tries - 1) + random.random()  # noqa: S311 - so that not all come at once
                self._pause(self.shop.seconds(wait), self._stop)

    def _try(self, call: Call) -> Answer:
        """One try, and what it tells of the service."""
        slot = self._take(call.lane)
        try:
            answer = self._exchange(call, slot)
        except BudgetUnusable as error:
            # It failed after the request went out; a write may have had its effect by then.
            if call.is_read:
                raise
            raise OutcomeUnknown(str(error)) from error
        except BadAnswer as error:
            if call.is_read and self.budget.standing.worked:
                self._refusals.refused(error)
            raise
        if call.is_read:
            self._refusals.answered(slot.taken)
        return answer

    def _ask(
        self, path: str, found: Found, limit: str
    ) -> tuple[float, BadAnswer | RateLimited | None]:
        """See :data:`repair_shop.http.refusals.Ask`."""
        call = self._call("GET", path, None)
        call.found, call.limit = found, limit
        slot = self._take(call.lane)
        try:
            self._exchange(call, slot)
        except (BadAnswer, RateLimited) as error:
            log.info("%s", error)
            return slot.taken, error
        return slot.taken, None

    def _take(self, lane: Lane) -> Slot:
        """A request's slot."""
        self.counter.take()
        try:
            if self._refusals.wrong_key is None:
                slot = self.budget.acquire(lane, stop=self._stop)
                if self._refusals.wrong_key is None:
                    return slot
                # Found out by the request before, while this one waited for its turn.
                slot.answered("other")
            raise self._refusals.wrong_key
        except BaseException:
            self.counter.give_back()
            raise

    def _exchange(self, call: Call, slot: Slot) -> Answer:
        """Send, read, mask the key, and tell the budget."""
        started = time.monotonic()
        outcome: Outcome = "lost"
        answer: Classified | None = None
        skew: float | None = None
        try:
            if call.on_send is not None:
                call.on_send(call.again)
            most = self.shop.max_answer_mb * 2**20
            status, raw_headers, body = self._network.exchange(call.request, call.path, most)
            headers = httpx.Headers(
                [
                    (name, self._redactor.text(value))
                    for name, value in raw_headers.multi_items()
                    if name.lower() not in _DROPPED_HEADERS
                ],
                encoding="utf-8",
            )
            body = self._redactor.body(body)
            skew = self.clock.observe(headers)
            answer = classify(status, headers, body, method=call.method)
            outcome, error = self._refusals.judge(answer, call, slot)
        finally:
            wait, code = (answer.retry_after, answer.status) if answer else (None, None)
            slot.answered(outcome, retry_after=wait, skew=skew, request=call.kind)
            seconds = time.monotonic() - started
            log.debug("%s %s -> %s %s in %.3f s", call.method, call.path, code, outcome, seconds)
            with self._lock:
                self._own_requests += 1
            for callback in self._callbacks:
                callback(call.path)
        if error is not None:
            raise error
        return Answer(call.path, answer.payload, status, headers, datetime.now(UTC), body)


def _may_try_again(call: Call, error: Unreachable | BadAnswer) -> bool:
    """Whether it is safe, and may help, to send a request again."""
    if isinstance(error, Unreachable):
        return call.is_read or not error.sent
    return call.is_read and error.transient


def _of_write(error: Unreachable | BadAnswer) -> ShopError:
    """What the failure of a write means: the same error where it surely was not applied."""
    if isinstance(error, Unreachable):
        return OutcomeUnknown(str(error)) if error.sent else NotSent(str(error))
    if 400 <= error.status < 500 and error.status != 408:
        return error
    reason = error.reason if isinstance(error, ValidationRefused) else ""
    return OutcomeUnknown(str(error), error.status, reason)


def _query(params: Params) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in params.items():
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        pairs.extend(
            (name, _text(item)) for item in (value if is_list else [value]) if item is not None
        )
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, date):
        return format_day(value)
    return str(value)


def _jsonable(value: Any) -> Any:
    """Amounts leave as JSON numbers with all their digits as far as a float holds them."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return _text(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
