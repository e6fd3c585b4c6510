"""The queue on disk: ``$SHOPMIRROR_HOME/outbox.sqlite``, every state change one transaction.

Which state may follow which: :mod:`pipelines.outbox.states`. ``sending`` is committed before the
request leaves and the outcome after the answer came, so a process killed at any moment leaves
``sending``, which the next push takes for ``in_doubt``.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from pipelines.outbox.errors import InputRefused, QueueBroken
from pipelines.outbox.identity import establish, note_use, steady
from pipelines.outbox.place import place_of
from pipelines.outbox.schema import STEPS
from pipelines.outbox.states import STATES, State, check_move
from sources.repair_shop.migrations import NewerVersion, migrate

__all__ = ["STATES", "Change", "NewChange", "Outbox", "State"]

FILE_NAME = "outbox.sqlite"
LOCK_SECONDS = 10.0
"""How long another process's transaction is waited for; ours take milliseconds."""


@dataclass(frozen=True)
class Change:
    """One row of the queue. Times are seconds since 1970; JSON columns are decoded."""

    number: int
    shop: str
    resource: str
    op: str
    record_id: str | None
    body: dict[str, Any]
    base: dict[str, Any]
    file: dict[str, Any] | None
    marker: str | None
    state: State
    id: str | None
    reason: str
    queued_by: str
    queued_at: float
    attempts: int
    sent_body: dict[str, Any] | None
    sent_at: float | None
    baseline: dict[str, Any] | None
    progress: dict[str, Any]
    looks: int
    next_look: float | None
    for_person: bool
    alone: bool
    merged_into: int | None
    answer: str | None
    pushed_at: float | None
    service: int | None = None
    doubted_since: float | None = None
    is_copied: bool = False

    @property
    def what(self) -> str:
        """``change 7 (update customers c-1)``, for messages."""
        target = f" {self.record_id}" if self.record_id else ""
        return f"change {self.number} ({self.op} {self.resource}{target})"


@dataclass(frozen=True)
class NewChange:
    """A validated change on its way into the queue. References to rows are 1-based."""

    shop: str
    resource: str
    op: str
    record_id: str | None
    body: dict[str, Any]
    base: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] | None = None
    marker: str | None = None
    where: str = ""


_JSON = ("body", "base", "file", "sent_body", "baseline", "progress")


class Outbox:
    """The open queue file. Not for sharing between threads: open one each, it is cheap."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
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
                version = migrate(self._db, STEPS)
            except NewerVersion:
                self._db.close()
                raise QueueBroken(
                    f"The queue {self.path} was written by a newer version of shopmirror. "
                    "Upgrade; nothing was sent."
                ) from None
            if version < len(STEPS):
                establish(self, is_new=version == 0)

    def copy(self) -> Outbox:
        """The same queue in memory, to try things out on."""
        twin = object.__new__(Outbox)
        twin.path = self.path
        twin._db = sqlite3.connect(":memory:", isolation_level=None)
        twin._db.row_factory = sqlite3.Row
        with self._mapped():
            self._db.backup(twin._db)
        return twin

    def __enter__(self) -> Outbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

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
            raise QueueBroken(
                f"The queue {self.path} cannot be used ({error}). If it is damaged, put it aside "
                "and restore a copy. What was being sent is looked up by the next push."
            ) from None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; taken for writing at once, so two never deadlock."""
        with self._mapped():
            self._db.execute("begin immediate")
            try:
                yield self._db
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    def now(self) -> float:
        """The time by which waits are counted; nobody can set it (:func:`identity.steady`)."""
        [row] = self.select("select * from identity")
        return steady(row, place_of(self.path))

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file, for reading what is not a change."""
        return self._db

    def select(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Rows of a read-only statement."""
        with self._mapped():
            return self._db.execute(sql, values).fetchall()

    def changes(self, where: str = "1", *values: Any) -> list[Change]:
        """The changes for which a condition holds, in the order they were queued."""
        found = self.select(f"select * from changes where {where} order by number", *values)  # noqa: S608 - conditions are constants of this package; values are bound
        return [_change(row) for row in found]

    def get(self, number: int) -> Change:
        """Change ``number``; :class:`InputRefused` if there is none."""
        found = self.changes("number = ?", number)
        if not found:
            raise InputRefused(
                [f"there is no change {number}; 'queue list' shows all"], "Nothing was done"
            )
        return found[0]

    def history(self, number: int) -> list[dict[str, Any]]:
        """What happened to a change, oldest first: ``at``, ``event``, ``detail``."""
        rows = self.select(
            "select at, event, detail from history where number = ? order by rowid", number
        )
        return [dict(row) for row in rows]

    def add(
        self, changes: Sequence[NewChange], *, by: str, service: int | None = None
    ) -> list[int]:
        """Queue changes, all or none; their numbers. Row references become numbers here.

        ``service``: the one they are for (:func:`pipelines.outbox.binding.bind`).
        """
        now = time.time()
        with self.transaction() as db:
            last = db.execute("select coalesce(max(seq), 0) from sqlite_sequence").fetchone()[0]
            first = last + 1
            db.executemany(
                "insert into changes (number, shop, resource, op, record_id, body, base, file,"
                " marker, state, queued_by, queued_at, service)"
                " values (?,?,?,?,?,?,?,?,?,'queued',?,?,?)",
                [
                    (
                        first + place,
                        change.shop,
                        change.resource,
                        change.op,
                        _target(change.record_id, first),
                        json.dumps(_numbered(change.body, first), ensure_ascii=False),
                        json.dumps(change.base, ensure_ascii=False),
                        json.dumps(change.file) if change.file else None,
                        change.marker,
                        by,
                        now,
                        service,
                    )
                    for place, change in enumerate(changes)
                ],
            )
            note_use(db, place_of(self.path))
            numbers = list(range(first, first + len(changes)))
            self.fill_targets(first)
            db.executemany(
                "insert into history values (?, ?, 'queued', ?)",
                [(number, now, f"by {by}") for number in numbers],
            )
        return numbers

    def fill_targets(self, first: int = 0) -> None:
        """Give changes from number ``first`` on the id of the change they are for (``@12``), if
        that is done; later ones get it when it becomes so."""
        made = (
            "from changes as made where made.state = 'done'"
            " and made.number = cast(substr(changes.record_id, 2) as integer)"
        )
        with self._mapped():
            self._db.execute(
                f"update changes set record_id = (select made.id {made})"  # noqa: S608 - a constant
                f" where number >= ? and record_id like '@%' and exists (select 1 {made})",
                (first,),
            )

    def set(self, numbers: Sequence[int], event: str, detail: str = "", **columns: Any) -> None:
        """Change columns of some changes and note it in their history, in one transaction."""
        with self.transaction() as db:
            self.set_in(db, numbers, event, detail, **columns)

    def set_in(
        self,
        db: sqlite3.Connection,
        numbers: Sequence[int],
        event: str,
        detail: str = "",
        **columns: Any,
    ) -> None:
        """As :meth:`set`, inside an open transaction. A state that may not follow raises."""
        if "state" in columns:
            columns["state"] = State(columns["state"])
            for number in numbers:
                check_move(self.get(number).state, columns["state"], number)
        values = {
            name: json.dumps(value, ensure_ascii=False)
            if name in _JSON and value is not None
            else value
            for name, value in columns.items()
        }
        marks = ", ".join("?" * len(numbers))
        if values:
            named = ", ".join(f"{name} = ?" for name in values)
            db.execute(
                f"update changes set {named} where number in ({marks})",  # noqa: S608 - column names are keywords of our own calls
                (*values.values(), *numbers),
            )
        now = time.time()
        db.executemany(
            "insert into history values (?, ?, ?, ?)",
            [(number, now, event, detail) for number in numbers],
        )

    def unmoved(self, changes: Sequence[Change]) -> bool:
        """Whether the changes are in the states they were read in: a person may have discarded or
        retried one since. Ask inside :meth:`transaction`, so that it stays true."""
        return all(self.get(change.number).state == change.state for change in changes)

    def counts(self, shop: str | None = None) -> dict[str, int]:
        """How many changes are in each state."""
        rows = self.select(
            "select state, count(*) from changes where ?1 is null or shop = ?1 group by state", shop
        )
        return dict.fromkeys(map(str, STATES), 0) | {row[0]: row[1] for row in rows}

    def discarded(self) -> int:
        """How many of the rejected changes a person took out."""
        return int(
            self.select(
                "select count(*) from changes where state = 'rejected' and 'discarded' ="
                " (select event from history where history.number = changes.number"
                " order by rowid desc limit 1)"
            )[0][0]
        )


def _change(row: sqlite3.Row) -> Change:
    values = dict(row)
    for name in _JSON:
        if values[name] is not None:
            values[name] = json.loads(values[name])
    values["state"] = State(values["state"])
    values["for_person"] = bool(values["for_person"])
    values["alone"] = bool(values["alone"])
    values["is_copied"] = bool(values["is_copied"])
    return Change(**values)


def _numbered(value: Any, first: int) -> Any:
    """References as they are stored; a row of the batch gets its number."""
    if isinstance(value, dict):
        if set(value) == {"$row"}:
            return {"$queued": first + value["$row"] - 1}
        return {key: _numbered(inner, first) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbered(inner, first) for inner in value]
    return value


def _target(record_id: str | None, first: int) -> str | None:
    if record_id is not None and record_id.startswith("@row:"):
        return f"@{first + int(record_id[5:]) - 1}"
    return record_id
