"""The service on a clock of its own, and every run of ours in a process that can be killed.

A run is a fork of a server that has imported everything once (multiprocessing's forkserver), so a
night costs no start of Python and dlt. Only that process travels in time; the service lives in
this one, on ``World.now``.
"""

import multiprocessing
import random
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pipelines.settings import Settings
from sandbox.generator import DEFAULT_UNTIL, Size
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.budget.clock import SystemClock
from tests.homes import settings_of

ZONE = "America/Guatemala"
MINUTE_SECONDS = 0.3
"""Real seconds of the limit's minute: what waits a minute waits this long."""
_FIRST_NIGHT = datetime(DEFAULT_UNTIL.year, DEFAULT_UNTIL.month, DEFAULT_UNTIL.day, 8, tzinfo=UTC)
_PATIENCE_SECONDS = 300

DIALECTS: dict[str, tuple[Quirks, int | None, Size]] = {
    "plain": (Quirks(), None, "tiny"),
    "long": (Quirks(), None, "small"),
    "spanish": (
        Quirks(
            amounts="currency",
            naming="camelCase",
            envelope="data",
            status_labels="spanish",
            pipeline_flag=True,
            detail="list",
            empty_reference="missing",
            daily_report="object",
            monthly_report="object",
            month_name="yyyy-mm",
            report_amounts="currency",
        ),
        None,
        "tiny",
    ),
    "offset": (Quirks(paging="offset_only", past_the_end="error", dates="iso_colon"), None, "tiny"),
    "loose": (
        Quirks(order="loose", amounts="text", past_the_end="last_page", zero_periods=False),
        None,
        "tiny",
    ),
    "dates": (
        Quirks(dates="dd-mmm-yyyy", empty_reference="object", envelope="resource"),
        None,
        "tiny",
    ),
    "limited": (Quirks(rate_error_status=401, finished_shown=True), 30, "tiny"),
}
"""How a service answers, its limit in requests a minute (None: lifted), and the shop's size."""


_LOADED = (
    "tests.simulations.world",
    "pipelines.sync.run",
    "pipelines.outbox",
    "time_machine",
    # What dlt imports only when it works; it looks for secrets of streamlit's, too.
    "dlt.destinations.impl.duckdb.duck",
    "dlt.extract.extract",
    "dlt.load.load",
    "dlt.normalize.normalize",
    "dlt.pipeline.pipeline",
    "pyarrow.parquet",
    "sqlglot.dialects.duckdb",
    "streamlit",
    "streamlit.runtime",
)
"""Imported once, before any night; a module of it that is missing costs only time."""


@dataclass(frozen=True)
class Plan:
    """One process to run: what it does, by which clock, and when it dies."""

    do: str
    given: dict[str, Any] = field(default_factory=dict)
    skew: timedelta = timedelta(0)
    jump: tuple[float, timedelta] | None = None
    """After so many seconds our clock is set by that much."""
    kill_after_answers: int | None = None
    kill_after_seconds: float | None = None


@dataclass(frozen=True)
class Ended:
    """How a process ended; ``code`` None: killed."""

    do: str
    code: int | None
    message: str = ""
    details: tuple[str, ...] = ()
    requests: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    crash: str = ""
    """The traceback of an error that is none of ours to expect."""

    @property
    def told(self) -> str:
        """What the run said, in one line."""
        return " | ".join((self.message, *self.details))


class World:
    """A shop served, a home that mirrors it, and time."""

    def __init__(self, dialect: str, seed: int, folder: Path) -> None:
        quirks, limit, size = DIALECTS[dialect]
        self.quirks, self.home, self.folder = quirks, folder / "home", folder
        self._began, self._offset = time.monotonic(), timedelta(0)
        spec = ShopSpec("main", timezone=ZONE, quirks=quirks, limit=limit, seed=seed)
        self.server = SandboxServer([spec], size=size, minute_seconds=MINUTE_SECONDS, now=self.now)
        self.store = self.server.store()
        self.settings = settings_of(
            self.server, self.home, requests_per_minute=limit or 100_000, timeout_seconds=10
        )
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload([*_LOADED])

    def now(self) -> datetime:
        """The service's time."""
        return _FIRST_NIGHT + self._offset + timedelta(seconds=time.monotonic() - self._began)

    def next_day(self) -> None:
        """It is the same hour of the next day."""
        self._offset += timedelta(days=1)

    def run(self, plan: Plan) -> Ended:
        """Run one process to its end, or to its death."""
        ours, theirs = self._processes.Pipe(duplex=False)
        began = time.monotonic()
        process = self._processes.Process(
            target=_live, args=(theirs, self.settings, self.now() + plan.skew, self._offset, plan)
        )
        if plan.kill_after_answers:
            self.server.faults.after(plan.kill_after_answers, lambda: _kill(process))
        process.start()
        theirs.close()
        if plan.kill_after_seconds is not None:
            timer = threading.Timer(plan.kill_after_seconds, lambda: _kill(process))
            timer.daemon = True
            timer.start()
        try:
            if not ours.poll(_PATIENCE_SECONDS):
                _kill(process)
                return Ended(plan.do, None, crash=f"no end within {_PATIENCE_SECONDS} s")
            ended: Ended = ours.recv()
        except EOFError:
            process.join()
            meant = plan.kill_after_answers or plan.kill_after_seconds
            crash = "" if meant else f"the process died with {process.exitcode}"
            return Ended(plan.do, None, "killed", crash=crash, seconds=time.monotonic() - began)
        finally:
            process.join()
            ours.close()
        return replace(ended, seconds=time.monotonic() - began)


def _kill(process: Any) -> None:
    if process.pid is not None and process.is_alive():
        process.kill()


def _live(
    connection: Connection, settings: Settings, when: datetime, days: timedelta, plan: Plan
) -> None:
    """What a forked process does: travel, work, tell how it ended."""
    import time_machine

    # The machine was not switched off: its seconds since boot count the simulated days too.
    ticks = SystemClock.monotonic
    patch.object(SystemClock, "monotonic", lambda self: ticks(self) + days.total_seconds()).start()
    traveller = time_machine.travel(when, tick=True)
    clock = traveller.start()
    if plan.jump is not None:
        seconds, by = plan.jump
        # The process's own timer counts by the monotonic clock, which nobody moves.
        timer = threading.Timer(seconds, lambda: clock.shift(by))
        timer.daemon = True
        timer.start()
    try:
        ended = _WORK[plan.do](settings, **plan.given)
    except Exception as error:  # noqa: BLE001 - told to the parent, with its traceback
        code = getattr(error, "exit_code", None)
        crash = traceback.format_exc() if code is None else ""
        ended = Ended(plan.do, code if code is not None else 1, str(error), crash=crash)
    connection.send(replace(ended, cpu=time.process_time()))
    connection.close()


def _sync(settings: Settings, *, models: bool, **options: Any) -> Ended:
    from pipelines.sync import run
    from pipelines.sync.session import Session

    if not models:
        # Raw is loaded and proven as ever; a month of nights has no time to build in each.
        patch.object(run.Run, "transform", lambda self: None).start()
        patch.object(Session, "publish", lambda self, ended_run=None: None).start()
    report = run.sync(settings, **options)
    return Ended("sync", report.exit_code, report.message, tuple(report.details), report.requests)


def _queue(settings: Settings, *, changes: list[dict[str, Any]]) -> Ended:
    from pipelines.outbox.errors import InputRefused
    from pipelines.outbox.intake import enqueue

    refused = []
    for change in changes:
        try:
            enqueue(**change, settings=settings)
        except InputRefused as error:
            refused.append(str(error))
    return Ended("queue", 1 if refused else 0, details=tuple(refused))


def _push(settings: Settings) -> Ended:
    from pipelines.outbox.pushing import push

    report = push(settings)
    errors = tuple(f"{shop}: {error}" for shop, error in report.errors.items())
    return Ended("push", report.exit_code, f"{report.done} done", errors, report.requests)


_WORK: dict[str, Callable[..., Ended]] = {"sync": _sync, "queue": _queue, "push": _push}


def chance_of(*parts: object) -> random.Random:
    """Dice of their own for each purpose, so that one night's timing never shifts another's."""
    return random.Random(":".join(map(str, parts)))
