"""A small JSON file that several processes read and change, and that a power cut leaves whole.

Changes are made under a lock file and written by an atomic rename. A file that cannot be read (an
older crash, a careless editor) is moved aside, never silently overwritten.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Generic, TypeVar

import filelock
from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)

_FICLONE = 0x40049409
"""ioctl of Linux: share the blocks of another file (btrfs, xfs), so a copy costs nothing."""
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


def is_held(path: Path) -> bool:
    """Whether a process holds a lock file now: the kernel's word for it, not that of a note."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        # For an instant; who wants it just then waits for longer than that.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


class JsonFile(Generic[M]):
    """What a pydantic model describes, in one file; readable by its owner only."""

    def __init__(self, path: Path, kind: type[M]) -> None:
        self.path, self._kind = path, kind

    def read(self) -> M:
        """What the file holds; the model's defaults when there is no file or it is damaged."""
        return self._read()[0]

    def _read(self) -> tuple[M, bool]:
        """As :meth:`read`, and whether there is a file that is damaged."""
        try:
            return self._kind.model_validate_json(self.path.read_bytes(), strict=True), False
        except FileNotFoundError:
            return self._kind(), False
        except ValidationError:
            return self._kind(), True

    @contextmanager
    def change(self) -> Iterator[M]:
        """The same, to change in place; written when the block ends without an error."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with filelock.FileLock(f"{self.path}.lock", timeout=_WAIT, mode=0o600):
            found, is_damaged = self._read()
            if is_damaged:
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
            yield found
            write_atomically(self.path, found.model_dump_json(indent=1))


def to_the_second(moment: datetime) -> datetime:
    """A moment as these files keep it: in UTC, without parts of a second."""
    return moment.astimezone(UTC).replace(microsecond=0)


@contextmanager
def draft_of(path: Path, *, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A file to be written that stands under ``path`` at the end: a reader or a power cut meets the
    old file or the new, never half. After an error, such as ``OSError``, the old one is as it was.
    """
    # A name nobody can know, made by us or not at all: no link laid in its place is followed.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            os.fchmod(descriptor, mode)
            yield file
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_atomically(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Write ``content`` as :func:`draft_of` does."""
    with draft_of(path, mode=mode) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def copy_file(source: Path, target: IO[bytes]) -> None:
    """Copy a file into one that was opened."""
    with source.open("rb") as reader:
        try:
            fcntl.ioctl(target.fileno(), _FICLONE, reader.fileno())
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            shutil.copyfileobj(reader, target, 4 << 20)
    target.flush()


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
