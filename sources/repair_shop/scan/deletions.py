"""Rows that vanished: found by proven scans only, refused when too many, undone when they return.

A row is gone when a scan that proved itself complete over the row's days did not show it. The list
endpoints say nothing of deletions (only ``/shipments/deleted`` does), so this is the only way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from ..errors import BadAnswer
from ..ledger import Ledger, Scan, now_text
from ..scan import Outcome

EMPTY_MARK = "empty:"
"""Ledger mark of a slice that was answered empty once though rows are known: resource, days."""
_LOOKUPS = 20
"""Rows looked up by their own path at most, where one sighting is not enough."""


def advice(resource: str) -> str:
    """What a person does about rows of a list that went too many at once to be believed."""
    return (
        "Look at the service. If they are really gone: shopmirror sync "
        f"{resource.partition(':')[0]} --full --confirm-deletions"
    )


@dataclass(frozen=True)
class Vanished:
    """``marked`` rows are gone. ``refused`` says why others were not marked, or is empty."""

    marked: int = 0
    refused: str = ""


class Deletions:
    """Marks rows as gone in the ledger; the loader carries the marks to the warehouse."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def find(
        self,
        scan: Scan,
        outcome: Outcome,
        first: date | None,
        last: date | None,
        *,
        limit_percent: float,
        confirmed: bool,
        of_list: bool = False,
        exists: Callable[[str], bool] | None = None,
    ) -> Vanished:
        """Mark the rows of a scan's days that the scan did not show.

        More than ``limit_percent`` of them (and more than one) is refused unless ``confirmed``;
        ``of_list`` takes the percentage of the whole list, where the days hold few rows. An empty
        answer is believed at its second sighting, or when ``exists``, which looks a row up by
        itself, finds none of its rows.
        """
        began = self._ledger.first_seq(scan)
        if began is None:
            return Vanished()
        days = [day and day.isoformat() for day in (first, first, last, last)]
        rows = self._ledger.query(
            "SELECT id FROM seen WHERE shop=? AND resource=? AND deleted_at IS NULL AND seq < ? "
            "AND (? IS NULL OR day >= ?) AND (? IS NULL OR day <= ?)",
            (scan.shop, scan.resource, began, *days),
        )
        gone = [row[0] for row in rows]
        name = f"{EMPTY_MARK}{scan.resource}:{first}:{last}"
        if (outcome.ids or not gone) and self._ledger.mark(scan.shop, name) is not None:
            # There are rows again, or none are missed: the next empty answer is a first one.
            self._ledger.execute("DELETE FROM marks WHERE shop=? AND name=?", [(scan.shop, name)])
        if not gone:
            return Vanished()
        live = self._ledger.live_count(
            scan.shop, scan.resource, *((None, None) if of_list else (first, last))
        )
        share = 100 * len(gone) / live
        if len(gone) > 1 and share > limit_percent and not confirmed:
            return Vanished(
                0,
                f"{len(gone)} of {live} rows vanished at once, not believed. "
                + advice(scan.resource),
            )
        if not outcome.ids and not confirmed and exists is None:
            sightings = self._ledger.mark(scan.shop, name)
            self._ledger.set_mark(scan.shop, name, now_text())
            if sightings is None:
                return Vanished(
                    0,
                    f"an empty answer where {len(gone)} rows are known; the next run looks again",
                )
        if exists is not None and not confirmed:
            try:
                gone = [row for row in gone[:_LOOKUPS] if not exists(row)]
            except BadAnswer as error:
                return Vanished(0, f"rows that vanished could not be looked up: {error}")
        self.confirmed(scan.shop, scan.resource, gone)
        return Vanished(len(gone))

    def confirmed(self, shop: str, resource: str, ids: Iterable[str]) -> None:
        """Mark rows as gone, now; rows that are unknown or marked already are passed over."""
        at = now_text()
        wanted = [
            identity
            for identity in ids
            if self._ledger.query(
                "SELECT 1 FROM seen WHERE shop=? AND resource=? AND id=? AND deleted_at IS NULL",
                (shop, resource, identity),
            )
        ]
        self._ledger.execute(
            "UPDATE seen SET deleted_at=? WHERE shop=? AND resource=? AND id=?",
            [(at, shop, resource, identity) for identity in wanted],
        )
        self._ledger.execute(
            "INSERT OR REPLACE INTO deletions(shop, resource, id, at) VALUES (?,?,?,?)",
            [(shop, resource, identity, at) for identity in wanted],
        )
