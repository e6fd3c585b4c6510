"""Write-back: changes are queued on disk, then pushed to the service, each exactly once.

From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]])   # a pandas DataFrame, a list or a dict

``shopmirror push`` (:func:`push`) sends them; the next sync reads back what :func:`touched_since`
names, calls :func:`mark_mirrored`, and loads :func:`trail` into ``ops.changes``.
"""

from pipelines.outbox.adopting import adopt
from pipelines.outbox.errors import (
    InputRefused,
    OutboxError,
    PushBusy,
    QueueBroken,
    QueueForeign,
    ServiceChanged,
)
from pipelines.outbox.intake import enqueue
from pipelines.outbox.mirrored import Touched, brief, mark_mirrored, touched_since, trail
from pipelines.outbox.preview import Planned
from pipelines.outbox.pushing import PushReport, push
from pipelines.outbox.review import discard, retry
from pipelines.outbox.store import STATES, Change, Outbox

__all__ = [
    "STATES",
    "Change",
    "InputRefused",
    "Outbox",
    "OutboxError",
    "Planned",
    "PushBusy",
    "PushReport",
    "QueueBroken",
    "QueueForeign",
    "ServiceChanged",
    "Touched",
    "adopt",
    "brief",
    "discard",
    "enqueue",
    "mark_mirrored",
    "push",
    "retry",
    "touched_since",
    "trail",
]
