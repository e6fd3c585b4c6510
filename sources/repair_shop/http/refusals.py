"""What a refusal means: the rate limit, a block, a missing right, a wrong key, or merely a no.

The service fixes no status and no words for any of them (specification, Limits; Errors). Words that
are known decide (:mod:`repair_shop.http.classify`). What else is refused is told apart by asking a
list that was answered before:

- A 401 or 403 to a key that worked (field notes, Behaviour): after a minute of silence, as after
  any rate error. That list is refused: it is a block; after 8 hours, too: another key. It is
  answered: the same request again, which tells the rate limit from a missing right.
- Reads refused in the same words three times in a row: at once, as each request that ignores the
  limit counts towards a block. It is answered: the words are about the requests. It is refused in
  these words, too: a minute of silence begins; if that does not help, the run ends.
"""

import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

import httpx

from ..budget import KeyBudget, Lane, Outcome, Slot, Standing
from ..errors import (
    BadAnswer,
    KeyRefused,
    OutcomeUnknown,
    RateLimited,
    ShopError,
    Unreachable,
    ValidationRefused,
)
from .classify import WRONG_KEY, Classified, denied_kind, error_of

log = logging.getLogger(__name__)

_IN_A_ROW = 3
"""Refusals in the same words, with nothing answered between them."""
Found = Literal["", "asked once more", "key is in order"]
Ask = Callable[[str, Found, str], tuple[float, BadAnswer | RateLimited | None]]
"""Makes one request of a path, by :attr:`Call.found` and :attr:`Call.limit`: when it was granted,
and how it was refused."""


@dataclass(slots=True)
class Call:
    """A request, and how it is to be made. ``path`` is as it was asked for."""

    request: httpx.Request
    path: str
    lane: Lane
    on_send: Callable[[ShopError | None], None] | None = None
    raises_rate_error: bool = False
    again: ShopError | None = None
    """What it is sent again after."""
    found: Found = ""
    """What is known since a refusal without words."""
    limit: str = ""
    """Words that are a rate error here: see the module."""

    @property
    def method(self) -> str:
        """``GET``, ``POST``, ``PUT`` or ``DELETE``."""
        return self.request.method

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing at the service."""
        return self.method == "GET"

    @property
    def kind(self) -> str:
        """The kind of the request, whichever record it is about."""
        first, more, _ = self.path.strip("/").partition("/")
        return f"{self.method} /{first}" + ("/…" if more else "")


class _Denied(RateLimited):
    """A key that worked was refused without words, on a request granted at ``granted``."""

    def __init__(self, message: str, granted: float) -> None:
        super().__init__(message)
        self.granted = granted


class Refusals:
    """What the refusals of one client mean. Safe for threads.

    ``ask``: see :data:`Ask`.
    """

    wrong_key: ShopError | None = None
    """The key is none: nothing more is asked with it."""

    def __init__(self, budget: KeyBudget, ask: Ask) -> None:
        self._budget, self._ask = budget, ask
        self._finding_out, self._lock = threading.Lock(), threading.Lock()
        self._words = ""
        self._count = 0
        self._silent_from = 0.0
        self._of_requests: set[str] = set()
        self._limits: set[str] = set()

    # -- one answer -----------------------------------------------------------------------------

    def judge(self, answer: Classified, call: Call, slot: Slot) -> tuple[Outcome, ShopError | None]:
        """What an answer means for the budget, and for the caller."""
        if answer.kind == "ok":
            return "ok", None
        standing = self._budget.standing
        kind: str = answer.kind
        if answer.status in (401, 403):
            kind = denied_kind(answer, worked=standing.worked)
            if kind == "denied":
                kind = self._denied_kind(answer, call, slot, standing)
        if kind == "rate" or (call.is_read and answer.wording in self._limits):
            return "rate_error", self._rate_error(answer, call)
        words = f"({answer.status}: {answer.text})"
        if kind == "denied":
            return "rate_error", _Denied(f"The key is refused {words}", slot.taken)
        if kind == "block":
            # Not final: the budget's own refusal, which names the time, replaces it.
            return "block", RateLimited(f"Blocked {words}")
        if kind == "wrong key":
            self.wrong_key = self._wrong_key(words, worked=standing.worked)
            return "other", self.wrong_key
        error = error_of(answer, call.method, call.path, worked=standing.worked)
        return ("rate_error" if call.limit == answer.wording else "other"), error

    def _denied_kind(self, answer: Classified, call: Call, slot: Slot, standing: Standing) -> str:
        """What a refusal without words means on a key that worked, by what was asked before."""
        if call.kind in standing.denied and not slot.on_probation:
            return "no right"
        if call.found == "key is in order":
            self._budget.deny(call.kind)
            return "no right"
        outlasted = slot.on_probation and standing.why == "block"
        if outlasted or (call.found and WRONG_KEY.search(answer.text)):
            return "wrong key"
        return "block" if call.found or slot.on_probation else "denied"

    def _wrong_key(self, words: str, *, worked: bool) -> ShopError:
        """The error of a key that is no key, or none any more."""
        refused = f"The service refuses the API key of shop '{self._budget.shop_name}' {words}"
        if worked:
            self._budget.forget()
            return KeyRefused(
                f"{refused}, which worked before. It is no block, so the key was replaced: put the "
                "shop's new one into api_key."
            )
        if self._budget.shop_worked:
            return KeyRefused(f"{refused}. It is not the one that worked before: check api_key.")
        return KeyRefused(f"{refused}. It never worked before: check api_key.")

    def _rate_error(self, answer: Classified, call: Call) -> ShopError:
        """A rate error is waited out and asked again; a write only if it surely had no effect: by
        the status, or by the very words in which this service told a read of its limit."""
        message = f"Too many requests ({answer.status}): {answer.text}"
        if not answer.proves_no_effect:
            if call.is_read:
                self._budget.record_wording(answer.wording)
            elif answer.wording not in self._budget.standing.wordings:
                return OutcomeUnknown(message, answer.status, answer.text)
        return RateLimited(message)

    # -- several answers ------------------------------------------------------------------------

    def find_out(self, call: Call, error: RateLimited) -> None:
        """After a refusal without words: learn what the same request will tell when made again."""
        if not isinstance(error, _Denied):
            return
        with self._finding_out:
            standing = self._budget.standing
            if standing.answered_at <= error.granted:
                if not standing.good:
                    call.found = "asked once more"
                    return
                _, refusal = self._ask(standing.good, "asked once more", "")
                if isinstance(refusal, RateLimited):
                    return  # the budget keeps silent, or refuses for good
            call.found = "key is in order"

    def answered(self, granted: float) -> None:
        """A read was answered properly."""
        if self._silent_from and granted <= self._silent_from:
            return  # it was on its way when the silence began, and tells nothing of it
        if self._silent_from:
            self._limits.add(self._words)  # a minute's silence helped
        self._words, self._count, self._silent_from = "", 0, 0.0

    def refused(self, error: BadAnswer) -> None:
        """A read was refused. Raises :class:`RateLimited` where it is to be asked again after the
        silence, :class:`Unreachable` where that was in vain."""
        if error.status < 300 and not isinstance(error, ValidationRefused):
            return  # a broken or odd answer, not a refusal
        words = error.wording
        with self._lock:
            if words in self._of_requests:
                self._note_of_request(error)
                return
            self._count = self._count + 1 if words == self._words else 1
            self._words = words
            if self._count < _IN_A_ROW:
                return
            if not self._silent_from:
                asked_at, refusal = self._ask(self._budget.standing.good or "/", "", words)
                if isinstance(refusal, RateLimited):
                    raise refusal
                if refusal is None:
                    self._note_of_request(error)
                if refusal is None or refusal.wording != words:
                    self._count = 0
                    return
                self._silent_from = asked_at
            else:  # as for the few that were on their way when it began: they are tried again
                told = str(error).rstrip(".")
                raise Unreachable(
                    f"The service refuses every request, also after a minute of silence: {told}. "
                    "It is out of order, or tells its rate limit so."
                )
            raise RateLimited(f"Nothing is answered any more: {error}")

    def _note_of_request(self, error: BadAnswer) -> None:
        """Other requests are answered while some are refused so: it is no fault in passing."""
        self._of_requests.add(error.wording)
        if isinstance(error, ValidationRefused):
            error.transient = False


def refusal_of_nobody(look: Callable[[str], object], identity: str) -> str:
    """The words (:func:`words_without`) in which ``look`` is refused an id just made up, of the
    spelling of ``identity``; empty where it is answered."""
    nobody = str(uuid4()) if "-" in identity else f"{identity}0000"
    try:
        look(nobody)
    except BadAnswer as error:
        return words_without(nobody, error)
    return ""


def words_without(identity: str, error: BadAnswer) -> str:
    """What a refusal says of any record: its words without the id, which may be a digit of its
    status, and without numbers."""
    return re.sub("[0-9]+", "#", re.sub(rf"(?<!\w){re.escape(identity)}(?!\w)", "#", str(error)))
