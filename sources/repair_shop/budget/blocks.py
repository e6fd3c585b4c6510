"""What a block of one key means for the other keys of its address.

A block shuts "the API key and the client IP address" for 6 to 8 hours (specification, Limits); on
some shops three of five keys of one address were refused while the others went on (field notes).
So one refused key stops itself for eight hours and the others for a minute only. Then one careful
request of one of them, alone, tells: an answer, and the others go on (each alone at first, because
it may be refused itself); a refusal, and there is silence for one hour, then two, four, eight,
each ended by one careful request of a key that was not refused yet.

The rows live in the budget's file. ``bases``: until when nothing of an address is asked; the row
stays until a request made later than that was answered. ``blocks``: the refused keys.
"""

import sqlite3
from dataclasses import dataclass

from ..budget.pace import FORGET_MINUTES, LONGEST_REST_MINUTES, MARGIN, Pace


@dataclass(frozen=True, slots=True)
class Standing:
    """How a key stands: times of the budget's clock, 0 for none."""

    own_until: float
    """The key itself was refused; nothing of it is asked before."""
    others_until: float
    """Another key of the address was refused; nothing is asked before."""
    in_doubt: bool
    """Nobody knows yet whether the address is shut: one request at a time, of all its keys."""

    @property
    def until(self) -> float:
        """Nothing is asked before."""
        return max(self.own_until, self.others_until)


def standing(db: sqlite3.Connection, key: str, base: str, pace: Pace, minute: float) -> Standing:
    """How ``key`` stands at ``base``."""
    own = db.execute("select until from blocks where key = ?", (key,)).fetchone()
    row = db.execute("select blocked_until from bases where base = ?", (base,)).fetchone()
    if row is None:
        return Standing(own[0] if own else 0.0, 0.0, in_doubt=False)
    newest, longest = db.execute(
        "select max(at), max(until) from blocks where base = ?", (base,)
    ).fetchone()
    others = float(row[0])
    if not pace.worked:
        # Its refusal could as well mean a wrong key, so it is not the one to try.
        others = max(others, longest or 0.0)
    elif pace.careful_since and pace.careful_since < (newest or 0.0):
        # It was not answered since an earlier block: those that were go first.
        others += minute
    return Standing(own[0] if own else 0.0, others, in_doubt=True)


def note_block(
    db: sqlite3.Connection, key: str, base: str, *, now: float, taken: float, minute: float
) -> None:
    """``key`` was refused, on a request granted at ``taken``."""
    row = db.execute("select blocked_until from bases where base = ?", (base,)).fetchone()
    careful = row is not None and taken >= row[0]
    db.execute(
        "insert or replace into blocks values (?, ?, ?, ?, ?)",
        (key, base, now, now + LONGEST_REST_MINUTES * minute, careful),
    )
    failed = db.execute(
        "select count(*) from blocks where base = ? and careful", (base,)
    ).fetchone()[0]
    rest = min(FORGET_MINUTES * 2 ** (failed - 1), LONGEST_REST_MINUTES) if failed else MARGIN
    until = max(row[0] if row else 0.0, now + rest * minute)
    db.execute("insert or replace into bases values (?, ?)", (base, until))
    for other, text in db.execute("select key, pace from keys where base = ?", (base,)).fetchall():
        pace = Pace.from_text(text)
        if not pace.careful_since:
            pace.careful_since = now
            db.execute("update keys set pace = ? where key = ?", (pace.to_text(), other))


def note_answer(db: sqlite3.Connection, key: str, base: str, taken: float) -> None:
    """``key`` was answered properly, on a request granted at ``taken``.

    Made after a block's end it proves that it ended; an earlier one was on its way by then.
    """
    db.execute("delete from blocks where key = ? and until <= ?", (key, taken))
    if db.execute(
        "delete from bases where base = ? and blocked_until <= ?", (base, taken)
    ).rowcount:
        db.execute("update blocks set careful = 0 where base = ?", (base,))


def lift_block(db: sqlite3.Connection, key: str, base: str) -> None:
    """A person made sure that the service answers this key again."""
    db.execute("delete from blocks where key = ?", (key,))
    db.execute("delete from bases where base = ?", (base,))
