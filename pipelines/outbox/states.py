"""The states of a change (interface page, Write-back), and which may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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


def check_move(old: State, new: State, number: int) -> None:
    """Raise :class:`ValueError` when change ``number`` may not go from ``old`` to ``new``."""
    if new is not old and new not in TRANSITIONS[old]:
        raise ValueError(f"change {number} cannot go from {old} to {new}")
