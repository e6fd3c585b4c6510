"""Write-back: changes are queued on disk, then pushed to the service, each exactly once.

From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]])   # a pandas DataFrame, a list or a dict

``shopmirror push`` (:func:`push`) sends them; the next sync reads back what :func:`touched_since`
names, calls :func:`mark_mirrored`, and loads :func:`history_rows` into ``ops.changes``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipelines.outbox.errors import (
        InputRefused,
        OutboxError,
        PushBusy,
        QueueBroken,
        QueueForeign,
        ServiceChanged,
    )
    from pipelines.outbox.identity import adopt
    from pipelines.outbox.intake import enqueue
    from pipelines.outbox.mirrored import Touched, brief, history_rows, mark_mirrored, touched_since
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
    "history_rows",
    "mark_mirrored",
    "push",
    "retry",
    "touched_since",
]


_MODULES = ("errors", "store", "mirrored", "review", "identity", "preview", "intake", "pushing")
"""Where the names are, looked through when one is asked for, the lightest first: ``status`` reads
states and counts, and need not load pandas and HTTP for it."""


def __getattr__(name: str) -> Any:
    for module in _MODULES if name in __all__ else ():
        if hasattr(found := import_module(f"{__name__}.{module}"), name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
