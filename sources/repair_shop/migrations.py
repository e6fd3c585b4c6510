"""How a SQLite file of ours is opened: its journal, its numbered migrations, named statements.

Its version is SQLite's own ``user_version``.

::

    STEPS = ("create table a (x integer);", "alter table a add column y text;")
    migrate(connection, STEPS)      # a file of version 0 or 1 is of version 2 now

A step that was released never changes; what changes is added as the next one.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence

_SWITCH_SECONDS = 10.0
"""How long a new file's switch to WAL is tried again."""


class NewerVersion(Exception):
    """The file was written by a newer version of the program; nothing in it was touched."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"it is of version {found}, and this program knows {known}")


def use_wal(db: sqlite3.Connection) -> None:
    """Switch a file to the write-ahead log, which lets readers read while one process writes.

    Of processes that open a new file at once, SQLite refuses one without waiting, whatever timeout
    the connection has. That one tries again; :class:`sqlite3.OperationalError` after ten seconds.
    """
    until = time.monotonic() + _SWITCH_SECONDS
    while True:
        try:
            db.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(0.01)
        else:
            return


def migrate(db: sqlite3.Connection, steps: Sequence[str]) -> None:
    """Take the steps that a file has not taken yet, all or none.

    ``db`` is in autocommit mode (``isolation_level=None``). Step n (from 1) is a script that leads
    from version n - 1 to n. :class:`NewerVersion` when the file is ahead of the steps; what SQLite
    raises passes through, and then the file is as it was.
    """
    if check_version(db, steps) == len(steps):
        return
    with db:
        db.execute("begin immediate")
        # Another process may have taken them while this one waited for the file.
        version = check_version(db, steps)
        for number in range(version, len(steps)):
            for statement in statements(steps[number]):
                db.execute(statement)
        db.execute(f"pragma user_version = {len(steps)}")


def check_version(db: sqlite3.Connection, steps: Sequence[str]) -> int:
    """The version of a file; :class:`NewerVersion` when it is ahead of the steps."""
    version = int(db.execute("pragma user_version").fetchone()[0])
    if version > len(steps):
        raise NewerVersion(version, len(steps))
    return version


def named(script: str) -> dict[str, str]:
    """Name -> statement of a script in which a line ``-- name: ...`` stands above each."""
    found = (part.partition("\n") for part in script.split("-- name: ")[1:])
    return {name.strip(): statement.strip() for name, _, statement in found}


def statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript()`` would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
