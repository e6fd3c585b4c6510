"""What the ledger knows of a list's rows, as a count asks for it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from ..errors import BadAnswer
from ..ledger import UNLISTED, Ledger, Page, day_of_text
from .cuts import BEGIN, END, goes_back
from .outcome import PAGE_ROWS, WHOLE_PAGES

_NOT_BY_DAY = "not by day:"
"""Ledger key of a list in which a row stood behind such of much later days."""
_TWICE = "twice:"
"""Ledger key of a list of which a page showed a row twice: its places are more than its rows."""
OF_STATUS, OTHERS = "eq", "ne"
"""Marks of a list's slices: rows with the status asked for, and the others."""


def look_up(
    exists: Callable[[str], bool], rows: Iterable[str]
) -> tuple[dict[str, bool], BadAnswer | None]:
    """Whether rows exist by their own paths, of those whose path answers; and the failure, if one
    does not. It says nothing of the others, which are asked until a second one fails."""
    found: dict[str, bool] = {}
    failure: BadAnswer | None = None
    for row in rows:
        try:
            found[row] = exists(row)
        except BadAnswer as error:
            if failure is not None:
                break
            failure = error
    return found, failure


@dataclass(frozen=True)
class KnownRows:
    """Rows of a list that are believed to exist and to be listed.

    ``shown``: only those of a slice (:mod:`.reading`), by its mark.
    """

    ledger: Ledger
    shop: str
    resource: str
    shown: str | None = None

    @property
    def _of_it(self) -> dict[str, str]:
        return {"shop": self.shop, "list": self.resource}

    def days(self) -> list[tuple[date | None, int]]:
        """Rows by day; None for rows without one."""
        rows = self.ledger.select("live_days", **self._of_it, shown=self.shown)
        return [(day_of_text(day), count) for day, count in rows]

    def ids(self, first: date, end: date) -> set[str]:
        """Rows of the days from ``first`` on and before ``end``; of all days those without, too."""
        is_all = (first, end) == (BEGIN, END)
        return set(
            self.ledger.live_ids(
                self.shop,
                self.resource,
                shown=self.shown,
                listed=True,
                first=None if is_all else first,
                last=None if is_all else end - timedelta(days=1),
            )
        )

    @property
    def page_rows(self) -> int:
        """Rows of a full page of the list, as it showed it; of one too short to show it, and of
        longer pages, as any list did."""
        own, of_any = self._shown_rows
        if own > PAGE_ROWS:
            return max(own, of_any)
        is_short = self.ledger.live_count(self.shop, self.resource) < self.least_full
        return own or (self.least_full if is_short else PAGE_ROWS)

    @property
    def is_by_day(self) -> bool:
        """Whether no page showed that rows stand behind such of much later days.

        Of a list so long that a night cannot read it, days are believed all the same.
        """
        known = self.ledger.value(self.shop, _NOT_BY_DAY + self.resource)
        return known is None or self.pages > WHOLE_PAGES

    def note_order(self, page: Page) -> None:
        """Remember what a page, oldest first, shows of the order, and of rows that come twice."""
        if goes_back([day for day in page.days if day is not None]):
            self.ledger.set_value(self.shop, _NOT_BY_DAY + self.resource, "yes")
        if len(set(page.ids)) < page.size:
            self.ledger.set_value(self.shop, _TWICE + self.resource, "yes")

    @property
    def shows_twice(self) -> bool:
        """Whether a page showed a row twice since the list was read whole."""
        return self.ledger.value(self.shop, _TWICE + self.resource) is not None

    def forget_twice(self) -> None:
        """Let a whole reading tell anew whether rows come twice."""
        self.ledger.drop_value(self.shop, _TWICE + self.resource)

    @property
    def least_full(self) -> int:
        """Rows of a page behind which there may be another one."""
        own, of_any = self._shown_rows
        return min(PAGE_ROWS, own or of_any or PAGE_ROWS)

    @property
    def _shown_rows(self) -> tuple[int, int]:
        """Rows of the longest page of the list, and of any, where these are not of fifty."""
        lists = self.resource, ""
        own, of_any = (self.ledger.list_state(self.shop, name).page_rows for name in lists)
        return own or 0, of_any or 0

    @property
    def pages(self) -> int:
        """Pages that the rows fill."""
        return -(-sum(rows for _, rows in self.days()) // self.page_rows)

    def are_many(self, gone: int, limit_percent: float) -> bool:
        """Whether so many rows gone at once are for a person to believe."""
        live = self.ledger.live_count(self.shop, self.resource)
        return gone > 1 and 100 * gone > limit_percent * live

    def unlisted(self) -> list[str]:
        """Rows that a lookup showed and no list, the one not looked at for longest first."""
        return self.ledger.live_ids(self.shop, self.resource, shown=UNLISTED)

    def listed(self) -> set[str]:
        """Rows that their list should show."""
        return self.all_ids().difference(self.unlisted())

    def all_ids(self) -> set[str]:
        """Rows that are believed to exist, listed or not."""
        return set(self.ledger.live_ids(self.shop, self.resource, shown=self.shown))

    def missed_before(self, ids: Iterable[str], run_id: int) -> set[str]:
        """Those that an earlier run missed, and that did not show since."""
        runs = {row: self.ledger.known_row(self.shop, self.resource, row).missed_in for row in ids}
        return {row for row, missed_in in runs.items() if (missed_in or run_id) < run_id}

    def note_missed(self, ids: Iterable[str], run_id: int) -> None:
        """Remember that a run missed rows, until they show again."""
        missed = [{**self._of_it, "run_id": run_id, "id": row} for row in ids]
        self.ledger.write_all("note_missed", missed)

    def note_unlisted(self, ids: Iterable[str]) -> None:
        """Remember rows that a lookup just showed and that their list leaves out."""
        self.ledger.write("note_shown", **self._of_it, ids=json.dumps([*ids]), shown=UNLISTED)
