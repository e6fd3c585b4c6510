"""The home folder: the one place that holds every file the product writes.

::

    home = Home(settings.home)        # creates it, owner only
    with home.sync_lock():            # one sync at a time
        with home.guard("what was fetched is kept"):
            ...                       # a full disk becomes one plain sentence

Customer data and queued changes live here, so folders are 0700 and files 0600.
"""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from pipelines.json_file import held, is_held, write_atomically
from sources.repair_shop.errors import causes
from sources.repair_shop.sections import make_home

ANEW = (
    "Move it away and run 'shopmirror sync': it is loaded anew from mirror.sqlite and the "
    "published warehouse, and the service is asked only for what neither holds. Versions in "
    "'history' of nights that published nothing are in this file alone."
)
"""What mends a damaged private warehouse."""
_MENDS = {
    errno.ENOSPC: "the disk is full; make room and run it again",
    errno.EDQUOT: "the disk quota is used up; make room and run it again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "this user may not write there; set SHOPMIRROR_HOME or mend its permissions",
    errno.EPERM: "this user may not write there; set SHOPMIRROR_HOME or mend its permissions",
    errno.ENOTDIR: "part of the path is a file; set SHOPMIRROR_HOME to a folder",
    errno.EEXIST: "there is a file of that name; set SHOPMIRROR_HOME to a folder",
    errno.EISDIR: "there is a folder of that name",
    errno.EMFILE: "too many files are open",
    errno.EFBIG: "a file may not grow further; raise the limit of file sizes or make room",
    errno.EIO: "the disk reports an error; look at the disk, its limits and its room",
}

_WORDS = (
    # DuckDB quotes the system, SQLite has words of its own; the I/O error is what it makes of most.
    *((code, os.strerror(code)) for code in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)),
    (errno.ENOSPC, "database or disk is full"),
    (errno.EACCES, "readonly database"),
    (errno.EIO, "disk I/O error"),
    (errno.EIO, os.strerror(errno.EIO)),
)
"""What a library that has no ``OSError`` says of the disk."""
LEDGER = "mirror.sqlite"
_LOCK = "sync.lock"
_BLOCK = 16_384
"""Bytes of a block of a new DuckDB file. A load holds one for each column of each table it writes,
so with DuckDB's own 256 KiB our wide tables alone take hundreds of megabytes."""
_LAYOUT = f"BLOCK_SIZE {_BLOCK}, STORAGE_VERSION 'v1.2.0'"
"""An analyst's tools are older than ours: DuckDB 1.2 and later open what is published."""
_UNUSABLE = "'%?"
"""What dlt and DuckDB read otherwise in the path of a file."""
_SPARE = 1 << 20
"""Bytes that the note of a sync takes: room kept for noting that the disk was full."""
_PROBE_SECONDS = 0.5
"""Seconds a sync waits for its lock: somebody may look at it just then."""


class HomeError(Exception):
    """The home folder or a file in it cannot be used; the message says how to mend it.

    Exit code 2: nothing was sent to the service, or what it answered is kept.
    """

    exit_code = 2


class SyncRunning(Exception):
    """Another process is syncing into this home already, so nothing was done. Exit code 4."""

    exit_code = 4


class Home:
    """Names every file under ``$SHOPMIRROR_HOME`` and makes the folders.

    Raises :class:`HomeError` when the folder cannot be made or written to.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self.warehouse = self.path / "warehouse.duckdb"
        """What analysts open; only ever replaced whole."""
        self.build = self.path / "build"
        """Private working files. They are made anew when they are lost, but for what history saw
        since the warehouse was last published."""
        self.build_warehouse = self.build / "warehouse.duckdb"
        """The private database that loads and models write to."""
        self.dlt_dir = self.build / "dlt"
        """dlt's working folder."""
        self.ledger = self.path / LEDGER
        """Pages, scans, evidence (SQLite)."""
        self.budget = self.path / "budget.sqlite"
        """The rate budget every process shares (SQLite)."""
        self.outbox = self.path / "outbox.sqlite"
        """The queue of changes (SQLite)."""
        self.logs = self.path / "logs"
        """Log files."""
        self._note = self.path / "sync.running"
        self._opened: duckdb.DuckDBPyConnection | None = None
        self._reads = False
        if unusable := sorted({*_UNUSABLE}.intersection(str(self.path))):
            raise HomeError(
                f"The folder {self.path} cannot be used: dlt or DuckDB opens no file whose path "
                f"has {' or '.join(unusable)} in it; set SHOPMIRROR_HOME to another folder."
            )
        try:
            make_home(self.path)
            for folder in (self.build, self.logs):
                folder.mkdir(mode=0o700, exist_ok=True)
            # A mode seldom tells the truth (root, ACLs, network drives): write something.
            with tempfile.TemporaryFile(dir=self.path) as probe:
                probe.write(b"x" * 4096)
        except OSError as error:
            mend = _MENDS.get(error.errno or 0, error.strerror or type(error).__name__)
            raise HomeError(f"The folder {self.path} cannot be used: {mend}.") from error

    @contextmanager
    def sync_lock(self) -> Iterator[None]:
        """Be the only sync of this home; :class:`SyncRunning` names the one that is."""
        note = self._note

        def busy() -> SyncRunning:
            return SyncRunning(
                f"A sync {_who(note)}runs in {self.path} already; nothing was done. "
                "Try again when it has ended."
            )

        with ExitStack() as stack:
            with self.guard("Nothing was done"):
                stack.enter_context(held(self.path / _LOCK, busy, timeout=_PROBE_SECONDS))
                stack.callback(note.unlink, missing_ok=True)
                since = datetime.now(UTC).isoformat(timespec="seconds")
                who = json.dumps({"pid": os.getpid(), "since": since})
                write_atomically(note, who.ljust(_SPARE))
            yield

    @contextmanager
    def guard(
        self, kept: str = "What was fetched is kept", *, to: Path | None = None
    ) -> Iterator[None]:
        """Turn a full disk and its like, however deep in the cause, into a :class:`HomeError`.

        ``kept`` says what is safe, ``to`` what is written to, by default the home; anything else
        passes through unchanged. The room that the note
        of a sync held is free then, for saying how it ended.
        """
        try:
            yield
        except HomeError:
            raise
        except Exception as error:
            trouble = storage_trouble(error)
            if trouble is None:
                raise
            with suppress(OSError):
                self._note.unlink()
            raise HomeError(f"Writing to {to or self.path} failed: {trouble}. {kept}.") from error

    @contextmanager
    def open_build(self, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to the private database, closed at the end.

        Within another one it is that one: steps that follow each other open the file once, which
        takes a tenth of a second each time. A reader's stays one: nobody writes within it. For one
        thread at a time. :class:`HomeError` when it is damaged, in use, or written by a newer
        version.
        """
        if self._opened is not None:
            if self._reads and not read_only:
                raise RuntimeError(
                    "the private database is open for reading; write before or after"
                )
            yield self._opened
            return
        connection = open_database(self.build_warehouse, read_only=read_only)
        try:
            # DuckDB makes files as the umask says, and this one holds everybody's data.
            self.build_warehouse.chmod(0o600)
            self._opened, self._reads = connection, read_only
            yield connection
        finally:
            self._opened = None
            connection.close()


def has_room(home: Path) -> bool:
    """Whether the disk has room for the note of a sync: without it none begins, or is noted."""
    return shutil.disk_usage(home).free >= _SPARE


def is_syncing(home: Path) -> bool:
    """Whether a sync works in a home folder now.

    A note outlives a process that was killed, and another may bear its number by then.
    """
    return is_held(home / _LOCK)


UNPACKED = "SET disabled_compression_methods = 'bitpacking'"
"""Rows are written without a way of packing that DuckDB would take for amounts: it unpacks two to
eight million numbers of 28 digits a second, and all of them where a build asks for a few."""


def open_database(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file; :class:`HomeError` says in plain words why it cannot be opened."""
    try:
        if not read_only and not path.exists():
            with duckdb.connect() as maker:
                quoted = str(path).replace("'", "''")  # no parameter may stand here
                maker.execute(f"ATTACH '{quoted}' AS made ({_LAYOUT})")
        connection = duckdb.connect(str(path), read_only=read_only)
    except duckdb.Error as error:
        raise HomeError(_why_not_opened(path, error)) from error
    # The offset of times shown must not hang on the machine's own zone.
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(UNPACKED)
    return connection


def _why_not_opened(path: Path, error: Exception) -> str:
    text = str(error)
    trouble = storage_trouble(error)
    if trouble:
        return f"{path} cannot be opened: {trouble}."
    for code in (errno.EACCES, errno.EPERM, errno.EMFILE):
        if os.strerror(code) in text:
            return f"{path} cannot be opened: {_MENDS[code]}."
    if any(w in text for w in ("Could not set lock", "already open", "different configuration")):
        return f"{path} is in use by another process or notebook; close it there and try again."
    if "newer version" in text or "version number" in text or "storage version" in text:
        return f"{path} was written by a newer version of DuckDB; upgrade shopmirror to read it."
    return f"{path} is damaged and cannot be opened. {ANEW}"


def storage_trouble(error: BaseException) -> str | None:
    """What ails the disk, if that is what ``error`` (or a cause of it) says; else None."""
    for one in causes(error):
        if isinstance(one, OSError) and one.errno in _MENDS:
            return _MENDS[one.errno]
        for code, words in _WORDS:
            if words in str(one):
                return _MENDS[code]
    return None


def is_full(error: BaseException) -> bool:
    """Whether it is the lack of room, which passes, that ails the disk."""
    return storage_trouble(error) in (_MENDS[errno.ENOSPC], _MENDS[errno.EDQUOT])


def _who(note: Path) -> str:
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        since = datetime.fromisoformat(said["since"]).astimezone()
        return f"(process {int(said['pid'])}, since {since:%Y-%m-%d %H:%M %Z}) "
    except (OSError, ValueError, KeyError, TypeError):
        return ""
