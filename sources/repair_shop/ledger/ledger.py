"""The ledger: what was answered, on disk before anything uses it.

One SQLite file (``mirror.sqlite``), three things in it. *Scans*: a scan is deterministic code that
asks for pages by keys of its own (``newest:1``, ``down:7``); what it needs of each answer is kept
under (scan, key) while it is open. So a run that was killed starts the same code again and is
served from here. *Rows*: the newest content of each row, under the number of the answer that
brought it; that is the change log destinations read. *State* of lists, runs and reports. The tables
are in ``schema.sql``, the statements in ``queries.sql``.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import orjson

from ..budget.clock import SystemClock
from ..http.json_body import parse_json
from ..ledger.records import (
    Change,
    KnownRow,
    Page,
    Row,
    Scan,
    ScanState,
    day_of_text,
    day_text,
    now_text,
    packed,
    page_of,
    row_json,
    unpacked,
)
from ..ledger.state import State

_OF_A_DICTIONARY, _LONGEST_DICTIONARY = 20, 4_096
"""Rows of a list that its dictionary is made of, and bytes: more takes longer to prime."""
_FORGOTTEN = ("rows", "lists", "scans", "pages", "reports")


def _ids(ids: Iterable[str]) -> str:
    return orjson.dumps(list(ids)).decode()


class Ledger(State):
    """See the module. Safe for several threads; one process writes at a time (the sync lock)."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._dictionaries: dict[str, bytes] = {}

    # -- scans ------------------------------------------------------------------------------------

    def open_scan(
        self, run_id: int, shop: str, name: str, kind: str, spec: Mapping[str, Any]
    ) -> Scan:
        """Begin a scan, or go on with the open one of the same shop, list, kind and spec."""
        text = json.dumps(spec, sort_keys=True, default=str)
        of_it = {"shop": shop, "list": name, "kind": kind, "spec": text}
        with self.transaction():
            found = self.select("find_scan", **of_it)
            if not found:
                clock = SystemClock()
                at, boot, ticks = now_text(), clock.boot(), clock.monotonic()
                self.write("open_scan", run_id=run_id, at=at, boot=boot, ticks=ticks, **of_it)
                found = self.select("find_scan", **of_it)
        return _scan(found[0])

    def open_scans(self, shop: str, kinds: Sequence[str]) -> list[Scan]:
        """A shop's scans of some kinds that are not closed."""
        return [_scan(row) for row in self.select("open_scans", shop=shop, kinds=_ids(kinds))]

    def recent_scans(
        self, shop: str, seconds: float, first_run: int = 0
    ) -> dict[int, tuple[str, str, ScanState]]:
        """Scans of the last ``seconds``, of runs from ``first_run``: id -> list, kind, state.

        By the seconds since the boot, as the clock may have been set since.
        """
        clock = SystemClock()
        since = {"boot": clock.boot(), "ticks": clock.monotonic() - seconds}
        found = self.select("recent_scans", shop=shop, first_run=first_run, **since)
        return {scan: (name, kind, ScanState(state)) for scan, name, kind, state in found}

    def close_scan(
        self,
        scan: Scan,
        *,
        state: ScanState,
        first_day: date | None = None,
        last_day: date | None = None,
        **found: Any,
    ) -> None:
        """Close a scan, with the evidence by the columns of its table: proof, reason, pages, rows.
        Its own pages and notes are needed no longer."""
        days = {"first_day": day_text(first_day), "last_day": day_text(last_day)}
        told = {"proof": "", "reason": "", "pages": 0, "rows": 0} | found | days
        with self.transaction():
            self.write("close_scan", scan_id=scan.scan_id, state=state, at=now_text(), **told)
            self.write("drop_pages", scan_id=scan.scan_id)
            self.write("drop_notes", shop=scan.shop, prefix=_name_of_note(scan, ""))

    def scan_note(self, scan: Scan, name: str) -> str | None:
        """A note of an open scan, or None: what it must do again as before when it goes on."""
        return self.value(scan.shop, _name_of_note(scan, name))

    def set_scan_note(self, scan: Scan, name: str, value: str) -> None:
        """Keep a note of a scan until it is closed."""
        self.set_value(scan.shop, _name_of_note(scan, name), value)

    def newest_state(self, shop: str, name: str, *kinds: str) -> ScanState | None:
        """The state of a list's newest scan of some kinds, None if there is none."""
        found = self.one("newest_state", shop=shop, list=name, kinds=_ids(kinds))
        return None if found is None else ScanState(found)

    def page(self, scan: Scan, key: str) -> Page | None:
        """The kept answer to a scan's request, or None if it was never answered."""
        summary = self.one("page", scan_id=scan.scan_id, key=key)
        return None if summary is None else page_of(summary)

    def shown_ids(self, scan: Scan) -> set[str]:
        """The rows that any answer to an open scan's requests showed."""
        rows = self.select("summaries", scan_id=scan.scan_id)
        return {row for (summary,) in rows for row in orjson.loads(summary)[0]}

    # -- answers ----------------------------------------------------------------------------------

    def put(
        self,
        scan: Scan,
        key: str,
        rows: Sequence[Row],
        answered_at: datetime,
        *,
        is_of_changes: bool = False,
    ) -> Page:
        """Keep an answer and its rows, in one transaction, before anything uses it.

        A list of changes may name what was deleted: a row that was found gone and that it shows as
        it was then stays gone.
        """
        of_it: dict[str, Any] = {"shop": scan.shop, "list": scan.list}
        if rows:  # kept, whatever becomes of these rows: later ones are packed with it
            self._dictionary(scan.list, rows)
        with self.transaction():
            known = {
                row[0]: row[1:]
                for row in self.select("known", ids=_ids(row.id for row in rows), **of_it)
            }
            fresh: list[bool] = []
            put: list[Row] = []
            seen: list[Row] = []
            for row in rows:
                digest, deleted_at, day = known.get(row.id, (b"", None, None))
                is_same = digest == row.digest
                stays_gone = is_same and is_of_changes
                is_fresh = not is_same or (deleted_at is not None and not stays_gone)
                fresh.append(is_fresh)
                moved = day != day_text(row.day) and not stays_gone
                (put if is_fresh or moved else seen).append(row)
            first = self._numbers(len(put) + 1, is_change=bool(put))
            of_it["seen"] = first + len(put)
            at = now_text(answered_at)
            self.write_all(
                "put_row",
                [
                    {**of_it, **self._record(scan.list, row), "seq": first + n, "at": at}
                    for n, row in enumerate(put)
                ],
            )
            of_it["is_of_changes"] = is_of_changes
            self.write_all("see_row", [{**of_it, "id": r.id, "shown": r.shown} for r in seen])
            page = Page(tuple(r.id for r in rows), tuple(r.day for r in rows), tuple(fresh))
            summary = orjson.dumps([page.ids, page.days, page.changed]).decode()
            self.write("put_page", scan_id=scan.scan_id, key=key, summary=summary)
            self.write("count_request", scan_id=scan.scan_id)
        return page

    def _record(self, name: str, row: Row) -> dict[str, Any]:
        return {
            "id": row.id,
            "day": day_text(row.day),
            "digest": row.digest,
            "shown": row.shown,
            "is_open": int(row.is_open),
            "body": packed(row_json(row.content), self._dictionary(name)),
        }

    def _numbers(self, many: int, *, is_change: bool = True) -> int:
        """The first of the next so many numbers; of a change the log ends with the last."""
        last = int(self.one("next_seq", many=many))
        if is_change:
            self.write("set_meta", name="changed", value=last)
        return last - many + 1

    # -- rows: live ones are those that are believed to exist ----------------------------------

    def known_row(self, shop: str, name: str, identity: str) -> KnownRow:
        """What is known of a row, without its content."""
        for seen, day, deleted_at, missed, seq in self.select(
            "known_row", shop=shop, list=name, id=identity
        ):
            return KnownRow(seen, day_of_text(day), deleted_at is not None, missed, seq)
        return KnownRow()

    def live_count(
        self, shop: str, name: str, first: date | None = None, last: date | None = None
    ) -> int:
        """Live rows, optionally of a range of days."""
        days = {"first": day_text(first), "last": day_text(last)}
        return int(self.one("live_count", shop=shop, list=name, **days))

    def live_ids(
        self,
        shop: str,
        name: str,
        *,
        shown: str | None = None,
        listed: bool = False,
        is_open: bool | None = None,
        first: date | None = None,
        last: date | None = None,
        before_seq: int | None = None,
    ) -> list[str]:
        """Ids of live rows, the one not seen for longest first.

        Of a slice, only ``listed`` ones, of some days, or by the answers that showed them last.
        """
        rows = self.select(
            "live_ids",
            shop=shop,
            list=name,
            shown=shown,
            listed=listed,
            is_open=is_open,
            first=day_text(first),
            last=day_text(last),
            before=before_seq,
        )
        return [row[0] for row in rows]

    def mark_gone(self, shop: str, name: str, ids: Iterable[str]) -> int:
        """Mark live rows as gone, now: entries of the log. How many there were."""
        of_it = {"shop": shop, "list": name, "at": now_text()}
        with self.transaction():
            live = [row[0] for row in self.select("live_among", **of_it, ids=_ids(ids))]
            first = self._numbers(len(live), is_change=bool(live))
            self.write_all(
                "delete_row", [{**of_it, "id": row, "seq": first + n} for n, row in enumerate(live)]
            )
        return len(live)

    def forget_mirror(self) -> None:
        """A destination is of another ledger: everything must come from the service again.

        What was found out about the service itself stays. Offsets of earlier runs count no more:
        what is gone has no number, so a destination that stood at one would not learn of it.
        """
        with self.transaction():
            self.write("forget_tokens")
            for table in _FORGOTTEN:
                self.query(f"DELETE FROM {table}")

    # -- the change log -----------------------------------------------------------------------

    def changes(
        self, shop: str, name: str, after: int, until: int, many: int = 2_500
    ) -> Iterator[list[Change]]:
        """A list's rows that changed after one number and up to another, some at a time."""
        span = {"shop": shop, "list": name, "until": until, "many": many}
        while rows := self.select("changes", after=after, **span):
            after = rows[-1][1]
            yield [
                Change(
                    identity,
                    seq,
                    datetime.fromisoformat(seen_at),
                    deleted_at and datetime.fromisoformat(deleted_at),
                    bool(is_refused),
                    self._unpack(name, body),
                )
                for identity, seq, seen_at, deleted_at, is_refused, body in rows
            ]

    def refuse_row(self, shop: str, name: str, identity: str) -> None:
        """Have the log tell a row as text: no destination could take its values."""
        with self.transaction():
            self.write("refuse_row", shop=shop, list=name, id=identity, seq=self._numbers(1))

    def tell_again(self, shop: str, name: str) -> None:
        """Have the log tell all rows of a list once more: they are read in another way now."""
        with self.transaction():
            if many := self.one("count_rows", shop=shop, list=name):
                self.write("tell_again", shop=shop, list=name, first=self._numbers(many))

    def contents(
        self, shop: str, name: str, ids: Iterable[str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Content of a list's live rows, or of some rows, by id."""
        if ids is None:
            found = self.select("bodies", shop=shop, list=name)
        else:
            found = self.select("bodies_of", shop=shop, list=name, ids=_ids(ids))
        return {identity: parse_json(self._unpack(name, body)) for identity, body in found}

    def digest_again(
        self, shop: str, name: str, digest: Callable[[Mapping[str, Any]], bytes]
    ) -> None:
        """Compare all rows of a list by another digest from now on; none counts as edited."""
        of_it = {"shop": shop, "list": name}
        with self.transaction():
            self.write_all(
                "set_digest",
                [
                    {**of_it, "id": row, "digest": digest(parse_json(self._unpack(name, body)))}
                    for row, body in self.select("all_bodies", **of_it)
                ],
            )

    def contents_since(
        self, shop: str, name: str, after: int
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """(number, content) of a list's rows that changed or went after a number, in that order."""
        for seq, body in self.select("changed_bodies", shop=shop, list=name, after=after):
            yield seq, parse_json(self._unpack(name, body))

    def _unpack(self, name: str, body: bytes) -> bytes:
        return unpacked(body, self._dictionary(name))

    def _dictionary(self, name: str, rows: Sequence[Row] = ()) -> bytes:
        """What a list's rows are packed with: its first ``rows``, as all others look much alike."""
        table = name.partition(":")[0]
        if table not in self._dictionaries:
            if rows:
                texts = b"".join(row_json(row.content) for row in rows[:_OF_A_DICTIONARY])
                self.write("put_dictionary", list=table, body=texts[:_LONGEST_DICTIONARY])
            self._dictionaries[table] = self.one("dictionary", list=table)
        return self._dictionaries[table]


def _name_of_note(scan: Scan, name: str) -> str:
    return f"scan:{scan.scan_id}:{name}"


def _scan(row: tuple[Any, ...]) -> Scan:
    scan, shop, name, kind, opened, began, run = row
    return Scan(scan, shop, name, kind, datetime.fromisoformat(opened), began, run)
