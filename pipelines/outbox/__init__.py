"""Write-back: changes are queued on disk, then pushed to the service, each exactly once.

From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]])   # a pandas DataFrame, a list or a dict

``shopmirror push`` (:func:`push`) sends them; the next sync reads back what :func:`touched_since`
names, calls :func:`mark_mirrored`, and loads :func:`history_rows` into ``ops.changes``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from pipelines.outbox.mirrored import Touched, brief, history_rows, mark_mirrored, touched_since
    from pipelines.outbox.preview import Planned
    from pipelines.outbox.pushing import PushReport, push
    from pipelines.outbox.review import discard, retry
    from pipelines.outbox.store import STATES, Change, Outbox

_PLACES = {
    "Change": "store",
    "InputRefused": "errors",
    "Outbox": "store",
    "OutboxError": "errors",
    "Planned": "preview",
    "PushBusy": "errors",
    "PushReport": "pushing",
    "QueueBroken": "errors",
    "QueueForeign": "errors",
    "STATES": "store",
    "ServiceChanged": "errors",
    "Touched": "mirrored",
    "adopt": "adopting",
    "brief": "mirrored",
    "discard": "review",
    "enqueue": "intake",
    "mark_mirrored": "mirrored",
    "push": "pushing",
    "retry": "review",
    "touched_since": "mirrored",
    "history_rows": "mirrored",
}
"""Name -> its module, imported when the name is asked for: ``status`` reads states and counts, and
need not load pandas and HTTP for it."""

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
    "history_rows",
    "mark_mirrored",
    "push",
    "retry",
    "touched_since",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
