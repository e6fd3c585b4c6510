"""How each kind of scan reads its list: which pages, with which filters, in which order.

A list is asked by number until it shows that this does not work: its pages hold the same rows, or
one page is all that there is though there are other rows. Then it is asked by offset. If that shows
more than one page, so is every list of the shop from then on (field notes, Behaviour). Where that
does not work either, it is read as it comes.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ..errors import BadAnswer, ValidationRefused
from ..http.answers import message_of
from ..ledger import Page, ScanState
from .custom_fields import read_fields, read_new_fields
from .cuts import goes_back
from .hidden import read_hidden
from .jobs import WHOLE_KINDS, window_of
from .night import ListCount, find_gone
from .outcome import NOTHING_NEW, PAGE_ROWS, SINCE_EVER, Outcome, PagingBroken
from .proven import read_list
from .reading import WHOLE, Reading
from .service_pages import PAGING_KEY
from .statuses import status_of
from .tickets import FEWER_KEY, Tickets
from .upwards import read_head, read_window

_NO_SHOP = (
    "not even a status is shown, and /info tells of no shop: the service may be closed for a while"
)
_MOST_DETAILS = 20
"""Open rows asked one by one, at most, in a run."""


class ScanRunner(Reading):
    """Reads the list of a job, in whatever way the shop pages."""

    def _read_kind(self) -> Outcome:
        """Read what the job asks for. Raises :class:`PagingBroken` and what the client raises."""
        how = {
            "head": ScanRunner._read_head,
            "updated": ScanRunner._read_updated,
            "paid": ScanRunner._read_paid,
            "hidden": ScanRunner._read_hidden,
            "open": ScanRunner._read_records,
            "follow": ScanRunner._read_records,
        }
        if self.job.pages:
            return ListCount(self).old_pages(self.job.pages)
        read = how.get(self.job.kind, ScanRunner._read_days)
        out = read(self)
        if self.job.endpoint.detail or not out.proven:
            return out
        if out.is_read_once and self.job.kind not in how:
            self._look_again(out)
        elif out.whole and out.ids and not (out.is_read_once or self.job.first or self.job.last):
            missing = set(self.unshown({*self.known.unlisted(), *out.ids}))
            if missing:  # one answer may lack a row for once
                again = read(replace(self.aside, prefix="once more:"))
                out.ids |= missing & again.ids
                out.missed, out.is_read_once = frozenset(missing - again.ids), True
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
                return read_fields(
                    replace(self, prefix=self.prefix + prefix), in_categories=in_categories
                )
            pages = self.pages(prefix, None, params)
            is_sorted = job.endpoint.sort
            return read_list(pages, hint=hint) if is_sorted else read_window(pages)

        out = read()
        if out.ids or live or job.kind != "full":
            return out
        # Nothing is known of it yet, and an answer may be empty for once.
        again = read("again:", in_categories=False)
        if job.hides_categories:
            return read("anew:") if again.ids else out
        if job.resource == "statuses" and not again.ids and not again.reason:
            again.reason = self._no_shop()
        return again

    def _no_shop(self) -> str:
        """Why a shop without a status is not believed; empty if it tells of itself. Every ticket
        has one (specification, Ticket), and a service that is closed may answer empty lists."""
        with suppress(BadAnswer):
            info = self.client.get("/info").detail()
            return "" if message_of(info) is None else _NO_SHOP
        return _NO_SHOP

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
        if self.job.endpoint.partition and self.ledger.value(self.job.shop, FEWER_KEY):
            # It may leave out tickets that left the pipeline: the halves show them, if they sort.
            live = self.ledger.live_count(self.job.shop, self.job.resource)
            how: Any = {"since": None, "live": live, "size": self.known.page_rows}
            for one in self.slices:
                half = self.pages(f"changed {one.name}", None, one.params)
                with suppress(ValidationRefused):
                    out.add(read_head(half, order="recently_updated", **how))
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
        # Kept again once it is proven: after one cut off, new rows may stand behind known ones.
        was_proven = self.ledger.list_state(self.job.shop, self.job.resource).hidden_on
        self.ledger.set_list(self.job.shop, self.job.resource, hidden_on=None)
        since = self.job.since if was_proven else None
        return read_hidden(replace(self, job=replace(self.job, since=since)))

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

    # -- however the shop pages -------------------------------------------------------------------

    @property
    def is_by_offset(self) -> bool:
        """Whether the shop is known to page by offset."""
        return self.ledger.value(self.job.shop, PAGING_KEY) == "offset"

    def read(self) -> Outcome:
        """Read what the job asks for. Raises :class:`~repair_shop.errors.ShopError`."""
        try:
            return replace(self, by_offset=self.is_by_offset)._read_kind()
        except PagingBroken as broken:
            return self._read_otherwise(broken)

    def may_go_on(self, out: Outcome) -> bool:
        """Whether one page may not be the whole list, though page 2 is empty: where no list of the
        shop shows a longer page, in a first load and of lists that lack known rows."""
        job, rows, longest = self.job, len(out.ids), self.longest
        if not out.proven or not out.whole or job.hides_categories or not rows:
            return False
        if rows != longest and (out.page_rows or longest > min(rows, PAGE_ROWS - 1)):
            return False
        known = self.ledger.live_count(job.shop, job.resource)
        return job.kind == "full" or (job.kind == "head" and known > rows)

    def read_on(self, out: Outcome) -> Outcome:
        """What was read of one page, or where the list goes on behind it the whole list."""
        if not self._goes_on(out):
            return out
        rows, out = len(out.ids), self._read_otherwise(PagingBroken(NOTHING_NEW))
        if out.proven and len(out.ids) <= rows:
            out.reason, out.cannot_page = NOTHING_NEW, True
        return out

    def _read_otherwise(self, broken: PagingBroken) -> Outcome:
        """By offset, from now on, if that shows more than one page; else unsorted."""
        ledger, job = self.ledger, self.job
        try:
            out = replace(self, by_offset=True)._read_kind()
            if out.whole and not ledger.shown_ids(self.scan) <= out.ids:
                raise PagingBroken("it leaves out rows that page numbers showed")
            if not self._has_pages_by_offset():
                if out.proven and out.whole:
                    return out  # one page, of more rows than a page by number has
                raise PagingBroken("it shows no more than one page")
            ledger.set_value(job.shop, PAGING_KEY, "offset")
            self.say(
                f"{job.shop}: {job.path} does not page by number ({broken}); "
                "asking by offset and limit from now on."
            )
            return out
        except (PagingBroken, BadAnswer) as again:
            ledger.drop_value(job.shop, PAGING_KEY)
            if job.kind in ("full", "audit", "repair"):
                for by_offset in (False, True):
                    found = self._read_upwards(by_offset)
                    if found is not None:
                        return found
            return Outcome(reason=f"{broken}; by offset: {again}", cannot_page=True)

    def _has_pages_by_offset(self) -> bool:
        """Whether a list has a second page by offset and limit, of rows that the first has not.

        One that ignores them shows its first page again, perhaps with what is new, and a short list
        says nothing.
        """
        job = self.job
        reader = replace(self.aside, by_offset=True)
        for one in reader.slices or [WHOLE]:
            pages = reader.pages(f"offset {one.name}:", None, {**window_of(job), **one.params})
            order = "newest" if job.endpoint.sort else None
            first, second = (pages.ask(f"page:{page}", page, order) for page in (1, 2))
            if 2 * len({*second.ids} - {*first.ids}) > second.size:
                return True
        return False

    def _goes_on(self, out: Outcome) -> bool:
        """Whether a list of one page shows others before its oldest day or by offset; where it is
        full, after its newest too, or may, as it comes whatever is asked, and in what order."""
        job, reader = self.job, self.aside
        offset: dict[str, Any] = {"offset": len(out.ids), "limit": PAGE_ROWS}
        order = "oldest" if job.endpoint.sort else None
        asks: list[tuple[str, dict[str, Any]]] = [("behind:", offset)]
        if job.endpoint.created_filter and out.first_day:
            since, until = job.endpoint.window
            asks.append(("before:", {until: out.first_day}))
            if len(out.ids) >= PAGE_ROWS:
                asks.append(("after:", {since: out.last_day}))
        for one in reader.slices:
            # The bare list may be shorter than what was read of a slice.
            longest = {**offset, "offset": reader.longest, **one.params}
            asks.append((f"behind {one.name}:", longest))
        alike = set[tuple[str, ...]]()
        for name, asked in asks:
            with suppress(ValidationRefused):
                alike.add(reader.pages(name, None, asked).ask("newest:1", 1, order).ids)
            if any(not out.ids.issuperset(ids) for ids in alike):
                return True
        if order is None or any(len(ids) < max(PAGE_ROWS, len(out.ids)) for ids in alike):
            return False
        return {reader.pages("newest:").ask("newest:1", 1, "newest").ids} == alike

    def _read_upwards(self, by_offset: bool) -> Outcome | None:
        """A list that pages but does not sort, up to its empty page and down again; None if it
        cannot be paged so."""
        reader = replace(self, by_offset=by_offset, prefix="unsorted:")
        job = reader.job
        window = window_of(job)
        expected = reader.known.pages if reader.ledger.is_whole(job.shop, job.resource) else None
        try:
            if job.endpoint.partition:
                out = Tickets(reader, is_sorted=False).read()
            else:
                pages = reader.pages("", None, window)
                out = read_window(pages, expected=expected, is_all=self._goes_no_further)
        except (PagingBroken, BadAnswer):
            return None
        # Where page numbers are ignored a page repeats itself as if it were the last.
        return out if reader.ledger.shown_ids(reader.scan) <= out.ids else None

    def _goes_no_further(self, pages: list[Page]) -> bool:
        """Whether a list in the order of its days, asked for the last of them and all beyond, shows
        rows of ``pages`` alone. The answer must be of these days: a filter that is ignored tells
        nothing."""
        job, rows = self.job, [row for page in pages for row in page.ids]
        days = [day for page in pages for day in page.days if day is not None]
        is_up, is_down = not goes_back(days), not goes_back(days[::-1])
        if is_up == is_down or not job.endpoint.created_filter or len(days) < len(rows):
            return False
        (since, until), step = job.endpoint.window, timedelta(days=1 if is_down else -1)
        asked = {**window_of(job), until if is_down else since: days[-1] + step}
        page = self.aside.pages("beyond:", None, asked).ask("newest:1", 1, None)
        is_of_days = all(day and ((days[-1] - day) * step.days).days >= -1 for day in page.days)
        return is_of_days and 0 < page.size < PAGE_ROWS and set(rows).issuperset(page.ids)


def _day_before(day: date | None) -> date:
    """What a filter for the rows from a day on is given, as it may mean the days after its own."""
    return SINCE_EVER if day is None else day - timedelta(days=1)
