"""A small JSON file that several processes read and change, and that a power cut leaves whole.

Changes are made under a lock file and written by an atomic rename. A file that cannot be read (an
older crash, a careless editor) is moved aside, never silently overwritten.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

_WAIT = 30.0
"""Seconds to wait for another process that changes the file; a change takes milliseconds."""


@contextmanager
def held(path: Path, busy: Callable[[], Exception], *, timeout: float = 0) -> Iterator[None]:
    """Be the only process that holds a lock file; raises what ``busy`` makes when another does.

    The kernel holds the lock, so it ends with its process however that ends.
    """
    lock = filelock.FileLock(path, timeout=timeout, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise busy() from None
    try:
        yield
    finally:
        lock.release()


class JsonFile:
    """One JSON object in one file, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        """The object; an empty one when there is no file or it is damaged."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    @contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        """The object to change in place; written when the block ends without an error."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with filelock.FileLock(f"{self.path}.lock", timeout=_WAIT, mode=0o600):
            found = self.read()
            if not found and self.path.exists() and self.path.stat().st_size > 2:
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
            yield found
            write_atomically(self.path, json.dumps(found, indent=1, default=str))


def write_atomically(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Write ``content`` so that a reader or a power cut meets the old file or the new, never half.

    Raises ``OSError``; the old file is then as it was.
    """
    # A name nobody can know, made by us or not at all: no link laid in its place is followed.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
