"""How each kind of scan reads its list: which pages, with which filters, in which order."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from ..errors import BadAnswer
from ..ledger import ScanState
from ..scan.custom_fields import read_fields, read_new_fields
from ..scan.hidden import read_hidden
from ..scan.jobs import WHOLE_KINDS, window_of
from ..scan.night import ListCount, find_gone
from ..scan.outcome import PAGE_ROWS, SINCE_EVER, Outcome
from ..scan.proven import read_list
from ..scan.reading import Reading
from ..scan.statuses import status_of
from ..scan.tickets import Tickets
from ..scan.upwards import read_head, read_window

_MOST_DETAILS = 20
"""Open rows asked one by one, at most, in a run."""


class ScanRunner(Reading):
    """Reads the list of a job as its kind wants it."""

    def read(self) -> Outcome:
        """Read what the job asks for.

        Raises :class:`~repair_shop.scan.outcome.PagingBroken` and what the client raises.
        """
        how = {
            "head": self._read_head,
            "updated": self._read_updated,
            "paid": self._read_paid,
            "hidden": self._read_hidden,
            "open": self._read_records,
            "follow": self._read_records,
        }
        if self.job.kind in how:
            return how[self.job.kind]()
        if self.job.pages:
            return ListCount(self).old_pages(self.job.pages)
        out = self._read_days()
        if out.is_read_once and out.proven and not self.job.endpoint.detail:
            self._look_again(out)
        return out

    def _look_again(self, out: Outcome) -> None:
        """Look once more for rows that a reading did not show and whose paths cannot tell."""
        missing = set(self.unshown(out.ids))
        if not missing:
            return
        count = ListCount(self).new(size=out.page_rows or PAGE_ROWS, is_paged=True)
        found = find_gone(count, None)
        out.missed = found.gone
        if not found.reason:
            out.ids |= missing - found.gone  # where places and known rows agree, they are there

    def _read_days(self) -> Outcome:
        """A whole list, or some days of it."""
        job, params = self.job, window_of(self.job)
        live = self.ledger.live_count(job.shop, job.resource, job.first, job.last)
        hint = self._hint(live)
        if job.endpoint.partition:
            return Tickets(self).read(hint)

        def read(prefix: str = "", *, in_categories: bool = job.hides_categories) -> Outcome:
            if job.endpoint.variants:
                return read_fields(replace(self, prefix=prefix), in_categories=in_categories)
            pages = self.pages(prefix, None, params)
            is_sorted = job.endpoint.sort
            return read_list(pages, hint=hint) if is_sorted else read_window(pages)

        out = read()
        if out.ids or live or job.kind != "full":
            return out
        # Nothing is known of it yet, and an answer may be empty for once.
        again = read("again:", in_categories=False)
        if not job.hides_categories:
            return again
        return read("anew:") if again.ids else out

    def _read_head(self) -> Outcome:
        """The newest rows, and which of the others are gone."""
        job = self.job
        if job.endpoint.variants:
            # Rows of categories are known too, and are no reason to look for more pages.
            known = () if job.hides_categories else self.known.all_ids()
            out = read_new_fields(self, known)
            if job.hides_categories:
                out.whole = False
                out.proof = f"default fields: {out.proof}; those of categories and tabs weekly"
            return out
        if not job.endpoint.sort:
            live, listed = self.ledger.live_count(job.shop, job.resource), self.known.listed
            pages, since, size = self.pages(), job.since, self.known.page_rows
            return read_head(pages, order=None, since=since, live=live, known=listed, size=size)
        if job.endpoint.recently_updated:
            return ListCount(self).night("recently_updated", None)
        return ListCount(self).night("newest", job.since)

    def _read_updated(self) -> Outcome:
        """Rows by the day of their last change, and which of the others are gone."""
        # Without an end: one of our clock's would hide all newer rows were it behind.
        since = {"updatedDateFrom": _day_before(self.job.since)}
        pages = self.pages(path=self.job.endpoint.updated_path, params=since)
        out = read_window(pages, expected=self.known.pages)
        out.whole = False
        ListCount(self).after(out)
        return out

    def _read_paid(self) -> Outcome:
        """Old invoices that were paid."""
        pages = self.pages(params={str(self.job.endpoint.reread_by): _day_before(self.job.since)})
        out = read_window(pages, order="newest", expected=self.known.pages)
        out.whole = False
        return out

    def _read_hidden(self) -> Outcome:
        """What the list leaves out unless it is asked for."""
        newest = self.ledger.newest_state(self.job.shop, self.job.resource, *WHOLE_KINDS)
        if newest is not ScanState.PROVEN:
            # Rows of a filter that are new would count as left out, and not be missed when they go.
            return Outcome(reason="the list itself was not read yet")
        return read_hidden(self)

    def _read_records(self) -> Outcome:
        """Records by their own paths: those that are open, or named by a payment."""
        out = Outcome()
        ids, shown = self.job.ids, 0
        if not ids:
            ids = self._open_ids(self.began)
            rows = self.ledger.contents(self.job.shop, self.job.resource, ids).values()
            statuses = sorted({status_of(row, self.job.resource, {}) for row in rows})
            if len(ids) > len(statuses):
                shown = self._read_open(out, statuses)
                ids = tuple(row for row in ids if row not in out.ids)[:_MOST_DETAILS]
        gone, single = [], self.pages()
        for identity in ids:
            page = single.detail(identity)
            if page is None:
                gone.append(identity)
            else:
                out.take(page)
        out.proof = f"{len(ids)} record(s) by their own paths"
        # At their second sighting. What their list counts tells the same the same night.
        out.lost = frozenset(gone)
        if shown:
            out.proof += f", {shown} by their status"
        return out

    def _read_open(self, out: Outcome, statuses: Iterable[str]) -> int:
        """Rows that are still open, by status: a page shows fifty; rows seen.

        A service may refuse the filter or ignore it; then the rest is asked row by row.
        """
        for status in statuses:
            listed = self.pages(f"{status}:", None, {"status": status})
            try:
                page = listed.ask("newest:1", 1, "newest")
            except BadAnswer:
                break
            out.take(page)
            if not set(page.ids) <= set(self._open_ids()):
                break
        return len(out.ids)

    def _hint(self, live: int) -> int | None:
        """The likely last page, None if unknown.

        Kept with the scan, which must be the same when it is resumed.
        """
        kept = self.ledger.scan_note(self.scan, "pages")
        if kept is None:
            kept = str(-(-live // self.known.page_rows))
            self.ledger.set_scan_note(self.scan, "pages", kept)
        return int(kept) or None

    def _open_ids(self, until: int | None = None) -> tuple[str, ...]:
        """Rows that are open, the one not looked at for longest first; as of answer ``until``."""
        job, before = self.job, None if until is None else until + 1
        return tuple(self.ledger.live_ids(job.shop, job.resource, is_open=True, before_seq=before))


def _day_before(day: date | None) -> date:
    """What a filter for the rows from a day on is given, as it may mean the days after its own."""
    return SINCE_EVER if day is None else day - timedelta(days=1)
