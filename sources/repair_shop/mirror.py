"""Brings the ledger up to date with the service: which scans are made, and in which order.

::

    with Mirror(home, shops) as mirror:
        for fetch in mirror.read(["tickets", "payments"]):
            fetch.fatal, fetch.results       # what is proven, what is in doubt
        log = ChangeLog(mirror.ledger, shops)

One mirror of a home works at a time (``sync.lock``); several processes share the rate budget.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import Self

import filelock

from .budget import Budget
from .errors import ShopError, Stopped
from .extract import ShopFetch
from .http.client import Client, RequestCounter
from .ledger import Ledger
from .observer import Observer
from .open_statuses import is_due, probe_pipeline
from .scan.audits import audit_jobs
from .scan.jobs import Job, mirror_jobs
from .schema.endpoints import ENDPOINTS, Endpoint
from .sections import make_home
from .settings import ShopSettings
from .threads import side_by_side, threads_of_a_shop


class AlreadyRunning(Exception):
    """Another process reads from the service into this home already. Exit code 4."""

    exit_code = 4


def read_shop(
    fetch: ShopFetch,
    *,
    endpoints: Sequence[Endpoint] | None = None,
    full: bool = False,
    more: Callable[[int], Iterable[Job]] = lambda began: (),
) -> None:
    """Ask one shop for everything that may have changed; results and error end up in ``fetch``.

    ``endpoints``: only these lists, without the re-reading of old days. ``more`` is given the
    number of the last answer before this run, and names jobs to make with the later ones.
    """
    ledger, shop = fetch.ledger, fetch.client.shop
    is_limited = fetch.client.is_limited
    jobs = mirror_jobs(ledger, shop, endpoints=endpoints, full=full, is_limited=is_limited)
    fetch.run(job for job in jobs if not job.comes_late)
    if fetch.fatal is None:
        fetch.run(job for job in jobs if job.comes_late)
    _look_again(fetch, endpoints)
    if fetch.fatal is None:
        fetch.run(fetch.follow())
        fetch.run(more(fetch.began))  # what was just read needs no second look
    fetch.try_again()
    _look_again(fetch, endpoints)  # one that came to its end only now
    if fetch.fatal is None and endpoints is None and not full:
        whole = {one.job.resource for one in fetch.results if one.job.kind == "full"}
        fetch.run(audit_jobs(ledger, shop, but=whole))
    if fetch.fatal is None and endpoints is None:
        try:
            if is_due(ledger, shop.name, datetime.now(shop.zone).date()):
                probe_pipeline(fetch.client, ledger)
        except ShopError as error:
            fetch.fatal = error


def _look_again(fetch: ShopFetch, endpoints: Sequence[Endpoint] | None) -> None:
    """Ask for what changed on lists since their pages were read."""
    if fetch.fatal is None and not fetch.client.is_limited and (lists := fetch.to_look_at_again()):
        jobs = mirror_jobs(fetch.ledger, fetch.client.shop, endpoints=endpoints)
        fetch.run(job for job in jobs if job.resource in lists and job.kind != "hidden")


class Mirror:
    """The files of one home, and reading into them. Raises :class:`AlreadyRunning`."""

    def __init__(
        self,
        home: Path,
        shops: Sequence[ShopSettings],
        *,
        max_requests: int | None = None,
    ) -> None:
        self._shops = shops
        self._counter = RequestCounter(max_requests)
        self._stop = threading.Event()
        self.requests = 0
        make_home(home)
        with ExitStack() as files:
            try:
                files.enter_context(filelock.FileLock(home / "sync.lock", timeout=0, mode=0o600))
            except filelock.Timeout:
                raise AlreadyRunning(
                    f"Another process reads into {home.absolute()} already; try again when it "
                    "ended."
                ) from None
            self.ledger = files.enter_context(closing(Ledger(home / "mirror.sqlite")))
            self._budget = files.enter_context(closing(Budget(home / "budget.sqlite")))
            self._files = files.pop_all()

    def read(self, tables: Iterable[str], *, full: bool = False) -> list[ShopFetch]:
        """Bring these lists up to date in the ledger, all shops side by side."""
        names = set(tables)
        endpoints = None if names == set(ENDPOINTS) else [ENDPOINTS[name] for name in names]
        run_id = self.ledger.begin_run("dlt")
        fetches: list[ShopFetch] = []
        try:
            fetches = side_by_side(
                lambda shop: self._read_shop(shop, run_id, endpoints, full),
                self._shops,
                interrupted=self._stop.set,
            )
        finally:
            doubts = [doubt for fetch in fetches for doubt in fetch.doubts]
            stopped = any(isinstance(fetch.fatal, Stopped) for fetch in fetches)
            failed = bool(doubts) or not fetches
            self.ledger.end_run(
                run_id,
                outcome="stopped" if stopped else "incomplete" if failed else "complete",
                exit_code=Stopped.exit_code if stopped else int(failed),
                requests=self.requests,
                rows=sum(result.rows for fetch in fetches for result in fetch.results),
                message="; ".join(doubts),
                detail={},
            )
        return fetches

    def _read_shop(
        self, shop: ShopSettings, run_id: int, endpoints: list[Endpoint] | None, full: bool
    ) -> ShopFetch:
        with Client(
            shop,
            self._budget,
            stop=self._stop.is_set,
            counter=self._counter,
        ) as client:
            threads = threads_of_a_shop(len(self._shops))
            fetch = ShopFetch(client, self.ledger, run_id, Observer(), threads=threads)
            try:
                read_shop(fetch, endpoints=endpoints, full=full)
            except BaseException:
                self._stop.set()  # no fault of the service's: the others would meet it, too
                raise
            self.requests += client.requests
            return fetch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._files.close()
