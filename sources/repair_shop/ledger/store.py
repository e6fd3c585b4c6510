"""The ledger: every answer on disk with its place in a scan, before anything uses it.

One SQLite file (``$SHOPMIRROR_HOME/mirror.sqlite``). A scan is a piece of deterministic code that
asks for pages by a key of its own (``newest:1``, ``down:7``); an answer is stored under (scan, key)
the moment it came. A run that was killed starts the same code again and is served from here until
it reaches what was never answered, so only the requests in flight are asked twice. The loader
takes pages from here too, so a load can be repeated without a request.

``seen`` remembers each row's identity, day and digest: it tells new from known, edited from
unchanged, and which rows a proven scan no longer showed. Times are UTC ISO text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from ..budget.clock import SystemClock
from ..ledger.file import FORMAT, LedgerError, LedgerFile
from ..ledger.records import (
    Page,
    Row,
    Scan,
    StoredPage,
    now_text,
    page_of,
)

__all__ = ["FORMAT", "Ledger", "LedgerError", "Page", "Row", "Scan", "StoredPage", "now_text"]

_OF_A_SCAN = ("hint:", "lanes:")
"""Keys of values of a scan, ``hint:12``, that say nothing once it is closed."""


_WAITING = (
    "FROM pages p JOIN scans s USING (scan_id) WHERE p.loaded_at IS NULL "
    "AND p.seq NOT IN (SELECT seq FROM set_aside WHERE NOT is_tried) "
    "AND s.shop IN (SELECT value FROM json_each(?))"
)
_STORED = (
    "p.seq, s.shop, s.resource, s.spec, p.answered_at, p.request, p.body, s.kind, p.summary "
    "FROM pages p JOIN scans s USING (scan_id)"
)


def _stored(row: tuple[Any, ...]) -> StoredPage:
    page = page_of(row[8])
    return StoredPage(
        row[0],
        row[1],
        row[2],
        json.loads(row[3]),
        datetime.fromisoformat(row[4]),
        row[5],
        zlib.decompress(row[6]),
        row[7],
        page.fresh,
        page.ids,
    )


class Ledger(LedgerFile):
    """See the module. Safe for several threads; one process writes at a time (the sync lock)."""

    _kept: tuple[int, int] | None = None
    """A number and the newest one: of what lies between, nothing was pruned."""

    # -- runs ---------------------------------------------------------------------------------

    def begin_run(self, command: str) -> int:
        """Note that a run began; runs that never ended were killed, and are told so."""
        with self._transaction() as db:
            db.execute(
                "UPDATE runs SET ended_at = ?, outcome = 'killed', message = 'ended without a word'"
                " WHERE ended_at IS NULL",
                (now_text(),),
            )
            cursor = db.execute(
                "INSERT INTO runs(command, started_at) VALUES (?, ?)", (command, now_text())
            )
            return int(cursor.lastrowid or 0)

    def end_run(
        self,
        run_id: int,
        *,
        outcome: str,
        exit_code: int,
        requests: int,
        rows: int,
        message: str,
        detail: Mapping[str, Any],
    ) -> None:
        """Note how a run ended."""
        with self._transaction() as db:
            db.execute(
                "UPDATE runs SET ended_at=?, outcome=?, exit_code=?, requests=?, rows=?, message=?,"
                " detail=? WHERE run_id=?",
                (
                    now_text(),
                    outcome,
                    exit_code,
                    requests,
                    rows,
                    message,
                    json.dumps(detail, default=str),
                    run_id,
                ),
            )

    def fail_run(self, run_id: int, error: BaseException) -> None:
        """Note that a run that seemed to have ended well did not."""
        with self._transaction() as db:
            db.execute(
                "UPDATE runs SET outcome='failed', exit_code=?, message=? WHERE run_id=?",
                (getattr(error, "exit_code", 1), str(error) or type(error).__name__, run_id),
            )

    def prune(self, before: datetime) -> None:
        """Drop pages loaded before a moment and values of closed scans; a year before that moment
        also runs, and scans that are no longer anybody's newest evidence."""
        with self._transaction() as db:
            self._kept = None
            text = now_text(before)
            year = now_text(before - timedelta(days=366))
            db.execute(
                "DELETE FROM pages WHERE loaded_at < ? AND scan_id NOT IN "
                "(SELECT scan_id FROM scans WHERE state = 'open')",
                (text,),
            )
            for name in _OF_A_SCAN:
                db.execute(
                    "DELETE FROM marks WHERE name LIKE ? AND CAST(substr(name, ?) AS INTEGER) "
                    "NOT IN (SELECT scan_id FROM scans WHERE state = 'open')",
                    (f"{name}%", len(name) + 1),
                )
            db.execute("DELETE FROM runs WHERE ended_at < ?", (year,))
            # Stretches of days are cut anew as a shop grows, so a proof of some days may never be
            # followed by one of exactly the same; after a year others have proven them.
            db.execute(
                "DELETE FROM scans WHERE state <> 'open' AND closed_at < ? AND scan_id NOT IN "
                "(SELECT scan_id FROM pages) AND (state = 'proven' AND kind IN ('audit', 'repair') "
                "OR scan_id NOT IN (SELECT max(scan_id) FROM scans WHERE state <> 'dropped' "
                "GROUP BY shop, resource, kind, spec))",
                (year,),
            )

    def last_runs(self, limit: int) -> list[dict[str, Any]]:
        """The newest runs, newest first, with the columns of ``ops.runs``."""
        names = (
            "run_id", "command", "started_at", "ended_at", "outcome", "exit_code", "requests",
            "rows", "message",
        )  # fmt: skip
        rows = self._db.execute(
            f"SELECT {', '.join(names)} FROM runs ORDER BY run_id DESC LIMIT ?",  # noqa: S608 - just above
            (limit,),
        )
        return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]

    # -- scans and pages ----------------------------------------------------------------------

    def open_scan(
        self, run_id: int, shop: str, resource: str, kind: str, spec: Mapping[str, Any]
    ) -> Scan:
        """Begin a scan, or go on with the one of the same shop, resource, kind and spec."""
        text = json.dumps(spec, sort_keys=True, default=str)
        with self._transaction() as db:
            row = db.execute(
                "SELECT scan_id, opened_at FROM scans WHERE shop=? AND resource=? AND kind=? "
                "AND spec=? AND state='open'",
                (shop, resource, kind, text),
            ).fetchone()
            if row is None:
                opened, clock = now_text(), SystemClock()
                cursor = db.execute(
                    "INSERT INTO scans(run_id, shop, resource, kind, spec, opened_at, boot, ticks) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (run_id, shop, resource, kind, text, opened, clock.boot(), clock.monotonic()),
                )
                row = (cursor.lastrowid, opened)
        return Scan(
            int(row[0]), shop, resource, kind, json.loads(text), datetime.fromisoformat(row[1])
        )

    def recent_scans(self, shop: str, seconds: float, first_run: int = 0) -> dict[int, list[str]]:
        """Scans of the last ``seconds``, of runs from ``first_run``: id -> resource, kind, state.

        By the seconds since the boot, as the clock may have been set since: by a wrong one a scan
        of days ago seems to be of just now. Nothing of before a boot counts as recent.
        """
        clock = SystemClock()
        rows = self._db.execute(
            "SELECT scan_id, resource, kind, state FROM scans WHERE shop=? AND run_id >= ? "
            "AND boot=? AND ticks >= ?",
            (shop, first_run, clock.boot(), clock.monotonic() - seconds),
        )
        return {row[0]: [*row[1:]] for row in rows}

    def open_scans(self, shop: str, kinds: Iterable[str]) -> list[Scan]:
        """Scans that were begun and not closed."""
        wanted = list(kinds)
        marks = ",".join("?" * len(wanted))
        rows = self._db.execute(
            "SELECT scan_id, shop, resource, kind, spec, opened_at FROM scans "  # noqa: S608
            f"WHERE state='open' AND shop=? AND kind IN ({marks}) ORDER BY scan_id",
            (shop, *wanted),
        ).fetchall()
        return [
            Scan(r[0], r[1], r[2], r[3], json.loads(r[4]), datetime.fromisoformat(r[5]))
            for r in rows
        ]

    def close_scan(
        self,
        scan: Scan,
        *,
        state: str,
        proof: str,
        reason: str,
        first_day: date | None,
        last_day: date | None,
        pages: int,
        rows: int,
    ) -> None:
        """Close a scan as ``proven``, ``unproven`` or ``dropped``, with the evidence."""
        with self._transaction() as db:
            db.execute(
                "UPDATE scans SET state=?, proof=?, reason=?, closed_at=?, first_day=?, "
                "last_day=?, pages=?, rows=? WHERE scan_id=?",
                (
                    state,
                    proof,
                    reason,
                    now_text(),
                    first_day and first_day.isoformat(),
                    last_day and last_day.isoformat(),
                    pages,
                    rows,
                    scan.scan_id,
                ),
            )

    def page(self, scan: Scan, key: str) -> Page | None:
        """The stored answer to a scan's request, or None if it was never answered."""
        row = self._db.execute(
            "SELECT summary FROM pages WHERE scan_id=? AND key=?", (scan.scan_id, key)
        ).fetchone()
        return page_of(row[0]) if row else None

    def put(
        self,
        scan: Scan,
        key: str,
        request: str,
        body: bytes,
        rows: Sequence[Row],
        answered_at: datetime,
    ) -> Page:
        """Keep an answer and remember its rows, in one transaction, before anything uses it."""
        packed = zlib.compress(body, 3)
        with self._transaction() as db:
            known = {
                identity: (digest, deleted_at)
                for identity, digest, deleted_at in db.execute(
                    "SELECT id, digest, deleted_at FROM seen WHERE shop=? AND resource=? "
                    "AND id IN (SELECT value FROM json_each(?))",
                    (scan.shop, scan.resource, json.dumps([row.id for row in rows])),
                )
            }
            fresh = [known.get(row.id) != (row.digest, None) for row in rows]
            back = [identity for identity, (_, gone) in known.items() if gone is not None]
            if back:  # a deletion that waits to be applied is void
                db.executemany(
                    "DELETE FROM deletions WHERE shop=? AND resource=? AND id=?",
                    [(scan.shop, scan.resource, identity) for identity in back],
                )
            page = Page(tuple(r.id for r in rows), tuple(r.day for r in rows), tuple(fresh))
            summary = json.dumps([page.ids, [d and d.isoformat() for d in page.days], fresh])
            cursor = db.execute(
                "INSERT INTO pages(scan_id, key, request, answered_at, summary, body, loaded_at) "
                "VALUES (?,?,?,?,?,?,?)",
                (
                    scan.scan_id,
                    key,
                    request,
                    now_text(answered_at),
                    summary,
                    packed,
                    None if rows else now_text(),
                ),
            )
            seq = cursor.lastrowid
            db.executemany(
                "INSERT INTO seen(shop, resource, id, day, digest, seq, watched, changed, first) "
                "VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET day=excluded.day, "
                "digest=excluded.digest, seq=excluded.seq, watched=excluded.watched, "
                "deleted_at=NULL, changed=coalesce(excluded.changed, changed)",
                [
                    (
                        scan.shop,
                        scan.resource,
                        r.id,
                        r.day and r.day.isoformat(),
                        r.digest,
                        seq,
                        int(r.watched),
                        # A full read is there to load its rows again, changed or not.
                        seq if is_fresh or scan.kind == "full" else None,
                        seq,
                    )
                    for r, is_fresh in zip(rows, fresh, strict=True)
                ],
            )
        return page

    def keeps_all_since(self, seq: int) -> bool:
        """Whether no answer after that number was pruned."""
        last = self.last_seq()
        if self._kept != (seq, last):
            (kept,) = self.query("SELECT count(*) FROM pages WHERE seq > ?", (seq,))[0]
            if kept != last - seq:
                return False
            self._kept = (seq, last)
        return True

    def waiting(self, rows: int, shops: Sequence[str]) -> tuple[list[int], bool]:
        """Numbers of answers that are not in the warehouse yet, oldest first, up to so many rows;
        whether more wait. Small shops' answers hold a few rows each, and a load has its price."""
        found = self.query(
            f"SELECT p.seq, json_array_length(p.summary, '$[0]') {_WAITING} ORDER BY p.seq LIMIT ?",
            (json.dumps(list(shops)), rows + 1),
        )
        seqs: list[int] = []
        for seq, held in found:
            if rows <= 0:
                return seqs, True
            seqs.append(seq)
            rows -= max(1, held)
        return seqs, False

    def stored_pages(self, seqs: Sequence[int]) -> list[StoredPage]:
        """Kept answers by their numbers, oldest first."""
        rows = self.query(
            f"SELECT {_STORED} WHERE p.seq IN (SELECT value FROM json_each(?)) ORDER BY p.seq",  # noqa: S608 - our own columns
            (json.dumps(list(seqs)),),
        )
        return [_stored(row) for row in rows]

    def append_again(self, seq: int) -> int:
        """Give an answer of a closed scan the next number of all, so that it is read once more."""
        with self._transaction() as db:
            (scan_id, *_) = page = db.execute(
                "SELECT scan_id, key, request, answered_at, summary, body FROM pages WHERE seq=?",
                (seq,),
            ).fetchone()
            shop, resource = db.execute(
                "SELECT shop, resource FROM scans WHERE scan_id=?", (scan_id,)
            ).fetchone()
            self._kept = None
            db.execute("DELETE FROM pages WHERE seq=?", (seq,))
            cursor = db.execute(
                "INSERT INTO pages(scan_id, key, request, answered_at, summary, body) "
                "VALUES (?,?,?,?,?,?)",
                page,
            )
            new = int(cursor.lastrowid or 0)
            db.execute(
                "UPDATE seen SET changed=? WHERE shop=? AND resource=? "
                "AND coalesce(changed, seq)=?",
                (new, shop, resource, seq),
            )
            return new

    def log_deletions(self) -> None:
        """Make the deletions that were found since the last call entries of the log."""
        if not self.query("SELECT 1 FROM deletions WHERE NOT applied LIMIT 1"):
            return
        with self._transaction() as db:
            db.execute(
                "INSERT INTO tombstones(shop, resource, id, at) SELECT shop, resource, id, at "
                "FROM deletions WHERE NOT applied ORDER BY at, shop, resource, id"
            )
            db.execute("UPDATE deletions SET applied=1 WHERE NOT applied")

    def waiting_count(self, shops: Sequence[str]) -> int:
        """Pages of shops that are not in the warehouse yet."""
        return int(self.query(f"SELECT count(*) {_WAITING}", (json.dumps(list(shops)),))[0][0])

    def mark_loaded(self, last: int, shops: Sequence[str]) -> None:
        """Note that answers up to the number ``last`` are in the warehouse."""
        with self._transaction() as db:
            db.execute(
                "UPDATE pages SET loaded_at=? WHERE seq IN "  # noqa: S608 - our own words
                f"(SELECT p.seq {_WAITING} AND p.seq <= ?)",
                (now_text(), json.dumps(list(shops)), last),
            )

    def mark_waiting(self) -> None:
        """Note of no answer any more that it is in the warehouse."""
        with self._transaction() as db:
            db.execute("UPDATE pages SET loaded_at=NULL")

    def forget_mirror(self) -> None:
        """The warehouse is another one: everything must come from the service again.

        What was found out about the service itself stays (its paging, its profile).
        """
        with self._transaction() as db:
            self._kept = None
            for table in (
                "scans",
                "pages",
                "seen",
                "audits",
                "deletions",
                "reports",
                "set_aside",
                "tombstones",
                "loads",
            ):
                db.execute(f"DELETE FROM {table}")  # noqa: S608 - the names just above
            for name in ("full:", "day:", "empty:", "unlisted:", "tombstones", *_OF_A_SCAN):
                db.execute("DELETE FROM marks WHERE name LIKE ?", (f"{name}%",))

    def remember_rows(self, rows: Iterable[tuple[str, str, str, date | None]]) -> None:
        """Rows (shop, resource, id, day) that the warehouse holds and no answer showed yet.

        Whatever is answered of them counts as new, and a scan that does not show one as gone.
        """
        self.execute(
            "INSERT OR IGNORE INTO seen(shop, resource, id, day, digest, seq, changed, first) "
            "VALUES (?,?,?,?,x'',0,0,0)",
            ((*row[:3], row[3] and row[3].isoformat()) for row in rows),
        )

    # -- values, rows, reports ----------------------------------------------------------------

    def value(self, shop: str, name: str) -> str | None:
        """A kept value of a shop (a watermark, its profile), or None."""
        row = self._db.execute(
            "SELECT value FROM marks WHERE shop=? AND name=?", (shop, name)
        ).fetchone()
        return None if row is None else str(row[0])

    def set_value(self, shop: str, name: str, value: str) -> None:
        """Keep a value of a shop."""
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO marks VALUES (?,?,?)", (shop, name, value))

    def last_seq(self) -> int:
        """Number of the newest answer, 0 if there is none."""
        row = self._db.execute("SELECT coalesce(max(seq), 0) FROM pages").fetchone()
        return int(row[0])

    def seen_seq(self, shop: str, resource: str, identity: str) -> int | None:
        """Number of the answer that showed a row last, None if it was never seen."""
        row = self._db.execute(
            "SELECT seq FROM seen WHERE shop=? AND resource=? AND id=?", (shop, resource, identity)
        ).fetchone()
        return None if row is None else int(row[0])

    def is_deleted(self, shop: str, resource: str, identity: str) -> bool:
        """Whether a row is marked as gone."""
        return bool(
            self._db.execute(
                "SELECT 1 FROM seen WHERE shop=? AND resource=? AND id=? AND deleted_at NOTNULL",
                (shop, resource, identity),
            ).fetchone()
        )

    def first_seq(self, scan: Scan) -> int | None:
        """Number of a scan's first answer: rows not seen since then, the scan did not show."""
        row = self._db.execute(
            "SELECT min(seq) FROM pages WHERE scan_id=?", (scan.scan_id,)
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def live_counts(self, shop: str) -> dict[str, int]:
        """Resource -> rows believed to exist at the service; a list without any is not there."""
        rows = self._db.execute(
            "SELECT resource, count(*) FROM seen WHERE shop=? AND deleted_at IS NULL GROUP BY 1",
            (shop,),
        )
        return dict(rows.fetchall())

    def live_count(
        self, shop: str, resource: str, first: date | None = None, last: date | None = None
    ) -> int:
        """Rows believed to exist at the service, optionally of a range of days."""
        row = self._db.execute(
            "SELECT count(*) FROM seen WHERE shop=? AND resource=? AND deleted_at IS NULL "
            "AND (? IS NULL OR day >= ?) AND (? IS NULL OR day <= ?)",
            (shop, resource, *[d and d.isoformat() for d in (first, first, last, last)]),
        ).fetchone()
        return int(row[0])
