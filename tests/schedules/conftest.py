"""A clock to turn by hand, and children that are small scripts."""

import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pipelines.monitor.notify import Incidents, NotifySettings
from pipelines.settings import Settings, ShopSettings
from schedules.jobs import Command, PlannedJob
from schedules.runner import Runner
from schedules.settings import ScheduleSettings
from schedules.triggers import DailyAt, EveryMinutes


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


@pytest.fixture(autouse=True)
def plain_environment(plain_folder):
    return plain_folder


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(home):
    """Of a shop that nothing asks."""
    shop = ShopSettings(name="main", base_url="http://127.0.0.1:9/v1", api_key="k-0123456789")
    return Settings(home=home, shops=(shop,))


class Bench:
    """A runner whose children are Python scripts, and what it told."""

    def __init__(self, home: Path, clock: Callable[[], datetime]) -> None:
        self.home, self.clock = home, clock
        self.stop = threading.Event()
        self.told: list[str] = []
        self.notify = NotifySettings()
        self.schedule = ScheduleSettings(stop_seconds=5)

    def runner(self, script: str = "", **options: object) -> Runner:
        return Runner(
            self.home,
            self.schedule,
            Incidents(self.home, self.notify, now=self.clock),
            stop=self.stop,
            tell=self.told.append,
            now=self.clock,
            program=(sys.executable, "-c", script),
            **options,  # type: ignore[arg-type]
        )


@pytest.fixture
def bench(home, clock):
    made = Bench(home, clock)
    yield made
    made.stop.set()


def job(
    name: str = "sync",
    trigger: DailyAt | EveryMinutes | None = None,
    *,
    commands: Sequence[Command] = (Command(("sync",)),),
    lane: str = "warehouse",
    limit: timedelta = timedelta(minutes=5),
    follows: str = "",
) -> PlannedJob:
    if trigger is None and not follows:
        trigger = EveryMinutes(60)
    return PlannedJob(
        name, "a job", lane, trigger, limit, ZoneInfo("UTC"), lambda day: list(commands), follows
    )
