"""Tells one answer apart: rows, a refusal, the rate limit, a service or proxy that failed.

No failure of the wire may pass for "no more rows". No status and no words are specified for the
rate limit, only an error message (specification, Limits; Errors, 4 and 5). English and Spanish are
known; what is told otherwise shows by its refusing everything (:mod:`repair_shop.http.refusals`).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ..errors import (
    BadAnswer,
    ConfigurationError,
    NoRows,
    NotAllowed,
    NotFound,
    ValidationRefused,
    wording,
    wrong_address,
)
from .answers import describe, has_data, message_of, short
from .json_body import parse_json
from .service_clock import date_of, moment_of

_RATE = re.compile(
    r"rate[\s_-]*limit|(?:request|api|call)s?[\s_-]*(?:rate|limit|quota)"
    r"|too[\s_-]*many[\s_-]*requests|requests?[\s_]*(?:per|a|/)[\s_]*(?:one[\s_]+)?min"
    r"|limit of \d+ requests|throttl"
    r"|demasiad\w+ (?:solicitudes|peticiones|consultas|llamadas)"
    r"|l[íi]mite de (?:solicitudes|peticiones|consultas|llamadas)"
    r"|wait[\s\w]{0,20}\bminute|\bespere[\s\w]{0,20}\bminuto",
    re.IGNORECASE,
)
_LOOSE_RATE = re.compile(r"\brate\b|\blimit|too many|slow down|\bwait\b|\bminute\b", re.IGNORECASE)
"""Said with a 401 or 403, which on a key that works mostly stands for the limit."""
_BLOCKED = re.compile(
    r"(?<!\bbe )(?<!\bget )(?<!\bgets )(?<!\bbeing )\b(?:blocked|banned|locked out|suspended)\b",
    re.IGNORECASE,
)
_WRONG = re.compile(r"\b(?:in|un)?(?:valid|wrong|missing|unknown|authori[sz]ed)\b", re.IGNORECASE)
WRONG_KEY = re.compile(
    r"\b(?:invalid|wrong|unknown|incorrect|expired|revoked|not valid|does not exist)\b",
    re.IGNORECASE,
)
"""Said of a key that worked: perhaps it was replaced. "Unauthorized" alone says nothing."""
_NO_RIGHT = re.compile(
    r"\b(?:permissions?|privileges?|insufficient scope|subscription|your plan|upgrade)\b",
    re.IGNORECASE,
)
_LONGEST_WAIT = 28_800.0
"""Seconds; no block of the service is longer (specification, Limits: 6 to 8 hours)."""
_FLAGS = ("message", "msg", "detail", "success", "ok", "status", "code", "statuscode")
"""Fields of an answer that is a message and nothing else."""

Kind = Literal["ok", "rate", "denied", "refused", "missing", "server", "broken", "alien"]
"""``ok`` a proper answer · ``rate`` too many requests · ``denied`` 401/403 · ``refused`` the
service said no · ``missing`` 404 · ``server`` 5xx · ``broken`` cut off or replaced on its way ·
``alien`` an answer in another language (XML, a redirect, text)."""

_REFUSALS: Mapping[int, Kind] = {401: "denied", 403: "denied", 404: "missing"}


@dataclass(frozen=True, slots=True)
class Classified:
    """One answer, told apart. ``text`` is the service's error text or a short excerpt."""

    kind: Kind
    status: int
    payload: Any = None
    text: str = ""
    retry_after: float | None = None
    expected: str = ""

    @property
    def wording(self) -> str:
        """See :func:`~repair_shop.errors.wording`."""
        return wording(self.status, self.text)

    @property
    def proves_no_effect(self) -> bool:
        """Whether a rate error by its status alone says that the request was not worked on.

        Under any other status its words may be about something else: "Payment saved, but the
        receipt could not be sent: SMS API limit reached".
        """
        return self.status in (401, 403, 429)


def classify(
    status: int, headers: Mapping[str, str], body: bytes, *, method: str = "GET"
) -> Classified:
    """Tell what came. ``method`` matters for empty bodies, which only writes may have."""
    payload, fault = _payload(body)
    is_read = method == "GET"
    error = _error_text(payload, is_read=is_read)
    text = short(error or body[:640].decode("utf-8", "replace"))
    words = error or (_instead_of_data(payload, fault, body) if is_read else None) or ""
    if status >= 400:
        words += f" {text}"
    is_rate = status in (200, 201) or status >= 400
    is_rate = is_rate and not _BLOCKED.search(words) and bool(_RATE.search(words))
    expected = ""
    kind: Kind = "rate"
    if status != 429 and not is_rate:
        kind, expected = _kind_of(status, body, fault, error, is_read=is_read)
    return Classified(kind, status, payload, text, retry_after(headers), expected)


def _kind_of(
    status: int, body: bytes, fault: str | None, error: str | None, *, is_read: bool
) -> tuple[Kind, str]:
    """What is no rate error, and what was expected in its place."""
    if status >= 500:
        return "server", "an answer (the service or a proxy failed)"
    if status >= 400:
        return _REFUSALS.get(status, "refused"), ""
    # No content is what a write may well be answered by; it proves as little.
    if status not in ((200, 201) if is_read else (200, 201, 204)):
        return "alien", f"status 200 or 201 instead of {status}"
    if error is not None:
        return "refused", "rows instead of an error under status 200"
    if not body.strip():
        return ("broken", "JSON instead of an empty body") if is_read else ("ok", "")
    if fault is None:
        return "ok", ""
    start = body.lstrip()[:200].lower()
    if start.startswith(b"<!doctype") or b"<html" in start:
        return "broken", "JSON instead of an HTML page"
    if start.startswith(b"<"):
        return "alien", "JSON instead of XML"
    return "broken", f"complete JSON ({fault})"


def denied_kind(
    answer: Classified, *, worked: bool
) -> Literal["rate", "block", "wrong key", "no right", "denied"]:
    """What a 401 or 403 says (field notes: a working key meets the rate limit as 401).

    ``denied``: a key that worked was refused without words that tell why. A key that never worked
    is a wrong key, unless the answer speaks of the rate and not of the key.
    """
    blocked = _BLOCKED.search(answer.text)
    if not worked:
        about_rate = answer.kind == "rate" and not _WRONG.search(answer.text)
        return "rate" if about_rate and not blocked else "wrong key"
    if blocked:
        return "block"
    if answer.kind == "rate" or _LOOSE_RATE.search(answer.text):
        return "rate"
    # Not on the word of a proxy's page: such pages also speak of permission when they shut us out.
    error = _error_text(answer.payload, is_read=False)
    return "no right" if error and _NO_RIGHT.search(error) else "denied"


def error_of(
    answer: Classified, method: str, path: str, *, worked: bool
) -> BadAnswer | ConfigurationError:
    """The error that an improper answer stands for.

    A write that was answered with a success or a redirect may have been applied, whatever it means
    for the settings: that is a plain :class:`BadAnswer`, which the client leaves in doubt.
    """
    kind, status = answer.kind, answer.status
    known: dict[str, Any] = {
        "method": method,
        "path": path,
        "status": status,
        "excerpt": answer.text,
    }
    perhaps_applied = method not in ("GET", "HEAD") and 200 <= status < 400
    if 300 <= status < 400:
        told = (
            f"was redirected (status {status}). base_url must be the address that answers itself."
        )
        if perhaps_applied or worked:  # of a read in passing: a page of maintenance, a login
            return BadAnswer(f"it {told}", transient=not perhaps_applied, **known)
        return ConfigurationError(f"{method} {path} {told}")
    looks_foreign = not (isinstance(answer.payload, dict | list) or perhaps_applied)
    if (
        not worked
        and status != 204
        and looks_foreign
        and kind in ("missing", "broken", "alien", "refused")
    ):
        return wrong_address(f"{method} {path} was answered with status {status} and no JSON")
    if kind == "missing":
        return NotFound("the service has no such path or record (404)", **known)
    if kind == "denied":
        return NotAllowed(f"the key has no right to it ({status})", **known)
    if kind == "refused" and status >= 400:
        return ValidationRefused(f"the service refused it ({status})", **known)
    if kind == "refused":
        # Perhaps a fault in passing: "please try again".
        message = f"the service refused it ({status} under a success status)"
        return ValidationRefused(message, transient=True, **known)
    error = NoRows if status == 204 and method == "GET" else BadAnswer
    return error(
        f"the service answered {status} where we expected {answer.expected}",
        transient=kind in ("server", "broken"),
        **known,
    )


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


def _payload(body: bytes) -> tuple[Any, str | None]:
    try:
        return parse_json(body), None
    except ValueError as error:
        if isinstance(error.__cause__, RecursionError):
            return None, str(error)
        position = getattr(error, "pos", None)
        return None, "cut off or damaged" + (f" at byte {position}" if position else "")


def _error_text(payload: Any, *, is_read: bool) -> str | None:
    """The text of the specification's error body (Errors, 2), however it is wrapped.

    So are an answer without data that calls itself a failure, and to a read a message alone.
    """
    may_be_words = is_read and isinstance(payload, dict)
    if isinstance(payload, list) and len(payload) == 1:
        payload = payload[0]
    if not isinstance(payload, dict) or "id" in payload:
        return None
    fields = {str(name).lower(): value for name, value in payload.items()}
    error = next((value for name, value in fields.items() if name in ("error", "errors")), None)
    if error not in (None, "", False, [], {}):
        if isinstance(error, dict):
            error = error.get("message") or error
        return error if isinstance(error, str) else json.dumps(error, default=str)
    if has_data(payload):
        return None
    message, status = message_of(payload), str(fields.get("status")).lower()
    flags = [fields[name] for name in ("success", "ok") if name in fields]
    codes = [fields.get(name) for name in ("status", "code", "statuscode") if message]
    if (
        any(flag in (False, "false", "0") for flag in flags)
        or status in ("error", "fail", "failed", "failure")
        or any(isinstance(code, int) and 400 <= code < 600 for code in codes)
    ):
        return message or describe(payload)
    return message if may_be_words and fields.keys() <= {*_FLAGS} else None


def _instead_of_data(payload: Any, fault: str | None, body: bytes) -> str | None:
    """Words that came where data belongs: a message, or a text that is no JSON."""
    if fault is not None:
        start = body.lstrip()[:2000]
        return None if start.startswith((b"[", b"{")) else start.decode("utf-8", "replace")
    if isinstance(payload, dict) and "id" not in payload and not has_data(payload):
        return message_of(payload)
    return None
