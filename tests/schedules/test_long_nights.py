"""Nights longer than a day, clocks that were years off, and settings that change meanwhile."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import cached_property

from pipelines.json_file import write_atomically
from pipelines.monitor.schedule_state import ScheduleState, is_served
from schedules.jobs import Command
from schedules.scheduler import Agenda, Scheduler, run_once
from schedules.triggers import EveryMinutes, Trigger
from shopmirror.main import main
from tests.schedules.conftest import job
from tests.schedules.test_scheduler import COUNT, NIGHTLY, _far_from_now, _living, _runs, _wait


def test_a_clock_that_was_decades_behind_owes_one_run():
    """A machine without a battery wakes in 1970 and learns the time of a server."""
    now, wrong = datetime(2026, 11, 22, 12, 3, tzinfo=UTC), datetime(1970, 1, 2, tzinfo=UTC)
    for trigger in (EveryMinutes(5), NIGHTLY):
        due, counted = wrong, 0
        while due <= now and counted < 10:
            due, counted = trigger.get_next_fire_time(due, now), counted + 1
        assert counted < 4
        assert due == trigger.after(now)


def test_two_calls_of_cron_do_not_repeat_each_others_runs(bench, clock, tmp_path):
    """One waits behind a long sync while the other does what was due behind it."""
    jobs = [job("sync", NIGHTLY), job("audit", NIGHTLY, commands=[Command(("audit",))])]
    script = (
        COUNT
        + """
import time
if sys.argv[1] == "sync":
    while not pathlib.Path("go").exists(): time.sleep(0.02)
"""
    )
    agenda = Agenda(jobs, bench.runner(script))
    agenda.note()
    clock.forward(days=1)
    first = threading.Thread(target=lambda: run_once(agenda))
    first.start()
    while not _runs(tmp_path):
        time.sleep(0.01)
    run_once(Agenda(jobs, bench.runner(script)))
    assert _runs(tmp_path) == ["sync", "audit"]
    (tmp_path / "go").touch()
    first.join()
    assert _runs(tmp_path) == ["sync", "audit"]


class _TwoNights(Trigger):
    """The second comes due while the first runs; a third not today."""

    @cached_property
    def times(self) -> list[datetime]:
        """From when it is first asked, however long a slow machine took until then."""
        now = datetime.now(UTC).replace(microsecond=0)
        return [now + timedelta(seconds=n) for n in (-86_400, 1, 2, 86_400)]

    def after(self, moment: datetime) -> datetime:
        return next(time for time in self.times if time > moment)

    def latest(self, moment: datetime) -> datetime:
        return next(time for time in reversed(self.times) if time <= moment)


def test_a_night_that_comes_due_within_the_one_before_follows_it(bench, tmp_path):
    script = (
        COUNT
        + """
import time
while not pathlib.Path("go").exists(): time.sleep(0.02)
"""
    )
    bench.clock = lambda: datetime.now(UTC)
    nights, runner = _TwoNights(), bench.runner(script)
    with _living(bench, [job("sync", nights)], runner):
        _wait(lambda: len(_runs(tmp_path)) == 1 and datetime.now(UTC) > nights.times[2])
        time.sleep(0.5)
        (tmp_path / "go").touch()
        _wait(lambda: len(_runs(tmp_path)) == 2)
    assert runner.state.job("sync").due == nights.times[2]


def test_a_report_that_was_cut_off_is_made(bench, clock, tmp_path):
    report = job("report", lane="report", follows="sync", commands=[Command(("report",))])
    runner = bench.runner(COUNT)
    agenda = Agenda([job(trigger=NIGHTLY), report], runner)
    agenda.note()
    clock.forward(hours=11)
    due = NIGHTLY.latest(clock())
    runner.state.started("sync", due, clock())
    runner.state.ended("sync", clock(), 0, "ended", "")
    assert agenda.owed() == []  # the report may still come
    runner.state.started("report", due, clock())  # and then the power goes
    assert [(one.name, moment) for one, moment in agenda.owed()] == [("report", due)]
    with _living(bench, agenda.jobs, runner):
        _wait(lambda: any("report: exit code 0" in line for line in bench.told))
    assert _runs(tmp_path) == ["report"]


def test_a_job_that_is_planned_no_more_fails_no_more(bench, clock):
    """A second shop in another zone gives the nights other names."""
    runner = bench.runner("raise SystemExit(3)")
    runner.run(job("sync", NIGHTLY), clock())
    assert [one.subject for one in runner.incidents.open()] == ["sync"]
    Agenda([job("sync:UTC", NIGHTLY), job("sync:America/Lima", NIGHTLY)], runner).note()
    assert runner.incidents.open() == []


def test_changed_settings_are_planned_anew_once_nothing_runs(bench, monkeypatch):
    monkeypatch.setattr("schedules.scheduler._HEARTBEAT", 0.05)
    bench.clock = lambda: datetime.now(UTC)
    runner = bench.runner()
    looked: list[bool] = []
    jobs = [job(trigger=_far_from_now())]
    runner.busy.add("push")
    scheduler = Scheduler(jobs, runner, is_outdated=lambda: looked.append(True) or True)
    with ThreadPoolExecutor() as pool:
        run = pool.submit(scheduler.run)
        time.sleep(0.5)
        assert not run.done() and not looked
        runner.busy.clear()
        assert run.result(60) == 0 and looked
    assert not bench.stop.is_set() and not is_served(bench.home)


def test_a_running_scheduler_takes_changed_settings(plain_environment, monkeypatch, capfd):
    monkeypatch.setattr("schedules.scheduler._HEARTBEAT", 0.05)
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "none")
    monkeypatch.setenv("SCHEDULE__PUSH_EVERY_MINUTES", "0")
    config, home = plain_environment / ".dlt" / "config.toml", plain_environment / "data"
    now = datetime.now(UTC)
    config.parent.mkdir()

    def set_to(at: str) -> None:
        write_atomically(config, f'[schedule]\nsync_at = "{at}"\nhousekeeping_at = "{at}"\n')

    def plans(at: datetime) -> bool:
        planned = ScheduleState(home).job("sync").next_at
        return planned is not None and planned.hour == at.hour

    def change() -> None:
        try:
            _wait(lambda: plans(now + timedelta(hours=10)))
            set_to("25:00")
            time.sleep(0.5)
            assert plans(now + timedelta(hours=10))
            set_to(f"{now + timedelta(hours=12):%H:00}")
            _wait(lambda: plans(now + timedelta(hours=12)))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    set_to(f"{now + timedelta(hours=10):%H:00}")
    changing = threading.Thread(target=change)
    changing.start()
    assert main(["schedule"]) == 0
    changing.join()
    told = capfd.readouterr().err
    assert "the old times stay: Settings under [schedule] are wrong: sync_at" in told
    assert "planned anew" in told and plans(now + timedelta(hours=12))
