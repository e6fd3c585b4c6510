"""Rows that vanished: found by proven scans only, refused when too many, undone when they return.

A row is gone when a scan that proved itself complete over the row's days did not show it. The list
endpoints say nothing of deletions (only ``/shipments/deleted`` does), so this is the only way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date

from ..errors import BadAnswer
from ..ledger import Ledger, Scan, now_text
from ..scan import Outcome
from ..scan.known import KnownRows

EMPTY_KEY = "empty:"
"""Ledger key of a slice that was answered empty once though rows are known: resource, days."""
LOOKUPS = 200
"""Rows looked up by their own path at most, in one list and run, before they are believed gone."""


def advice(resource: str) -> str:
    """What a person does about rows of a list that went too many at once to be believed."""
    return (
        "Look at the service. If they are really gone: shopmirror sync "
        f"{resource.partition(':')[0]} --full --confirm-deletions"
    )


def _too_many(resource: str, gone: int, live: int, limit_percent: float) -> str:
    """Why so many rows are not believed to be gone at once; empty if they are."""
    if gone <= 1 or 100 * gone <= limit_percent * live:
        return ""
    return f"{gone} of {live} rows vanished at once, not believed. {advice(resource)}"


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
        gone = self._unseen(scan, first, last)
        name = f"{EMPTY_KEY}{scan.resource}:{first}:{last}"
        if (outcome.ids or not gone) and self._ledger.value(scan.shop, name) is not None:
            # There are rows again, or none are missed: the next empty answer is a first one.
            self._ledger.drop_values(scan.shop, [name])
        if confirmed or not gone:
            self._ledger.mark_gone(scan.shop, scan.resource, gone)
            return Vanished(len(gone))
        days = (None, None) if of_list else (first, last)
        live = self._ledger.live_count(scan.shop, scan.resource, *days)
        refused = _too_many(scan.resource, len(gone), live, limit_percent)
        if not refused and not outcome.ids and exists is None:
            refused = self._first_sighting(scan.shop, name, len(gone))
        if refused:
            return Vanished(0, refused)
        if exists is not None:
            try:
                unlisted = [row for row in gone[:LOOKUPS] if exists(row)]
            except BadAnswer as error:
                return Vanished(0, f"rows that vanished could not be looked up: {error}")
            gone = [row for row in gone[:LOOKUPS] if row not in unlisted]
            if unlisted:
                KnownRows(self._ledger, scan.shop, scan.resource).note_unlisted(unlisted)
        self._ledger.mark_gone(scan.shop, scan.resource, gone)
        return Vanished(len(gone))

    def believe(
        self,
        shop: str,
        resource: str,
        gone: Collection[str],
        *,
        limit_percent: float,
        confirmed: bool,
    ) -> Vanished:
        """Mark rows that a search found to be gone, unless they are too many of the list."""
        live = self._ledger.live_count(shop, resource)
        refused = "" if confirmed else _too_many(resource, len(gone), live, limit_percent)
        if refused:
            return Vanished(0, refused)
        self._ledger.mark_gone(shop, resource, gone)
        return Vanished(len(gone))

    def _unseen(self, scan: Scan, first: date | None, last: date | None) -> list[str]:
        """Rows of some days that the scan did not show and its list would; None: no limit."""
        began = self._ledger.first_seq(scan) or 0
        ids = self._ledger.live_ids(
            scan.shop, scan.resource, first=first, last=last, before_seq=began
        )
        unlisted = KnownRows(self._ledger, scan.shop, scan.resource).unlisted()
        return [identity for identity in ids if identity not in unlisted]

    def _first_sighting(self, shop: str, name: str, rows: int) -> str:
        """Why an empty answer is not believed yet; empty at its second sighting."""
        sightings = self._ledger.value(shop, name)
        self._ledger.set_value(shop, name, now_text())
        if sightings is not None:
            return ""
        return f"an empty answer where {rows} rows are known; the next run looks again"
