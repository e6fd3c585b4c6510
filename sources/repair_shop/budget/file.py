"""The file under the rate budget: one SQLite database, one transaction at a time, one time.

The time is the same for all processes of the machine. It began as the wall clock's and is carried
on by the clock of the boot, so that setting the wall clock changes nothing. After a boot it goes on
from the later of the wall clock and what was last seen; as a power cut may have lost the last
slots, every key then keeps silent for a minute.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import BudgetUnusable, Refused, Stopped
from ..migrations import NewerVersion, migrate, use_wal
from .clock import SystemClock

_STEPS = ("", "", "", Path(__file__).with_name("schema.sql").read_text(encoding="utf-8"))
"""Numbered (:mod:`repair_shop.migrations`)."""
_SEEN_EVERY = 0.25
"""Seconds that the file's own time may stay behind: less than it forgives a clock."""


class BudgetFile:
    """See the module. Safe for threads and processes; opened on first use.

    :class:`BudgetUnusable` when the file cannot be used. ``clock`` and ``sleep`` are for tests.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: SystemClock | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.path = path
        self.clock = clock or SystemClock()
        self.sleep = sleep
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def pause(self, seconds: float, stop: Callable[[], bool] | None = None) -> None:
        """Sleep in pieces of a quarter of a second; :class:`Stopped` as soon as ``stop`` says."""
        end = self.clock.monotonic() + seconds
        while True:
            if stop is not None and stop():
                raise Stopped("Stopped on request while waiting for the service's rate limit.")
            left = end - self.clock.monotonic()
            if left <= 0:
                return
            self.sleep(min(left, 0.25) if stop is not None else left)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[tuple[sqlite3.Connection, float]]:
        """One exclusive transaction and the budget's own time (seconds) in it."""
        with self._lock:
            try:
                connection = self._open()
                connection.execute("begin immediate")
                try:
                    yield connection, self._now(connection)
                except Refused:
                    # A refusal is an answer, not a failure: the time that was noted stands.
                    connection.execute("commit")
                    raise
                except BaseException:
                    connection.execute("rollback")
                    raise
                connection.execute("commit")
            except sqlite3.Error as error:
                raise BudgetUnusable(
                    f"The rate budget {self.path} cannot be used ({error}). It must be writable "
                    "and its disk have room; if it is damaged, remove it and wait a minute."
                ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._pid == os.getpid():
            return self._connection
        # After a fork the parent's connection must not be touched, not even closed.
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise BudgetUnusable(f"{self.path.parent} cannot be written: {error}") from error
        connection = sqlite3.connect(
            self.path, timeout=30.0, isolation_level=None, check_same_thread=False
        )
        # WAL without a sync at each commit: a power cut may lose the last slots, and every boot
        # is therefore answered with a minute of silence.
        use_wal(connection)
        connection.execute("pragma synchronous=normal")
        try:
            migrate(connection, _STEPS)
        except NewerVersion as error:
            connection.close()
            raise BudgetUnusable(
                f"The rate budget {self.path} was written by a newer version of shopmirror "
                f"({error}). Upgrade; nothing was sent."
            ) from None
        self._connection, self._pid = connection, os.getpid()
        return connection

    def _now(self, db: sqlite3.Connection) -> float:
        """Time since 1970 as it was believed at first, carried on by the boot clock."""
        ticks, boot = self.clock.monotonic(), self.clock.boot()
        row = db.execute("select boot, shift, seen from era").fetchone()
        if row is None:
            now = self.clock.wall()
            db.execute("insert into era values (?, ?, ?)", (boot, now - ticks, now))
            return now
        now, seen = float(row[1]) + ticks, float(row[2])
        if row[0] == boot and now >= seen - 1.0:
            if now > seen + _SEEN_EVERY:
                db.execute("update era set seen = ?", (now,))
            return max(now, seen)
        now = max(self.clock.wall(), seen)
        db.execute("update era set boot = ?, shift = ?, seen = ?", (boot, now - ticks, now))
        db.execute("update slots set free_at = ? + minute", (now,))
        db.execute(
            "update keys set why = 'limit', silent_until = ?1 + minute * 1.003"
            " where silent_until < ?1 + minute * 1.003",
            (now,),
        )
        return now
