"""Whose queue this file is: is it what the last push left, an older copy of it, or one elsewhere?

A queue put back from a backup holds changes as waiting that were sent since. Nothing in the file
itself can tell, so its place does (:mod:`pipelines.outbox.place`):

* another machine, or another folder to which it was not moved: *foreign*. It sends nothing until
  ``queue adopt`` says that it is the queue from now on; the other one may still be at work.
* the same place, but not as the last push left it: *older*. Every change that waits may have been
  sent; each is looked up at the service before it is sent (:mod:`pipelines.outbox.verify`).
* a boot in between, a push that was cut off, a long time without a push: nothing of that needs a
  restored disk, but a snapshot of a whole machine looks just so. *Uncertain*: looked up as well.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from pipelines.outbox.errors import QueueBroken, QueueForeign
from pipelines.outbox.place import Place, place_of, read_mark, write_mark
from sources.repair_shop.http.service_clock import ServiceClock

if TYPE_CHECKING:
    from pipelines.outbox.store import Outbox

GAP_SECONDS = 900.0
"""Three times what the scheduler leaves between pushes."""
_UNKNOWN_SECONDS = 31 * 86400.0
"""How far back a copy may have sent when no clock tells: longer ones are for a person's eyes."""


class Standing(IntEnum):
    """How a queue stands to what the last push left, the worst last."""

    OURS = 0
    UNCERTAIN = 1
    OLDER = 2
    FOREIGN = 3


@dataclass(frozen=True)
class Finding:
    """A standing, and why, in words."""

    standing: Standing
    why: str = ""


def establish(outbox: Outbox, *, is_new: bool) -> None:
    """Give a file its identity: a new one, or one of a version that had none, whose changes may
    all have been sent from a copy."""
    place = place_of(outbox.path)
    with outbox.transaction() as db:
        if _row(db) is not None:
            return
        db.execute(
            "insert into identity values (1, ?, ?, ?, ?, ?, ?, '', ?)",
            (
                uuid.uuid4().hex,
                place.machine,
                place.path,
                place.boot,
                place.ticks,
                place.shift,
                not is_new,
            ),
        )
        # The watermark of a newer version stays: the file was put back from before it.
        if is_new or not read_mark(outbox.path.parent)[0]:
            _mark(outbox, db)


def find(outbox: Outbox) -> Finding:
    """How the queue stands, without changing anything."""
    row = _row(outbox.connection)
    if row is None:
        return Finding(Standing.OURS)
    place = place_of(outbox.path)
    said, seal = read_mark(outbox.path.parent)
    as_left = bool(seal) and seal == row["mark"] and said.get("queue") == row["queue"]
    if place.machine and row["machine"] and place.machine != row["machine"]:
        return Finding(Standing.FOREIGN, "it was last used on another machine")
    if place.path != row["path"] and not as_left:
        return Finding(Standing.FOREIGN, f"it was last used as {row['path']}")
    if not as_left:
        return Finding(Standing.OLDER, "it is not as the last push left it (a backup put back?)")
    if row["pushing"]:
        return Finding(Standing.UNCERTAIN, "the last push was cut off")
    if row["boot"] != place.boot:
        return Finding(Standing.UNCERTAIN, "the machine was started anew since the last push")
    if place.ticks - row["ticks"] > GAP_SECONDS:
        return Finding(Standing.UNCERTAIN, "it was not used for a while")
    return Finding(Standing.OURS)


def refuse_foreign(outbox: Outbox) -> Finding:
    """The finding; :class:`QueueForeign` for a copy that may not send."""
    found = find(outbox)
    if found.standing is Standing.FOREIGN:
        raise QueueForeign(
            f"The queue {outbox.path} is a copy: {found.why}. The other one may have sent what "
            "waits here, or be about to. Nothing was sent. If it is out of use, 'shopmirror queue "
            "adopt' makes this one the queue; each waiting change is then looked up at the service "
            "before it is sent."
        )
    return found


Skews = Mapping[str, float | None]
"""Shop -> seconds its service was last seen to be ahead of our clock, None if nobody knows."""


def begin_push(outbox: Outbox, skews: Skews) -> Finding:
    """Take the queue for a push, which must hold the push lock; what was found.

    From anything but the file that the last push left, all that waits is marked as perhaps sent.
    :class:`QueueForeign` for a copy elsewhere.
    """
    found = refuse_foreign(outbox)
    _take(outbox, found, skews, pushing=True)
    return found


def end_push(outbox: Outbox) -> None:
    """The push is over: from now on only what it left counts as not older."""
    with outbox.transaction() as db:
        _mark(outbox, db)
        db.execute("update identity set pushing = 0")


def take_over(outbox: Outbox, skews: Skews) -> Finding:
    """Make a copy the queue of this place, on a person's word; what was found before."""
    found = find(outbox)
    _take(outbox, found, skews, pushing=False)
    return found


def steady(row: sqlite3.Row, place: Place) -> float:
    """Seconds since 1970 as the queue counts them: as the wall clock had it once, carried on by the
    ticks of the boot. No setting of the clock makes a wait longer or shorter."""
    if row["boot"] == place.boot:
        return float(place.ticks + row["era"])
    return max(place.wall, float(row["ticks"] + row["era"]))


def note_use(db: sqlite3.Connection, place: Place) -> None:
    """The queue is used now; inside a transaction. What a copy of it may send, it sends later.

    The service's time is carried on by our clock only as long as nobody set that since it was
    compared with the service's.
    """
    db.execute("update identity set ticks = ? where boot = ?", (place.ticks, place.boot))
    db.execute(
        "update services set last_at = max(last_at, ? + skew)"
        " where boot = ? and abs(shift - ?) < 60",
        (place.wall, place.boot, place.shift),
    )


def note_service(outbox: Outbox, service: int, clock: ServiceClock) -> None:
    """Keep what time it is at the service of a row, if this push was told."""
    skew = clock.skew
    if clock.seen is None or skew is None:
        return
    place, at = place_of(outbox.path), clock.now().timestamp()
    with outbox.transaction() as db:
        db.execute(
            "update services set last_at = max(coalesce(last_at, 0), ?), skew = ?, boot = ?,"
            " shift = ? where id = ?",
            (at, skew, place.boot, place.shift, service),
        )


def _take(outbox: Outbox, found: Finding, skews: Skews, *, pushing: bool) -> None:
    place = place_of(outbox.path)
    said, _ = read_mark(outbox.path.parent)
    with outbox.transaction() as db:
        now = outbox.now()
        if found.standing is not Standing.OURS:
            _doubt(db, found, place, skews)
        db.execute(
            "update identity set machine = ?, path = ?, boot = ?, ticks = ?, era = ?, pushing = ?",
            (place.machine, place.path, place.boot, place.ticks, now - place.ticks, pushing),
        )
        # Of a version that counted by the wall clock, which may have been ahead.
        db.execute(
            "update changes set sent_at = min(sent_at, ?1), next_look = min(next_look, ?1)"
            " where state in ('sending', 'in_doubt')",
            (now,),
        )
        row = _row(db)
        if row is not None and said.get("queue") == row["queue"]:
            # Numbers that the other copy gave out stay with what it gave them to.
            last = said.get("last")
            if isinstance(last, int):
                db.execute("update sqlite_sequence set seq = max(seq, ?)", (last,))
        _mark(outbox, db)


def _doubt(db: sqlite3.Connection, found: Finding, place: Place, skews: Skews) -> None:
    """Mark what waits as perhaps sent by another copy since this one was last used."""
    rows = db.execute(
        "select number, shop from changes where doubted_since is null"
        " and state in ('queued', 'conflict', 'rejected')"
    ).fetchall()
    since = {
        shop: _since(db, shop, place.wall, skews.get(shop) or 0.0) for shop in {r[1] for r in rows}
    }
    db.executemany(
        "update changes set doubted_since = ? where number = ?",
        [(since[shop], number) for number, shop in rows],
    )
    db.executemany(
        "insert into history values (?, ?, 'perhaps sent', ?)",
        [(n, place.wall, f"from another copy of the queue: {found.why}") for n, _ in rows],
    )
    if found.standing >= Standing.OLDER:
        db.execute("update changes set is_copied = 1 where doubted_since is not null")


def _since(db: sqlite3.Connection, shop: str, wall: float, skew: float) -> float:
    """The service's time since when another copy may have sent the changes of a shop."""
    known = db.execute("select max(last_at) from services where shop = ?", (shop,)).fetchone()[0]
    if known is not None:
        return float(known)
    # Never compared with the service's clock by a push: ours, unless it was set back since.
    first, last = db.execute(
        "select min(queued_at), max(queued_at) from changes where shop = ?", (shop,)
    ).fetchone()
    return float(first if last <= wall else wall - _UNKNOWN_SECONDS) + skew


def _mark(outbox: Outbox, db: sqlite3.Connection) -> None:
    """Write the watermark anew, and keep what it is known by; inside a transaction."""
    row = _row(db)
    assert row is not None
    last = db.execute("select max(seq) from sqlite_sequence").fetchone()[0]
    content = {"queue": row["queue"], "last": last or 0}
    try:
        seal = write_mark(outbox.path.parent, content)
    except OSError as error:
        raise QueueBroken(
            f"{outbox.path.parent} cannot be written ({error.strerror}). Nothing was sent."
        ) from None
    db.execute("update identity set mark = ?", (seal,))
    note_use(db, place_of(outbox.path))


def _row(db: sqlite3.Connection) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute("select * from identity").fetchone()
    return row
