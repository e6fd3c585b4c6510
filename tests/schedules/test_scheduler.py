"""What is due, what is made up, and what a stop, a second scheduler or a wrong clock does."""

import errno
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pipelines.json_file import held
from pipelines.monitor.schedule_state import ScheduleState, is_served, job_lock, next_runs
from schedules.jobs import Command
from schedules.scheduler import Agenda, Scheduler, SchedulerRunning, run_once
from schedules.triggers import DailyAt, EveryMinutes
from tests.schedules.conftest import job

NIGHTLY = DailyAt(wall(22, 30), ZoneInfo("UTC"))
COUNT = """
import pathlib, sys
with open("runs", "a") as file: file.write(" ".join(sys.argv[1:]) + "\\n")
"""


def _runs(folder: Path) -> list[str]:
    path = folder / "runs"
    return path.read_text().splitlines() if path.exists() else []


def _far_from_now() -> DailyAt:
    """A nightly run that does not come due while a test runs."""
    moment = datetime.now(UTC) + timedelta(hours=12)
    return DailyAt(wall(moment.hour, moment.minute), ZoneInfo("UTC"))


@contextmanager
def _living(bench, jobs, runner) -> Iterator[list[int]]:
    """A scheduler at work until the block ends; then the code that it ended with."""
    scheduler = Scheduler(jobs, runner)
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(scheduler.run()))
    thread.start()
    try:
        yield codes
    finally:
        bench.stop.set()
        thread.join(60)


def _wait(condition) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)


def test_the_first_start_owes_nothing(bench, clock):
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    assert agenda.owed() == []
    agenda.note()
    assert agenda.owed() == []
    clock.forward(hours=10, minutes=29)
    assert agenda.owed() == []


def test_missed_nights_are_made_up_once(bench, clock, tmp_path):
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner(COUNT))
    agenda.note()
    clock.forward(days=5)  # five nights asleep
    ((owed, due),) = agenda.owed()
    assert due == datetime(2026, 11, 24, 22, 30, tzinfo=UTC)
    assert run_once(agenda) == 0
    assert run_once(agenda) == 0
    assert _runs(tmp_path) == ["sync"]
    clock.forward(days=1)
    run_once(agenda)
    assert _runs(tmp_path) == ["sync", "sync"]
    assert owed.name == "sync"


def test_a_run_cut_off_goes_on_but_not_for_ever(bench, clock):
    state = ScheduleState(bench.home)
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    agenda.note()
    clock.forward(hours=11)
    due = NIGHTLY.latest(clock())
    for attempt in range(1, 4):
        state.started("sync", due, clock())  # and then the power goes
        assert bool(agenda.owed()) == (attempt < 3)
    assert next_runs(bench.home)[0]["outcome"] == "cut off"
    with held(job_lock(bench.home, "sync"), TimeoutError):
        assert next_runs(bench.home)[0]["outcome"] == "running"


def test_a_run_that_was_stopped_goes_on(bench, clock):
    state = ScheduleState(bench.home)
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    agenda.note()
    clock.forward(hours=11)
    due = NIGHTLY.latest(clock())
    state.started("sync", due, clock())
    state.ended("sync", clock(), 4, "stopped", "")
    assert [moment for _, moment in agenda.owed()] == [due]
    state.ended("sync", clock(), 3, "ended", "")
    assert agenda.owed() == []  # a failure is told, not hammered


def test_the_report_follows_the_sync_with_its_due_time(bench, clock, tmp_path):
    days: list[object] = []
    report = replace(
        job("report", lane="report", follows="sync"),
        build=lambda day: days.append(day) or [Command(("report",))],  # type: ignore[func-returns-value]
    )
    agenda = Agenda([job(trigger=NIGHTLY), report], bench.runner(COUNT))
    agenda.note()
    clock.forward(days=3)
    assert run_once(agenda) == 0
    assert _runs(tmp_path) == ["sync", "report"]
    # Made up at noon, and still about the evening it was due.
    assert [str(day) for day in days] == ["2026-11-22"]


@pytest.mark.parametrize(
    ("code", "ran"),
    [(3, ["sync", "report"]), (2, ["sync"])],  # refused: what is there is reported; wrong settings
)
def test_what_a_sync_ended_with_says_whether_a_report_follows(bench, clock, tmp_path, code, ran):
    report = job("report", lane="report", follows="sync", commands=[Command(("report",))])
    script = COUNT + f"sys.exit({code} if sys.argv[1] == 'sync' else 0)"
    agenda = Agenda([job(trigger=NIGHTLY), report], bench.runner(script))
    agenda.note()
    clock.forward(days=1)
    assert run_once(agenda) == code
    assert _runs(tmp_path) == ran


def test_status_can_tell_what_comes_next(bench, clock):
    jobs = [job(trigger=NIGHTLY), job("report", lane="report", follows="sync")]
    Agenda(jobs, bench.runner()).note()
    rows = {row["job"]: row for row in next_runs(bench.home)}
    assert rows["sync"]["next_at"] == "2026-11-20T22:30:00+00:00"
    assert rows["report"]["next_at"] == rows["sync"]["next_at"]
    assert rows["sync"]["exit_code"] is None and rows["sync"]["last_ended_at"] is None
    assert rows["sync"]["is_served"] is False
    assert json.dumps(next_runs(bench.home))


def test_a_home_without_a_schedule_has_no_next_run(home):
    assert next_runs(home) == []
    assert list(home.iterdir()) == []


def test_the_scheduler_makes_up_and_stops(bench, clock, tmp_path):
    jobs = [job(trigger=_far_from_now())]
    bench.clock = lambda: datetime.now(UTC)  # APScheduler knows no other
    state = ScheduleState(bench.home)
    old = datetime.now(UTC) - timedelta(days=9)
    state.started("sync", old, old)
    state.ended("sync", old, 0, "ended", "")
    with _living(bench, jobs, bench.runner(COUNT)) as codes:
        _wait(lambda: any("exit code 0" in line for line in bench.told))
        assert is_served(bench.home)
        with pytest.raises(SchedulerRunning, match=str(os.getpid())):
            Scheduler(jobs, bench.runner()).run()
    assert codes == [0]
    assert not is_served(bench.home)
    assert _runs(tmp_path) == ["sync"]  # nine nights, one run
    assert state.job("sync").attempts == 1


def test_a_stop_reaches_the_run_and_is_told_by_the_exit_code(bench):
    script = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
print("begun", file=sys.stderr, flush=True)
while True: time.sleep(0.02)
"""
    bench.clock = lambda: datetime.now(UTC)
    state = ScheduleState(bench.home)
    old = datetime.now(UTC) - timedelta(days=2)
    state.started("sync", old, old)
    with _living(bench, [job(trigger=_far_from_now())], bench.runner(script)) as codes:
        _wait(lambda: any("begun" in line for line in bench.told))
    assert codes == [4]
    assert state.job("sync").outcome == "stopped"


def test_jobs_come_round_by_themselves(bench, tmp_path):
    class Quick(EveryMinutes):
        def __init__(self) -> None:
            self.step = timedelta(seconds=0.5)

    bench.clock = lambda: datetime.now(UTC)
    with _living(bench, [job("push", Quick(), lane="push")], bench.runner(COUNT)) as codes:
        _wait(lambda: len(_runs(tmp_path)) >= 3)
    assert codes in ([0], [4])


def test_a_clock_that_was_set_back_does_not_stop_the_nights(bench, clock):
    clock.moment = datetime.now(UTC) + timedelta(days=400)  # a wrong clock planned this
    agenda_jobs = [job(trigger=NIGHTLY)]
    scheduler = Scheduler(agenda_jobs, bench.runner())
    scheduler._engine.start(paused=True)
    try:
        scheduler._engine.add_job(
            scheduler._run, NIGHTLY, id="sync", executor="warehouse", args=[agenda_jobs[0]],
            next_run_time=NIGHTLY.after(clock()),
        )  # fmt: skip
        clock.moment = datetime.now(UTC)
        scheduler.mend_times()
        planned = scheduler._engine.get_job("sync").next_run_time
        assert planned - datetime.now(UTC) <= timedelta(days=1)
    finally:
        scheduler._engine.shutdown(wait=False)


def test_a_due_time_in_the_future_is_forgotten(bench, clock):
    state = ScheduleState(bench.home)
    state.started("sync", clock() + timedelta(days=400), clock())
    state.ended("sync", clock(), 0, "ended", "")
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    assert agenda.owed() == []
    agenda.note()
    clock.forward(days=1)
    assert len(agenda.owed()) == 1


def test_a_zone_changed_in_the_settings_costs_one_run_at_most(bench, clock):
    runner = bench.runner()
    Agenda([job(trigger=NIGHTLY)], runner).note()
    clock.forward(days=1)
    runner.state.started("sync", NIGHTLY.latest(clock()), clock())
    runner.state.ended("sync", clock(), 0, "ended", "")
    moved = Agenda([job(trigger=DailyAt(wall(22, 30), ZoneInfo("America/Lima")))], runner)
    moved.note()
    owed = moved.owed()
    assert len(owed) <= 1
    for one, due in owed:
        runner.state.started(one.name, due, clock())
        runner.state.ended(one.name, clock(), 0, "ended", "")
    assert moved.owed() == []


def test_a_damaged_state_file_is_moved_aside(bench, clock):
    path = bench.home / "schedule.json"
    path.write_text('{"jobs": {"sync": {"due": "2026-')  # a disk that lied about a write
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    assert agenda.owed() == [] and next_runs(bench.home) == []
    agenda.note()
    assert (bench.home / "schedule.json.damaged").exists()
    assert next_runs(bench.home)[0]["job"] == "sync"


@pytest.mark.parametrize(
    "content",
    ['{"jobs": []}', '{"jobs": {"sync": 7}}', '{"jobs": {"sync": {"due": 12}}}', "[]", "null",
     '{"jobs": {"sync": {"due": "2026-11-19T22:30:00"}}, "scheduler": "me"}'],
)  # fmt: skip
def test_strange_contents_are_survived(bench, clock, content):
    (bench.home / "schedule.json").write_text(content)
    agenda = Agenda([job(trigger=NIGHTLY)], bench.runner())
    assert agenda.owed() == []
    agenda.note()
    assert ScheduleState(bench.home).scheduler_since() is None
    assert next_runs(bench.home)[0]["next_at"] is not None


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_said_and_the_scheduler_lives_on(bench, clock, monkeypatch):
    runner = bench.runner(COUNT)
    agenda = Agenda([job(trigger=NIGHTLY)], runner)
    agenda.note()
    clock.forward(days=1)
    monkeypatch.setattr(runner.state, "started", _full)
    with pytest.raises(OSError, match="No space"):
        run_once(agenda)
    scheduler = Scheduler(agenda.jobs, runner)
    scheduler._run(agenda.jobs[0])
    assert any("No space" in line for line in bench.told)
    monkeypatch.undo()
    assert agenda.owed(), "the run is still owed"
