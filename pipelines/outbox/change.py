"""A change: on its way into the queue, and as it stands in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipelines.outbox.states import State


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


@dataclass(frozen=True)
class NewChange:
    """A validated change on its way into the queue. References to rows are 1-based."""

    shop: str
    resource: str
    op: str
    record_id: str | None
    body: dict[str, Any]
    base: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] | None = None
    marker: str | None = None
    where: str = ""
