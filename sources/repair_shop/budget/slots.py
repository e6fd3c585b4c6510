"""Slots of the budget's file: which requests of a key may still be seen in a window of the server,
and who waits for one. How many there may be is decided by :mod:`repair_shop.budget.limiter`."""

import os
import sqlite3
from functools import cache

from ..budget.clock import process_born
from ..budget.pace import MARGIN

_born_of_ours = cache(process_born)


def take(
    db: sqlite3.Connection,
    key: str,
    base: str,
    lane: str,
    *,
    minute: float,
    timeout: float,
    now: float,
) -> int:
    """Take a slot for this process; its number."""
    pid = os.getpid()
    row = db.execute(
        "insert into slots (key, base, lane, minute, timeout, taken, pid, born)"
        " values (?, ?, ?, ?, ?, ?, ?, ?) returning id",
        (key, base, lane, minute, timeout, now, pid, _born_of_ours(pid)),
    ).fetchone()
    return int(row[0])


def free(db: sqlite3.Connection, number: int, at: float) -> None:
    """The request of a slot ended, so that the slot is free at a moment."""
    db.execute("update slots set free_at = ? where id = ?", (at, number))


def usage(db: sqlite3.Connection, key: str) -> tuple[int, int]:
    """Slots held, of these in flight. Asked before each request, so each is one index scan."""
    used = db.execute("select count(*) from slots where key = ?", (key,))
    flying = db.execute("select count(*) from slots where key = ? and free_at is null", (key,))
    return int(used.fetchone()[0]), int(flying.fetchone()[0])


def pushes(db: sqlite3.Connection, key: str) -> int:
    """Slots held by the push lane."""
    row = db.execute("select count(*) from slots where key = ? and lane = 'push'", (key,))
    return int(row.fetchone()[0])


def any_in_flight(db: sqlite3.Connection, base: str) -> bool:
    """Whether a request of any key of an address is on its way."""
    return bool(
        db.execute("select 1 from slots where base = ? and free_at is null", (base,)).fetchone()
    )


def next_end(db: sqlite3.Connection, key: str, place: int) -> float | None:
    """When the slot at a ``place`` among those with an end (0 is the first) is free."""
    row = db.execute(
        "select free_at from slots where key = ? and free_at is not null"
        " order by free_at limit 1 offset ?",
        (key, place),
    ).fetchone()
    return None if row is None else float(row[0])


def clear(db: sqlite3.Connection, key: str, base: str, now: float) -> None:
    """Drop slots that are free, and those in flight of processes that are no more."""
    db.execute("delete from slots where key = ? and free_at <= ?", (key, now))
    overdue = db.execute(
        "select id, pid, born from slots where base = ? and free_at is null"
        " and taken + minute * ? + timeout <= ?",
        (base, MARGIN, now),
    ).fetchall()
    for number, pid, born in overdue:
        if process_born(pid) != born:
            db.execute("delete from slots where id = ?", (number,))


def wait(db: sqlite3.Connection, token: str, key: str, lane: str, now: float) -> None:
    """Count as waiting in a lane for a while."""
    db.execute("insert or replace into waiting values (?, ?, ?, ?)", (token, key, lane, now))


def stop_waiting(db: sqlite3.Connection, token: str) -> None:
    """Count as waiting no longer."""
    db.execute("delete from waiting where token = ?", (token,))


def other_lanes(
    db: sqlite3.Connection, key: str, lane: str, token: str | None, since: float
) -> bool:
    """Whether somebody else, seen since a moment, waits in another lane."""
    db.execute("delete from waiting where seen < ?", (since,))
    row = db.execute(
        "select 1 from waiting where key = ? and token is not ? and lane <> ? limit 1",
        (key, token, lane),
    ).fetchone()
    return row is not None
