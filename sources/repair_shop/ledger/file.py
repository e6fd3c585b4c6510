"""The ledger's file: opened and checked; one connection, which threads take in turns."""

import sqlite3
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ..migrations import NewerVersion, check_version, migrate, named, use_wal

_FOLDER = Path(__file__).parent
_OLDEST = 4
"""Files of lower versions kept answers instead of rows."""
STEPS = (*[""] * (_OLDEST - 1), (_FOLDER / "schema.sql").read_text(encoding="utf-8"))
_QUERIES = named((_FOLDER / "queries.sql").read_text(encoding="utf-8"))
_AROUND_IT = ("unable to open", "readonly", "is full", "disk I/O", "is locked")
"""What SQLite says where the file itself is whole: who moved it away would lose all evidence."""

Params = Mapping[str, Any]


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
    """The open file. Threads share its connection under a lock; one process writes at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._depth = 0
        try:
            self._db = self._open()
        except NewerVersion as error:
            raise _too_new(path, error) from None
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    @property
    def set_aside(self) -> str:
        """In words that an older version's file lies beside this one; empty once a list was read
        whole since."""
        if not self._set_aside_as.exists() or self.query("SELECT 1 FROM lists WHERE whole_on > ''"):
            return ""
        return (
            f"The ledger of an older version was set aside as {self._set_aside_as.name}: "
            "every list is read again by the next sync, and history stays in the warehouse"
        )

    @property
    def _set_aside_as(self) -> Path:
        return self._path.with_suffix(".before-0.1.sqlite")

    def _open(self) -> sqlite3.Connection:
        is_new = not self._path.exists()
        db = self._connect()
        if not is_new and 0 < check_version(db, STEPS) < _OLDEST:
            # Its rows are asked for again; the file itself stays, for whoever wants to look.
            db.execute("PRAGMA journal_mode = DELETE")
            db.close()
            self._path.replace(self._set_aside_as)
            is_new, db = True, self._connect()
        if is_new:
            self._path.chmod(0o600)
        use_wal(db)
        db.execute("PRAGMA synchronous = NORMAL")  # a kill loses nothing
        # Rows of an answer lie all over the file: 16 MB of them are moved there at a time.
        db.execute("PRAGMA wal_autocheckpoint = 4000")
        migrate(db, STEPS)
        if db.execute("SELECT 1 FROM meta").fetchone() is None:
            db.execute(
                "INSERT OR IGNORE INTO meta VALUES ('ledger_id', ?), ('seq', 0), ('changed', 0)",
                (uuid.uuid4().hex,),
            )
        return db

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=60, isolation_level=None, check_same_thread=False
        )

    def _unusable(self, error: sqlite3.DatabaseError) -> LedgerError:
        if any(words in str(error) for words in _AROUND_IT):
            mend = "See that this user may write it, and that its disk has room; keep the file."
        else:
            mend = "Move it away: the next sync then reads everything from the service again."
        return LedgerError(f"The ledger {self._path} cannot be used ({error}). {mend}")

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone. Damage shows only when its pages are read."""
        with self._lock:
            try:
                yield self._db
            except sqlite3.DatabaseError as error:
                if any(w in str(error) for w in ("malformed", "not a database", "is locked")):
                    raise self._unusable(error) from error
                raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, or nothing; may stand in another one."""
        with self._used() as db:
            if self._depth:
                yield
                return
            db.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
            except BaseException:
                db.execute("ROLLBACK")
                raise
            else:
                db.execute("COMMIT")
            finally:
                self._depth = 0

    def select(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        """The rows of a statement of ``queries.sql``."""
        with self._used() as db:
            return db.execute(_QUERIES[name], params).fetchall()

    def one(self, name: str, /, **params: Any) -> Any:
        """The first value of a statement's first row, None if it has none."""
        rows = self.select(name, **params)
        return rows[0][0] if rows else None

    def write(self, name: str, /, **params: Any) -> int:
        """Run a statement; rows it changed."""
        return self.write_all(name, (params,))

    def write_all(self, name: str, rows: Iterable[Params]) -> int:
        """Run a statement for each of the rows, in one transaction; rows it changed."""
        with self.transaction():
            return self._db.executemany(_QUERIES[name], rows).rowcount

    def query(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """Any statement, for tests and people at a prompt."""
        with self._used() as db:
            return db.execute(sql, parameters).fetchall()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._db.close()
