"""One sync: extract, load, transform, reconcile, publish.

Data flow: service -> ledger (:mod:`sources.repair_shop.extract`) -> raw (:mod:`pipelines.load`) ->
marts (:mod:`pipelines.transform`) -> ``warehouse.duckdb`` (:mod:`pipelines.publish`). Fetching
never waits for loading; what was answered is in the ledger before anything uses it. So a run may be
killed at any moment, and the next one goes on. A sync ends complete, or incomplete with what is
missing.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime

import duckdb

from pipelines.load.evidence import completeness
from pipelines.load.loader import Loader, LoadError
from pipelines.monitor.evidence import doubts, uncounted
from pipelines.monitor.severity import Kind, Problem
from pipelines.outbox.mirrored import mark_mirrored, not_shown, touched_since
from pipelines.publish.published import Published
from pipelines.reconcile.calibrate import counted_otherwise
from pipelines.reconcile.differences import compare
from pipelines.settings import Settings, ShopSettings, WarehouseSettings
from pipelines.sync.keys import note_key, refuse_rows_of_others, shops_that_left
from pipelines.sync.repair import fetch_monthly_reports, follow_jobs, late_hint, repair_shops
from pipelines.sync.session import Session, open_session
from pipelines.sync.verdict import ShopResult, SyncReport, verdict
from pipelines.transform.findings import unnamed
from pipelines.transform.models import ModelsFailed
from sources.repair_shop.errors import ShopError, first_line
from sources.repair_shop.extract import ShopFetch
from sources.repair_shop.mirror import read_shop
from sources.repair_shop.observer import Observer
from sources.repair_shop.scan.jobs import WHOLE_KINDS, Job
from sources.repair_shop.schema.endpoints import ENDPOINTS, Endpoint, resource_named
from sources.repair_shop.threads import side_by_side, threads_of_a_shop

PUBLISH_EVERY = 600.0
"""Seconds of a real minute between two that publish a long first load, so that its last months can
be queried. No sooner is anything loaded, unless much waits: each load costs a second or two, and
what was answered is safe without."""
LEAST_PAUSE = 60.0
"""Seconds of the clock, however short the limit's minute is; after them the first one comes."""
SHARE = 20.0
"""So many times as long as the last one took."""


def sync(
    settings: Settings,
    *,
    resources: Sequence[str] | None = None,
    shop: str | None = None,
    full: bool = False,
    max_requests: int | None = None,
    confirm_deletions: bool = False,
    warehouse: WarehouseSettings | None = None,
    take_over: Sequence[str] = (),
    observer: Observer | None = None,
    stop: threading.Event | None = None,
    loader: Loader | None = None,
) -> SyncReport:
    """Bring the warehouse up to date with the service, and prove it.

    ``resources`` limits the lists; ``full`` reads them whole; ``max_requests`` and ``stop`` end the
    run early, keeping what was fetched (exit code 4). ``warehouse`` names further destinations of
    the rows, whose faults make the run incomplete and nothing else. ``take_over`` names shops that
    another home has loaded there until now. With a ``loader`` of the caller's own no models are
    built and nothing is published. Raises what has nothing to do with the service: bad names (exit
    code 2), another sync (4), a folder or file that cannot be used.
    """
    endpoints = [resource_named(name) for name in resources] if resources else None
    shops = settings.chosen(shop)
    further = warehouse or WarehouseSettings()
    if further.also:
        from pipelines.destinations.load import refuse_unknown

        refuse_unknown(settings.home, further.also)
    began = time.monotonic()
    with (
        open_session(
            settings, observer=observer, stop=stop, max_requests=max_requests, loader=loader
        ) as session,
        session.run(_command(endpoints, shop)) as ending,
    ):
        run = Run(session, shops, ending.run_id, endpoints, full, confirm_deletions)
        run.fetch_and_load()
        # Of a service that refused the first key there is nothing to read.
        is_empty = not session.ledger.last_seq() and any(r.errors for r in run.results.values())
        # A signal ends the run within seconds: what was answered is in the ledger, and the next run
        # loads, builds and publishes it.
        if not session.stop.is_set():
            run.note_mirrored()
            if session.builds and not is_empty:
                run.transform()
        stopped = session.stop.is_set()
        everything = run.endpoints is None and len(shops) == len(settings.shops)
        report = verdict(run.finish(), everything=everything, stopped=stopped)

        def note() -> None:
            report.requests, report.rows = session.requests(), session.feed.rows
            report.seconds = time.monotonic() - began
            report.new_columns = sorted(session.feed.new_columns)
            ending.outcome, ending.exit_code = report.outcome, report.exit_code
            ending.message, ending.detail = report.message, report.as_json()

        note()
        if not stopped and session.builds and not is_empty:
            session.publish(ending)
            if further.also and not _load_all(session, further, report, take_over):
                note()
                session.publish(ending)  # readers learn of it now, not after the next run
            session.ledger.prune(datetime.now(UTC))
        return report


def _load_all(
    session: Session, further: WarehouseSettings, report: SyncReport, take_over: Sequence[str]
) -> bool:
    """Bring further destinations up to date, their models too; whether all are. What is wrong with
    one is told in the report."""
    from pipelines.destinations.build import build_there, own_figures
    from pipelines.destinations.load import destination
    from pipelines.transform.dbt import is_there

    shops = [shop.name for shop in session.settings.shops]
    complete, is_well = report.outcome == "complete", True
    builds = further.also_models and is_there("postgres")
    for name in further.also:
        session.observer.say(f"Loading {name} too ...")
        try:
            with destination(
                session.home, session.ledger, name, session.stop.is_set, builds=builds
            ) as there:
                there.load(
                    session.feed.log,
                    shops,
                    take_over=take_over,
                    is_complete=complete,
                    figures=own_figures(session.home, session.project),
                )
                if further.also_models:
                    build_there(there, session.project)
        except LoadError as error:
            is_well = False
            report.details.append(str(error))
            report.troubles.append(f"{name}: {Kind.UNPUBLISHED}")
            if report.exit_code == 0:
                report.exit_code, report.outcome, report.message = 1, "incomplete", str(error)
    return is_well


class Run:
    """The steps of one sync, in the order of its methods; results are gathered by shop."""

    def __init__(
        self,
        session: Session,
        shops: Sequence[ShopSettings],
        run_id: int,
        endpoints: list[Endpoint] | None,
        full: bool,
        confirm: bool,
    ) -> None:
        self.session, self.shops, self.run_id = session, shops, run_id
        self.endpoints, self.full, self.confirm = endpoints, full, confirm
        self.results = {shop.name: ShopResult(shop.name) for shop in shops}
        self.minute = min(shop.minute_seconds for shop in shops) / 60
        self.published = time.monotonic()
        self.began_at, self.began_seq = time.time(), session.ledger.last_seq()
        self.left = shops_that_left(session.ledger, session.settings)
        self.unshown: list[tuple[str, str]] = []
        self.uncounted: list[Problem] = []

    def fetch_and_load(self) -> None:
        """All shops side by side, each within its own budget; loading goes on meanwhile."""
        session = self.session
        with ThreadPoolExecutor(1, thread_name_prefix="fetch") as pool:
            fetching = pool.submit(side_by_side, self.fetch_shop, self.shops)
            try:
                self._load_while(fetching)
            except BaseException:
                session.stop.set()
                raise
        fetching.result()
        if not session.stop.is_set():
            session.feed.load_waiting()

    def _load_while(self, fetching: Future[list[None]]) -> None:
        session = self.session
        while not fetching.done():
            wait([fetching], timeout=1.0)
            pause = max(LEAST_PAUSE, SHARE * session.publish_seconds)
            if session.home.warehouse.exists():
                pause = max(pause, PUBLISH_EVERY * self.minute)
            if session.builds and time.monotonic() - self.published > pause:
                try:
                    session.build()  # loads what waits
                    session.publish()
                except ModelsFailed as error:  # the last build decides; the service is asked on
                    session.observer.say(f"Readers wait for the next build: {first_line(error)}")
                self.published = time.monotonic()
            elif session.feed.is_full:
                session.feed.load_waiting()

    def fetch_shop(self, shop: ShopSettings) -> None:
        """Everything that is asked of one shop, into the ledger; errors end up in its result."""
        ledger, result = self.session.ledger, self.results[shop.name]
        fetch = ShopFetch(
            self.session.client(shop),
            ledger,
            self.run_id,
            self.session.observer,
            self.confirm,
            threads_of_a_shop(len(self.shops)),
        )
        try:
            refuse_rows_of_others(fetch.client, ledger, shop, self.left, self.session.home.path)
        except ShopError as error:
            fetch.fatal = error
        else:
            self._deleted_by_us(shop)
            read_shop(
                fetch,
                endpoints=self.endpoints,
                full=self.full,
                more=lambda began: self._pushed(shop, began),
            )
        if any(one.error is None for one in fetch.results):
            note_key(ledger, shop)
        if fetch.fatal is None and self.endpoints is None:
            try:
                fetch_monthly_reports(fetch.client, ledger)
            except ShopError as error:
                fetch.fatal = error
        result.results, result.error = fetch.results, fetch.fatal

    def _deleted_by_us(self, shop: ShopSettings) -> None:
        """What a push deleted did not vanish: the service said so, and a list that still shows one
        brings it back. Else many at once would look like a list that lost its rows."""
        for record in touched_since(self.session.home.path, shop.name):
            if record.is_deleted:
                self.session.ledger.mark_gone(shop.name, record.resource, [record.id])

    def _pushed(self, shop: ShopSettings, began: int) -> list[Job]:
        """Records that a push wrote and that this run has not read yet, by their own paths."""
        wanted: dict[str, list[str]] = {}
        for record in touched_since(self.session.home.path, shop.name):
            seq = self.session.ledger.known_row(shop.name, record.resource, record.id).seen
            endpoint = ENDPOINTS.get(record.resource)
            if endpoint is not None and endpoint.detail and (seq is None or seq <= began):
                wanted.setdefault(record.resource, []).append(record.id)
        return follow_jobs(shop.name, wanted)

    def note_mirrored(self) -> None:
        """Tell the queue which pushed records the warehouse now shows."""
        home, ledger = self.session.home.path, self.session.ledger
        for shop in self.shops:
            # Made and deleted again between two syncs: the service has none, nor has the mirror.
            results = self.results[shop.name].results
            looked_up = {
                (result.job.resource, identity)
                for result in results
                if result.job.kind == "follow" and result.error is None
                for identity in result.job.ids
            }
            # A record without a path of its own is in its list, or nowhere.
            whole = {
                result.job.resource
                for result in results
                if result.job.kind in WHOLE_KINDS and not result.doubt
            }
            settle = shop.seconds(60) * shop.settle_minutes
            read: dict[float, list[tuple[str, str]]] = {0.0: [], settle: []}
            for record in touched_since(home, shop.name):
                name = record.resource, record.id
                row = ledger.known_row(shop.name, *name)
                # What is as it was may show late: it is read again if it was pushed just before.
                is_new = row.is_deleted or row.seen is None or row.seq > self.began_seq
                if row.is_deleted or (row.seen or 0) > self.began_seq or name in looked_up:
                    read[0.0 if is_new else settle].append(name)
                elif record.resource in whole and not ENDPOINTS[record.resource].detail:
                    read[settle].append(name)
            for late, names in read.items():
                mark_mirrored(home, shop.name, names, read_at=self.began_at - late)

    def transform(self) -> None:
        """Build the models, compare with the service's reports, read again what differs."""
        session = self.session
        session.build()
        with session.home.open_build(read_only=True) as database:
            self.unshown = not_shown(session.home.path, Published(database, session.home.path))
            if self.endpoints is not None:
                return  # no report was asked; what they said last night is older than these lists
            for name, words in unnamed(database):
                if name in self.results:
                    self.results[name].notes.append(words)
            self._compare(database)
            if session.stop.is_set():
                return
        is_repaired = repair_shops(session, self.shops, self.results, self.run_id)
        with session.home.open_build(read_only=True) as database:
            if is_repaired:
                self._compare(database)
            for shop in self.shops:
                result = self.results[shop.name]
                differing = {one.report for one in result.differences}
                result.hint = (
                    late_hint(result.differences, session.client(shop).today())
                    or counted_otherwise(database, shop.name, differing)
                    or result.hint
                )

    def _compare(self, database: duckdb.DuckDBPyConnection) -> None:
        built = Published(database, self.session.home.path)
        self.uncounted = uncounted(built, list(self.results))
        for shop in self.shops:
            self.results[shop.name].compared(compare(self.session.home, shop.name))

    def finish(self) -> list[ShopResult]:
        """The results of all shops, with what they cost and what the evidence says of them."""
        ledger = self.session.ledger
        standing = []
        if self.endpoints is None:
            standing = [*doubts(completeness(ledger)), *self.uncounted]
        for result in self.results.values():
            result.requests = self.session.requests(result.shop)
            result.standing = [problem for problem in standing if problem.shop == result.shop]
            result.standing += [
                Problem(Kind.CHANGE, words) for shop, words in self.unshown if shop == result.shop
            ]
        return list(self.results.values())


def _command(endpoints: Sequence[Endpoint] | None, shop: str | None) -> str:
    """The run's name in ``ops.runs``: a run of some lists makes no failed run of all good."""
    words = ["sync", *(endpoint.table for endpoint in endpoints or ())]
    return " ".join([*words, "--shop", shop] if shop else words)
