"""Write-back: changes are queued on disk, then pushed to the service, each exactly once.

From a notebook::

    from pipelines.outbox import enqueue
    enqueue("products", "update", frame[["id", "price"]])   # a pandas DataFrame, a list or a dict

``shopmirror push`` (:func:`push`) sends them; the next sync reads back what :func:`touched_since`
names, calls :func:`mark_mirrored`, and loads :func:`history_rows` into ``ops.changes``;
:func:`not_shown` says what is done and the mirror does not show. States: :mod:`.change`.
"""

from importlib import import_module
from typing import Any

_FACE = {
    "errors": "InputRefused Moved OutboxError PushBusy QueueBroken QueueForeign ServiceChanged",
    "change": "STATES Change NewChange State",
    "store": "Outbox",
    "mirrored": "Touched brief history_rows mark_mirrored not_shown problems touched_since",
    "review": "adopt discard next_step retry",
    "origin": "current_user held_back mark_restored",
    "order": "Planned preview",
    "intake": "OutboxSettings enqueue resource_and_op",
    "files": "read_object read_rows",
    "pushing": "PushReport push",
}
"""Module -> its names for others. A module is loaded when a name of it is asked for:
``status`` reads states and counts, and need not load pandas and HTTP for it."""


def __getattr__(name: str) -> Any:
    for module, names in _FACE.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
