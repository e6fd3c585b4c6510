"""How each kind of scan reads its list: which pages, with which filters, in which order."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from ..errors import BadAnswer, ValidationRefused
from ..http.client import Client
from ..ledger import Ledger, Page, Scan, ScanState
from ..scan import PAGE_ROWS, Outcome, PagingBroken, read_head, read_list, read_window
from ..scan.count import Count, Found
from ..scan.custom_fields import read_fields, read_new_fields
from ..scan.deletions import may_have_slipped
from ..scan.hidden import Shown, read_hidden
from ..scan.jobs import WHOLE_KINDS, Job, window_of
from ..scan.known import KnownRows
from ..scan.night import find_gone
from ..scan.outcome import Bounded
from ..scan.probing import ListCount
from ..scan.reader import ServiceReader
from ..scan.tickets import MakeReader, halves, read_tickets, repair_status

_SINCE_EVER = date(2000, 1, 1)
_TELLING = 5
"""Rows of a list whose first day may be that of the shop."""
_MOST_DETAILS = 20
"""Open rows asked one by one, at most, in a run."""
OnRows = Callable[[list[dict[str, Any]], Page], None]
"""Called with the rows of each answer and what a scan keeps of them."""


@dataclass(frozen=True)
class JobReader:
    """Reads the list of a job. ``began``: number of the last answer before this run."""

    client: Client
    ledger: Ledger
    began: int
    shown: Shown = field(default_factory=Shown)

    def read(self, job: Job, scan: Scan, count: OnRows, by_offset: bool) -> Outcome:
        """Read what the job asks for.

        Raises :class:`~repair_shop.scan.PagingBroken` and :class:`~repair_shop.errors.ShopError`.
        """
        reader = self._maker(job, scan, count, by_offset)
        how = {
            "head": self._read_head,
            "updated": self._read_updated,
            "paid": self._read_paid,
            "hidden": self._read_hidden,
            "open": self._read_records,
            "follow": self._read_records,
        }
        if job.kind in how:
            return how[job.kind](job, scan, reader)
        if job.pages:
            return self._count(job, scan, reader).old_pages(job.pages)
        out = self._read_days(job, scan, reader)
        if may_have_slipped(job, out) and out.proven:
            self._look_again(job, scan, reader, out)
        return out

    def _look_again(self, job: Job, scan: Scan, reader: MakeReader, out: Outcome) -> None:
        """Look once more for rows that a reading did not show and whose paths cannot tell."""
        live = self.ledger.live_ids(
            job.shop, job.resource, first=job.first, last=job.last, before_seq=scan.began_seq
        )
        missing = {*live} - out.ids
        if not missing:
            return
        if window := window_of(job):
            again = read_list(reader("again:", None, window))
            found = Found(gone=frozenset(missing - again.ids), reason=again.reason)
        else:
            known = KnownRows(self.ledger, job.shop, job.resource)
            bound = Bounded(reader("again:"), Outcome(), 2 * out.pages)
            count = Count(
                bound,
                known,
                size=out.page_rows or PAGE_ROWS,
                is_paged=True,
                is_by_day=known.is_by_day,
            )
            found = find_gone(count, None)
        out.missed = found.gone
        if not found.reason:
            out.ids |= missing - found.gone  # where places and known rows agree, they are there

    def _maker(
        self,
        job: Job,
        scan: Scan,
        count: OnRows,
        by_offset: bool,
        window: Mapping[str, Any] | None = None,
        scope: str = "",
    ) -> MakeReader:
        """Makes the readers of a scan: of its list, by default of its ``window``."""

        def reader(
            prefix: str = "", path: str | None = None, params: Mapping[str, Any] | None = None
        ) -> ServiceReader:
            asked = (window if params is None else params) or {}

            def take(rows: list[dict[str, Any]], page: Page) -> None:
                count(rows, page)
                if not by_offset and "offset" not in asked:
                    self.shown.longest = max(self.shown.longest, len(rows))
                if path is None and not asked:
                    self.shown.note(job.endpoint, rows, page)

            return ServiceReader(
                self.client,
                self.ledger,
                scan,
                job.endpoint,
                path=path or job.path,
                params={**job.endpoint.include_params, **asked},
                prefix=f"{scope}{prefix}",
                on_rows=take,
                by_offset=by_offset,
            )

        return reader

    def _read_days(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """A whole list, or some days of it."""
        endpoint, params = job.endpoint, window_of(job)
        live = self.ledger.live_count(job.shop, job.resource, job.first, job.last)
        hint, begins = self._hint(job, scan, live)
        if endpoint.partition:
            whole = job.kind == "full"
            return read_tickets(self.ledger, job.shop, reader, params, hint, begins, whole=whole)

        def read(prefix: str = "", *, in_categories: bool = job.hides_categories) -> Outcome:
            if endpoint.variants:
                return read_fields(
                    self.ledger,
                    scan,
                    lambda more="", *asked: reader(f"{prefix}{more}", *asked),
                    self.client.shop,
                    in_categories=in_categories,
                    today=self.client.today(),
                )
            pages = reader(prefix, None, params)
            return (
                read_list(pages, hint=hint, since=begins) if endpoint.sort else read_window(pages)
            )

        out = read()
        if out.ids or live or job.kind != "full":
            return out
        # Nothing is known of it yet, and an answer may be empty for once.
        again = read("again:", in_categories=False)
        if not job.hides_categories:
            return again
        return read("anew:") if again.ids else out

    def _read_head(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """The newest rows, and which of the others are gone."""
        live = self.ledger.live_count(job.shop, job.resource)
        if job.endpoint.variants:
            # Rows of categories are known too, and are no reason to look for more pages.
            hides = job.hides_categories
            known = () if hides else self.ledger.live_ids(job.shop, job.resource)
            out = read_new_fields(self.ledger, scan, reader, known)
            if hides:
                out.whole = False
                out.proof = f"default fields: {out.proof}; those of categories and tabs weekly"
            return out
        if not job.endpoint.sort:
            listed = KnownRows(self.ledger, job.shop, job.resource).listed
            return read_head(reader(), order=None, since=job.since, live=live, known=listed)
        count = self._count(job, scan, reader)
        if job.endpoint.recently_updated:
            return count.night("recently_updated", None)
        return count.night("newest", job.since)

    def _read_updated(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """Rows by the day of their last change, and which of the others are gone."""
        out = read_window(
            reader(
                path=job.endpoint.updated_path,
                # Without an end: one of our clock's would hide all newer rows were it behind.
                params={"updatedDateFrom": _day_before(job.since)},
            ),
            expected=self._pages(job),
        )
        out.whole = False
        self._count(job, scan, reader).after(out)
        return out

    def _read_paid(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """Old invoices that were paid."""
        since = {str(job.endpoint.reread_by): _day_before(job.since)}
        out = read_window(reader(params=since), order="newest", expected=self._pages(job))
        out.whole = False
        return out

    def _read_hidden(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """What the list leaves out unless it is asked for."""
        of_list = [
            (number, state)
            for number, (name, kind, state) in self.ledger.recent_scans(job.shop, math.inf).items()
            if name == job.resource and kind in WHOLE_KINDS and state is not ScanState.DROPPED
        ]
        if not of_list or max(of_list)[1] is not ScanState.PROVEN:
            # Rows of a filter that are new would count as left out, and not be missed when they go.
            return Outcome(reason="the list itself was not read yet")
        return read_hidden(self.ledger, job, reader, self.exists(job, scan), self.shown)

    def _count(self, job: Job, scan: Scan, reader: MakeReader) -> ListCount:
        return ListCount(self.ledger, job, reader, self.exists(job, scan))

    def _pages(self, job: Job) -> int:
        """Pages of the job's list, as far as its rows are known."""
        return KnownRows(self.ledger, job.shop, job.resource).pages

    def pages_by_offset(self, job: Job, scan: Scan) -> bool:
        """Whether a list has a second page by offset and limit, of rows that the first has not.

        One that ignores them shows its first page again, and a short list says nothing.
        """
        label = repair_status(self.ledger, job.shop) if job.endpoint.partition else None
        parts = [{}] if label is None else [params for _, params in halves(label)]
        order = "newest" if job.endpoint.sort else None
        for number, params in enumerate(parts):
            window = {**window_of(job), **params}
            reader = self._maker(job, scan, lambda *_: None, True, window)(f"offset{number}:")
            first, second = (reader.ask(f"page:{page}", page, order) for page in (1, 2))
            if not set(second.ids) <= set(first.ids):
                return True
        return False

    def goes_on(self, job: Job, scan: Scan, out: Outcome) -> bool:
        """Whether a list of one page shows others before its oldest day or by offset; where it is
        full, after its newest too, or may, as it comes whatever is asked, and in what order."""
        offset: dict[str, Any] = {"offset": len(out.ids), "limit": PAGE_ROWS}
        order = "oldest" if job.endpoint.sort else None
        asks: list[tuple[str, dict[str, Any]]] = [("behind:", offset)]
        if job.endpoint.created_filter and out.first_day:
            since, until = job.endpoint.window
            asks.append(("before:", {until: out.first_day}))
            if len(out.ids) >= PAGE_ROWS:
                asks.append(("after:", {since: out.last_day}))
        label = repair_status(self.ledger, job.shop) if job.endpoint.partition else None
        for is_it, half in halves(label) if label else ():
            # The bare list may be shorter than what was read of a half.
            asks.append((f"behind {is_it}:", {**offset, "offset": self.shown.longest, **half}))
        alike = set[tuple[str, ...]]()
        for name, asked in asks:
            reader = self._maker(job, scan, lambda *_: None, False, asked)(name)
            with suppress(ValidationRefused):
                alike.add(reader.ask("newest:1", 1, order).ids)
            if any(not out.ids.issuperset(ids) for ids in alike):
                return True
        if order is None or any(len(ids) < max(PAGE_ROWS, len(out.ids)) for ids in alike):
            return False
        bare = self._maker(job, scan, lambda *_: None, False)("newest:")
        return {bare.ask("newest:1", 1, "newest").ids} == alike

    def read_unsorted(self, job: Job, scan: Scan, count: OnRows, why: str) -> Outcome:
        """A list that pages but does not sort is read up to its empty page, and down again."""
        if job.kind in ("full", "audit", "repair"):
            for by_offset in (False, True):
                out = self._read_upwards(job, scan, count, by_offset)
                if out is not None:
                    return out
        return Outcome(reason=why, cannot_page=True)

    def _read_upwards(self, job: Job, scan: Scan, count: OnRows, by_offset: bool) -> Outcome | None:
        """The list as it comes; None if it cannot be paged so."""
        window = window_of(job)
        reader = self._maker(job, scan, count, by_offset, window, "unsorted:")
        known = self.ledger.is_whole(job.shop, job.resource)
        try:
            if job.endpoint.partition:
                whole = job.kind == "full"
                out = read_tickets(
                    self.ledger, job.shop, reader, window, None, whole=whole, is_sorted=False
                )
            else:
                out = read_window(reader(), expected=self._pages(job) if known else None)
        except (PagingBroken, BadAnswer):
            return None
        # Where page numbers are ignored a page repeats itself as if it were the last.
        return out if self.ledger.shown_ids(scan) <= out.ids else None

    def _read_records(self, job: Job, scan: Scan, reader: MakeReader) -> Outcome:
        """Records by their own paths: those that are open, or named by a payment."""
        out = Outcome()
        ids, shown = job.ids, 0
        if not ids:
            ids = self._open_ids(job, self.began)
            if len(ids) > len(job.endpoint.open_statuses):
                shown = self._read_open(job, reader, out)
                ids = tuple(row for row in ids if row not in out.ids)[:_MOST_DETAILS]
        gone, single = [], reader()
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

    def _read_open(self, job: Job, reader: MakeReader, out: Outcome) -> int:
        """Rows that are still open, by status: a page shows fifty; rows seen.

        A service may refuse the filter or ignore it; then the rest is asked row by row.
        """
        for status in job.endpoint.open_statuses:
            listed = reader(f"{status}:", None, {"status": status})
            try:
                page = listed.ask("newest:1", 1, "newest")
            except BadAnswer:
                break
            out.take(page)
            if not set(page.ids) <= set(self._open_ids(job)):
                break
        return len(out.ids)

    def _hint(self, job: Job, scan: Scan, live: int) -> tuple[int | None, date | None]:
        """The likely last page, or else the likely first day of the list; None if unknown.

        Kept with the scan, which must be the same when it is resumed.
        """
        kept = self.ledger.scan_note(scan, "hint")
        if kept is None:
            kept = str(-(-live // KnownRows(self.ledger, job.shop, job.resource).page_rows))
            if not live and job.kind == "full":
                # The day by which the first lists begin, as far as they were read.
                days = self.ledger.first_days(job.shop, _TELLING)
                kept = days[len(days) // 4] if days else kept
            self.ledger.set_scan_note(scan, "hint", kept)
        if "-" in kept:
            return None, date.fromisoformat(kept)
        return int(kept) or None, None

    def _open_ids(self, job: Job, until: int | None = None) -> tuple[str, ...]:
        """Rows that are open, the one not looked at for longest first; as of answer ``until``."""
        before = None if until is None else until + 1
        return tuple(self.ledger.live_ids(job.shop, job.resource, is_open=True, before_seq=before))

    def exists(self, job: Job, scan: Scan) -> Callable[[str], bool] | None:
        """Looks a row of the job's list up by its own path; None where there is none."""
        if not job.endpoint.detail:
            return None
        reader = ServiceReader(
            self.client, self.ledger, scan, job.endpoint, path=job.path, params={}, prefix="exists:"
        )
        return lambda identity: reader.detail(identity) is not None


def _day_before(day: date | None) -> date:
    """What a filter for the rows from a day on is given, as it may mean the days after its own."""
    return _SINCE_EVER if day is None else day - timedelta(days=1)
