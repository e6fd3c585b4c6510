"""Runs scans against one shop: several at a time, each answer in the ledger before it is used.

Data flow: service -> ledger (:mod:`repair_shop.ledger`). Loading is someone else's work
and goes on meanwhile. A scan that fails leaves the others running; a shop that refuses us, or a
stop, ends them all, and what was answered is kept.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from .errors import (
    BadAnswer,
    NotAllowed,
    NotFound,
    ShopError,
    ValidationRefused,
    wrong_address,
)
from .http.client import Client
from .ledger import Ledger, Page, Scan, ScanState
from .observer import Observer
from .scan.custom_fields import reach
from .scan.deletions import Deletions
from .scan.hidden import RECENT_ALONE
from .scan.jobs import (
    STILL_NEW,
    WATERMARKS,
    WHOLE_KINDS,
    WORDS,
    Job,
)
from .scan.outcome import WHOLE_PAGES, Outcome
from .scan.scan_runner import ScanRunner
from .scan.volatile import Volatile
from .schema.clean import clean_row, row_id
from .schema.endpoints import ENDPOINTS
from .threads import side_by_side, threads_of_a_shop

_FARTHEST_WEST = timedelta(hours=12)
"""The last place on earth where a day begins."""

_FOLLOWED = 30
"""Old documents named by new payments that one run reads, at most."""

_FEW = 2
"""So many lists of a run may have been answered with wrong pages by chance."""

FOLLOWED = "followed"
"""Note of a shop: number up to which payments were looked through for the documents they name."""

_DOCUMENT_NAMES = {
    table: (
        own,
        *(f"return__{name}" for other in others for name in (other, f"{other}_id")),
    )
    for table, own, others in (
        ("pos_orders", "pos__id", ("pos", "pos_order", "pos_invoice", "order")),
        ("ticket_invoices", "invoice__id", ("invoice", "ticket_invoice")),
    )
}
"""Columns of a cleaned payment that name its document, if only through its return."""


@dataclass
class JobResult:
    """How a scan ended: with an outcome, or with the error that kept it from ending."""

    job: Job
    outcome: Outcome | None = None
    error: ShopError | None = None
    refused: str = ""
    """Why rows that it did not show are not believed to be gone."""
    rows: int = 0
    is_resumed: bool = False
    """Some of its pages were answered in an earlier run."""

    @property
    def doubt(self) -> str:
        """Why the list is not known to be whole and right, in words; empty when it is."""
        if self.error is not None:
            return str(self.error)
        if self.outcome is None:
            return "not finished"
        return self.outcome.reason or self.refused


@dataclass
class ShopFetch:
    """Makes scans for one shop. ``fatal`` is the error that ended everything for this shop."""

    client: Client
    ledger: Ledger
    run_id: int
    observer: Observer
    confirm_deletions: bool = False
    threads: int = threads_of_a_shop(1)
    fatal: ShopError | None = None
    results: list[JobResult] = field(default_factory=list)
    began: int = 0
    """Number of the last answer before this run: what was seen since needs no second look."""

    def __post_init__(self) -> None:
        self.began = self.ledger.last_seq()
        self._put_off: list[JobResult] = []
        self._reach = reach(self.ledger, self.client.shop.name)
        # Tonight may have no such scan to make, and one left open would read as not finished.
        self._drop_stale(*(kind for kind in WORDS if kind != "full"))

    def run(self, jobs: Iterable[Job]) -> list[JobResult]:
        """Make the scans; first statuses, as reading all tickets needs their labels, and what was
        paid, as counting a list needs all rows that become known."""
        denied, began = self.client.budget.standing.denied, len(self.results)

        def is_first(job: Job) -> bool:
            return job.endpoint.table == "statuses" or job.kind == "paid"

        def place(job: Job) -> tuple[bool, bool]:
            return f"GET {job.path}" in denied, not is_first(job)

        queue = sorted(jobs, key=place)
        for job in queue:
            self.observer.plan(job.shop, job.resource, job.requests)
        # One alone: a wrong key costs one request, not one for each worker. After a block it is not
        # one that may have been refused for itself, as it has to tell of the key.
        while queue and not self.client.requests:
            self._run(queue.pop(0))
        for job in list(filter(is_first, queue)):
            queue.remove(job)
            self._run(job)
        side_by_side(self._run, queue, self.threads)
        for result in self._put_off.copy():
            self._run(result.job, result)
        self._put_off.clear()
        return self.results[began:]

    def try_again(self) -> None:
        """Make scans once more that failed or proved nothing, as where rows moved meanwhile.

        Where many lists do not page as asked it is the service's way, and no fault in passing.
        """
        odd = sum(one.outcome is not None and one.outcome.cannot_page for one in self.results)

        def may_heal(result: JobResult) -> bool:
            out, error = result.outcome, result.error
            if out is not None and out.reason:
                # Tickets were asked for in several ways already.
                return not out.cannot_page or (odd <= _FEW and not result.job.endpoint.partition)
            return isinstance(error, BadAnswer) and not isinstance(error, NotAllowed)

        failed = [result for result in self.results if may_heal(result)]
        if self.fatal is None and failed and not self.client.is_limited:
            self.results = [result for result in self.results if result not in failed]
            # Late ones after those that they need.
            for late in (False, True):
                self.run([result.job for result in failed if result.job.comes_late == late])

    def to_look_at_again(self) -> set[str]:
        """Lists that this run read and that may have changed since, with no later scan of them:
        those read whole with pages of an earlier run, custom fields, if all types' fields came to
        fill more pages, and all, if they showed recent rows alone."""
        read = [one for one in self.results if one.job.kind in WHOLE_KINDS]
        found = {one.job.resource for one in read if one.is_resumed and not one.doubt}
        found -= {one.job.resource for one in read if not one.is_resumed}
        before, self._reach = self._reach, reach(self.ledger, self.client.shop.name)
        if self._reach > before:
            found |= {one.job.resource for one in self.results if one.job.endpoint.variants}
        if any(one.outcome and one.outcome.reason == RECENT_ALONE for one in self.results):
            found |= {one.job.resource for one in read}
        return found

    @property
    def doubts(self) -> list[str]:
        """What the scans leave unproven, in words, and what ended them early."""
        found = [f"{r.job.resource}: {r.doubt}" for r in self.results if r.doubt]
        if self.fatal is not None and not any(r.error is self.fatal for r in self.results):
            found.insert(0, str(self.fatal))
        return found

    def follow(self) -> list[Job]:
        """Jobs for old documents named by payments that came or went, which nobody read since.

        Payments that a run read before it was killed count too.
        """
        shop, ledger = self.client.shop.name, self.ledger
        kept = ledger.value(shop, FOLLOWED)
        wanted: dict[str, list[str]] = {}
        done = self.ledger.last_seq() if kept is None else int(kept)
        for seq, payment in ledger.contents_since(shop, "payments", done):
            if sum(map(len, wanted.values())) >= _FOLLOWED:
                break
            for table, identity in _documents(payment, self.client.shop.zone):
                # One that this run read was read just before or after the payment.
                known = ledger.known_row(shop, table, identity)
                ids, seen = wanted.setdefault(table, []), known.seen
                is_old = seen is not None and seen <= self.began and not known.is_deleted
                if is_old and identity not in ids:
                    ids.append(identity)
            done = seq
        ledger.set_value(shop, FOLLOWED, str(done))
        return [
            Job(shop, ENDPOINTS[table], "follow", ids=tuple(ids), requests=len(ids))
            for table, ids in wanted.items()
            if ids
        ]

    def _run(self, job: Job, result: JobResult | None = None) -> None:
        if self.fatal is not None:
            return
        result = result or JobResult(job)
        try:
            if not self._scan(job, result):
                return
        except NotFound as error:
            result.error = error
            if not self.client.budget.standing.worked:
                result.error = self.fatal = wrong_address(error)
        except BadAnswer as error:
            result.error = error
        except ShopError as error:
            result.error = self.fatal = self.fatal or error
        self.results.append(result)
        rows = len(result.outcome.ids) if result.outcome else result.rows
        detail = result.doubt or (result.outcome.proof if result.outcome else "")
        self.observer.done(job.shop, job.resource, not result.doubt, rows, detail)

    # -- one scan -----------------------------------------------------------------------------

    def _scan(self, job: Job, result: JobResult) -> bool:
        """Make a scan. False, and it stays open: what the other lists show is to be known first."""
        if job.kind not in ("full", "repair"):  # of days, others may be read beside these
            self._drop_stale(job.kind, of=job.resource)
        scan = self.ledger.open_scan(self.run_id, job.shop, job.resource, job.kind, job.spec)
        result.is_resumed = scan.run_id != self.run_id

        def on_rows(rows: list[dict[str, Any]], page: Page) -> None:
            result.rows += len(rows)
            self.observer.page(job.shop, job.resource, len(rows))
            for identity in _shared_ids(page.ids, rows, job.endpoint.table):
                self.ledger.set_scan_note(scan, "shared", identity)

        say = self.observer.say
        reader = ScanRunner(self.client, self.ledger, self.began, job, scan, on_rows, say)
        is_by_offset = reader.is_by_offset
        try:
            outcome = reader.read()
        except BadAnswer as error:
            is_refused = isinstance(error, (NotFound, ValidationRefused))
            is_refused = is_refused and not isinstance(error, NotAllowed)
            if not is_refused or job.kind not in ("updated", "paid"):
                self.ledger.write("doubt_scan", scan_id=scan.scan_id, reason=str(error))
                raise
            # It has no such variant or filter, or refuses so long a time (no sync for months).
            return self._scan_list(scan, job, result, str(error))
        if (
            job.kind in ("updated", "paid")
            and outcome.cannot_page
            and reader.known.pages <= WHOLE_PAGES
        ):
            # It does not page, or its last page is full and comes again behind it.
            return self._scan_list(scan, job, result, outcome.reason)
        if not is_by_offset and reader.may_go_on(outcome):
            if job.kind == "full" and all(job != one.job for one in self._put_off):
                self._put_off.append(JobResult(job, rows=result.rows))
                return False
            outcome = reader.read_on(outcome)
        result.outcome = outcome
        if fields := Volatile(self.ledger, job.shop, job.resource).words:
            outcome.proof += f"; not compared, as it differs in each answer: {fields}"
        self._close(reader, outcome, result)
        return True

    def _scan_list(self, scan: Scan, job: Job, result: JobResult, why: str) -> bool:
        """Read the list itself, where its changes cannot be asked for: it tells as much, in more
        requests."""
        self.ledger.close_scan(scan, state=ScanState.DROPPED, reason=why)
        return self._scan(replace(job, kind="full"), result)

    # -- afterwards ---------------------------------------------------------------------------

    def _close(self, reader: ScanRunner, outcome: Outcome, result: JobResult) -> None:
        job, scan = reader.job, reader.scan
        was_whole = self.ledger.is_whole(job.shop, job.resource)
        shared = self.ledger.scan_note(scan, "shared")
        if outcome.proven and shared is not None:
            outcome.reason = f"several rows have one id, or none, and one of them is kept: {shared}"
        if outcome.proven:
            result.refused = Deletions(reader, self.confirm_deletions).mark(outcome)
        self.ledger.close_scan(
            scan,
            state=ScanState.PROVEN if outcome.proven else ScanState.UNPROVEN,
            proof=outcome.proof,
            # Of a proven scan: what it did not show and is kept all the same.
            reason=result.doubt,
            pages=outcome.pages,
            rows=len(outcome.ids),
            first_day=job.first or outcome.first_day,
            last_day=job.last or outcome.last_day,
        )
        if outcome.page_rows:
            longest = max(self.ledger.list_state(job.shop, "").page_rows or 0, outcome.page_rows)
            self.ledger.set_list(job.shop, "", page_rows=longest)
            self.ledger.set_list(job.shop, job.resource, page_rows=outcome.page_rows)
        elif outcome.whole and outcome.proven and not result.refused:
            self.ledger.set_list(job.shop, job.resource, page_rows=None)
        if job.kind == "hidden" and result.refused:
            self.ledger.set_list(job.shop, job.resource, hidden_on=None)  # the next run asks again
        elif outcome.proven and (not result.refused or was_whole):
            # A first reading that lacks rows which were shown before is none.
            self._note_proven(job, scan, outcome)

    def _note_proven(self, job: Job, scan: Scan, outcome: Outcome) -> None:
        """Remember up to which day the next scan need not go back."""
        # Never later than the service itself had it, nor than now: a clock set back since then
        # would leave out the days between. East of Greenwich the shop's day is ahead of UTC's, by
        # which the service may filter; and UTC is also the zone of shops that said none.
        clock, zone = self.client.clock, self.client.shop.zone
        began = min(clock.earlier(scan.opened_at), clock.earlier())
        behind = began - _FARTHEST_WEST if zone.key == "UTC" else began
        day = min(began.astimezone(zone).date(), behind.date())
        if job.kind == "full":
            if job.hides_categories:
                today = datetime.now(zone).date()
                self.ledger.set_list(job.shop, job.resource, categories_on=today)
            since = dict.fromkeys(("whole_on", "new_on", "updated_on", "paid_on"), day)
            self.ledger.set_list(job.shop, job.resource, **since)
        elif job.kind == "hidden":
            self.ledger.set_list(job.shop, job.resource, hidden_on=job.since or day)
        elif job.kind in WATERMARKS and outcome.ids:
            # An empty answer may be one for once: the next night asks for these days too.
            self.ledger.set_list(job.shop, job.resource, **{WATERMARKS[job.kind]: day})

    def _drop_stale(self, *kinds: str, of: str | None = None) -> None:
        """A cheap scan that an earlier run left open is made anew, as rows may have changed since;
        runs of few requests go on with one that is from just now."""
        shop = self.client.shop
        recent = self.ledger.recent_scans(shop.name, STILL_NEW) if self.client.is_limited else {}
        for scan in self.ledger.open_scans(shop.name, kinds):
            # What of the records was read is kept; those that were not are named anew.
            if of in (None, scan.list) and (scan.kind == "follow" or scan.scan_id not in recent):
                self.ledger.close_scan(scan, state=ScanState.DROPPED, reason="cut off")


def _documents(payment: Mapping[str, Any], zone: ZoneInfo) -> Iterator[tuple[str, str]]:
    """(table, id) of the documents that a payment names, under whatever name, nested or flat, in
    the payment itself or in the return it pays back."""
    cleaned = clean_row(payment, "payments", zone)
    for table, names in _DOCUMENT_NAMES.items():
        found = next((cleaned[name] for name in names if cleaned.get(name)), None)
        if identity := _identity(found):
            yield table, identity


def _identity(value: Any) -> str:
    """The id in a column that holds one, or the JSON text of an object that nobody declared."""
    text = "" if value is None else str(value)
    if not text.startswith("{"):
        return text
    with suppress(ValueError):
        return str(json.loads(text).get("id") or "")
    return ""


def _shared_ids(ids: Sequence[str], rows: Sequence[Mapping[str, Any]], table: str) -> set[str]:
    """Ids under which one answer has more rows than are kept: such as differ, or are alike and bear
    no id that would say whether they are one."""
    first: dict[str, Mapping[str, Any]] = {}
    return {
        one
        for one, row in zip(ids, rows, strict=True)
        if first.setdefault(one, row) is not row
        and (row != first[one] or row_id(row, table) is None)
    }
