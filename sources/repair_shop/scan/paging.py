"""How a shop pages: by number, else by offset and limit, else as its lists come.

A list is asked by number until it shows that this does not work: its pages hold the same rows, or
one page is all that there is though there are other rows. Then it is asked by offset. If that shows
more than one page, so is every list of the shop from then on (field notes, Behaviour).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ..errors import BadAnswer, ValidationRefused
from ..ledger import Page
from .cuts import goes_back
from .jobs import window_of
from .outcome import NOTHING_NEW, PAGE_ROWS, Outcome, PagingBroken
from .reading import WHOLE
from .scan_runner import ScanRunner
from .service_pages import PAGING_KEY
from .tickets import Tickets
from .upwards import read_window


@dataclass(frozen=True)
class Paging:
    """Reads the list of a job however the shop pages. ``say`` tells people when that changed."""

    reader: ScanRunner
    say: Callable[[str], object]

    @property
    def is_by_offset(self) -> bool:
        """Whether the shop is known to page by offset."""
        return self.reader.ledger.value(self.reader.job.shop, PAGING_KEY) == "offset"

    def read(self) -> Outcome:
        """Read what the job asks for. Raises :class:`~repair_shop.errors.ShopError`."""
        try:
            return replace(self.reader, by_offset=self.is_by_offset).read()
        except PagingBroken as broken:
            return self._read_otherwise(broken)

    def may_go_on(self, out: Outcome) -> bool:
        """Whether one page may not be the whole list, though page 2 is empty: where no list of the
        shop shows a longer page, in a first load and of lists that lack known rows."""
        job, rows, longest = self.reader.job, len(out.ids), self.reader.longest
        if not out.proven or not out.whole or job.hides_categories or not rows:
            return False
        if rows != longest and (out.page_rows or longest > min(rows, PAGE_ROWS - 1)):
            return False
        known = self.reader.ledger.live_count(job.shop, job.resource)
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
        reader, ledger, job = self.reader, self.reader.ledger, self.reader.job
        try:
            out = replace(reader, by_offset=True).read()
            if out.whole and not ledger.shown_ids(reader.scan) <= out.ids:
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
        job = self.reader.job
        reader = replace(self.reader.aside, by_offset=True)
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
        job, reader = self.reader.job, self.reader.aside
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
        reader = replace(self.reader, by_offset=by_offset, prefix="unsorted:")
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
        job, rows = self.reader.job, [row for page in pages for row in page.ids]
        days = [day for page in pages for day in page.days if day is not None]
        is_up, is_down = not goes_back(days), not goes_back(days[::-1])
        if is_up == is_down or not job.endpoint.created_filter or len(days) < len(rows):
            return False
        (since, until), step = job.endpoint.window, timedelta(days=1 if is_down else -1)
        asked = {**window_of(job), until if is_down else since: days[-1] + step}
        page = self.reader.aside.pages("beyond:", None, asked).ask("newest:1", 1, None)
        is_of_days = all(day and ((days[-1] - day) * step.days).days >= -1 for day in page.days)
        return is_of_days and 0 < page.size < PAGE_ROWS and set(rows).issuperset(page.ids)
