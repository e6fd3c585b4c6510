"""What the ledger knows of a list's rows, as the search for rows that left it asks for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from ..ledger import Ledger

UNLISTED_KEY = "unlisted:"
"""Ledger key of a list's rows that exist by their own paths, but that the list does not show."""


@dataclass(frozen=True)
class KnownRows:
    """Rows of a list that are believed to exist and to be listed.

    ``half``: only those a list read in two shows as having the status asked for, or the others.
    """

    ledger: Ledger
    shop: str
    resource: str
    half: bool | None = None

    def days(self) -> list[tuple[date | None, int]]:
        """Rows by day; None for rows without one."""
        count: Counter[str | None] = Counter(
            dict(
                self.ledger.query(
                    "SELECT day, count(*) FROM seen WHERE shop=? AND resource=? "
                    "AND deleted_at IS NULL AND (? IS NULL OR watched=?) GROUP BY day",
                    self._of(),
                )
            )
        )
        count.subtract(self.unlisted().values())
        return [(day and date.fromisoformat(day), n) for day, n in count.items() if n > 0]  # type: ignore[misc]

    def ids(self, first: date, end: date) -> set[str]:
        """Rows of the days from ``first`` on and before ``end``."""
        rows = self.ledger.query(
            "SELECT id FROM seen WHERE shop=? AND resource=? AND deleted_at IS NULL "
            "AND (? IS NULL OR watched=?) AND day >= ? AND day < ?",
            (*self._of(), first.isoformat(), end.isoformat()),
        )
        return {row[0] for row in rows} - self.unlisted().keys()

    def unlisted(self) -> dict[str, str | None]:
        """Days of rows that a lookup showed and no list; one that a list shows again is none."""
        kept = self.ledger.value(self.shop, UNLISTED_KEY + self.resource) or "{}"
        return dict(
            self.ledger.query(
                "SELECT s.id, s.day FROM json_each(?) AS kept JOIN seen AS s ON s.id = kept.key "
                "AND s.seq = kept.value WHERE s.shop=? AND s.resource=? AND s.deleted_at IS NULL "
                "AND (? IS NULL OR s.watched=?)",
                (kept, *self._of()),
            )
        )

    def all_ids(self) -> set[str]:
        """Rows that are believed to exist, listed or not."""
        rows = self.ledger.query(
            "SELECT id FROM seen WHERE shop=? AND resource=? AND deleted_at IS NULL "
            "AND (? IS NULL OR watched=?)",
            self._of(),
        )
        return {row[0] for row in rows}

    def note_unlisted(self, ids: Iterable[str]) -> None:
        """Remember rows that a lookup just showed and that their list leaves out."""
        whole = KnownRows(self.ledger, self.shop, self.resource)
        noted = {
            row: self.ledger.seen_seq(self.shop, self.resource, row)
            for row in (*whole.unlisted(), *ids)
        }
        self.ledger.set_value(self.shop, UNLISTED_KEY + self.resource, json.dumps(noted))

    def _of(self) -> tuple[str, str, int | None, int | None]:
        half = None if self.half is None else int(self.half)
        return self.shop, self.resource, half, half
