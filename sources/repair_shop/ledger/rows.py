"""The ledger's rows: each row's identity, day and newest content, which are gone, when days were
read last."""

import json
from collections.abc import Collection, Iterable
from datetime import date, datetime
from typing import Any

from ..ledger.file import LedgerFile
from ..ledger.records import day_of_text, now_text

_LIVE = "FROM seen WHERE shop=? AND resource=? AND deleted_at IS NULL "
_OF_HALF = "AND watched = coalesce(?, watched) "
_OF_DAYS = "AND (? IS NULL OR day >= ?) AND (? IS NULL OR day <= ?) "


def _days(first: date | None, last: date | None) -> list[str | None]:
    return [day.isoformat() if day else None for day in (first, first, last, last)]


class Rows(LedgerFile):
    """The tables ``seen``, ``deletions`` and ``audits``. Live rows are those that are believed to
    exist at the service; ``half``: only those a list read in two shows with the status asked for,
    or the others."""

    def seen_seq(self, shop: str, resource: str, identity: str) -> int | None:
        """Number of the answer that showed a row last, None if it was never seen."""
        found = self._of_row("seq", shop, resource, identity)
        return None if found is None else int(found)

    def day_of(self, shop: str, resource: str, identity: str) -> date | None:
        """The day of a row, None if it has none or was never seen."""
        return day_of_text(self._of_row("day", shop, resource, identity))

    def is_deleted(self, shop: str, resource: str, identity: str) -> bool:
        """Whether a row is marked as gone."""
        return self._of_row("deleted_at", shop, resource, identity) is not None

    def _of_row(self, column: str, shop: str, resource: str, identity: str) -> Any:
        rows = self.query(
            f"SELECT {column} FROM seen WHERE shop=? AND resource=? AND id=?",
            (shop, resource, identity),
        )
        return rows[0][0] if rows else None

    def live_counts(self, shop: str) -> dict[str, int]:
        """Resource -> live rows; a list without any is not there."""
        return dict(
            self.query(
                "SELECT resource, count(*) FROM seen WHERE shop=? AND deleted_at IS NULL "
                "GROUP BY 1",
                (shop,),
            )
        )

    def live_count(
        self, shop: str, resource: str, first: date | None = None, last: date | None = None
    ) -> int:
        """Live rows, optionally of a range of days."""
        rows = self.query(
            f"SELECT count(*) {_LIVE}{_OF_DAYS}", (shop, resource, *_days(first, last))
        )
        return int(rows[0][0])

    def live_ids(
        self,
        shop: str,
        resource: str,
        *,
        half: bool | None = None,
        first: date | None = None,
        last: date | None = None,
        before_seq: int | None = None,
    ) -> list[str]:
        """Ids of live rows, of some days, or not seen since an answer; oldest answer first."""
        rows = self.query(
            f"SELECT id {_LIVE}{_OF_HALF}{_OF_DAYS}AND (? IS NULL OR seq < ?) ORDER BY seq",
            (shop, resource, half, *_days(first, last), before_seq, before_seq),
        )
        return [row[0] for row in rows]

    def live_days(
        self, shop: str, resource: str, *, half: bool | None = None
    ) -> dict[date | None, int]:
        """Live rows by day; None: those without one."""
        rows = self.query(
            f"SELECT day, count(*) {_LIVE}{_OF_HALF}GROUP BY day", (shop, resource, half)
        )
        return {day_of_text(day): count for day, count in rows}

    def unmoved_days(
        self, shop: str, resource: str, seqs: str, *, half: bool | None = None
    ) -> dict[str, date | None]:
        """Days of live rows that no answer showed since those of ``seqs`` (JSON: id -> number)."""
        rows = self.query(
            "SELECT s.id, s.day FROM json_each(?) AS kept JOIN seen AS s ON s.id = kept.key "
            "AND s.seq = kept.value WHERE s.shop=? AND s.resource=? AND s.deleted_at IS NULL "
            f"{_OF_HALF}",
            (seqs, shop, resource, half),
        )
        return {identity: day_of_text(day) for identity, day in rows}

    def has_shown_rows(self, shop: str, resource: str, since: int) -> bool:
        """Whether answers from number ``since`` on showed a row of a list."""
        return bool(
            self.query(
                "SELECT 1 FROM seen WHERE shop=? AND resource=? AND seq >= ? LIMIT 1",
                (shop, resource, since),
            )
        )

    def first_day(self, shop: str, resource: str) -> date | None:
        """The first day of live rows."""
        [(day,)] = self.query(f"SELECT min(day) {_LIVE}", (shop, resource))
        return day_of_text(day)

    def first_days(self, shop: str, at_least: int) -> list[str]:
        """First days of the lists with so many rows since 2000, the earliest first."""
        rows = self.query(
            "SELECT min(day) FROM seen WHERE shop=? AND day >= '2000' GROUP BY resource "
            "HAVING count(*) >= ? ORDER BY 1",
            (shop, at_least),
        )
        return [row[0] for row in rows]

    def days_before(
        self, shop: str, resource: str, day: date, earliest: date, limit: int
    ) -> list[date]:
        """Days of the last live rows before a day, newest first; one for each row."""
        rows = self.query(
            f"SELECT day {_LIVE}AND day < ? AND day >= ? ORDER BY day DESC LIMIT ?",
            (shop, resource, day.isoformat(), earliest.isoformat(), limit),
        )
        return [date.fromisoformat(row[0]) for row in rows]

    def remember_rows(self, rows: Iterable[tuple[str, str, str, date | None]]) -> None:
        """Rows (shop, resource, id, day) that the warehouse holds and no answer showed yet.

        Whatever is answered of them counts as new, and a scan that does not show one as gone.
        """
        self.execute(
            "INSERT OR IGNORE INTO seen(shop, resource, id, day, digest, seq, changed, first) "
            "VALUES (?,?,?,?,x'',0,0,0)",
            ((*row[:3], row[3] and row[3].isoformat()) for row in rows),
        )

    # -- deletions and audits -----------------------------------------------------------------

    def mark_gone(self, shop: str, resource: str, ids: Iterable[str]) -> None:
        """Mark rows as gone, now; rows that are unknown or gone already are passed over."""
        at, wanted = now_text(), json.dumps(list(ids))
        with self._transaction() as db:
            db.execute(
                f"INSERT OR REPLACE INTO deletions(shop, resource, id, at) SELECT shop, resource, "
                f"id, ? {_LIVE}AND id IN (SELECT value FROM json_each(?))",
                (at, shop, resource, wanted),
            )
            db.execute(
                "UPDATE seen SET deleted_at=? WHERE shop=? AND resource=? AND deleted_at IS NULL "
                "AND id IN (SELECT value FROM json_each(?))",
                (at, shop, resource, wanted),
            )

    def gone_since(
        self, shop: str, since: datetime, resources: Collection[str]
    ) -> list[tuple[str, str]]:
        """(resource, id) of rows of some lists that were found gone since a moment."""
        return self.query(
            "SELECT resource, id FROM deletions WHERE shop=? AND at >= ? AND resource IN "
            "(SELECT value FROM json_each(?))",
            (shop, now_text(since), json.dumps(list(resources))),
        )

    def applied_deletions(self) -> tuple[int, str | None]:
        """How many deletions the log holds, and when the newest was found."""
        [(count, newest)] = self.query("SELECT count(*), max(at) FROM deletions WHERE applied")
        return count, newest

    def audits(self, shop: str, resource: str) -> list[tuple[str, str, str]]:
        """(first day, last day, when) of stretches of days that were read whole, newest first."""
        return self.query(
            "SELECT first_day, last_day, audited_at FROM audits WHERE shop=? AND resource=? "
            "AND first_day <> '' ORDER BY audited_at DESC",
            (shop, resource),
        )

    def note_audit(self, shop: str, resource: str, first: date, last: date) -> None:
        """Remember that all rows of some days were read now."""
        key = (shop, resource, first.isoformat(), last.isoformat())
        with self._transaction() as db:
            db.execute(
                "DELETE FROM audits WHERE shop=? AND resource=? AND first_day >= ? "
                "AND last_day <= ?",
                key,
            )
            db.execute("INSERT OR REPLACE INTO audits VALUES (?,?,?,?,?)", (*key, now_text()))
