"""What the service answered to a write: whether it proves success, and the words that are kept.

A success status proves little: services have been seen to answer ``200 {"id": 7, "error": "Customer
is locked"}``. What does not prove success is not failure either; it is read back and compared.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.outbox.change import as_id
from sources.repair_shop.http.client import Answer

MOST_ANSWER = 500
"""Characters kept of what the service answered."""
_EMPTY: tuple[Any, ...] = (None, "", False, 0, [], {}, "0", "false", "no", "none", "null", "ok")
_FAULT_NAMES = re.compile(r".*(?:errors?|exceptions?|failures?|warnings?)|error.*|faults?|failed")
_SUCCESS_NAMES = frozenset({"success", "successful", "succeeded", "issuccess", "ok"})
_VERDICT_NAMES = frozenset({"status", "statuscode", "code", "result", "outcome", "state", "type"})
_TEXT_NAMES = frozenset({"message", "messages", "msg", "detail", "details", "reason", ""})
_ERROR_STATUS = re.compile(r"[45]\d\d")
_FAILED = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ure)?|exceptions?|refused|rejected|denied|invalid|forbidden|locked"
    r"|cannot|can't|could not|couldn't|not (?:be )?(?:saved|allowed|found|possible|permitted)"
    r"|unable|exceeded|limit reached)\b",
    re.IGNORECASE,
)


def doubt_of(answer: Answer, op: str, path: str, names: Sequence[Any] = ()) -> str:
    """Why an answer under a success status does not prove that the write took effect; empty when
    it does: no sign of an error anywhere in it, and the id that the specification promises
    (Common conventions: a delete answers with no content; uploads name none)."""
    if sign := error_sign(answer.payload):
        return f"the answer shows an error ({sign})"
    named = id_of(answer, path)
    if op == "create" and named is None:
        return "the answer names no id"
    if op == "update" and str(named).casefold() not in {str(name).casefold() for name in names}:
        return f"the answer names {'no id' if named is None else 'another id, ' + named}"
    return ""


def error_sign(payload: Any) -> str:
    """The first field of an answer, at any depth, that speaks of a failure; empty if none does."""
    for name, value in _fields(payload):
        if _is_sign(re.sub(r"[^a-z]", "", name.lower()), value):
            return f"{name}: {value!s:.80}" if name else f"{value!s:.80}"
    return ""


def _fields(payload: Any) -> Iterator[tuple[str, Any]]:
    """Every name and value of an answer; a value of no field has the name ""."""
    left: deque[tuple[str, Any]] = deque([("", payload)])
    while left:
        name, value = left.popleft()
        yield name, value
        if isinstance(value, dict):
            left += [(str(key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            left += [(name, inner) for inner in value]


def _is_sign(name: str, value: Any) -> bool:
    plain = value.strip().casefold() if isinstance(value, str) else value
    if name in _SUCCESS_NAMES:
        return plain != "ok" and plain in _EMPTY
    if name and _FAULT_NAMES.fullmatch(name):
        return plain not in _EMPTY
    if name in _VERDICT_NAMES and _ERROR_STATUS.fullmatch(str(value)):
        return True
    speaks = name in _VERDICT_NAMES or name in _TEXT_NAMES
    return speaks and isinstance(value, str) and bool(_FAILED.search(value))


def id_of(answer: Answer, path: str) -> str | None:
    """The id of what was created; some services say it in ``Location`` only."""
    payload = answer.payload
    if isinstance(payload, dict) and isinstance(payload.get("data"), dict):
        payload = payload["data"]
    if isinstance(payload, list) and len(payload) == 1:
        payload = payload[0]
    found = payload.get("id") if isinstance(payload, dict) else None
    if isinstance(found, list) and found:
        found = found[0]
    if found in (None, "", []):
        list_path, _, found = answer.headers.get("location", "").rstrip("/").rpartition("/")
        found = found if list_path.endswith(path) else None
    return as_id(found)


def short(answer: Answer) -> str:
    """What the service said, as far as it is kept."""
    return answer.body.decode("utf-8", "replace")[:MOST_ANSWER]
