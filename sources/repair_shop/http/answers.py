"""Reading the service's answers: bytes in, rows out, and a clear error for everything else.

Two steps. :func:`read_answer` tells what kind of answer came (proper, rate error, refused key,
refused request, broken, something else altogether); it never mistakes a failure of the wire for
"no more rows". :func:`rows_of` and :func:`detail_of` take the rows out of whatever envelope this
service uses (field notes, Shapes); anything they do not know raises, naming what was seen.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ..errors import (
    BadAnswer,
    ConfigurationError,
    NoRows,
    NotAllowed,
    NotFound,
    ValidationRefused,
    wording,
)
from ..http.limits import BLOCKED, LOOSE_RATE, NO_RIGHT, WRONG, is_rate_error, retry_after
from .json_body import parse_json as parse_json  # bytes in: part of this module's face

Kind = Literal["ok", "rate", "denied", "refused", "missing", "server", "broken", "alien"]
"""``ok`` a proper answer · ``rate`` too many requests · ``denied`` 401/403 · ``refused`` the
service said no · ``missing`` 404 · ``server`` 5xx · ``broken`` cut off or replaced on its way ·
``alien`` an answer in another language (XML, a redirect, text)."""

_COMMON_ENVELOPES = ("data", "items", "results", "records", "rows")
_MESSAGES = ("message", "msg", "detail")
_FLAGS = ("success", "ok", "status", "code", "statuscode")
_EXCERPT = 160


@dataclass(frozen=True, slots=True)
class Reading:
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


def read_answer(
    status: int, headers: Mapping[str, str], body: bytes, *, method: str = "GET"
) -> Reading:
    """Tell what came. ``method`` matters for empty bodies, which only writes may have."""
    payload, fault = _payload(body)
    error = _error_text(payload)
    if error is None and method == "GET" and _is_words_alone(payload):
        error = _words(payload)
    raw = error or body[: 4 * _EXCERPT].decode("utf-8", "replace")
    text = _short(raw)
    said = error or (_instead_of_data(payload, fault, body) if method == "GET" else None)
    kind: Kind
    if status == 429 or is_rate_error(status, said, text):
        kind, expected = "rate", ""
    elif status in (200, 201):
        kind, expected = _kind_of_success(body, fault, error, method)
    else:
        kind, expected = _kind_of_failure(status)
    return Reading(kind, status, payload, text, retry_after(headers), expected)


def _kind_of_failure(status: int) -> tuple[Kind, str]:
    """What a status other than 200 and 201 stands for, and what was expected instead."""
    if status in (401, 403):
        return "denied", ""
    if status == 404:
        return "missing", ""
    if status >= 500:
        return "server", "an answer (the service or a proxy failed)"
    if status >= 400:
        return "refused", ""
    return "alien", f"status 200 or 201 instead of {status}"


def _kind_of_success(
    body: bytes, fault: str | None, error: str | None, method: str
) -> tuple[Kind, str]:
    """What came under a success status: what was asked for, or something else altogether."""
    if error is not None:
        return "refused", "rows instead of an error under status 200"
    if not body.strip():
        return ("broken", "JSON instead of an empty body") if method == "GET" else ("ok", "")
    if fault is None:
        return "ok", ""
    start = body.lstrip()[:200].lower()
    if start.startswith((b"<!doctype", b"<html")) or b"<html" in start:
        return "broken", "JSON instead of an HTML page"
    if start.startswith(b"<"):
        return "alien", "JSON instead of XML"
    return "broken", f"complete JSON ({fault})"


def denied_kind(
    reading: Reading, *, worked: bool
) -> Literal["rate", "block", "wrong key", "no right", "denied"]:
    """What a 401 or 403 says (field notes: a working key meets the rate limit as 401).

    ``denied``: a key that worked was refused without words that tell why. A key that never worked
    is a wrong key, unless the answer speaks of the rate and not of the key.
    """
    blocked = BLOCKED.search(reading.text)
    if not worked:
        about_rate = reading.kind == "rate" and not WRONG.search(reading.text)
        return "rate" if about_rate and not blocked else "wrong key"
    if blocked:
        return "block"
    if reading.kind == "rate" or LOOSE_RATE.search(reading.text):
        return "rate"
    # Not on the word of a proxy's page: such pages also speak of permission when they shut us out.
    said = _error_text(reading.payload)
    return "no right" if said and NO_RIGHT.search(said) else "denied"


def error_of(
    reading: Reading, method: str, path: str, *, worked: bool
) -> BadAnswer | ConfigurationError:
    """The error that an improper answer stands for.

    A write that was answered with a success or a redirect may have been applied, whatever it means
    for the settings: that is a plain :class:`BadAnswer`, which the client leaves in doubt.
    """
    known: dict[str, Any] = {
        "method": method,
        "path": path,
        "status": reading.status,
        "excerpt": reading.text,
    }
    perhaps_applied = method not in ("GET", "HEAD") and 200 <= reading.status < 400
    if 300 <= reading.status < 400:
        said = (
            f"{method} {path} was redirected (status {reading.status}). base_url must be the "
            "address that answers itself."
        )
        return BadAnswer(said, **known) if perhaps_applied else ConfigurationError(said)
    looks_foreign = not isinstance(reading.payload, dict | list) and not perhaps_applied
    if not worked and looks_foreign and reading.kind in ("missing", "broken", "alien", "refused"):
        return ConfigurationError(
            f"base_url does not look like the service: {method} {path} was answered with status "
            f"{reading.status} and no JSON. It ends with /v1 (specification, Versioning)."
        )
    if reading.kind == "missing":
        return NotFound("the service has no such path or record (404)", **known)
    if reading.kind == "denied":
        return NotAllowed(f"the key has no right to it ({reading.status})", **known)
    if reading.kind == "refused":
        status = "" if reading.status >= 400 else " under a success status"
        # Said with a success it may be a fault in passing.
        said = f"the service refused it ({reading.status}{status})"
        return ValidationRefused(said, transient=bool(status), **known)
    kind = NoRows if reading.status == 204 and method == "GET" else BadAnswer
    return kind(
        f"the service answered {reading.status} where we expected {reading.expected}",
        transient=reading.kind in ("server", "broken"),
        **known,
    )


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A proper answer. ``payload`` has amounts as Decimal; ``body`` is what came, for keeping."""

    path: str
    payload: Any
    status: int
    headers: Mapping[str, str]
    sent_at: datetime
    answered_at: datetime
    body: bytes

    def __repr__(self) -> str:
        return f"Answer({self.path!r}, {self.status}, {len(self.body)} bytes)"

    def rows(self) -> list[dict[str, Any]]:
        """The rows of a list endpoint; :class:`BadAnswer` when it is no list we know."""
        return rows_of(self.payload, self.path)

    def detail(self) -> dict[str, Any]:
        """The object of a detail endpoint; :class:`BadAnswer` when it is none."""
        return detail_of(self.payload, self.path)


def rows_of(payload: Any, path: str) -> list[dict[str, Any]]:
    """The rows of a list: bare, or enveloped (one level in another).

    ``path`` is the endpoint's, whose words an envelope may bear (``/ticketInvoices`` →
    ``ticketInvoices``, ``ticket_invoices``). :class:`BadAnswer` for anything else.
    """
    found = _unwrap(payload, path, deep=True)
    if found is None:
        kind, said = _instead_of_rows(payload, path)
        wanted = "where a list of rows was expected"
        raise kind.of_read(f"the service answered {describe(payload)} {wanted}", path, said)
    return found


def _instead_of_rows(payload: Any, path: str) -> tuple[type[BadAnswer], str]:
    """The error of a payload without rows: nothing at all, words in their place, or another."""
    nothing: tuple[Any, ...] = (None, {}, [{}])
    if payload in nothing:
        return NoRows, ""
    if not isinstance(payload, dict) or _has_data(payload):
        return BadAnswer, ""
    bare = [name for name in _envelope_keys(payload, path) if payload[name] in nothing]
    if bare and len(payload) == 1:
        return NoRows, ""
    # Words alone, no data: a person's may stand in any other field.
    said = _words(payload)
    if said is not None or bare:
        return ValidationRefused, _short(said or describe(payload))
    return BadAnswer, ""


def detail_of(payload: Any, path: str) -> dict[str, Any]:
    """One object: itself, alone in a list, or in an envelope. :class:`BadAnswer` for the rest."""
    if isinstance(payload, list) and len(payload) == 1 and isinstance(payload[0], dict):
        return payload[0]
    if isinstance(payload, dict) and payload:
        if "id" in payload:
            return payload
        for name in _envelope_keys(payload, path):
            inner = payload[name]
            if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
                return inner[0]
            if isinstance(inner, dict) and inner:
                return inner
        return payload
    raise BadAnswer.of_read(
        f"the service answered {describe(payload)} where one object was expected", path
    )


def describe(payload: Any) -> str:
    """The shape of a payload in a few words, without its data."""
    if isinstance(payload, dict):
        names = ", ".join(sorted(map(str, payload))[:8])
        return f"an object with the fields {names}" if names else "an empty object"
    if isinstance(payload, list):
        kinds = sorted({_kind_name(item) for item in payload})
        return f"a list of {', '.join(kinds)}" if kinds else "an empty list"
    return _kind_name(payload)


def _unwrap(payload: Any, path: str, *, deep: bool) -> list[dict[str, Any]] | None:
    if isinstance(payload, list):
        is_rows = all(isinstance(row, dict) for row in payload) and payload != [{}]
        return payload if is_rows else None
    if not isinstance(payload, dict):
        return None
    for name in _envelope_keys(payload, path):
        inner = payload[name]
        if isinstance(inner, list):
            return _unwrap(inner, path, deep=False)
        if deep and isinstance(inner, dict):
            found = _unwrap(inner, path, deep=False)
            if found is not None:
                return found
    return None


def _envelope_keys(payload: dict[str, Any], path: str) -> list[str]:
    """The fields that may hold the rows: those named like the endpoint first."""
    words = [word for word in path.split("/") if word]
    # /shipments/deleted may come as shipments_deleted.
    wanted = ["".join(words), *reversed(words), *_COMMON_ENVELOPES]
    by_name: dict[str, str] = {}
    for name in payload:
        by_name.setdefault(_plain(name), name)
    return [by_name[word] for word in dict.fromkeys(map(_plain, wanted)) if word in by_name]


def _plain(name: str) -> str:
    """A name without case, underscores and plural, so that all its spellings are one."""
    stem = re.sub(r"[^a-z0-9]", "", name.lower()).rstrip("es")
    return stem[:-1] + "i" if stem.endswith("y") else stem


def _payload(body: bytes) -> tuple[Any, str | None]:
    try:
        return parse_json(body), None
    except ValueError as error:
        if isinstance(error.__cause__, RecursionError):
            return None, str(error)
        position = getattr(error, "pos", None)
        return None, "cut off or damaged" + (f" at byte {position}" if position else "")


def _error_text(payload: Any) -> str | None:
    """The text of the specification's error body (Errors, 2), however it is wrapped."""
    if isinstance(payload, list) and len(payload) == 1:
        payload = payload[0]
    if not isinstance(payload, dict) or "id" in payload:
        return None
    error = next((v for k, v in payload.items() if k.lower() in ("error", "errors")), None)
    if error in (None, "", False, [], {}):
        return _failure(payload)
    if isinstance(error, dict):
        error = error.get("message") or error
    return error if isinstance(error, str) else json.dumps(error, default=str)


def _failure(payload: dict[str, Any]) -> str | None:
    """What an answer without rows says that calls itself a failure: not that there are none."""
    told = {str(name).lower(): value for name, value in payload.items()}
    flags = [told[name] for name in ("success", "ok") if name in told]
    words, codes = _words(payload), [told.get(name) for name in ("status", "code", "statuscode")]
    failed = any(flag in (False, "false", "0") for flag in flags)
    failed = failed or str(told.get("status")).lower() in ("error", "fail", "failed", "failure")
    failed = failed or any(isinstance(code, int) and 400 <= code < 600 for code in codes if words)
    return (words or describe(payload)) if failed and not _has_data(payload) else None


def _instead_of_data(payload: Any, fault: str | None, body: bytes) -> str | None:
    """Words that came where data belongs: a message alone, or a text that is no JSON."""
    if fault is not None:
        start = body.lstrip()[:2000]
        return None if start.startswith((b"[", b"{")) else start.decode("utf-8", "replace")
    if isinstance(payload, dict) and "id" not in payload and not _has_data(payload):
        return _words(payload)
    return None


def _has_data(payload: dict[str, Any]) -> bool:
    return any(isinstance(value, dict | list) and value for value in payload.values())


def _is_words_alone(payload: Any) -> bool:
    """Whether an answer is a message and nothing else."""
    names = {str(name).lower() for name in payload} if isinstance(payload, dict) else set()
    return bool(names) and names <= {*_MESSAGES, *_FLAGS}


def _words(payload: dict[str, Any]) -> str | None:
    """The message of an answer, under the names that are usual for it."""
    named = (v for k, v in payload.items() if k.lower() in _MESSAGES)
    return next((said for said in named if isinstance(said, str)), None)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1] + "…"


def _kind_name(item: Any) -> str:
    names = {dict: "objects", list: "lists", str: "text", bool: "true/false", type(None): "null"}
    return names.get(type(item), "numbers")
