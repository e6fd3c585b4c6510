"""The ledger's scans: passes over lists, what each proved, and its kept answers."""

import json
import zlib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from ..budget.clock import SystemClock
from ..ledger.file import LedgerFile
from ..ledger.records import Page, Scan, ids_of, now_text, page_of


class ScanState(StrEnum):
    """Where a scan stands: open until it is closed as one of the others, which is for good."""

    OPEN = "open"
    PROVEN = "proven"
    """It showed that it read its list, or its days, whole."""
    UNPROVEN = "unproven"
    DROPPED = "dropped"
    """It was cut off and made anew; it is no evidence of anything."""


def _scan(row: tuple[Any, ...]) -> Scan:
    scan, shop, resource, kind, spec, opened = row
    return Scan(scan, shop, resource, kind, json.loads(spec), datetime.fromisoformat(opened))


class Scans(LedgerFile):
    """The table ``scans``, and ``pages`` as the answers of one scan."""

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
        return _scan((int(row[0]), shop, resource, kind, text, row[1]))

    def recent_scans(
        self, shop: str, seconds: float, first_run: int = 0
    ) -> dict[int, tuple[str, str, ScanState]]:
        """Scans of the last ``seconds``, of runs from ``first_run``: id -> resource, kind, state.

        By the seconds since the boot, as the clock may have been set since: by a wrong one a scan
        of days ago seems to be of just now. Nothing of before a boot counts as recent.
        """
        clock = SystemClock()
        rows = self.query(
            "SELECT scan_id, resource, kind, state FROM scans WHERE shop=? AND run_id >= ? "
            "AND boot=? AND ticks >= ?",
            (shop, first_run, clock.boot(), clock.monotonic() - seconds),
        )
        return {row[0]: (row[1], row[2], ScanState(row[3])) for row in rows}

    def open_scans(self, shop: str, kinds: Iterable[str]) -> list[Scan]:
        """Scans that were begun and not closed."""
        rows = self.query(
            "SELECT scan_id, shop, resource, kind, spec, opened_at FROM scans WHERE state='open' "
            "AND shop=? AND kind IN (SELECT value FROM json_each(?)) ORDER BY scan_id",
            (shop, json.dumps(list(kinds))),
        )
        return [_scan(row) for row in rows]

    def close_scan(
        self,
        scan: Scan,
        *,
        state: ScanState,
        proof: str = "",
        reason: str,
        first_day: date | None = None,
        last_day: date | None = None,
        pages: int = 0,
        rows: int = 0,
    ) -> None:
        """Close a scan, with the evidence."""
        days = [day and day.isoformat() for day in (first_day, last_day)]
        self.execute(
            "UPDATE scans SET state=?, proof=?, reason=?, closed_at=?, first_day=?, last_day=?, "
            "pages=?, rows=? WHERE scan_id=?",
            [(state, proof, reason, now_text(), *days, pages, rows, scan.scan_id)],
        )

    def newest_state(self, shop: str, resource: str, kind: str) -> ScanState | None:
        """The state of a list's newest scan of a kind, None if there is none."""
        rows = self.query(
            "SELECT state FROM scans WHERE shop=? AND resource=? AND kind=? AND state <> 'dropped' "
            "ORDER BY scan_id DESC LIMIT 1",
            (shop, resource, kind),
        )
        return ScanState(rows[0][0]) if rows else None

    def newest_scans(self) -> list[tuple[Any, ...]]:
        """The newest scan of each list, kind and spec: shop, resource, kind, spec, state, proof,
        reason, pages, rows, first day, last day, when it was opened and closed."""
        return self.query(
            "SELECT shop, resource, kind, spec, state, proof, reason, pages, rows, first_day, "
            "last_day, opened_at, closed_at FROM scans WHERE scan_id IN (SELECT max(scan_id) FROM "
            "scans WHERE state <> 'dropped' GROUP BY shop, resource, kind, spec) "
            "ORDER BY shop, resource, kind, spec"
        )

    def requests_spent(self) -> list[tuple[Any, ...]]:
        """Kept answers by shop, run, resource and kind."""
        return self.query(
            "SELECT s.shop, s.run_id, s.resource, s.kind, count(*) FROM pages p "
            "JOIN scans s USING (scan_id) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        )

    def page(self, scan: Scan, key: str) -> Page | None:
        """The stored answer to a scan's request, or None if it was never answered."""
        rows = self.query(
            "SELECT summary FROM pages WHERE scan_id=? AND key=?", (scan.scan_id, key)
        )
        return page_of(rows[0][0]) if rows else None

    def body(self, scan: Scan, key: str) -> bytes | None:
        """The stored answer as it came, or None if it is not kept."""
        rows = self.query("SELECT body FROM pages WHERE scan_id=? AND key=?", (scan.scan_id, key))
        return zlib.decompress(rows[0][0]) if rows and rows[0][0] is not None else None

    def shown_ids(self, scan: Scan) -> set[str]:
        """The rows that any answer to a scan's requests showed."""
        rows = self.query("SELECT summary FROM pages WHERE scan_id=?", (scan.scan_id,))
        return {row for (summary,) in rows for row in ids_of(summary)}

    def first_seq(self, scan: Scan) -> int | None:
        """Number of a scan's first answer: rows not seen since then, the scan did not show."""
        [(first,)] = self.query("SELECT min(seq) FROM pages WHERE scan_id=?", (scan.scan_id,))
        return None if first is None else int(first)

    def bodies(self, scan: Scan, prefix: str) -> list[bytes]:
        """A scan's answers to requests whose keys begin with ``prefix``."""
        rows = self.query(
            "SELECT body FROM pages WHERE scan_id=? AND key LIKE ? AND body IS NOT NULL",
            (scan.scan_id, f"{prefix}%"),
        )
        return [zlib.decompress(body) for (body,) in rows]

    def newest_bodies(self, shop: str, resource: str, limit: int) -> list[bytes]:
        """The newest answers of a list, newest first."""
        rows = self.query(
            "SELECT p.body FROM pages p JOIN scans s USING (scan_id) WHERE s.shop=? AND "
            "s.resource=? AND p.body IS NOT NULL ORDER BY p.seq DESC LIMIT ?",
            (shop, resource, limit),
        )
        return [zlib.decompress(body) for (body,) in rows]

    def pages_with_news(self, shop: str, resource: str) -> list[tuple[bytes, Page, int]]:
        """Kept answers of a list that may hold a new or changed row, but of first loads, oldest
        first: the answer, its page, and the number of the first answer of the run that asked."""
        rows = self.query(
            "SELECT p.body, p.summary, (SELECT min(q.seq) FROM pages q JOIN scans t USING (scan_id)"
            " WHERE t.shop = s.shop AND t.run_id = s.run_id) FROM pages p JOIN scans s "
            "USING (scan_id) WHERE s.shop=? AND s.resource=? AND s.kind <> 'full' "
            "AND p.summary LIKE '%true%' ORDER BY p.seq",
            (shop, resource),
        )
        return [(zlib.decompress(body), page_of(summary), began) for body, summary, began in rows]
