"""A change, on its way into the queue and as it stands in it; its states (interface page,
Write-back), and which may follow which."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pipelines.bodies.fields import Queued, QueuedRow

Reference = Queued | QueuedRow
"""The id that a change still in the queue will get: by its number, or by its row in one call."""

Fields = Mapping[str, Any]
"""Names and values: of a body, of a record as the sync cleans it, of a basis."""
Rows = Mapping[str, Fields]
"""Records by id."""


class State(StrEnum):
    """Where a change stands."""

    QUEUED = "queued"
    """Waits for the next push, or for a change it refers to."""
    SENDING = "sending"
    """Committed before the request leaves; found by a later push, it is in doubt."""
    DONE = "done"
    """The service has it."""
    IN_DOUBT = "in_doubt"
    """It may have been applied: looked up, never resent blindly."""
    REJECTED = "rejected"
    """The service or our validation said no, or a person discarded it."""
    CONFLICT = "conflict"
    """The record changed since the value it was based on."""


_LONGEST_ID = 128
_NO_IDS = frozenset({"false", "true", "none", "null", "nil", "undefined", "nan", "error"})


def as_id(value: Any) -> str | None:
    """An id as text: a whole number above 0, or a word that can stand in a path."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    if isinstance(value, Decimal):
        whole = value.is_finite() and value.adjusted() < 20 and value == value.to_integral_value()
        if not whole:
            return None
        value = int(value)
    text = str(value).strip()
    numeric = re.fullmatch(r"-?[0-9]+", text)
    if numeric and int(text[:_LONGEST_ID]) <= 0:
        return None
    word = re.fullmatch(r"[^\s/?#\x00-\x1f]*[^\W_][^\s/?#\x00-\x1f]*", text[: _LONGEST_ID + 1])
    ok = len(text) <= _LONGEST_ID and word is not None and text.casefold() not in _NO_IDS
    return text if ok else None


NAMES = ("ref", "ticket_ref", "ticket_no", "internal_id")
"""Columns of a record by which a service may name what it wrote, instead of by its id."""

STATES: tuple[State, ...] = tuple(State)

OPEN = (State.QUEUED, State.SENDING, State.IN_DOUBT, State.CONFLICT)
"""What may still be sent, or be sent again."""

TRANSITIONS: Mapping[State, frozenset[State]] = {
    # To in_doubt: it may have been sent from a copy of this queue.
    State.QUEUED: frozenset({State.SENDING, State.REJECTED, State.CONFLICT, State.IN_DOUBT}),
    # To queued: the answer proved that it had no effect, or it never left.
    State.SENDING: frozenset({State.DONE, State.REJECTED, State.IN_DOUBT, State.QUEUED}),
    # To done: adopted. To sending: proved absent. To queued and rejected: on a person's word, or
    # the service refused it and does not show it.
    State.IN_DOUBT: frozenset({State.DONE, State.SENDING, State.QUEUED, State.REJECTED}),
    State.CONFLICT: frozenset({State.QUEUED, State.REJECTED}),
    State.REJECTED: frozenset({State.QUEUED}),
    State.DONE: frozenset(),
}
"""State -> the states that may follow it; staying is always allowed."""


@dataclass(frozen=True)
class Change:
    """One row of the queue. Times are seconds since 1970; JSON columns are decoded."""

    number: int
    shop: str
    resource: str
    op: str
    record_id: str | None
    body: dict[str, Any]
    base: dict[str, Any]
    file: dict[str, Any] | None
    marker: str | None
    state: State
    id: str | None
    reason: str
    queued_by: str
    queued_at: float
    attempts: int
    sent_body: dict[str, Any] | None
    sent_at: float | None
    baseline: dict[str, Any] | None
    progress: dict[str, Any]
    lookups: int
    next_lookup: float | None
    for_person: bool
    alone: bool
    merged_into: int | None
    answer: str | None
    pushed_at: float | None
    service: int | None = None
    doubted_since: float | None = None
    is_copied: bool = False

    @property
    def what(self) -> str:
        """``change 7 (update customers c-1)``, for messages."""
        target = f" {self.record_id}" if self.record_id else ""
        return f"change {self.number} ({self.op} {self.resource}{target})"


Group = Sequence[Change]
"""A change, or several updates of one record that leave as one request."""


@dataclass(frozen=True)
class NewChange:
    """A validated change on its way into the queue; ``body`` may hold references, too."""

    shop: str
    resource: str
    op: str
    record_id: str | Reference | None
    body: dict[str, Any]
    base: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] | None = None
    marker: str | None = None
    where: str = ""
