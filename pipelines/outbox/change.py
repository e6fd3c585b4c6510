"""A change, on its way into the queue and as it stands in it, and its states.

::

    queued ──> sending ──> done
      │  ^        │ └────> rejected <── queued, in_doubt, conflict: a person discarded it
      │  │        └──────> in_doubt ──> done       proof was found
      │  │                     └──────> sending    it is not there, or a person approved it
      │  └── conflict, rejected: a person retried it
      └────> conflict, rejected, in_doubt (the queue was put back from a backup)

Which state may follow which is a trigger of ``schema.sql``, so no program can break it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pipelines.bodies.fields import Reference, whole

Fields = Mapping[str, Any]
"""Names and values: of a body, of a record as the sync cleans it, of a basis."""
Rows = Mapping[str, Fields]
"""Records by id."""


class State(StrEnum):
    """Where a change stands (interface page, Write-back)."""

    QUEUED = "queued"
    """Waits for the next push, or for a change it refers to. It was surely not sent."""
    SENDING = "sending"
    """Committed as the request leaves; found by a later push, it is in doubt."""
    DONE = "done"
    """The service has it: its answer proves it, or the record does."""
    IN_DOUBT = "in_doubt"
    """It may have been applied: looked up, never sent again blindly."""
    REJECTED = "rejected"
    """The service or our validation said no, or a person discarded it."""
    CONFLICT = "conflict"
    """The record changed since the value it was based on, or the invoice is no longer due."""


class Said(StrEnum):
    """What the service answered to the request of a change in doubt."""

    NOTHING = ""
    """No answer, or none that says anything."""
    DONE = "done"
    """A success that does not prove itself."""
    NO = "no"
    """A refusal: if the change is not there, it is rejected."""


STATES: tuple[State, ...] = tuple(State)
OPEN = (State.QUEUED, State.SENDING, State.IN_DOUBT, State.CONFLICT)
"""What may still be sent, or be sent again."""

NAMES = ("ref", "ticket_ref", "ticket_no", "internal_id")
"""Columns of a record by which a service may name what it wrote, instead of by its id."""

ONCE_ONLY = frozenset(
    (
        "printInvoice printReceipt printLabel stockQuantity stock_cog_per_item add_products "
        "delete_products"
    ).split()
)
"""Fields that do something each time they are sent. Lines are upserted by product code, and an
invoice that exists is updated (specification, Ticket), so those may be sent twice."""
_ON_CREATE = ONCE_ONLY | {"createInvoice", "createticket"}
_ACTING = ("payments", "stock", "adjustments")

METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE", "upload": "POST"}
"""Operation -> method of its request."""

_LONGEST_ID = 128
_NO_IDS = frozenset({"false", "true", "none", "null", "nil", "undefined", "nan", "error"})


def as_id(value: Any) -> str | None:
    """An id as text: a whole number above 0, or a word that can stand in a path."""
    value = value if isinstance(value, str) else whole(value)
    if not isinstance(value, str | int):
        return None
    text = str(value).strip()
    numeric = re.fullmatch(r"-?[0-9]+", text)
    if numeric and int(text[:_LONGEST_ID]) <= 0:
        return None
    word = re.fullmatch(r"[^\s/?#\x00-\x1f]*[^\W_][^\s/?#\x00-\x1f]*", text[: _LONGEST_ID + 1])
    ok = len(text) <= _LONGEST_ID and word is not None and text.casefold() not in _NO_IDS
    return text if ok else None


@dataclass(frozen=True)
class Change:
    """One row of the queue, its JSON decoded.

    ``queued_there``, ``sent_at`` and ``look_at`` are of the service's clock, the other times of
    ours, all in seconds since 1970.
    """

    number: int
    version: int
    shop: str
    resource: str
    op: str
    record_id: str | None
    body: dict[str, Any]
    basis: dict[str, Any]
    file: dict[str, Any] | None
    marker: str | None
    key: str | None
    state: State
    reason: str
    queued_by: str
    queued_at: float
    queued_there: float | None
    stamp: str
    service: int | None
    attempts: int
    sent_body: dict[str, Any] | None
    sent_at: float | None
    fence: dict[str, Any] | None
    """What was there before it was sent first, kept for good: see :mod:`.evidence`."""
    said: Said
    answered: str | None
    """The id, or of a file its place, that the service answered."""
    looks: int
    look_at: float | None
    needs_person: bool
    approved_by: str | None
    """Who said that it is to be sent again, having looked."""
    id: str | None
    answer: str | None
    pushed_at: float | None

    @property
    def what(self) -> str:
        """``change 7 (update customers c-1)``, for messages."""
        target = f" {self.record_id}" if self.record_id else ""
        return f"change {self.number} ({self.op} {self.resource}{target})"

    @property
    def stands(self) -> str:
        """``change 7 (update customers c-1), which is in doubt``, for messages."""
        retry = f"rejected: 'queue retry {self.number}', or 'queue discard' what waits for it"
        told = {State.IN_DOUBT: "in doubt", State.CONFLICT: "in conflict", State.REJECTED: retry}
        return f"{self.what}, which is {told.get(self.state, self.state)}"

    @property
    def acts(self) -> bool:
        """Whether it does something each time it is sent, beside leaving a record that others may
        leave, too: it takes money, moves stock, prints, attaches a file. Only proof adopts it."""
        fields, body = ONCE_ONLY if self.op == "update" else _ON_CREATE, self.sent_body or self.body
        is_made = self.op == "create" and self.resource in _ACTING
        return self.op == "upload" or is_made or any(body.get(name) for name in fields)

    @property
    def is_idempotent(self) -> bool:
        """Whether sending it twice leaves what sending it once does."""
        return self.op in ("update", "delete") and not self.acts


@dataclass(frozen=True)
class NewChange:
    """A validated change on its way into the queue; ``body`` may hold references, too."""

    shop: str
    resource: str
    op: str
    record_id: str | Reference | None
    body: dict[str, Any]
    basis: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] | None = None
    marker: str | None = None
    key: str | None = None
    where: str = ""

    @property
    def at(self) -> str:
        """``line 7: ``, for messages."""
        return f"{self.where}: " if self.where else ""


def invoices_of(body: Fields) -> list[str]:
    """Ids of the invoices a payment is for, each once."""
    found = body["invoiceId"]
    return list(dict.fromkeys(map(str, found if isinstance(found, list) else [found])))
