"""Rows that vanished: found by proven scans only, refused when too many, undone when they return.

A row is gone when a scan that proved itself complete over the row's days did not show it. The list
endpoints say nothing of deletions (only ``/shipments/deleted`` does), so this is the only way.
"""

import json
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from datetime import timedelta

from ..errors import BadAnswer
from .jobs import WHOLE_KINDS, Job
from .known import look_up
from .outcome import LOOKUPS, Outcome
from .reading import Reading

_IN_TURN = 5
"""Rows of a list, shown by no page of it, that a night looks up."""


def advice(resource: str) -> str:
    """What a person does about rows of a list that went too many at once to be believed."""
    return (
        "Look at the service. If they are really gone: shopmirror sync "
        f"{resource.partition(':')[0]} --full --confirm-deletions"
    )


class Deletions:
    """Marks rows of a scan as gone in the ledger; the loader carries the marks to the warehouse.

    More than ``vanish_limit_percent`` of a list, and more than one row, are refused unless
    ``confirmed``.
    """

    def __init__(self, reading: Reading, confirmed: bool) -> None:
        self._reading, self._confirmed = reading, confirmed
        self._job, self._ledger, self._known = reading.job, reading.ledger, reading.known
        self._exists, self._run_id = reading.exists, reading.scan.run_id
        self._limit_percent = reading.client.shop.vanish_limit_percent

    def mark(self, outcome: Outcome) -> str:
        """Mark the rows that a proven scan shows to be gone; why not, of those not believed."""
        try:
            told = self._believe_gone(outcome.gone, outcome.gone)
            if not told and outcome.lost:
                told = self._by_paths(outcome.lost)
            if not told and outcome.whole:
                told = self._unshown(outcome)
            if not told and self._job.kind in WHOLE_KINDS and not self._job.endpoint.hidden:
                told = self._unlisted()
        except BadAnswer as error:
            why = str(error).rstrip(".")
            told = f"rows that vanished could not be looked up: {why}. {advice(self._job.resource)}"
        return told

    def _believe_gone(self, missed: Collection[str], twice: AbstractSet[str]) -> str:
        """Mark rows that were missed, if they are few; why not all, if not all are believed.

        Believed are those missed ``twice``: by a list and their paths, by two readings, or by two
        runs. So every other one waits for a later run.
        """
        refused = self._too_many(missed)
        if refused or not missed:
            return refused
        once = set() if self._confirmed else set(missed) - twice
        waiting = once - self._known.missed_before(once, self._run_id)
        self._known.note_missed(waiting, self._run_id)
        self._ledger.mark_gone(self._job.shop, self._job.resource, set(missed) - waiting)
        if not waiting:
            return ""
        return f"{len(waiting)} row(s) were missed for the first time; the next run looks again"

    def _by_paths(self, lost: AbstractSet[str]) -> str:
        """Believe what only paths, or only filters, tell; paths, if a row that lives has one."""
        by_paths = self._exists if self._job.kind != "hidden" else None
        live = self._ledger.live_ids(self._job.shop, self._job.resource)
        shown = next((row for row in reversed(live) if row not in lost), None)
        # Of one that the mirror does not show there is nothing to believe.
        known = lost & set(live)
        if known and by_paths is not None and (shown is None or not by_paths(shown)):
            told = "records that live are answered as gone by their own paths"
            return f"{told}, so none is believed"
        return self._believe_gone(known, frozenset())

    def _unshown(self, outcome: Outcome) -> str:
        """Mark the rows of a scan's days that it did not show and its list would.

        Where no path tells, an empty answer is one sighting of each of them, and tells nothing of
        days while their whole list comes empty: it would lose them day by day.
        """
        job, exists = self._job, self._exists
        if _days_disagree(job, outcome) and not job.endpoint.detail:
            outcome.proof += (
                "; it shows rows of other days than asked for, so no deletion is "
                "believed: check the time zone in the settings"
            )
            return ""
        gone = self._reading.unshown({*self._known.unlisted(), *outcome.ids})
        if gone and not self._confirmed:
            refused = self._too_many(gone)
            kinds, of_it = json.dumps(WHOLE_KINDS), {"shop": job.shop, "list": job.resource}
            whole = self._ledger.one("newest_rows", **of_it, kinds=kinds)
            if job.first and not outcome.ids and whole == 0:
                refused = "an empty answer, as of the whole list; the next run looks again"
            if refused:
                return refused
            if exists is not None:
                gone = gone[:LOOKUPS]
                twice = self._known.missed_before(gone, self._run_id)
                # One request tells more than another sighting would, a night later.
                found, failure = look_up(exists, gone)
                there = {row for row, lives in found.items() if lives}
                # It may have slipped past the pages: only where two runs say so is it left out.
                self._known.note_missed(there, self._run_id)
                self._known.note_unlisted(there & twice)
                gone = [row for row in gone if row not in there]
                if failure is not None:
                    if (told := self._untold(gone, failure)) is not None:
                        return told
                    exists = None  # such paths tell nothing, and the list shows all that lives
        is_sure = exists is not None or (bool(outcome.ids) and not outcome.is_read_once)
        return self._believe_gone(gone, set(gone) if is_sure else outcome.missed)

    def _untold(self, gone: Collection[str], error: BadAnswer) -> str | None:
        """Why rows are not believed to be gone whose paths do not answer, empty where two runs
        missed them. None: they are, as the list shows all that lives. Raises ``error`` of a part.
        """
        job = self._job
        if _is_of_a_part(job):
            raise error
        if error.transient or job.endpoint.hidden:  # one that is active no longer may be left out
            self._ledger.set_list(job.shop, job.resource, hidden_on=None)  # filters may show them
            told = self._believe_gone(gone, frozenset())
            return told and f"{told}: {error}"
        return None

    def _unlisted(self) -> str:
        """Look up some of the rows that no list shows, in turn; filters tell of other lists'.

        Only their paths tell, so each is asked twice, and one of a row that lives once.
        """
        known, exists = self._known, self._exists
        if exists is None:
            return ""
        some = known.unlisted()[:_IN_TURN]
        try:
            gone = {row for row in some if not (exists(row) or exists(row))}
            alive = next(iter(known.listed()), None) if gone else None
            if gone and (alive is None or not exists(alive)):
                return ""
        except BadAnswer:
            return ""  # of rows that no list shows, a path that does not answer changes nothing
        known.note_unlisted(set(some) - gone)
        return self._believe_gone(gone, gone)

    def _too_many(self, gone: Collection[str]) -> str:
        """Why so many rows are not believed to be gone at once; empty if they are.

        They are where the service's list of deleted ones names them all, and none that lives.
        """
        shop, resource = self._job.shop, self._job.resource
        live, named = (set(self._ledger.live_ids(shop, resource + end)) for end in ("", "_deleted"))
        many = self._known.are_many(len(gone), self._limit_percent)
        if self._confirmed or not many or (live > set(gone) == live & named):
            return ""
        told = f"{len(gone)} of {len(live)} rows vanished at once, not believed."
        return f"{told} {advice(resource)}"


def _is_of_a_part(job: Job) -> bool:
    """Whether a scan reads its list in halves, or some days: a row may stand in the others."""
    return job.endpoint.partition or job.first is not None or job.last is not None


def _days_disagree(job: Job, outcome: Outcome) -> bool:
    """Whether the service's days are others than ours: its answer goes beyond what was asked.

    A day more was asked at both ends (:func:`~repair_shop.scan.jobs.window_of`), so rows of those
    days belong there. The job's own days are whole wherever the service draws the line.
    """
    first, last, day = outcome.first_day, outcome.last_day, timedelta(days=1)
    early = job.first is not None and first is not None and first < job.first - day
    late = job.last is not None and last is not None and last > job.last + day
    return early or late
