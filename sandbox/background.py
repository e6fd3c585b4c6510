"""A sandbox that serves on after the command that started it.

    served = launch(Wanted(note=home / "demo-shop.json", db=..., key=..., ...))
    running(note)   # what is served now, or None
    end(note)       # True once it is served no more

It lives as long as its note is there: taking the note away ends it, so nobody signals a process
that may have become another's. The kernel's lock on the note says whether it serves; the note alone
says nothing. It listens on loopback and ends by itself after some hours.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

_POLL = 0.1
_PATIENCE = 60.0
"""Seconds for a shop to be made and served, or to end."""


@dataclass(frozen=True)
class Wanted:
    """What is to be served: one shop ``main``, kept in ``db``; ``port`` 0 takes any free one."""

    note: str
    db: str
    key: str
    size: str
    timezone: str
    minute_seconds: float
    hours: float
    port: int = 0
    until: str | None = None


@dataclass(frozen=True)
class Served:
    """What a note says: the address, and until when it is served (UTC)."""

    base_url: str
    until: datetime


class NotServed(Exception):
    """The sandbox did not start; the message is its own."""


def launch(wanted: Wanted, log: Path) -> Served:
    """Start a sandbox in a process of its own and wait until it answers.

    Raises :class:`NotServed` with the last line it wrote to ``log``.
    """
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(  # noqa: S603 - this module, with nothing of anybody's in it
            # -P: a folder of the user's that is called like a package of ours is none.
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            text=True,
            start_new_session=True,
        )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        json.dump(asdict(wanted), pipe)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        served = running(Path(wanted.note))
        if served is not None:
            return served
        time.sleep(_POLL)
    lines = log.read_text(encoding="utf-8").strip().splitlines()
    raise NotServed(lines[-1] if lines else "it did not answer in time")


def running(note: Path) -> Served | None:
    """What the sandbox of this note serves now; None when it does not."""
    try:
        with note.open(encoding="utf-8") as file:
            if not _is_held(file):
                return None
            told = json.load(file)
        return Served(told["base_url"], datetime.fromisoformat(told["until"]))
    except (OSError, ValueError, KeyError):
        return None


def end(note: Path) -> bool:
    """Take the note away and wait until its sandbox is gone; False when none served."""
    try:
        with note.open(encoding="utf-8") as file:
            note.unlink()
            if not _is_held(file):
                return False
            until = time.monotonic() + _PATIENCE
            while _is_held(file) and time.monotonic() < until:
                time.sleep(_POLL)
            return not _is_held(file)
    except FileNotFoundError:
        return False


def _is_held(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def _serve(wanted: Wanted) -> None:
    """Be that process, until the note is gone, the hours are over or SIGTERM comes."""
    from sandbox.server import SandboxServer
    from sandbox.shops import ShopSpec

    note = Path(wanted.note)
    with note.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        own = os.fstat(file.fileno()).st_ino
        day = None if wanted.until is None else date.fromisoformat(wanted.until)
        shop = ShopSpec("main", timezone=wanted.timezone, key=wanted.key, until=day)
        options: dict[str, Any] = {"size": wanted.size, "minute_seconds": wanted.minute_seconds}
        with SandboxServer([shop], port=wanted.port, db=Path(wanted.db), **options) as server:
            ends = datetime.now(UTC) + timedelta(hours=wanted.hours)
            json.dump({"base_url": server.base_url, "until": ends.isoformat()}, file)
            file.flush()
            while datetime.now(UTC) < ends and _inode(note) == own:
                time.sleep(_POLL)
        if _inode(note) == own:
            note.unlink()


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        _serve(Wanted(**json.load(sys.stdin)))
