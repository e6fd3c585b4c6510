"""The ledger: every answer on disk with its place in a scan, before anything uses it.

One SQLite file (``$SHOPMIRROR_HOME/mirror.sqlite``). A scan is a piece of deterministic code that
asks for pages by a key of its own (``newest:1``, ``down:7``); an answer is stored under (scan, key)
the moment it came. A run that was killed starts the same code again and is served from here until
it reaches what was never answered, so only the requests in flight are asked twice. The loader
takes pages from here too, so a load can be repeated without a request.

``seen`` remembers each row's identity, day and digest: it tells new from known, edited from
unchanged, and which rows a proven scan no longer showed. Times are UTC ISO text. SQL on the file
stands in this folder alone, by table: :mod:`.runs`, :mod:`.scans`, :mod:`.rows`, :mod:`.entries`
and :mod:`.values`; here is what concerns several of them.
"""

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta

import orjson

from ..ledger.entries import Entries
from ..ledger.records import Page, Row, Scan, now_text
from ..ledger.rows import Rows
from ..ledger.runs import Runs
from ..ledger.scans import Scans
from ..ledger.values import Values

_OF_A_SCAN = ("hint:", "lanes:", "shared:")
"""Keys of values of a scan, ``hint:12``, that say nothing once it is closed."""


class Ledger(Runs, Scans, Rows, Entries, Values):
    """See the module. Safe for several threads; one process writes at a time (the sync lock)."""

    def put(
        self,
        scan: Scan,
        key: str,
        request: str,
        body: bytes,
        rows: Sequence[Row],
        answered_at: datetime,
        *,
        is_of_changes: bool = False,
    ) -> Page:
        """Keep an answer and remember its rows, in one transaction, before anything uses it.

        A list of changes may name what was deleted: a row that was found gone and that it shows as
        it was then stays gone.
        """
        packed = zlib.compress(body, 3)
        with self._transaction() as db:
            known = {
                identity: (digest, deleted_at)
                for identity, digest, deleted_at in db.execute(
                    "SELECT id, digest, deleted_at FROM seen WHERE shop=? AND resource=? "
                    "AND id IN (SELECT value FROM json_each(?))",
                    (scan.shop, scan.resource, orjson.dumps([row.id for row in rows]).decode()),
                )
            }
            still = {
                row.id: known[row.id][1]
                for row in rows
                if is_of_changes and row.id in known and known[row.id][0] == row.digest
            }
            fresh = [known.get(row.id) != (row.digest, still.get(row.id)) for row in rows]
            back = [i for i, (_, gone) in known.items() if gone is not None and i not in still]
            if back:  # a deletion that waits to be applied is void
                db.executemany(
                    "DELETE FROM deletions WHERE shop=? AND resource=? AND id=?",
                    [(scan.shop, scan.resource, identity) for identity in back],
                )
            page = Page(tuple(r.id for r in rows), tuple(r.day for r in rows), tuple(fresh))
            summary = orjson.dumps([page.ids, page.days, page.fresh]).decode()
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
                "INSERT INTO seen(shop, resource, id, day, digest, seq, watched, changed, first, "
                "deleted_at) VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
                "day=excluded.day, digest=excluded.digest, seq=excluded.seq, "
                "watched=excluded.watched, deleted_at=excluded.deleted_at, "
                "changed=coalesce(excluded.changed, changed)",
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
                        still.get(r.id),
                    )
                    for r, is_fresh in zip(rows, fresh, strict=True)
                ],
            )
        return page

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

    def forget_mirror(self) -> None:
        """The warehouse is another one: everything must come from the service again.

        What was found out about the service itself stays (its paging, its profile).
        """
        with self._transaction() as db:
            self._kept = None
            tables = "scans pages seen audits deletions reports set_aside tombstones loads"
            for table in tables.split():
                db.execute(f"DELETE FROM {table}")
            for name in ("full:", "day:", "empty:", "unlisted:", "tombstones", *_OF_A_SCAN):
                db.execute("DELETE FROM marks WHERE name LIKE ?", (f"{name}%",))
