"""A scratch queue for notebook 07: changes go through every check, and nowhere else.

Data flow: changes -> ``outbox.sqlite`` in a folder that :meth:`Rehearsal.close` removes. The
published warehouse is linked into it, since a queued change remembers the values it is based on.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.outbox import Outbox, preview
from pipelines.publish.reading import warehouse_file
from pipelines.settings import Settings, ShopSettings


class Rehearsal:
    """A queue that no push will ever find; ``**rehearsal.place`` sends ``enqueue`` there."""

    def __init__(self, shop: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._home = Path(self._folder.name)
        published = warehouse_file()
        (self._home / published.name).symlink_to(published.resolve())
        # Queueing needs no service: the address leads nowhere and the key is none.
        self._shop = ShopSettings(name=shop, base_url="http://127.0.0.1:9/v1", api_key="rehearsal")
        self.place: dict[str, Any] = {
            "settings": Settings(home=self._home, shops=(self._shop,)),
        }

    def queue(self) -> pd.DataFrame:
        """What is queued: ``number, resource, op, state, body``."""
        with Outbox(self._home) as outbox:
            return _frame(outbox.changes(), "number resource op state body")

    def plan(self) -> pd.DataFrame:
        """What a push would send: ``number, method, path, body, requests, waits``."""
        with Outbox(self._home) as outbox:
            steps = preview(outbox, self._shop)
            return _frame(steps, "number method path body requests waits")

    def based_on(self) -> dict[int, dict[str, Any]]:
        """Number of a change -> the values that its author saw."""
        with Outbox(self._home) as outbox:
            return {change.number: change.basis for change in outbox.changes()}

    def close(self) -> None:
        """Remove the scratch folder with all that was rehearsed."""
        self._folder.cleanup()


def _frame(rows: Sequence[Any], columns: str) -> pd.DataFrame:
    names = columns.split()
    frame = pd.DataFrame([[getattr(row, name) for name in names] for row in rows], columns=names)
    if rows:
        frame["body"] = [json.dumps(row.body, ensure_ascii=False) for row in rows]
    return frame
