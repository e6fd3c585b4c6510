"""The ledger's file: opened, its format checked, one writer at a time; tables and meaning are
:mod:`repair_shop.ledger`'s."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..ledger.records import STEPS
from ..migrations import NewerVersion, check_version, migrate

FORMAT = len(STEPS)
_AROUND_IT = ("unable to open", "readonly", "is full", "disk I/O", "is locked")
"""What SQLite says where the file itself is whole: who moved it away would lose all evidence."""


class LedgerError(Exception):
    """The ledger's file cannot be used; the message says what to do. Exit code 2."""

    exit_code = 2


def refuse_newer(path: Path) -> None:
    """:class:`LedgerError` if a newer version wrote the ledger; else nothing of it matters here."""
    if path.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db:
            try:
                check_version(db, STEPS)
            except NewerVersion as error:
                raise _too_new(path, error) from None


def _too_new(path: Path, error: NewerVersion) -> LedgerError:
    return LedgerError(
        f"The ledger {path} was written by a newer shopmirror ({error}). Update shopmirror."
    )


class LedgerFile:
    """The open file. Safe for several threads: a connection for each, writers wait in line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._write = threading.RLock()
        self._connections: list[sqlite3.Connection] = []
        try:
            with self._write:
                migrate(self._db, STEPS)
        except NewerVersion as error:
            raise _too_new(path, error) from None
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.DatabaseError) -> LedgerError:
        if any(words in str(error) for words in _AROUND_IT):
            mend = "See that this user may write it, and that its disk has room; keep the file."
        else:
            mend = "Move it away: the next sync then reads everything from the service again."
        return LedgerError(f"The ledger {self._path} cannot be used ({error}). {mend}")

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Damage inside the file shows only when its pages are read, long after it was opened."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "malformed" in str(error) or "not a database" in str(error):
                raise self._unusable(error) from error
            raise

    @property
    def _db(self) -> sqlite3.Connection:
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            fresh = not self._path.exists()
            db = sqlite3.connect(
                self._path, timeout=60, isolation_level=None, check_same_thread=False
            )
            if fresh:
                self._path.chmod(0o600)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")  # a kill loses nothing; see put()
            # Rows of an answer lie all over the file: 16 MB of them are moved there at a time.
            db.execute("PRAGMA wal_autocheckpoint = 4000")
            self._local.db = db
            with self._write:
                self._connections.append(db)
        return db

    def close(self) -> None:
        """Close every thread's connection."""
        with self._write:
            for db in self._connections:
                db.close()
            self._connections.clear()
            self._local = threading.local()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._write, self._whole(), self._db as db:
            db.execute("BEGIN IMMEDIATE")
            yield db

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Read anything (parameters bound)."""
        with self._whole():
            return self._db.execute(sql, parameters).fetchall()

    def execute(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows with one statement in one transaction (parameters bound)."""
        with self._transaction() as db:
            db.executemany(sql, rows)
