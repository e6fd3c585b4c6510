"""The ledger as a log: numbered answers and deletions, which destinations read from where they
stopped."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import orjson

from ..ledger.file import LedgerFile
from ..ledger.records import StoredPage, ids_of, now_text

_NOT_ASIDE = "p.seq NOT IN (SELECT seq FROM set_aside WHERE NOT is_tried) "
_PAGES = "FROM pages p JOIN scans s USING (scan_id) WHERE "
_WAITING = (
    f"{_PAGES}p.loaded_at IS NULL AND {_NOT_ASIDE}AND s.shop IN (SELECT value FROM json_each(?))"
)
_CURRENT = (
    "FROM seen WHERE shop=? AND resource=? AND id IN (SELECT value FROM json_each(?)) "
    "AND coalesce(changed, seq) = ?"
)
_CHANGED_BETWEEN = (
    "SELECT id FROM seen WHERE shop=? AND resource=? AND coalesce(changed, seq) > ? "
    "AND coalesce(changed, seq) <= ?"
)
_NUMBERED = f"{_PAGES}p.seq IN (SELECT value FROM json_each(?)) ORDER BY p.seq"


def _stored(row: tuple[Any, ...]) -> StoredPage:
    seq, shop, resource, spec, at, request, body, kind, summary = row
    ids, _, fresh = orjson.loads(summary)
    return StoredPage(
        seq,
        shop,
        resource,
        json.loads(spec),
        datetime.fromisoformat(at),
        request,
        zlib.decompress(body),
        kind,
        tuple(fresh),
        tuple(ids),
    )


class Entries(LedgerFile):
    """The tables ``pages``, as entries of the log, ``tombstones`` and ``loads``."""

    _kept: tuple[int, int] | None = None
    """A number and the newest one: of what lies between, nothing was pruned."""

    def last_seq(self) -> int:
        """Number of the newest answer, 0 if there is none."""
        return int(self.query("SELECT coalesce(max(seq), 0) FROM pages")[0][0])

    def last_tombstone(self) -> int:
        """Number of the newest deletion, 0 if there is none."""
        return int(self.query("SELECT coalesce(max(n), 0) FROM tombstones")[0][0])

    def keeps_all_since(self, seq: int) -> bool:
        """Whether no answer after that number was pruned."""
        last = self.last_seq()
        if self._kept != (seq, last):
            (kept,) = self.query("SELECT count(*) FROM pages WHERE seq > ?", (seq,))[0]
            if kept != last - seq:
                return False
            self._kept = (seq, last)
        return True

    def stored_pages(self, seqs: Sequence[int]) -> list[StoredPage]:
        """Kept answers by their numbers, oldest first."""
        rows = self.query(
            "SELECT p.seq, s.shop, s.resource, s.spec, p.answered_at, p.request, p.body, s.kind, "
            f"p.summary {_NUMBERED}",
            (json.dumps(list(seqs)),),
        )
        return [_stored(row) for row in rows]

    def pages_named(self, seqs: Iterable[int]) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
        """(number, shop, resource, ids of its rows) of kept answers, oldest first."""
        for seq, shop, resource, summary in self.query(
            f"SELECT p.seq, s.shop, s.resource, p.summary {_NUMBERED}", (json.dumps(list(seqs)),)
        ):
            yield seq, shop, resource, ids_of(summary)

    def pages_between(
        self, shop: str, resource: str, after: int, until: int
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """(number, ids of its rows) of a list's answers that are not set aside, oldest first."""
        for seq, summary in self.query(
            f"SELECT p.seq, p.summary {_PAGES}s.shop=? AND s.resource=? AND p.seq > ? AND "
            f"p.seq <= ? AND {_NOT_ASIDE}ORDER BY p.seq",
            (shop, resource, after, until),
        ):
            yield seq, ids_of(summary)

    def current_rows(
        self, shop: str, resource: str, seq: int, ids: Sequence[str]
    ) -> dict[str, tuple[str | None, int]]:
        """An answer's rows as they are now: id -> (since when gone, first answer)."""
        return {
            row[0]: row[1:]
            for row in self.query(
                f"SELECT id, deleted_at, coalesce(first, 0) {_CURRENT}",
                (shop, resource, json.dumps(ids), seq),
            )
        }

    def shows_current(self, shop: str, resource: str, seq: int, ids: Sequence[str]) -> bool:
        """Whether an answer holds a row as it is now; mostly its first one tells."""
        asked = (shop, resource, json.dumps(ids), seq)
        return bool(self.query(f"SELECT 1 {_CURRENT} LIMIT 1", asked))

    def has_known(self, shop: str, resource: str, after: int, gone: int, gone_until: int) -> bool:
        """Whether a row answered up to ``after`` was answered anew since, or is in the deletions
        from number ``gone`` to ``gone_until``."""
        return bool(
            self.query(
                "SELECT 1 FROM seen WHERE shop=? AND resource=? AND coalesce(first, 0) <= ? "
                "AND coalesce(changed, seq) > ? UNION ALL SELECT 1 FROM tombstones "
                "WHERE shop=? AND resource=? AND n > ? AND n <= ? LIMIT 1",
                (shop, resource, after, after, shop, resource, gone, gone_until),
            )
        )

    def ids_between(self, shop: str, resource: str, after: int, until: int) -> list[str]:
        """Ids of rows whose newest content came with an answer after one and up to another."""
        return [row[0] for row in self.query(_CHANGED_BETWEEN, (shop, resource, after, until))]

    def pruned_rows(self, shop: str, resource: str, after: int, until: int) -> set[str]:
        """Ids of rows whose newest content came with an answer that is no longer kept."""
        rows = self.query(
            f"{_CHANGED_BETWEEN} AND coalesce(changed, seq) NOT IN (SELECT seq FROM pages)",
            (shop, resource, after, until),
        )
        return {row[0] for row in rows}

    def newest_loaded(self) -> int | None:
        """Number of the newest loaded answer with a row that was not known as it is.

        Words that hold "true" are taken for such a row: one too many, never one too few.
        """
        [(newest,)] = self.query(
            f"SELECT max(p.seq) {_PAGES}p.loaded_at NOTNULL AND (s.kind = 'full' OR p.summary "
            "LIKE '%true%')"
        )
        return None if newest is None else int(newest)

    # -- what waits to be loaded --------------------------------------------------------------

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

    def waiting_count(self, shops: Sequence[str]) -> int:
        """Pages of shops that are not in the warehouse yet."""
        return int(self.query(f"SELECT count(*) {_WAITING}", (json.dumps(list(shops)),))[0][0])

    def mark_loaded(self, last: int, shops: Sequence[str]) -> None:
        """Note that answers up to the number ``last`` are in the warehouse."""
        self.execute(
            f"UPDATE pages SET loaded_at=? WHERE seq IN (SELECT p.seq {_WAITING} AND p.seq <= ?)",
            [(now_text(), json.dumps(list(shops)), last)],
        )

    def mark_waiting(self) -> None:
        """Note of no answer any more that it is in the warehouse."""
        self.execute("UPDATE pages SET loaded_at=NULL", [()])

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

    # -- deletions ----------------------------------------------------------------------------

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

    def lists_with_tombstones(self, after: int, shops: Iterable[str]) -> list[str]:
        """Lists of some shops with deletions after that number."""
        rows = self.query(
            "SELECT DISTINCT resource FROM tombstones WHERE n > ? "
            "AND shop IN (SELECT value FROM json_each(?))",
            (after, json.dumps(list(shops))),
        )
        return [row[0] for row in rows]

    def tombstones(
        self, shop: str, resource: str, after: int, until: int, last_seq: int
    ) -> list[tuple[str, str, int]]:
        """(id, since when gone, answer with the content) of rows that were deleted in between and
        that a destination which read up to ``last_seq`` holds."""
        return self.query(
            "SELECT DISTINCT t.id, s.deleted_at, coalesce(s.changed, s.seq) FROM tombstones t "
            "JOIN seen s USING (shop, resource, id) WHERE t.shop=? AND t.resource=? AND t.n > ? "
            "AND t.n <= ? AND s.deleted_at NOTNULL AND coalesce(s.changed, s.seq) <= ?",
            (shop, resource, after, until, last_seq),
        )

    # -- destinations -------------------------------------------------------------------------

    def note_token(self, token: str) -> None:
        """Keep what a destination keeps with its offsets."""
        self.execute("INSERT INTO loads VALUES (?, ?)", [(token, now_text())])

    def knows_token(self, token: str) -> bool:
        """Whether that was kept."""
        return bool(self.query("SELECT 1 FROM loads WHERE token=?", (token,)))
