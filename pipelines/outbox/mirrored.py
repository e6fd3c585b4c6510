"""What the sync needs of the queue: the records pushed, and the rows of ``ops.changes``."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.outbox.store import FILE_NAME, Change, Outbox


@dataclass(frozen=True)
class Touched:
    """A record that a push wrote, or changed along. ``number`` is the change that did it;
    ``is_deleted``: it deleted this very record."""

    shop: str
    resource: str
    id: str
    pushed_at: float
    number: int
    is_deleted: bool = False


def touched_since(home: Path, shop: str | None = None) -> list[Touched]:
    """Records pushed and not read back yet, oldest first; ``resource`` is the raw table's name."""
    if not (home / FILE_NAME).is_file():
        return []
    with Outbox(home) as outbox:
        return [Touched(**row) for row in outbox.touched(shop)]


def mark_mirrored(
    home: Path, shop: str, records: Iterable[tuple[str, str]], *, read_at: float | None = None
) -> int:
    """The sync has these ``(resource, id)`` in the warehouse as they were at ``read_at``; how many.

    A record that was pushed again after it was read stays to be read.
    """
    if not (home / FILE_NAME).is_file():
        return 0
    with Outbox(home) as outbox:
        return outbox.mark_mirrored(shop, records, time.time() if read_at is None else read_at)


def history_rows(home: Path) -> list[dict[str, Any]]:
    """One row for each change, for ``ops.changes``: who queued it, what was sent, what the service
    answered, and whether the mirror shows it. Times are aware (UTC), bodies JSON text."""
    if not (home / FILE_NAME).is_file():
        return []
    with Outbox(home) as outbox:
        return [
            row
            | {name: _utc(row[name]) for name in ("queued_at", "pushed_at")}
            | {"is_mirrored": bool(row["is_mirrored"])}
            for row in outbox.told()
        ]


def brief(change: Change) -> dict[str, Any]:
    """A change as ``queue list --json`` shows it (interface page)."""
    return {name: getattr(change, name) for name in _BRIEF.split()} | {
        "id": change.id if change.id is not None else change.record_id,
        "queued_at": _iso(change.queued_at),
        "pushed_at": _iso(change.pushed_at),
    }


_BRIEF = (
    "number shop resource op record_id state id reason attempts queued_by queued_at pushed_at body"
)


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _utc(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
