"""The file under the queue: opened for its owner only, brought up to date, every change of it one
transaction that reaches the disk."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from pipelines.outbox.errors import QueueBroken
from pipelines.outbox.place import WATERMARK
from pipelines.outbox.schema import STEPS
from sources.repair_shop.migrations import NewerVersion, migrate

FILE_NAME = "outbox.sqlite"
LOCK_SECONDS = 10.0
"""How long another process's transaction is waited for; ours take milliseconds."""


def is_there(home: Path) -> bool:
    """Whether a home's queue holds anything; a file without a byte is what a full disk leaves."""
    with suppress(OSError):
        return (home / FILE_NAME).stat().st_size > 0
    return False


class QueueFile:
    """See the module. Not for sharing between threads: open one each, it is cheap.

    :class:`QueueBroken` when it cannot be used.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
        if (home / WATERMARK).exists() and not is_there(home):
            raise QueueBroken(
                f"The queue {self.path} is {'empty' if self.path.exists() else 'gone'}, though it "
                f"was pushed from here. Put a copy back; or remove {home / WATERMARK} to begin a "
                "new one: what waited, and the history, are lost then."
            )
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made by us and not by SQLite: it holds customers' data, for its owner only.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise QueueBroken(f"The queue {self.path} cannot be opened: {error}.") from None
        self._db.row_factory = sqlite3.Row
        with self._mapped():
            self._db.execute("pragma journal_mode = wal")
            # An outcome that a power cut takes back would be sent again: every commit reaches disk.
            self._db.execute("pragma synchronous = full")
            try:
                self._version = migrate(self._db, STEPS)
            except NewerVersion:
                self._db.close()
                raise QueueBroken(
                    f"The queue {self.path} was written by a newer version of shopmirror. "
                    "Upgrade; nothing was sent."
                ) from None

    def copy(self) -> Self:
        """The same queue in memory, to try things out on."""
        twin = object.__new__(type(self))
        twin.path = self.path
        twin._db = sqlite3.connect(":memory:", isolation_level=None)
        twin._db.row_factory = sqlite3.Row
        with self._mapped():
            self._db.backup(twin._db)
        return twin

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, of this and of what is called inside; taken for writing at once, so two
        never deadlock."""
        if self._db.in_transaction:
            yield self._db
            return
        with self._mapped(), self._db:
            self._db.execute("begin immediate")
            yield self._db

    def _select(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        with self._mapped():
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise QueueBroken(
                    f"The queue {self.path} is locked by another program for more than "
                    f"{LOCK_SECONDS:.0f} seconds. Close it and try again."
                ) from None
            mend = "Free some room" if "full" in str(error) else "If it is damaged, restore a copy"
            raise QueueBroken(
                f"The queue {self.path} cannot be used ({error}). {mend}, and push again: what was "
                "being sent is looked up first."
            ) from None
