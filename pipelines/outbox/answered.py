"""What the service answered to a write: the id of what was made, and the words that are kept."""

from __future__ import annotations

from sources.repair_shop.http.client import Answer

MOST_ANSWER = 500
"""Characters kept of what the service answered."""


def id_of(answer: Answer, path: str) -> str | None:
    """The id of what was created; some services say it in ``Location`` only."""
    payload = answer.payload
    if isinstance(payload, dict) and isinstance(payload.get("data"), dict):
        payload = payload["data"]
    if isinstance(payload, list) and len(payload) == 1:
        payload = payload[0]
    found = payload.get("id") if isinstance(payload, dict) else None
    if isinstance(found, list):
        found = found[0] if found else None
    if found in (None, "") or isinstance(found, dict):
        list_path, _, found = answer.headers.get("location", "").rstrip("/").rpartition("/")
        found = found if list_path.endswith(path) else ""
    return str(found) if found not in (None, "") else None


def short(answer: Answer) -> str:
    """What the service said, as far as it is kept."""
    return answer.body.decode("utf-8", "replace")[:MOST_ANSWER]
