"""Write-back: changes are queued on disk, then pushed to the service, each exactly once.

From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]])   # a pandas DataFrame, a list or a dict

``shopmirror push`` (:func:`push`) sends them; the next sync reads back what :func:`touched_since`
names, calls :func:`mark_mirrored`, and loads :func:`history_rows` into ``ops.changes``.
"""

from importlib import import_module
from typing import Any

_FACE = {
    "errors": "InputRefused OutboxError PushBusy QueueBroken QueueForeign ServiceChanged",
    "store": "STATES Change Outbox",
    "mirrored": "Touched brief history_rows mark_mirrored touched_since",
    "review": "discard retry",
    "identity": "adopt",
    "preview": "Planned",
    "intake": "enqueue",
    "pushing": "PushReport push",
}
"""Module -> its names for others. A module is loaded when a name of it is asked for:
``status`` reads states and counts, and need not load pandas and HTTP for it."""


def __getattr__(name: str) -> Any:
    for module, names in _FACE.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
