"""The clockwork on a passed-in clock: what is due runs once, whatever happened meanwhile."""

import os
import signal
import threading
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.home import Home
from pipelines.json_file import held
from pipelines.monitor.notify import Incidents
from pipelines.monitor.schedule_state import ScheduleState, lane_lock, next_runs
from schedules.clock import due_runs, plan, run_due, run_now
from schedules.jobs import Command, PlannedJob
from schedules.runner import Ended, Runner
from schedules.times import Daily, Every
from tests.app.nights import ENDLESS, NIGHTLY, NOTES, Clock, job, one_day_on, runs, wait_for
from tests.app.nights import bench as bench
from tests.app.nights import clock as clock
from tests.app.nights import home as home


def _due(jobs: list[PlannedJob], runner: Runner) -> list[tuple[str, datetime]]:
    return [(one.name, due) for one, due in due_runs(jobs, runner.state.jobs(), runner.now())]


# -- what is due ----------------------------------------------------------------------------------


def test_a_first_call_runs_nothing_and_plans_all(bench, plain_folder):
    jobs = [job(times=NIGHTLY), job("report", follows="sync")]
    assert run_due(jobs, bench.runner(NOTES)) == 0
    assert runs(plain_folder) == []
    rows = {row["job"]: row for row in next_runs(bench.home)}
    assert {row["next_at"] for row in rows.values()} == {"2026-11-20T22:30:00+00:00"}
    assert rows["sync"]["exit_code"] is None and rows["sync"]["is_served"] is False


def test_nights_missed_while_the_power_was_off_are_made_up_once(bench, clock, plain_folder):
    jobs, runner = [job(times=NIGHTLY)], bench.runner(NOTES)
    run_due(jobs, runner)
    clock.forward(days=5)
    assert _due(jobs, runner) == [("sync", datetime(2026, 11, 24, 22, 30, tzinfo=UTC))]
    for _call in range(3):
        assert run_due(jobs, runner) == 0
    assert runs(plain_folder) == ["sync 2026-11-24"]
    clock.forward(days=1)
    run_due(jobs, runner)
    assert runs(plain_folder) == ["sync 2026-11-24", "sync 2026-11-25"]


def test_a_report_switched_on_in_the_morning_owes_none_of_the_night_before(bench, clock):
    night = [job(times=NIGHTLY)]
    run_due(night, one_day_on(bench, clock, night))
    clock.forward(hours=9)
    jobs, runner = [*night, job("report", follows="sync")], bench.runner()
    assert due_runs(jobs, runner.state.jobs(), clock()) == []  # before it was met at all
    plan(jobs, runner)
    assert _due(jobs, runner) == []


def test_a_job_run_by_hand_leaves_others_that_are_due(bench, clock, plain_folder):
    jobs = [job(times=NIGHTLY), job("push"), job("report", follows="push")]
    run_now(jobs[1], jobs, one_day_on(bench, clock, jobs))
    assert [line.split()[0] for line in runs(plain_folder)] == ["push", "report"]


@pytest.mark.parametrize("times", [NIGHTLY, Every(5)])
def test_a_clock_that_was_decades_behind_owes_one_run(bench, clock, plain_folder, times):
    """A machine without a battery wakes in 1970 and learns the time of a server."""
    jobs, runner, right = [job(times=times)], bench.runner(NOTES), clock.moment
    clock.moment = datetime(1970, 1, 2, tzinfo=UTC)
    run_due(jobs, runner)
    clock.moment = right
    for _call in range(3):
        run_due(jobs, runner)
    assert len(runs(plain_folder)) == 1


def test_a_clock_that_was_years_ahead_stops_no_nights(bench, clock, plain_folder):
    jobs, runner, right = [job(times=NIGHTLY)], bench.runner(NOTES), clock.moment
    clock.forward(days=400)
    run_due(jobs, runner)
    clock.forward(days=1)
    run_due(jobs, runner)
    clock.moment = right
    run_due(jobs, runner)
    assert len(runs(plain_folder)) == 1
    assert next_runs(bench.home)[0]["next_at"] == "2026-11-20T22:30:00+00:00"
    clock.forward(days=1)
    run_due(jobs, runner)
    assert runs(plain_folder)[1:] == ["sync 2026-11-20"]


def test_a_zone_changed_in_the_settings_costs_one_run_at_most(bench, clock, plain_folder):
    runner = bench.runner(NOTES)
    run_due([job(times=NIGHTLY)], runner)
    clock.forward(days=1)
    run_due([job(times=NIGHTLY)], runner)
    moved = [job(times=Daily(wall(22, 30), ZoneInfo("America/Lima")))]
    for _call in range(3):
        run_due(moved, runner)
    assert len(runs(plain_folder)) <= 2


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(
        ("UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo")
    ),
    st.integers(0, 23),
    st.lists(st.sampled_from((0.1, 0.9, 5.0, 12.0, 23.5, 24.0, 25.0, 80.0)), max_size=40),
)
def test_months_of_switching_on_and_off_run_each_night_at_most_once(
    tmp_path_factory, zone, hour, hours_off
):
    clock, folder = Clock(datetime(2026, 3, 20, 12, tzinfo=UTC)), tmp_path_factory.mktemp("home")
    times, ran = Daily(wall(hour, 30), ZoneInfo(zone)), list[datetime]()

    class Quick(Runner):
        """Ends like a child, without one: the months take a second."""

        def _child(self, job: PlannedJob, command: Command, seconds: float) -> Ended:
            ran.append(times.latest(clock()))
            return Ended((0, 1, 3)[len(ran) % 3], "ended", "")

    runner = Quick(
        folder, Incidents(folder),
        stop=threading.Event(), tell=lambda line: None, now=clock,
    )  # fmt: skip
    jobs = [job(times=times)]
    run_due(jobs, runner)
    for off in hours_off:
        before, known = len(ran), clock()
        clock.forward(hours=off)
        run_due(jobs, runner)
        run_due(jobs, runner)
        assert len(ran) - before == int(times.latest(clock()) > known)
    assert ran == sorted(set(ran))


# -- runs that end badly ---------------------------------------------------------------------------


def test_a_failed_night_is_told_and_not_hammered(bench, clock, plain_folder):
    jobs = [job(times=NIGHTLY)]
    runner = one_day_on(bench, clock, jobs, NOTES + "sys.exit(3)")
    assert run_due(jobs, runner) == 3
    assert run_due(jobs, runner) == 0
    assert len(runs(plain_folder)) == 1
    assert [one.exit_code for one in runner.incidents.open()] == [3]


@pytest.mark.parametrize("kills", [1, 3])
def test_a_job_killed_with_sigkill_is_a_failure_and_is_run_again(bench, clock, plain_folder, kills):
    """Three times at most; what follows it waits for a run that comes to its end."""
    jobs = [job(times=NIGHTLY), job("report", follows="sync")]
    dies = f"open('runs').read().count('sync') <= {kills}"
    script = NOTES + f"if sys.argv[1] == 'sync' and {dies}: os.kill(os.getpid(), 9)"
    runner = one_day_on(bench, clock, jobs, script)
    assert run_due(jobs, runner) == 1
    row = next(row for row in next_runs(bench.home) if row["job"] == "sync")
    assert (row["outcome"], signal.SIGKILL.name in row["message"]) == ("cut off", True)
    for _call in range(4):
        run_due(jobs, runner)
    assert [line.split()[0] for line in runs(plain_folder)] == [*["sync"] * max(kills, 2), "report"]


def test_a_scheduler_killed_with_sigkill_locks_nothing_and_goes_on(bench, clock, plain_folder):
    """Its run counts as cut off and is run again; one that takes the machine down, three times."""
    jobs = [job(times=NIGHTLY)]
    run_due(jobs, bench.runner())
    clock.forward(days=1)
    state = ScheduleState(bench.home)
    for attempt in range(1, 4):
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:  # what a power cut leaves: no word of an end, and no lock
            with held(lane_lock(bench.home, "warehouse"), RuntimeError):
                state.started("sync", "warehouse", NIGHTLY.latest(clock()), clock())
                os.write(writer, b"x")
                signal.pause()
        os.read(reader, 1)
        assert next_runs(bench.home)[0]["outcome"] == "running"
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert next_runs(bench.home)[0]["outcome"] == "cut off"
        assert bool(_due(jobs, bench.runner())) == (attempt < 3)
    state.started("sync", "warehouse", NIGHTLY.latest(clock()) - timedelta(days=1), clock())
    assert run_due(jobs, bench.runner(NOTES)) == 0
    assert runs(plain_folder) == ["sync 2026-11-20"]


def test_a_run_cut_off_is_not_taken_for_one_that_another_job_of_its_lane_does(bench, clock):
    runner = bench.runner(ENDLESS)
    jobs = [job(times=NIGHTLY), job("audit")]
    runner.state.started("sync", "warehouse", clock(), clock())
    thread = threading.Thread(target=run_now, args=(jobs[1], jobs, runner))
    thread.start()
    try:
        wait_for(
            lambda: "audit" in runner.busy and ScheduleState(bench.home).jobs()["audit"].outcome
        )
        told = {row["job"]: row["outcome"] for row in next_runs(bench.home)}
        assert told == {"sync": "cut off", "audit": "running"}
    finally:
        bench.stop.set()
        thread.join()


def test_what_follows_a_job_that_is_run_at_once_runs_also_the_first_time(
    bench, clock, plain_folder
):
    """Both were met within the second in which the first was due."""
    jobs = [job(times=NIGHTLY), job("report", follows="sync")]
    for asked in (1, 2):
        assert run_now(jobs[0], jobs, bench.runner(NOTES)) == 0
        assert runs(plain_folder) == ["sync 2026-11-20", "report 2026-11-20"] * asked
        clock.forward(minutes=1)


def test_a_job_that_takes_longer_than_its_limit_is_ended_and_says_the_limit(bench, clock):
    """Commands share the limit; what is told is the limit, not what was left of it."""
    runner = bench.runner(NOTES + "wait('never') if sys.argv[1] == 'b' else None")
    long = job("audit", commands=[Command(("a",)), Command(("b",)), Command(("c",))],
               limit=timedelta(seconds=3))  # fmt: skip
    assert run_now(long, [long], runner) == 3
    (row,) = next_runs(bench.home)
    assert row["message"] == "Took longer than 0.05 minutes and was ended."


def test_a_deaf_job_is_killed_with_its_own_children(bench, plain_folder):
    bench.stop_seconds = 0.3
    script = NOTES + (
        "import subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "note(f'{os.getpid()} {child.pid}')\nwait('never')"
    )
    deaf = job(limit=timedelta(seconds=2))
    assert run_now(deaf, [deaf], bench.runner(script)) == 3
    pids = [int(pid) for pid in runs(plain_folder)[1].split()]
    wait_for(lambda: all(map(_gone, pids)))


def _gone(pid: int) -> bool:
    """Whether a process has ended (a zombie nobody has reaped yet has, too)."""
    try:
        return " Z " in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True


def test_a_program_that_cannot_be_started_is_told(bench):
    runner = bench.runner()
    runner._program = ("./no-such-program",)
    assert run_now(job(), [job()], runner) == 3
    assert "could not be started" in next_runs(bench.home)[0]["message"]


# -- what a child says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ('print(\'{"message": "All there."}\'); sys.exit(1)', 1, "All there."),
        ("sys.stderr.write('one\\ntwo\\n'); sys.exit(3)", 3, "two"),
        ("sys.stdout.write('x\\n' * 200_000)", 0, "x"),
        ("print('Written: closing.html')", 0, "Written: closing.html"),
        ("print('{}'); print('Building ...', file=sys.stderr)", 0, ""),
        ("print('{}'); print('Building ...', file=sys.stderr); sys.exit(3)", 3, "Building ..."),
        ("print(sys.argv[1:], os.environ['EXTRA'])", 0, "['sync', '--json'] 600"),
    ],
)
def test_a_run_says_what_its_child_said_last(bench, script, code, message):
    one = job(commands=[Command(("sync", "--json"), {"EXTRA": "600"})])
    assert run_now(one, [one], bench.runner("import os, sys\n" + script)) == code
    assert next_runs(bench.home)[0]["message"] == message


def test_the_worst_of_several_commands_counts(bench):
    one = job(commands=[Command((code,)) for code in ("0", "3", "1", "0")])
    assert run_now(one, [one], bench.runner("import sys; sys.exit(int(sys.argv[1]))")) == 3


def test_what_another_job_tells_is_not_told_twice(bench):
    report = job("report", times=NIGHTLY, quiet={1})
    run_now(report, [report], bench.runner("raise SystemExit(1)"))
    assert Incidents(bench.home).open() == []
    for script, code in (
        ("raise SystemExit(2)", 2),
        ("import os; os.kill(os.getpid(), 9)", 1),
        ("from shopmirror.main import _report; raise SystemExit(_report(KeyError('x')))", 1),
    ):
        run_now(report, [report], bench.runner(script))
        assert [incident.exit_code for incident in Incidents(bench.home).open()] == [code]
        run_now(report, [report], bench.runner())


def test_a_job_that_is_planned_no_more_fails_no_more(bench, clock):
    """A second shop in another zone gives the nights other names."""
    runner = bench.runner("raise SystemExit(3)")
    jobs = [job(), job("push")]
    for one in jobs:
        run_now(one, jobs, runner)
    assert [one.subject for one in runner.incidents.open()] == ["sync", "push"]
    plan([job("sync:UTC", NIGHTLY), job("push")], runner)
    assert [one.subject for one in runner.incidents.open()] == ["push"]


# -- one after the other ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "ran"),
    [
        (0, ["sync 2026-11-22", "report 2026-11-22"]),
        (3, ["sync 2026-11-22", "report 2026-11-22"]),  # what is there is reported
        (2, ["sync 2026-11-22"]),  # wrong settings
        (4, ["sync 2026-11-22"]),  # the run that goes on will have its report
    ],
)
def test_the_report_follows_the_sync_and_is_of_its_day(bench, clock, plain_folder, code, ran):
    """Made up at noon, it is still about the evening that was missed."""
    jobs = [job("report", follows="sync"), job(times=NIGHTLY)]
    runner = bench.runner(NOTES + f"sys.exit({code} if sys.argv[1] == 'sync' else 0)")
    run_due(jobs, runner)
    clock.forward(days=3)
    assert run_due(jobs, runner) == code
    assert runs(plain_folder) == ran


def test_a_report_that_a_power_cut_kept_from_beginning_is_made(bench, clock, plain_folder):
    jobs, runner = [job(times=NIGHTLY), job("report", follows="sync")], bench.runner(NOTES)
    run_due(jobs, runner)
    clock.forward(hours=11)
    due = NIGHTLY.latest(clock())
    runner.state.started("sync", "warehouse", due, clock())
    runner.state.ended("sync", clock(), 0, "ended", "")
    assert _due(jobs, runner) == [("report", due)]
    runner.state.started("report", "report", due, clock())  # and then the power goes again
    assert _due(jobs, runner) == [("report", due)]
    run_due(jobs, runner)
    assert runs(plain_folder) == ["report 2026-11-20"]
    assert _due(jobs, runner) == []


def test_a_job_run_by_hand_runs_what_follows_it_and_settles_what_was_due(
    bench, clock, plain_folder
):
    jobs = [job(times=NIGHTLY), job("report", follows="sync")]
    runner = one_day_on(bench, clock, jobs)
    assert run_now(jobs[0], jobs, runner) == 0
    assert run_due(jobs, runner) == 0
    assert [line.split()[0] for line in runs(plain_folder)] == ["sync", "report"]


def test_a_night_waits_for_a_sync_started_by_hand_and_is_not_lost(bench, clock, plain_folder):
    jobs = [job(times=NIGHTLY), job("push", Every(5))]
    runner = one_day_on(bench, clock, jobs)
    with Home(bench.home).sync_lock():
        assert run_due(jobs, runner) == 0
        assert [line.split()[0] for line in runs(plain_folder)] == ["push"]
    assert run_due(jobs, runner) == 0
    assert [line.split()[0] for line in runs(plain_folder)] == ["push", "sync"]


def test_a_night_that_finds_the_home_taken_stays_due_however_often(bench, clock, plain_folder):
    script = NOTES + "sys.exit(4 if len(open('runs').readlines()) < 6 else 0)"
    jobs = [job(times=NIGHTLY)]
    runner = one_day_on(bench, clock, jobs, script)
    assert [run_due(jobs, runner) for _call in range(7)] == [4, 4, 4, 4, 4, 0, 0]
    assert Incidents(bench.home).open() == []
