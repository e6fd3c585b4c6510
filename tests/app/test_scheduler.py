"""The scheduler on a passed-in clock: side by side, stopped, with other settings and files."""

import errno
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest

from pipelines.monitor.notify import NotifySettings
from pipelines.monitor.schedule_state import is_served, next_runs
from schedules import clock as clockwork
from schedules.clock import AlreadyRunning, due_runs, run_due, run_now, serve
from schedules.jobs import Command
from schedules.times import Every
from tests.app.nights import ENDLESS, NIGHTLY, NOTES, job, one_day_on, runs, wait_for
from tests.app.nights import bench as bench
from tests.app.nights import clock as clock
from tests.app.nights import home as home
from tests.app.receivers import HookServer


@pytest.fixture
def hook():
    with HookServer() as server:
        yield server


@contextmanager
def _beside(*args) -> Iterator[list[int]]:
    """A call in a thread of its own until the block ends; then its exit code."""
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(args[0](*args[1:])))
    thread.start()
    yield codes
    thread.join(60)
    assert not thread.is_alive()


def test_a_job_longer_than_its_interval_runs_once_and_holds_up_no_other(bench, clock, plain_folder):
    """Calls every few minutes meet a push that hangs and a sync of hours."""
    jobs = [job(times=NIGHTLY), job("audit", NIGHTLY), job("push", Every(5))]
    script = NOTES + "wait('go') if sys.argv[1] == 'sync' else None"
    with _beside(run_due, jobs, one_day_on(bench, clock, jobs, script)):
        wait_for(lambda: len(runs(plain_folder)) == 2)
        for _call in range(3):
            clock.forward(minutes=5)
            assert run_due(jobs, bench.runner(script)) == 0
        ran = [line.split()[0] for line in runs(plain_folder)]
        assert (ran.count("sync"), ran.count("audit"), ran.count("push")) == (1, 0, 4)
        (plain_folder / "go").touch()
    run_due(jobs, bench.runner(script))
    ran = [line.split()[0] for line in runs(plain_folder)]
    assert (ran.count("sync"), ran.count("audit")) == (1, 1)


def test_a_night_that_comes_due_within_the_one_before_follows_it(bench, clock, plain_folder):
    jobs, script = [job(times=NIGHTLY)], NOTES + "wait('go')"
    with _beside(run_due, jobs, one_day_on(bench, clock, jobs, script)):
        wait_for(lambda: len(runs(plain_folder)) == 1)
        clock.forward(days=1)
        (plain_folder / "go").touch()
    run_due(jobs, bench.runner(script))
    assert runs(plain_folder) == ["sync 2026-11-20", "sync 2026-11-21"]


def test_a_job_by_hand_is_refused_while_one_of_its_lane_runs(bench, plain_folder):
    with _beside(run_now, job(), [job()], bench.runner(ENDLESS)):
        wait_for(lambda: runs(plain_folder))
        with pytest.raises(AlreadyRunning, match="audit"):
            run_now(job("audit"), [job("audit")], bench.runner())
        assert run_now(job("push"), [job("push")], bench.runner()) == 0
        bench.stop.set()


# -- the scheduler ---------------------------------------------------------------------------------


@contextmanager
def _serving(bench, jobs, runner, **options) -> Iterator[list[int]]:
    with _beside(lambda: serve(jobs, runner, **options)) as codes:
        try:
            yield codes
        finally:
            bench.stop.set()


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(clockwork, "EVERY", timedelta(seconds=0.1))


def test_the_scheduler_runs_what_comes_due_and_a_second_one_leaves(
    bench, clock, plain_folder, often
):
    jobs = [job(times=NIGHTLY)]
    with _serving(bench, jobs, bench.runner(NOTES)) as codes:
        wait_for(lambda: any("next 2026-11-20 22:30" in line for line in bench.told))
        assert is_served(bench.home)
        with pytest.raises(AlreadyRunning, match=str(os.getpid())):
            serve(jobs, bench.runner())
        for night in range(1, 4):
            clock.forward(days=1)
            wait_for(lambda night=night: sum("exit code 0" in line for line in bench.told) == night)
    assert codes == [0] and not is_served(bench.home)
    assert len(runs(plain_folder)) == 3


def test_a_stop_reaches_the_run_and_the_next_start_goes_on(bench, clock, plain_folder, often):
    jobs = [job(times=NIGHTLY, commands=[Command(("a",)), Command(("b",))])]
    with _serving(bench, jobs, one_day_on(bench, clock, jobs, ENDLESS)) as codes:
        wait_for(lambda: runs(plain_folder))
    assert codes == [4]
    assert runs(plain_folder) == ["a"], "after a stop no further command begins"
    assert next_runs(bench.home)[0]["outcome"] == "stopped"
    bench.stop.clear()
    assert run_due(jobs, bench.runner(NOTES)) == 0
    assert runs(plain_folder) == ["a", "a", "b"]


def test_the_scheduler_is_called_on_after_the_machines_clock_was_set_back(
    bench, often, monkeypatch
):
    """The library plans its next call by the machine's clock, a year ahead at first."""
    ahead, calls = [timedelta(days=400)], list[int]()

    class Wrong(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + ahead[0]

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Wrong)
    monkeypatch.setattr(clockwork, "datetime", Wrong)
    monkeypatch.setattr(clockwork, "run_due", lambda jobs, runner: calls.append(1))
    with _serving(bench, [job(times=NIGHTLY)], bench.runner()):
        wait_for(lambda: len(calls) > 2)
        ahead[0] = timedelta(0)
        before = len(calls)
        wait_for(lambda: len(calls) > before + 2)


def test_changed_settings_end_the_scheduler_once_nothing_runs(bench, clock, plain_folder, often):
    jobs = [job(times=NIGHTLY)]
    runner = one_day_on(bench, clock, jobs, NOTES + "wait('go')")
    with _beside(lambda: serve(jobs, runner, is_outdated=lambda: True)) as codes:
        wait_for(lambda: runs(plain_folder))
        time.sleep(0.5)
        assert codes == []
        (plain_folder / "go").touch()
        wait_for(lambda: codes == [0])
    assert not bench.stop.is_set() and not is_served(bench.home)


# -- the state file --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ['{"jobs": {"sync": {"due": "2026-', '{"jobs": []}', '{"jobs": {"sync": 7}}', "[]", "null",
     '{"jobs": {"sync": {"due": 12}}}',
     '{"jobs": {"sync": {"due": "2026-11-19T22:30:00"}}, "scheduler": "me"}'],
)  # fmt: skip
def test_a_state_that_cannot_be_read_is_moved_aside(bench, content):
    (bench.home / "schedule.json").write_text(content)
    assert run_due([job(times=NIGHTLY)], bench.runner()) == 0
    assert (bench.home / "schedule.json.damaged").read_text() == content
    assert next_runs(bench.home)[0]["next_at"] is not None


def test_a_home_without_a_schedule_has_no_next_run_and_stays_empty(home):
    assert next_runs(home) == [] and list(home.iterdir()) == []


def test_a_full_disk_is_said_once_and_the_run_stays_due(bench, clock, monkeypatch, often, hook):
    """By message, too: nothing else tells that there was no night."""
    bench.notify = NotifySettings.model_validate({"webhook_url": hook.url})
    jobs, tries = [job(times=NIGHTLY)], itertools.count()
    runner = one_day_on(bench, clock, jobs)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", f".schedule.json.{next(tries)}.tmp")

    with monkeypatch.context() as patched:
        patched.setattr(runner.state, "started", full)
        with pytest.raises(OSError, match="No space"):
            run_due(jobs, runner)
        with _serving(bench, jobs, runner):
            wait_for(lambda: any("No space" in line for line in bench.told))
            time.sleep(0.5)
    assert sum("No space" in line for line in bench.told) == 1
    assert ["No space" in post["body"] for post in hook.posts] == [True]
    assert due_runs(jobs, runner.state.jobs(), clock()), "the run is still due"
