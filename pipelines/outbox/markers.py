"""Markers: a short token in a free-text field of what is created, where the user allows it.

With a marker only the record that shows it is ours.
"""

import json
import uuid
from collections.abc import Mapping
from typing import Any

MARKER_FIELDS: Mapping[str, str] = {
    "customers": "comments",
    "tickets": "issueDescription",
    "ticket_comments": "comment",
    "ticket_timers": "notes",
    "payments": "paymentNote",
    "products": "description",
    "adjustments": "notes",
    "leads": "description",
    "appointments": "description",
    "time_clock": "inNotes",
}
"""Resource -> free-text field that takes a marker; a payment's is in each of its lines."""


def marked_body(resource: str, body: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The body of a create with a new marker in it, and the marker; None where no field takes
    one."""
    name = MARKER_FIELDS.get(resource)
    if name is None:
        return body, None
    marker = f"sm-{uuid.uuid4().hex[:10]}"
    if resource == "payments":
        lines = [_with_note(line, name, marker) for line in body["lines"]]
        return {**body, "lines": lines}, marker
    return _with_note(body, name, marker), marker


def _with_note(values: Mapping[str, Any], name: str, marker: str) -> dict[str, Any]:
    return {**values, name: f"{values.get(name) or ''} [{marker}]".strip()}


def holds(row: Mapping[str, Any], marker: str) -> bool:
    """Whether a record shows the marker anywhere, in capitals perhaps, or without its hyphen."""
    return marker.rpartition("-")[2] in json.dumps(row, default=str).lower()
