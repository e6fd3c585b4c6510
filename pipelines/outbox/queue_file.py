"""The file under the queue: opened for its owner only, brought up to date, every change of it one
transaction that reaches the disk. And where it is: the machine, the folder, the boot; and its
watermark, a file beside it.

The watermark is written anew at the beginning and the end of every push, and the queue keeps what
the file system says of it (its inode, and the moment of its last change, which no program can set).
Whatever was put back from a backup is told by that: a queue older than its watermark, a watermark
older than the queue, or both put back together, whose moment is then that of the restoring.
"""

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pipelines.home import storage_trouble
from pipelines.json_file import write_atomically
from pipelines.outbox.errors import QueueBroken
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.migrations import NewerVersion, migrate

STEPS = (
    """
create table if not exists changes (
    number integer primary key autoincrement,
    shop text not null, resource text not null, op text not null,
    record_id text,              -- target of an update, delete or upload; '@12' until known
    body text not null,          -- as queued, references as {"$queued": 12}
    base text not null,          -- what the change was based on
    file text,                   -- upload: path, name, size, sha256
    marker text,                 -- token put into a free-text field, if the user allowed it
    state text not null, id text, reason text not null default '',
    queued_by text not null, queued_at real not null,
    attempts integer not null default 0,
    sent_body text, sent_at real, baseline text,
    progress text not null default '{}',
    looks integer not null default 0, next_look real,
    for_person integer not null default 0, alone integer not null default 0,
    merged_into integer,
    answer text, pushed_at real);
create index if not exists changes_by_state on changes (shop, state, number);
create index if not exists changes_by_record on changes (shop, resource, record_id, number);
create index if not exists changes_by_id on changes (shop, resource, id);
create index if not exists changes_by_merge on changes (merged_into);
create table if not exists history (
    number integer not null, at real not null, event text not null, detail text not null);
create index if not exists history_by_number on history (number);
create table if not exists touched (
    shop text not null, resource text not null, id text not null,
    pushed_at real not null, mirrored_at real, number integer,
    primary key (shop, resource, id));
""",
    # Whose queue it is, whose service each change is for (identity.py, binding.py).
    """
alter table changes add column service integer;     -- in services; null: from before this step
alter table changes add column doubted_since real;  -- another copy may have sent it since then
alter table changes add column is_copied integer not null default 0;  -- 1: this is an older copy
create table services (
    id integer primary key,
    shop text not null,
    address text not null,       -- as people may see it: without a user, a password, a query
    address_hash text not null,
    key_hash text not null,      -- slow, salted with identity.queue
    last_at real,                -- the service's time when the queue was last used
    skew real,                   -- seconds the service was ahead of our clock then,
    boot text, shift real);      -- under this boot, in which our clock was so far from its ticks
create unique index services_by_hash on services (shop, address_hash, key_hash);
create table identity (
    one integer primary key check (one = 1),
    queue text not null,         -- drawn when the file was made
    machine text not null, path text not null,
    boot text not null, ticks real not null,      -- when it was last used
    era real not null,           -- what makes of this boot's ticks a time that never goes back
    mark text not null,          -- what is known of the file outbox.watermark
    pushing integer not null default 0);          -- 1 from the beginning of a push to its end
""",
    # The words of the code.
    """
alter table changes rename column looks to lookups;
alter table changes rename column next_look to next_lookup;
alter table identity rename column mark to watermark;
update history set event = 'looked up' where event = 'looked';
""",
)


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
            raise self._broken(error) from None
        self._db.row_factory = sqlite3.Row
        with self._mapped():
            self._db.execute("pragma journal_mode = wal")
            # An outcome that a power cut takes back would be sent again: every commit reaches disk.
            self._db.execute("pragma synchronous = full")
            try:
                migrate(self._db, STEPS)
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
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> QueueBroken:
        why = storage_trouble(error) or f"{error}; if it is damaged, restore a copy"
        return QueueBroken(
            f"The queue {self.path} cannot be used: {why}. What was being sent is looked up by the "
            "next push, first of all."
        )
