"""One request under the HTTP client: the rate budget, the network, what came, and trying again.

Nothing goes out without a slot of the budget, so a retry pays like any request. Each answer is read
whole and told apart here (:mod:`repair_shop.http.answers`), because the budget must know whether a
200 is a rate error in disguise. What the wire throws and a key that the service echoes end at
:mod:`repair_shop.http.wire` and :mod:`repair_shop.http.redaction`.

A 401 or 403 without words on a key that worked may be the rate limit, a block, a missing right or a
key that was replaced (field notes, Behaviour). What is asked next tells::

    a minute of silence, as after any rate error
    a list that was answered before    refused: a block; refused after 8 hours, too: another key
                                       answered: the key is in order
    the same request again             refused: no right to it; answered: it was the rate limit
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

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
    WrongKey,
)
from ..settings import ShopSettings
from .answers import Answer, Reading, denied_kind, error_of, proves_no_effect, read_answer
from .breaker import Breaker
from .limits import WRONG_KEY
from .redaction import Redactor
from .service_clock import ServiceClock
from .wire import Network

log = logging.getLogger(__name__)

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


@dataclass(slots=True)
class Call:
    """A request, and how it is to be made. ``path`` is as it was asked for."""

    request: httpx.Request
    path: str
    lane: Lane
    on_send: Callable[[str], None] | None = None
    raises_rate_error: bool = False
    again: str = ""
    """Why it is sent again."""
    found: Literal["", "asked once more", "key is in order"] = ""
    """What is known since a refusal without words."""

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing at the service."""
        return self.request.method == "GET"

    @property
    def kind(self) -> str:
        """The kind of the request, whichever record it is about."""
        first, more, _ = self.path.strip("/").partition("/")
        return f"{self.request.method} /{first}" + ("/…" if more else "")


class _Denied(RateLimited):
    """A key that worked was refused without words; ``granted`` is when the request was."""

    def __init__(self, message: str, granted: float) -> None:
        super().__init__(message)
        self.granted = granted


class Transport:
    """See the module. ``make`` makes a call that reads a path."""

    def __init__(
        self,
        network: Network,
        budget: KeyBudget,
        shop: ShopSettings,
        *,
        counter: RequestCounter,
        stop: Callable[[], bool] | None,
        notify: Callable[[RequestEvent], None],
        clock: ServiceClock,
        pause: Callable[[float], None],
        make: Callable[[str], Call],
    ) -> None:
        self._network, self._budget, self._clock = network, budget, clock
        self._counter, self._stop, self._notify = counter, stop, notify
        self._make = make
        self._redactor = Redactor(shop.api_key.get_secret_value())
        self._most = shop.max_answer_mb * 2**20
        self._breaker = Breaker(self._ask_good)
        self._finding_out = threading.Lock()
        self._wrong_key: ShopError | None = None
        self._tries = Retrying(  # made once: to make it takes longer than to use it
            stop=stop_after_attempt(TRIES),
            wait=wait_exponential(multiplier=shop.seconds(1.0)) + wait_random(0, shop.seconds(1.0)),
            retry=_may_try_again,
            sleep=pause,
            reraise=True,
        )

    def send(self, call: Call) -> Answer:
        """The answer to a call, if it is a proper one; all else raises."""
        try:
            return self._tries(self._through_rate_errors, call)
        except (Unreachable, BadAnswer) as error:
            told = error if call.is_read else _of_write(error)
            if told is error:
                raise
            raise told from error

    def _through_rate_errors(self, call: Call) -> Answer:
        while True:
            try:
                return self._try(call)
            except RateLimited as error:
                if call.raises_rate_error:
                    raise
                # The budget keeps silent for the minute, or refuses for good; so this ends.
                log.info("%s", error)
                call.again = str(error)
                if isinstance(error, _Denied):
                    self._find_out(call, error.granted)

    def _try(self, call: Call) -> Answer:
        """One try, and what it tells of the service."""
        number, slot = self._take(call.lane)
        try:
            answer = self._exchange(call, slot, number)
        except BudgetUnusable as error:
            # It failed after the request went out; a write may have had its effect by then.
            if call.is_read:
                raise
            raise OutcomeUnknown(str(error)) from error
        except BadAnswer as error:
            if call.is_read and self._budget.worked:
                self._breaker.refused(error, slot.taken)
            if isinstance(error, ValidationRefused) and error.status in (200, 201):
                # Said with a success: a fault in passing, unless it is known to be of the request.
                error.transient = not self._breaker.is_of_requests(error.wording)
            raise
        if call.is_read:
            self._breaker.answered(slot.taken)
        return answer

    def _take(self, lane: Lane) -> tuple[int, Slot]:
        """A request's number and slot."""
        number = self._counter.take()
        try:
            if self._wrong_key is None:
                slot = self._budget.acquire(lane, stop=self._stop)
                if self._wrong_key is None:
                    return number, slot
                # Found out by the request before, while this one waited for its turn.
                slot.answered("other")
            raise self._wrong_key
        except BaseException:
            self._counter.give_back()
            raise

    def _ask_good(self, words: str) -> tuple[float, str | None]:
        """See :class:`~repair_shop.http.breaker.Breaker`."""
        call = self._make(self._budget.standing.good or "/")
        number, slot = self._take(call.lane)
        try:
            self._exchange(call, slot, number, limit=words)
        except BadAnswer as error:
            return slot.taken, error.wording
        return slot.taken, None

    def _find_out(self, call: Call, granted: float) -> None:
        """A key that worked was refused without words: see the module."""
        with self._finding_out:
            good = self._budget.standing.good
            if self._budget.standing.answered_at <= granted:
                if not good:
                    call.found = "asked once more"
                    return
                probe = self._make(good)
                probe.found = "asked once more"
                number, slot = self._take(probe.lane)
                try:
                    self._exchange(probe, slot, number)
                except BadAnswer as error:
                    log.info("%s", error)  # not the key is refused
                except RateLimited as error:
                    log.info("%s", error)  # the budget keeps silent, or refuses for good
                    return
            call.found = "key is in order"

    def _exchange(self, call: Call, slot: Slot, number: int, limit: str | None = None) -> Answer:
        """Send, read, mask the key, and tell the budget. ``limit``: words that are a rate error."""
        method = call.request.method
        started, sent_at = time.monotonic(), datetime.now(UTC)
        outcome: Outcome = "lost"
        reading: Reading | None = None
        skew: float | None = None
        try:
            if call.on_send is not None:
                call.on_send(call.again)
            status, raw_headers, body = self._network.exchange(call.request, call.path, self._most)
            headers = httpx.Headers(
                [
                    (name, self._redactor.text(value))
                    for name, value in raw_headers.multi_items()
                    if name.lower() not in _DROPPED_HEADERS
                ],
                encoding="utf-8",
            )
            body = self._redactor.body(body)
            skew = self._clock.observe(headers)
            reading = read_answer(status, headers, body, method=method)
            outcome, error = self._judge(reading, call, slot)
            if outcome == "other" and limit == reading.wording:
                outcome = "rate_error"
        finally:
            wait, told = (reading.retry_after, reading.status) if reading else (None, None)
            slot.answered(outcome, retry_after=wait, skew=skew, asked=call.kind)
            seconds = time.monotonic() - started
            log.debug("%s %s -> %s %s in %.3f s", method, call.path, told, outcome, seconds)
            shop = self._budget.shop_name
            self._notify(RequestEvent(shop, method, call.path, told, outcome, seconds, number))
        if error is not None:
            raise error
        return Answer(call.path, reading.payload, status, headers, sent_at, datetime.now(UTC), body)

    def _judge(self, reading: Reading, call: Call, slot: Slot) -> tuple[Outcome, ShopError | None]:
        """What an answer means for the budget, and for the caller."""
        if reading.kind == "ok":
            return "ok", None
        standing = self._budget.standing
        kind: str = reading.kind
        if reading.status in (401, 403):
            kind = denied_kind(reading, worked=standing.worked)
            if kind == "denied":
                kind = self._denied_kind(reading, call, slot)
        if kind == "rate" or (call.is_read and self._breaker.is_limit(reading.wording)):
            return "rate_error", self._rate_error(reading, call)
        said = f"({reading.status}: {reading.text})"
        if kind == "denied":
            return "rate_error", _Denied(f"The key is refused {said}", slot.taken)
        if kind == "block":
            # Not final: the budget's own refusal, which names the time, replaces it.
            return "block", RateLimited(f"Blocked {said}")
        if kind == "wrong key":
            self._wrong_key = self._refusal(said, worked=standing.worked)
            return "other", self._wrong_key
        return "other", error_of(reading, call.request.method, call.path, worked=standing.worked)

    def _denied_kind(self, reading: Reading, call: Call, slot: Slot) -> str:
        """What a refusal without words means on a key that worked, by what was asked before."""
        if call.kind in self._budget.denied and not slot.careful:
            return "no right"
        if call.found == "key is in order":
            self._budget.deny(call.kind)
            return "no right"
        outlasted = slot.careful and self._budget.standing.why == "block"
        if outlasted or (call.found and WRONG_KEY.search(reading.text)):
            return "wrong key"
        return "block" if call.found or slot.careful else "denied"

    def _refusal(self, said: str, *, worked: bool) -> ShopError:
        """The error of a key that is no key, or none any more."""
        shop = self._budget.shop_name
        if worked:
            self._budget.forget()
            return WrongKey(
                f"The service refuses the API key of shop '{shop}' {said}, which worked before. "
                "It is no block, so the key was replaced: put the shop's new one into api_key."
            )
        if self._budget.shop_worked:
            return WrongKey(
                f"The service refuses the API key of shop '{shop}' {said}. "
                "It is not the one that worked before: check api_key."
            )
        return KeyRefused(
            f"The service refused the API key of shop '{shop}' {said}. "
            "It never worked before: check api_key."
        )

    def _rate_error(self, reading: Reading, call: Call) -> ShopError:
        """A rate error is waited out and asked again; a write only if it surely had no effect: by
        the status, or by the very words in which this service told a read of its limit."""
        message = f"Too many requests ({reading.status}): {reading.text}"
        if not proves_no_effect(reading):
            if call.is_read:
                self._budget.record_wording(reading.wording)
            elif not self._budget.knows_wording(reading.wording):
                return OutcomeUnknown(message, reading.status, reading.text)
        return RateLimited(message)


def _may_try_again(tried: RetryCallState) -> bool:
    """Whether it is safe, and may help, to send a request again."""
    error = tried.outcome.exception() if tried.outcome else None
    if error is None:
        return False
    call: Call = tried.args[0]
    call.again = str(error)
    if isinstance(error, Unreachable):
        return call.is_read or not error.sent
    return call.is_read and isinstance(error, BadAnswer) and error.transient


def _of_write(error: Unreachable | BadAnswer) -> ShopError:
    """What the failure of a write means: the same error where it surely was not applied."""
    if isinstance(error, Unreachable):
        return OutcomeUnknown(str(error)) if error.sent else NotSent(str(error))
    if 400 <= error.status < 500 and error.status != 408:
        return error
    reason = error.reason if isinstance(error, ValidationRefused) else ""
    return OutcomeUnknown(str(error), error.status, reason)
