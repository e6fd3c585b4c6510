"""What the service answered to a write: whether it proves success, and the words that are kept.

A success status proves little: services have been seen to answer ``200 {"id": 7, "error": "Customer
is locked"}``. Proof is what the specification promises, ``{"id": ...}``, with words that affirm it
perhaps, or the record as it was sent. What is neither is no failure either: it is looked up.
"""

from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.change import NAMES, Change, Fields, as_id
from pipelines.outbox.match import KEYS, Match, compare
from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.http.client import Answer
from sources.repair_shop.schema.clean import clean_row

MOST_ANSWER = 500
"""Characters kept of what the service answered."""


def short(answer: Answer) -> str:
    """What the service said, as far as it is kept."""
    return answer.body.decode("utf-8", "replace")[:MOST_ANSWER]


def named_id(answer: Answer, change: Change) -> str | None:
    """The id that an answer names for what was created, whether or not it proves it."""
    found = _content(answer)
    return as_id(found["id"]) if change.op == "create" and "id" in found else None


def proven_id(answer: Answer, change: Change, body: Fields, before: Fields, zone: ZoneInfo) -> str:
    """The id of the record that an answer proves to be written; empty if it proves none."""
    content = _content(answer)
    if change.op == "delete":
        # "DELETE returns 200 with no content" (specification, Common conventions).
        is_plain = content == {} or content.keys() == {"id"}
        return str(change.record_id) if is_plain and not isinstance(answer.payload, str) else ""
    named = as_id(content.get("id"))
    if named is None:
        return ""
    if change.op == "update":
        known = {change.record_id, *(str(before[name]) for name in NAMES if before.get(name))}
        if named not in known:
            return ""
        named = str(change.record_id)
    return named if _affirms(content) or _echoes(content, change, body, zone) else ""


def _affirms(content: dict[str, Any]) -> bool:
    """Whether an answer says nothing beside the id but that it was done."""
    return all(
        name in ("id", "message") or str(value).lower() in _AFFIRMED.get(name, ())
        for name, value in content.items()
    )


_AFFIRMED = {"success": ("true",), "ok": ("true",), "status": ("success", "ok", "200", "201")}


def _content(answer: Answer) -> dict[str, Any]:
    """The object that an answer holds, out of what wraps it; empty if there is none."""
    found = answer.payload
    if isinstance(found, dict) and len(found) == 1:
        [inner] = found.values()
        found = inner if isinstance(inner, dict | list) else found
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    return found if isinstance(found, dict) else {}


def _echoes(content: dict[str, Any], change: Change, body: Fields, zone: ZoneInfo) -> bool:
    """Whether an answer is the record as it was sent."""
    row = clean_row(content, change.resource, zone)
    grades = {name: compare(change.resource, name, body[name], row, zone) for name in body}
    keys = [name for name in KEYS.get(change.resource, ()) if name in body] or list(body)
    return Match.DIFFERENT not in grades.values() and all(grades[k] is Match.SAME for k in keys)


def place_of_upload(answer: Answer, target: str) -> str:
    """The place for a file that ``Location`` names; :class:`BadAnswer` if it names none."""
    place = answer.headers.get("location", "").rstrip("/").rpartition("/upload/")[2]
    if as_id(place) is None:
        raise BadAnswer("no Location of the form .../upload/{uploadId}", method="POST", path=target)
    return place
