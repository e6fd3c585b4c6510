"""The queue on disk: ``$SHOPMIRROR_HOME/outbox.sqlite``, every change of it one transaction.

``sending`` is committed as the request leaves, and the outcome after the answer came. So a process
killed at any moment leaves ``sending``, which the next push takes for ``in_doubt``. Every outcome
goes through :meth:`Outbox.move`, a compare-and-set on the version that was read: what a person, or
another process, decided meanwhile stands. The tables are in ``schema.sql``, the statements in
``queries.sql``; SQL on the file stands here and in :mod:`pipelines.outbox.origin` only.
"""

import json
import math
import os
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from pipelines.bodies.fields import Reference, filled
from pipelines.home import storage_trouble
from pipelines.outbox.change import STATES, Change, NewChange, Said, State
from pipelines.outbox.errors import InputRefused, Moved, QueueBroken
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.migrations import named, statements
from sources.repair_shop.sections import make_home

FILE_NAME = "outbox.sqlite"
STAMP = "outbox.watermark"
LOCK_SECONDS = 10.0
"""How long another process's transaction is waited for; ours take milliseconds."""
VERSION = 6
_HERE = Path(__file__).parent
_QUERIES = named((_HERE / "queries.sql").read_text(encoding="utf-8"))
_JSON = ("body", "basis", "file", "sent_body", "fence")
_CONDITIONS: Mapping[str, str] = {
    **{name: f"{name} = ?" for name in ("number", "shop", "resource", "record_id", "id", "op")},
    "before": "number < ?",
    "after": "number > ?",
    "but": "number != ?",
    "pushed_after": "pushed_at > ?",
    "holding": "instr(body, ?)",
    "referring": "body like '%{\"$queued\": ' || ? || '}%'",
}
"""What changes may be asked for by: ``holding`` a text in their body, ``referring`` to a change."""


def is_there(home: Path) -> bool:
    """Whether a home's queue holds anything; a file without a byte is what a full disk leaves."""
    with suppress(OSError):
        return (home / FILE_NAME).stat().st_size > 0
    return False


class Outbox:
    """The open queue. Not for sharing between threads: open one each, it is cheap.

    :class:`QueueBroken` when it cannot be used. ``clock`` is for tests.
    """

    def __init__(self, home: Path, clock: SystemClock | None = None) -> None:
        self.path = home / FILE_NAME
        self.clock = clock or SystemClock()
        if (home / STAMP).exists() and not is_there(home):
            raise QueueBroken(
                f"The queue {self.path} is {'empty' if self.path.exists() else 'gone'}, though it "
                f"was pushed from here. Put a copy back; or remove {home / STAMP} to begin a "
                "new one: what waited, and the history, are lost then."
            )
        try:
            make_home(home)
            # Made by us and not by SQLite: it holds customers' data, for its owner only.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from None
        self._db.row_factory = sqlite3.Row
        with self._mapped():
            # All is in one file between commits: beside a log that a killed push left, a file that
            # is copied, or an older one that is put over it, would be half of each. A file that has
            # a log yet is switched when nobody else has it open.
            with suppress(sqlite3.OperationalError):
                self._db.execute("pragma journal_mode = delete")
            # A sheet of many rows keeps nobody from reading until it is committed.
            self._db.execute("pragma cache_spill = off")
            # An outcome that a power cut takes back would be sent again: every commit reaches disk.
            self._db.execute("pragma synchronous = extra")
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        if self._version() == VERSION:
            return
        with self.transaction() as db:
            found = self._version()  # another process may have done it meanwhile
            if found > VERSION:
                raise QueueBroken(
                    f"The queue {self.path} was written by a newer version of shopmirror. "
                    "Upgrade; nothing was sent."
                )
            if found not in (0, 3, 5, VERSION):
                raise QueueBroken(
                    f"The queue {self.path} was written by a version of shopmirror before 0.1.0. "
                    "Push or discard what waits with that one. Nothing was sent."
                )
            if found != VERSION:
                old = (_HERE / f"layout_{found}.sql").read_text() if found else "-- schema --"
                script = old.replace("-- schema --", (_HERE / "schema.sql").read_text())
                for statement in statements(script):
                    db.execute(statement)
                db.execute(f"pragma user_version = {VERSION}")

    def _version(self) -> int:
        return int(self._db.execute("pragma user_version").fetchone()[0])

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

    def ask(self, name: str, **values: Any) -> list[sqlite3.Row]:
        """The rows of a statement of ``queries.sql``."""
        with self._mapped():
            return self._db.execute(_QUERIES[name], values).fetchall()

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

    # -- reading ------------------------------------------------------------------------------

    def changes(
        self, *, states: Iterable[str] = (), last: bool = False, **wanted: str | float | None
    ) -> list[Change]:
        """Changes in the order they were queued: those in ``states`` (all if none is named) for
        which all of ``wanted`` holds, by the names of :data:`_CONDITIONS`. ``last``: the last."""
        if any(isinstance(value, int) and value.bit_length() > 63 for value in wanted.values()):
            return []  # SQLite has no such number
        conditions = [_CONDITIONS[name] for name in wanted]
        values: list[Any] = [*wanted.values()]
        if states := tuple(states):
            conditions.append(f"state in ({', '.join('?' * len(states))})")
            values += map(str, states)
        sql = f"select * from changes where {' and '.join(conditions) or '1'}"
        with self._mapped():
            order = "number desc limit 1" if last else "number"
            rows = self._db.execute(f"{sql} order by {order}", values)
            return [change_of(row) for row in rows]

    def of_record(self, change: Change | NewChange, **wanted: Any) -> list[Change]:
        """Changes of the record that a change is for; ``wanted`` as in :meth:`changes`."""
        record: dict[str, Any] = {"resource": change.resource, "record_id": change.record_id}
        return self.changes(shop=change.shop, **record, **wanted)

    def get(self, number: int) -> Change:
        """Change ``number``; :class:`InputRefused` if there is none."""
        found = self.changes(number=number)
        if not found:
            raise InputRefused(
                [f"there is no change {number}; 'queue list' shows all"], "Nothing was done"
            )
        return found[0]

    def history(self, number: int) -> list[dict[str, Any]]:
        """What happened to a change, oldest first: ``at``, ``event``, ``detail``."""
        return [dict(row) for row in self.ask("history", number=number)]

    def counts(self, shop: str | None = None) -> dict[str, int]:
        """How many changes are in each state."""
        rows = self.ask("counts", shop=shop)
        return dict.fromkeys(map(str, STATES), 0) | {row[0]: row[1] for row in rows}

    def made(
        self,
        shop: str,
        resource: str,
        *,
        but: int = 0,
        since: float = 0.0,
        until: float = math.inf,
    ) -> frozenset[str]:
        """Ids of records that changes made, and none deleted since; all but those of ``but``.
        ``since`` and ``until`` when they were sent."""
        wanted = {"but": but, "since": since, "until": until}
        rows = self.ask("made", shop=shop, resource=resource, **wanted)
        return frozenset(row[0] for row in rows)

    def by_key(self, change: NewChange) -> dict[str, int]:
        """Numbers of the changes of one kind by the caller's keys, as :func:`folded`."""
        kind = {name: getattr(change, name) for name in ("shop", "resource", "op")}
        return {folded(row["key"]): row["number"] for row in self.ask("keys", **kind)}

    # -- writing ------------------------------------------------------------------------------

    def add(
        self, changes: Sequence[NewChange], *, by: str, service: int | None = None, stamp: str = ""
    ) -> list[int]:
        """Queue changes, all or none; their numbers. Row references become numbers here.

        ``service``: the one they are for; ``stamp``: what they are queued under (both:
        :mod:`pipelines.outbox.origin`). A change whose key is known is not queued again: its
        number is that of the first.
        """
        now = self.clock.wall()
        numbers: list[int] = []
        with self.transaction() as db:
            keys = self.by_key(changes[0])

            def queued(one: Reference) -> Reference:
                return {"$queued": numbers[one["$row"] - 1]} if "$row" in one else one

            for change in changes:
                if change.key is not None and (known := keys.get(folded(change.key))):
                    numbers.append(known)
                    continue
                target: Any = change.record_id
                if isinstance(target, dict):
                    target = f"@{queued(target)['$queued']}"
                values = {
                    name: getattr(change, name)
                    for name in ("shop", "resource", "op", "marker", "key")
                } | {
                    "number": None,
                    "record_id": target,
                    "body": _json(filled(change.body, queued)),
                    "basis": _json(change.basis),
                    "file": _json(change.file) if change.file else None,
                }
                values |= {"by": by, "now": now, "stamp": stamp, "service": service}
                values |= {"boot": self.clock.boot(), "ticks": self.clock.monotonic()}
                made = db.execute(_QUERIES["add"], values).lastrowid
                assert made is not None
                numbers.append(made)
                self.note(made, "queued", f"by {by}")
            self.ask("fill_targets", first=min(numbers))
        return numbers

    def note(self, number: int, event: str, detail: str = "") -> None:
        """A line of a change's history."""
        self.ask("note", number=number, at=self.clock.wall(), event=event, detail=detail)

    def move(
        self,
        change: Change,
        to: State | None = None,
        event: str = "",
        detail: str = "",
        **columns: Any,
    ) -> Change:
        """Bring a change to a state, with its columns and a line of history, in one transaction;
        as it is then. :class:`Moved` if it is not as it was read.

        ``detail`` is the reason, too, if the columns name no other and the state is another.
        """
        if to is not None:
            columns = {"reason": detail, **columns, "state": str(to)}
        values = {
            name: _json(value) if name in _JSON and value is not None else value
            for name, value in columns.items()
        }
        named = "".join(f", {name} = ?" for name in values)
        sql = f"update changes set version = version + 1{named} where number = ? and version = ?"
        with self.transaction() as db:
            row = db.execute(
                f"{sql} returning *", [*values.values(), change.number, change.version]
            ).fetchone()
            if row is None:
                raise Moved(f"{change.what} was dealt with by somebody else meanwhile.")
            if event:
                self.note(change.number, event, detail)
        return change_of(row)


def folded(key: str) -> str:
    """A key as it is told from others: a sheet that is saved again may hold it without its leading
    zeros, with an empty fraction, with other blanks and capitals."""
    plain = [one for one in unicodedata.normalize("NFKC", key) if unicodedata.category(one) != "Cf"]
    text = " ".join("".join(plain).split()).casefold()
    return re.sub(r"^0*(\d+?)([.,]0{0,2})?$", r"\1", text)


def change_of(row: sqlite3.Row) -> Change:
    """A row of ``changes``, its JSON decoded."""
    values = dict(row)
    for name in _JSON:
        if values[name] is not None:
            values[name] = json.loads(values[name])
    values |= {"state": State(values["state"]), "said": Said(values["said"])}
    return Change(**values | {"needs_person": bool(values["needs_person"])})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
