"""Where the queue is: the machine, the folder, the boot; and its watermark, a file beside it.

The watermark is written anew at the beginning and the end of every push, and the queue keeps what
the file system says of it (its inode, and the moment of its last change, which no program can set).
Whatever was put back from a backup is told by that: a queue older than its watermark, a watermark
older than the queue, or both put back together, whose moment is then that of the restoring.
"""

import contextlib
import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.json_file import write_atomically
from sources.repair_shop.budget.clock import SystemClock

WATERMARK = "outbox.watermark"
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid")


@dataclass(frozen=True)
class Place:
    """This machine and folder, now. ``machine`` is empty where the system does not tell;
    ``ticks`` are seconds since the boot, ``wall`` since 1970."""

    machine: str
    path: str
    boot: str
    ticks: float
    wall: float

    @property
    def shift(self) -> float:
        """How far the wall clock is from the ticks: constant until somebody sets it."""
        return self.wall - self.ticks


def place_of(file: Path) -> Place:
    """Where a queue's file is."""
    clock = SystemClock()
    return Place(machine(), str(file.resolve()), clock.boot(), clock.monotonic(), clock.wall())


@functools.cache
def machine() -> str:
    """A fingerprint of the machine's own id; empty where there is none (many containers)."""
    for path in _MACHINE_IDS:
        with contextlib.suppress(OSError):
            found = Path(path).read_bytes().strip()
            if found:
                return hashlib.sha256(b"shopmirror outbox " + found).hexdigest()[:16]
    return ""


def read_watermark(home: Path) -> tuple[dict[str, Any], str]:
    """What the watermark says, and what the file system says of it; empty without a usable one."""
    path = home / WATERMARK
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return (said, _seal(path)) if isinstance(said, dict) else ({}, "")
    except (OSError, ValueError):
        return {}, ""


def write_watermark(home: Path, content: dict[str, Any]) -> str:
    """Write the watermark whole; what the file system says of it. :class:`OSError` if it cannot."""
    path = home / WATERMARK
    write_atomically(path, json.dumps(content))
    return _seal(path)


def _seal(path: Path) -> str:
    found = path.stat()
    return f"{found.st_ino} {found.st_ctime_ns} {found.st_mtime_ns}"
