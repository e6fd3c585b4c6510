"""Rows that vanished: found by proven scans only, refused when too many, undone when they return.

A row is gone when a scan that proved itself complete over the row's days did not show it. The list
endpoints say nothing of deletions (only ``/shipments/deleted`` does), so this is the only way.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta

from ..errors import BadAnswer
from ..ledger import Ledger, Scan, now_text
from .jobs import EMPTY_KEY, Job
from .known import KnownRows
from .outcome import LOOKUPS, Outcome


def advice(resource: str) -> str:
    """What a person does about rows of a list that went too many at once to be believed."""
    return (
        "Look at the service. If they are really gone: shopmirror sync "
        f"{resource.partition(':')[0]} --full --confirm-deletions"
    )


@dataclass(frozen=True)
class Deletions:
    """Marks rows as gone in the ledger; the loader carries the marks to the warehouse.

    More than ``limit_percent`` of a list, or of its days that were read, and more than one row, are
    refused unless ``confirmed``.
    """

    ledger: Ledger
    limit_percent: float
    confirmed: bool

    def mark(
        self, job: Job, scan: Scan, outcome: Outcome, exists: Callable[[str], bool] | None
    ) -> str:
        """Mark the rows that a proven scan shows to be gone; why not all, if not all are believed.

        ``exists`` looks a row up by its own path, where the list's rows have one.
        """
        gone: Collection[str] = outcome.gone
        if gone:
            refused = self._too_many(job, gone, of_list=True)
        elif not outcome.whole:
            return ""
        elif _days_disagree(job, outcome) and not job.endpoint.detail:
            outcome.proof += (
                "; it shows rows of other days than asked for, so no deletion is "
                "believed: check the time zone in the settings"
            )
            return ""
        else:
            # One request tells more than another sighting would, a night later.
            lookup = exists if _may_have_moved(job) or not outcome.ids else None
            gone, refused = self._unshown(job, scan, outcome, lookup)
        if not refused:
            self.ledger.mark_gone(job.shop, job.resource, gone)
        return refused

    def _unshown(
        self, job: Job, scan: Scan, outcome: Outcome, exists: Callable[[str], bool] | None
    ) -> tuple[list[str], str]:
        """The rows of a scan's days that it did not show and its list would; why not to believe it.

        An empty answer is believed at its second sighting, or when none of its rows exists.
        """
        ids = self.ledger.live_ids(
            job.shop,
            job.resource,
            first=job.first,
            last=job.last,
            before_seq=scan.began_seq,
        )
        known = KnownRows(self.ledger, job.shop, job.resource)
        unlisted = known.unlisted()
        gone = [row for row in ids if row not in unlisted and row not in outcome.ids]
        name = f"{EMPTY_KEY}{job.resource}:{job.first}:{job.last}"
        if (outcome.ids or not gone) and self.ledger.value(job.shop, name) is not None:
            # There are rows again, or none are missed: the next empty answer is a first one.
            self.ledger.drop_values(job.shop, [name])
        if self.confirmed or not gone:
            return gone, ""
        # Of a repair the service's own report says already that these few days changed.
        refused = self._too_many(job, gone, of_list=job.kind == "repair")
        if not refused and not outcome.ids and exists is None:
            refused = self._first_sighting(job.shop, name, len(gone))
        if not refused and exists is None and may_have_slipped(job, outcome):
            missed = set(gone) - outcome.missed
            again = known.missed_again(missed, scan.run_id)
            gone = [row for row in gone if row in outcome.missed] + again
            if len(again) < len(missed):
                rows = len(missed) - len(again)
                refused = f"{rows} row(s) were missed for the first time; the next run looks again"
                self.ledger.mark_gone(job.shop, job.resource, gone)
        if refused or exists is None:
            return gone, refused
        try:
            there = [row for row in gone[:LOOKUPS] if exists(row)]
        except BadAnswer as error:
            return [], f"rows that vanished could not be looked up: {error}"
        if there:
            known.note_unlisted(there)
        return [row for row in gone[:LOOKUPS] if row not in there], ""

    def _too_many(self, job: Job, gone: Collection[str], *, of_list: bool) -> str:
        """Why so many rows are not believed to be gone at once; empty if they are."""
        days = (None, None) if of_list else (job.first, job.last)
        live = self.ledger.live_count(job.shop, job.resource, *days)
        few = len(gone) <= 1 or 100 * len(gone) <= self.limit_percent * live
        if self.confirmed or few:
            return ""
        told = f"{len(gone)} of {live} rows vanished at once, not believed."
        return f"{told} {advice(job.resource)}"

    def _first_sighting(self, shop: str, name: str, rows: int) -> str:
        """Why an empty answer is not believed yet; empty at its second sighting."""
        sightings = self.ledger.value(shop, name)
        self.ledger.set_value(shop, name, now_text())
        if sightings is not None:
            return ""
        return f"an empty answer where {rows} rows are known; the next run looks again"


def _may_have_moved(job: Job) -> bool:
    """Whether a row that a proven scan did not show may still exist elsewhere.

    A ticket may change its status between the two halves of its scan; a row whose date was edited
    left the days that were asked for, or moved while a night read its list whole; one that is not
    active any longer may be left out. Such rows are looked up by themselves.
    """
    apart = job.first is not None or job.last is not None or job.kind not in ("full", "head")
    return job.endpoint.partition or apart or bool(job.endpoint.hidden)


def may_have_slipped(job: Job, outcome: Outcome) -> bool:
    """Whether a row may have moved past the pages of a reading, and its path cannot tell."""
    return outcome.is_read_once and not job.endpoint.detail


def _days_disagree(job: Job, outcome: Outcome) -> bool:
    """Whether the service's days are others than ours: its answer goes beyond what was asked.

    A day more was asked at both ends (:func:`~repair_shop.scan.jobs.window_of`), so rows of those
    days belong there, and the job's own days are whole wherever the service draws the line.
    """
    first, last, day = outcome.first_day, outcome.last_day, timedelta(days=1)
    early = job.first is not None and first is not None and first < job.first - day
    late = job.last is not None and last is not None and last > job.last + day
    return early or late
