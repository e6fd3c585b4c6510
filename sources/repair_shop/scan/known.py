"""What the ledger knows of a list's rows, as the search for rows that left it asks for it."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

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
        count = Counter(self.ledger.live_days(self.shop, self.resource, half=self.half))
        count.subtract(self.unlisted().values())
        return [(day, n) for day, n in count.items() if n > 0]

    def ids(self, first: date, end: date) -> set[str]:
        """Rows of the days from ``first`` on and before ``end``."""
        last = end - timedelta(days=1)
        ids = self.ledger.live_ids(self.shop, self.resource, half=self.half, first=first, last=last)
        return set(ids) - self.unlisted().keys()

    def unlisted(self) -> dict[str, date | None]:
        """Days of rows that a lookup showed and no list; one that a list shows again is none."""
        kept = self.ledger.value(self.shop, UNLISTED_KEY + self.resource) or "{}"
        return self.ledger.unmoved_days(self.shop, self.resource, kept, half=self.half)

    def listed(self) -> set[str]:
        """Rows that their list should show."""
        return self.all_ids() - self.unlisted().keys()

    def all_ids(self) -> set[str]:
        """Rows that are believed to exist, listed or not."""
        return set(self.ledger.live_ids(self.shop, self.resource, half=self.half))

    def note_unlisted(self, ids: Iterable[str]) -> None:
        """Remember rows that a lookup just showed and that their list leaves out."""
        whole = KnownRows(self.ledger, self.shop, self.resource)
        noted = {
            row: self.ledger.seen_seq(self.shop, self.resource, row)
            for row in (*whole.unlisted(), *ids)
        }
        self.ledger.set_value(self.shop, UNLISTED_KEY + self.resource, json.dumps(noted))
