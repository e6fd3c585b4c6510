"""How a service says that there were too many requests, or that it shut us out.

No status and no words are specified for it, only an error message (specification, Limits; Errors,
4 and 5). English and Spanish are known; what is told otherwise shows by its refusing everything
(:mod:`repair_shop.http.refusals`).
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from .service_clock import date_of, moment_of

_RATE = re.compile(
    r"rate[\s_-]*limit|(?:request|api|call)s?[\s_-]*(?:rate|limit|quota)"
    r"|too[\s_-]*many[\s_-]*requests|requests?[\s_]*(?:per|a|/)[\s_]*(?:one[\s_]+)?min"
    r"|limit of \d+ requests|throttl"
    r"|demasiad\w+ (?:solicitudes|peticiones|consultas|llamadas)"
    r"|l[íi]mite de (?:solicitudes|peticiones|consultas|llamadas)",
    re.IGNORECASE,
)
_WAIT = re.compile(r"wait[\s\w]{0,20}\bminute|\bespere[\s\w]{0,20}\bminuto", re.IGNORECASE)
LOOSE_RATE = re.compile(r"\brate\b|\blimit|too many|slow down|\bwait\b|\bminute\b", re.IGNORECASE)
BLOCKED = re.compile(
    r"(?<!\bbe )(?<!\bget )(?<!\bgets )(?<!\bbeing )\b(?:blocked|banned|locked out|suspended)\b",
    re.IGNORECASE,
)
WRONG = re.compile(r"\b(?:in|un)?(?:valid|wrong|missing|unknown|authori[sz]ed)\b", re.IGNORECASE)
WRONG_KEY = re.compile(
    r"\b(?:invalid|wrong|unknown|incorrect|expired|revoked|not valid|does not exist)\b",
    re.IGNORECASE,
)
"""Said of a key that worked: perhaps it was replaced. "Unauthorized" alone says nothing."""
NO_RIGHT = re.compile(
    r"\b(?:permissions?|privileges?|insufficient scope|subscription|your plan|upgrade)\b",
    re.IGNORECASE,
)
_LONGEST_WAIT = 28_800.0
"""Seconds; no block of the service is longer (specification, Limits: 6 to 8 hours)."""


def is_rate_error(status: int, said: str | None, text: str) -> bool:
    """Whether the answer speaks of the request rate. That a write so answered had no effect is
    another question: :attr:`~repair_shop.http.answers.Reading.proves_no_effect`.

    ``said``: what came where data belongs, None if data did; ``text``: an excerpt of the answer.
    """
    if status < 400 and (status not in (200, 201) or said is None):
        return False
    words = f"{said} {text}" if status >= 400 else str(said)
    return not BLOCKED.search(words) and bool(_RATE.search(words) or _WAIT.search(words))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header: a number, or a date of the service's own clock.

    None for what is neither. At most what the service's longest block lasts.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value, re.ASCII):
        return min(float(value), _LONGEST_WAIT)
    moment = moment_of(value)
    if moment is None:
        return None
    now = date_of(headers) or datetime.now(UTC)
    return min(max(0.0, (moment - now).total_seconds()), _LONGEST_WAIT)
