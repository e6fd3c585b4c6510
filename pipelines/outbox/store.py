"""The queue on disk: ``$SHOPMIRROR_HOME/outbox.sqlite``, every state change one transaction.

Which state may follow which: :mod:`pipelines.outbox.change`. ``sending`` is committed before the
request leaves and the outcome after the answer came, so a process killed at any moment leaves
``sending``, which the next push takes for ``in_doubt``. SQL on the file stands here, in
:mod:`pipelines.outbox.registry` and in :mod:`pipelines.outbox.queue_file`, and nowhere else.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pipelines.bodies.fields import Queued
from pipelines.outbox.change import STATES, TRANSITIONS, Change, NewChange, Reference, State
from pipelines.outbox.errors import InputRefused, QueueBroken
from pipelines.outbox.queue_file import FILE_NAME
from pipelines.outbox.registry import Registry

__all__ = ["FILE_NAME", "STATES", "Change", "NewChange", "Outbox", "State"]

_JSON = ("body", "base", "file", "sent_body", "baseline", "progress")
_CONDITIONS: Mapping[str, str] = {
    **{
        name: f"{name} = ?"
        for name in ("number", "shop", "resource", "record_id", "id", "op", "merged_into")
    },
    "before": "number < ?",
    "after": "number > ?",
    "but": "number != ?",
    "of_list": "+resource = ?",
    "naming": "exists (select 1 from (select ? as named) where instr(body, named) and exists"
    " (select 1 from json_tree(body) where (type = 'text' or key like '%id')"
    " and instr(',' || replace(atom, ' ', '') || ',', ',' || named || ',')))",
    "referring": "body like '%{\"$queued\": ' || ? || '}%'",
    "pushed_after": "pushed_at > ?",
    "due": "for_person = 0 and next_lookup <= ?",
}
"""What changes may be asked for by: ``naming`` an id in their body, or ``referring`` to a change;
``due`` to be looked up,
``of_list``: a resource by whose index SQLite does not go, since the few in a state are fewer."""


class Outbox(Registry):
    """The open queue. Not for sharing between threads: open one each, it is cheap."""

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file, for tests."""
        return self._db

    # -- reading ------------------------------------------------------------------------------

    def changes(
        self,
        *,
        states: Iterable[str] = (),
        leads: bool = False,
        limit: int = -1,
        **wanted: str | float | None,
    ) -> list[Change]:
        """Changes in the order they were queued: those in ``states`` (all if none is named), that
        ``leads`` only: are not sent along with another, and for which all of ``wanted`` holds, by
        the names of :data:`_CONDITIONS`."""
        if any(isinstance(value, int) and value.bit_length() > 63 for value in wanted.values()):
            return []  # SQLite has no such number
        conditions = [_CONDITIONS[name] for name in wanted]
        values: list[Any] = [*wanted.values()]
        if states := tuple(states):
            conditions.append(f"state in ({', '.join('?' * len(states))})")
            values += map(str, states)
        if leads:
            conditions.append("merged_into is null")
        where = " and ".join(conditions) or "1"
        rows = self._select(
            f"select * from changes where {where} order by number limit ?", *values, limit
        )
        return [_change(row) for row in rows]

    def of_record(self, change: Change | NewChange, **wanted: Any) -> list[Change]:
        """Changes of the record that a change is for; ``wanted`` as in :meth:`changes`."""
        record: dict[str, Any] = {"resource": change.resource, "record_id": change.record_id}
        return self.changes(shop=change.shop, **record, **wanted)

    def creates(self, change: Change, *states: State) -> list[Change]:
        """Other creates of the same list, in some states."""
        kind: Any = {"shop": change.shop, "of_list": change.resource, "op": "create"}
        return self.changes(states=states, but=change.number, **kind)

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
        rows = self._select(
            "select at, event, detail from history where number = ? order by rowid", number
        )
        return [dict(row) for row in rows]

    def counts(self, shop: str | None = None) -> dict[str, int]:
        """How many changes are in each state."""
        rows = self._select(
            "select state, count(*) from changes where ?1 is null or shop = ?1 group by state", shop
        )
        return dict.fromkeys(map(str, STATES), 0) | {row[0]: row[1] for row in rows}

    def discarded(self) -> int:
        """How many of the rejected changes a person took out."""
        [(count,)] = self._select(
            "select count(*) from changes where state = 'rejected' and 'discarded' ="
            " (select event from history where history.number = changes.number"
            " order by rowid desc limit 1)"
        )
        return int(count)

    def waiting_by_shop(self) -> dict[str, int]:
        """Shop -> changes that a push has yet to deal with."""
        rows = self._select(
            "select shop, count(*) from changes where state in ('queued', 'sending', 'in_doubt')"
            " group by shop"
        )
        return {row[0]: row[1] for row in rows}

    def next_lookup(self, shop: str, after: float) -> float | None:
        """When the next change is due to be looked up, None if none is: of those in doubt, and of
        the waiting ones that were not due yet when a push went through them, ``after`` which."""
        [(found,)] = self._select(
            "select min(next_lookup) from changes where shop = ? and merged_into is null"
            " and (state = 'in_doubt' and for_person = 0 or state = 'queued' and next_lookup > ?)",
            *(shop, after),
        )
        return None if found is None else float(found)

    def made_by_others(self, change: Change) -> frozenset[str]:
        """Ids of the records of its list that other changes made."""
        return self.created_ids(change.shop, change.resource, but=change.number)

    def created_ids(self, shop: str, resource: str, *, but: int = 0) -> frozenset[str]:
        """Ids of the records that changes made, all but those of change ``but``."""
        rows = self._select(
            "select id from changes where shop = ? and resource = ? and op = 'create'"
            " and id is not null and number != ?",
            shop,
            resource,
            but,
        )
        return frozenset(row[0] for row in rows)

    def made_since(self, change: Change, moment: float) -> frozenset[str]:
        """Ids of records of the same list that other changes made since, by their answers, and that
        none deleted."""
        rows = self._select(
            "select id from changes as made where shop = ?1 and resource = ?2 and op = 'create'"
            " and state = 'done' and pushed_at >= ?3 and number != ?4 and not exists (select 1 from"
            " changes where shop = ?1 and resource = ?2 and op = 'delete' and record_id = made.id)",
            change.shop,
            change.resource,
            moment,
            change.number,
        )
        return frozenset(row[0] for row in rows)

    def said_before(self, numbers: Sequence[int]) -> list[int]:
        """Changes that say what all of ``numbers`` say again, the last of each; none if some say
        what none did. What names other changes is left out, and what was taken out."""
        said = (
            "select shop, resource, op, coalesce(record_id, '') as record, max(number) as number,"
            " replace(body, coalesce(marker, ''), '') || coalesce(file ->> 'sha256', '') as words"
            " from changes where number between ? and ? and state != 'rejected'"
            " and body not like '%{\"$queued\"%' and coalesce(record_id, '') not like '@%'"
            " group by shop, resource, op, record, words"
        )
        found = self._select(
            f"select old.number from ({said}) as new left join ({said}) as old"
            " using (shop, resource, op, record, words) order by 1",
            *(numbers[0], numbers[-1], 1, numbers[0] - 1),
        )
        earlier = [row[0] for row in found]
        return [] if None in earlier else earlier

    def refuse_faulty(self) -> None:
        """Raise :class:`QueueBroken` if another program left changes that cannot be read, or made
        some wait again that are done."""
        texts = " and ".join(f"({name} is null or json_valid({name}))" for name in _JSON)
        states = ", ".join(f"'{state}'" for state in STATES)
        again = "(state <> 'done' and pushed_at is not null)"
        bad = f"state not in ({states}) or not ({texts}) or {again}"
        if rows := self._select(f"select number from changes where {bad} limit 9"):
            raise _unreadable(", ".join(str(row[0]) for row in rows))

    # -- writing ------------------------------------------------------------------------------

    def add(
        self, changes: Sequence[NewChange], *, by: str, service: int | None = None
    ) -> list[int]:
        """Queue changes, all or none; their numbers. Row references become numbers here.

        ``service``: the one they are for (:func:`pipelines.outbox.identity.bind`).
        """
        now = time.time()
        with self.transaction() as db:
            last = db.execute("select coalesce(max(seq), 0) from sqlite_sequence").fetchone()[0]
            first = last + 1

            def number(one: Reference) -> int:
                return one.number if isinstance(one, Queued) else first + one.row - 1

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
                        f"@{number(change.record_id)}"
                        if isinstance(change.record_id, Reference)
                        else change.record_id,
                        _json(change.body, lambda one: {"$queued": number(one)}),
                        _json(change.base),
                        json.dumps(change.file) if change.file else None,
                        change.marker,
                        by,
                        now,
                        service,
                    )
                    for place, change in enumerate(changes)
                ],
            )
            self.note_use()
            numbers = list(range(first, first + len(changes)))
            self.fill_targets(first)
            self._note(numbers, now, "queued", f"by {by}")
        return numbers

    def fill_targets(self, first: int = 0) -> None:
        """Give changes from number ``first`` on the id of the change they are for (``@12``), if
        that is done; later ones get it when it becomes so."""
        made = (
            "from changes as made where made.state = 'done' and made.id is not null"
            " and made.number = cast(substr(changes.record_id, 2) as integer)"
        )
        with self._mapped():
            self._db.execute(
                f"update changes set record_id = (select made.id {made})"
                f" where number >= ? and record_id like '@%' and exists (select 1 {made})",
                (first,),
            )

    def set(
        self, changes: Iterable[Change | int], event: str, detail: str = "", **columns: Any
    ) -> None:
        """Change columns of some changes and note it in their history, in one transaction. A state
        that may not follow raises :class:`ValueError`."""
        numbers = [one if isinstance(one, int) else one.number for one in changes]
        with self.transaction() as db:
            if "state" in columns:
                columns["state"] = State(columns["state"])
                for number in numbers:
                    old, new = self.get(number).state, columns["state"]
                    if new is not old and new not in TRANSITIONS[old]:
                        raise ValueError(f"change {number} cannot go from {old} to {new}")
            values = {
                name: _json(value) if name in _JSON and value is not None else value
                for name, value in columns.items()
            }
            if values:
                named = ", ".join(f"{name} = ?" for name in values)
                db.executemany(
                    f"update changes set {named} where number = ?",
                    [(*values.values(), number) for number in numbers],
                )
            self._note(numbers, time.time(), event, detail)

    def put_in_doubt(self, changes: Iterable[Change | int], why: str, **columns: Any) -> None:
        """Changes may have been applied: in doubt, and looked up from now on. What was sent has its
        minute from now to show up, not from the intent: it may have waited for its turn."""
        columns |= {"state": State.IN_DOUBT, "reason": why}
        columns["next_lookup"] = columns["sent_at"] = self.now()
        self.set(changes, "in doubt", why, **columns)

    def settle(self, changes: Sequence[Change], event: str, why: str, **columns: Any) -> bool:
        """As :meth:`set`, unless a person dealt with one of them meanwhile; whether it was done.
        ``why`` is the reason, too, if the columns name no other."""
        with self.transaction():
            if not self.unmoved(changes):
                return False
            self.set(changes, event, why, **{"reason": why, **columns})
        return True

    def unmoved(self, changes: Sequence[Change]) -> bool:
        """Whether the changes are in the states they were read in: a person may have discarded or
        retried one since. Ask inside :meth:`transaction`, so that it stays true."""
        return all(self.get(change.number).state == change.state for change in changes)

    def wrote(self, change: Change, new_id: str, records: Iterable[tuple[str, str]]) -> None:
        """The service holds a change as ``new_id``: give that to the changes that wait for it, and
        have the sync read back the ``records`` (resource, id) that it wrote."""
        now = time.time()
        with self.transaction() as db:
            db.execute(
                "update changes set record_id = ? where shop = ? and record_id = ?",
                (new_id, change.shop, f"@{change.number}"),
            )
            db.executemany(
                "insert into touched values (?, ?, ?, ?, null, ?) on conflict (shop, resource, id)"
                " do update set pushed_at = excluded.pushed_at, mirrored_at = null,"
                " number = excluded.number",
                [(change.shop, resource, one, now, change.number) for resource, one in records],
            )

    # -- what the sync reads back -------------------------------------------------------------

    def touched(self, shop: str | None) -> list[dict[str, Any]]:
        """Records that pushes wrote and no sync read back, oldest first: ``shop``, ``resource``,
        ``id``, ``pushed_at``, ``number`` of the change, ``is_deleted``: by that change."""
        rows = self._select(
            "select t.shop, t.resource, t.id, t.pushed_at, t.number, c.op = 'delete'"
            " and c.resource = t.resource and c.id = t.id as is_deleted"
            " from touched as t left join changes as c on c.number = t.number"
            " where t.mirrored_at is null and (?1 is null or t.shop = ?1) order by t.pushed_at",
            shop,
        )
        return [{**dict(row), "is_deleted": bool(row["is_deleted"])} for row in rows]

    def mark_mirrored(self, shop: str, records: Iterable[tuple[str, str]], read_at: float) -> int:
        """The sync has these ``(resource, id)`` as they were at ``read_at``; how many waited."""
        now = time.time()
        with self.transaction() as db:
            before = db.total_changes
            db.executemany(
                "update touched set mirrored_at = ? where shop = ? and resource = ? and id = ?"
                " and mirrored_at is null and pushed_at <= ?",
                [(now, shop, resource, record, read_at) for resource, record in records],
            )
            return db.total_changes - before

    def told(self) -> list[dict[str, Any]]:
        """What ``ops.changes`` has of each change; ``is_mirrored``: a sync read its record."""
        rows = self._select(
            "select number, shop as shop_id, resource, op, state, reason, queued_by, attempts,"
            " answer, queued_at, pushed_at, coalesce(sent_body, body) as body,"
            " coalesce(record, record_id) as id, state = 'done' and exists (select 1 from touched"
            " as t where t.shop = c.shop and t.resource = c.resource and t.id = c.record"
            " and t.mirrored_at is not null) as is_mirrored from (select *,"
            " case op when 'upload' then record_id else id end as record from changes) as c"
            " order by number"
        )
        return [dict(row) for row in rows]


def _change(row: sqlite3.Row) -> Change:
    values = dict(row)
    try:
        for name in _JSON:
            if values[name] is not None:
                values[name] = json.loads(values[name])
        values["state"] = State(values["state"])
    except ValueError:
        raise _unreadable(str(values["number"])) from None
    values |= {name: bool(values[name]) for name in ("for_person", "alone", "is_copied")}
    return Change(**values)


def _json(value: Any, default: Callable[[Any], Any] = str) -> str:
    return json.dumps(value, ensure_ascii=False, default=default)


def _unreadable(numbers: str) -> QueueBroken:
    return QueueBroken(
        f"Another program wrote to the queue: change {numbers} cannot be read, or was done and "
        "waits again. Nothing was sent. Put a copy of the queue back, or its rows right (state, "
        "JSON); what the service is to get once more is to be queued anew."
    )
