"""A clock to turn by hand, and children that are small scripts."""

import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pipelines.monitor.notify import Incidents, NotifySettings
from pipelines.settings import Settings
from schedules.clock import run_due
from schedules.jobs import Command, PlannedJob
from schedules.runner import Runner
from schedules.times import Daily, Every, Times
from tests.homes import shop_of


class Clock:
    """Time that moves only when told to."""

    def __init__(self, start: datetime) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **step: float) -> None:
        self.moment += timedelta(**step)


@pytest.fixture
def clock():
    return Clock(datetime(2026, 11, 20, 12, 0, tzinfo=UTC))


@pytest.fixture
def home(plain_folder):
    folder = plain_folder / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(home):
    """Of a shop that nothing asks."""
    return Settings(home=home, shops=(shop_of(),))


class Bench:
    """A runner whose children are Python scripts, and what it told."""

    def __init__(self, home: Path, clock: Callable[[], datetime]) -> None:
        self.home, self.clock = home, clock
        self.stop = threading.Event()
        self.told: list[str] = []
        self.notify = NotifySettings()
        self.stop_seconds = 5.0

    def runner(self, script: str = "") -> Runner:
        return Runner(
            self.home,
            Incidents(self.home, self.notify, now=self.clock),
            stop=self.stop,
            tell=self.told.append,
            now=self.clock,
            program=(sys.executable, "-c", script),
            stop_seconds=self.stop_seconds,
        )


@pytest.fixture
def bench(home, clock):
    made = Bench(home, clock)
    yield made
    made.stop.set()


def job(
    name: str = "sync",
    times: Times | None = None,
    *,
    commands: Sequence[Command] = (),
    lane: str = "",
    limit: timedelta = timedelta(minutes=5),
    follows: str = "",
    quiet: Collection[int] = (),
) -> PlannedJob:
    """A job whose command is its name; ``sync`` and ``audit`` share a lane."""
    if times is None and not follows:
        times = Every(60)
    lane = lane or ("warehouse" if name in ("sync", "audit") else name)
    return PlannedJob(
        name, "a job", lane, times, limit, ZoneInfo("UTC"),
        lambda day: list(commands or [Command((name, day.isoformat()))]),
        follows, frozenset(quiet),
    )  # fmt: skip


NIGHTLY = Daily(wall(22, 30), ZoneInfo("UTC"))
NOTES = """
import os, pathlib, signal, sys, time
def note(text):
    with open("runs", "a") as file: file.write(text + "\\n")
note(" ".join(sys.argv[1:]))
def wait(name):
    while not pathlib.Path(name).exists(): time.sleep(0.02)
"""
"""Begin of a child's script: each run notes what it was asked for."""
ENDLESS = NOTES + "signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))\nwait('never')\n"


def runs(folder: Path) -> list[str]:
    """What the children noted."""
    path = folder / "runs"
    return path.read_text().splitlines() if path.exists() else []


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something has happened."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)


def one_day_on(bench: Bench, clock: Clock, jobs: list[PlannedJob], script: str = NOTES) -> Runner:
    """A runner of jobs that were planned a day ago, so that each nightly one is due."""
    run_due(jobs, bench.runner())
    clock.forward(days=1)
    return bench.runner(script)
