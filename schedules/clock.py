"""The clockwork: the state says what is due, :func:`run_due` runs it, and something calls that.

``shopmirror schedule`` calls it every 15 seconds until it is asked to stop (:func:`serve`);
``schedule --once`` calls it once. Calls may overlap, in one process or in several: each lane of
jobs has a lock that the kernel holds, and who meets a locked lane passes it over. So a long first
sync holds up no push, a power cut leaves nothing locked, and no run is done twice.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import filelock
from apscheduler.schedulers.background import BackgroundScheduler

from pipelines.home import is_syncing
from pipelines.json_file import held
from pipelines.monitor.schedule_state import JobState, lane_lock
from schedules.jobs import PlannedJob
from schedules.runner import Runner, worst

EVERY = timedelta(seconds=15)
_LOOK = 0.5
"""Seconds: who only looks whether a lock is held holds it for an instant."""


class AlreadyRunning(Exception):
    """The job, another one of its lane, or a scheduler of this home runs already; nothing was done.
    Exit code 4."""

    exit_code = 4


def due_runs(
    jobs: Iterable[PlannedJob], known: Mapping[str, JobState], now: datetime
) -> list[tuple[PlannedJob, datetime]]:
    """What is to be run now, each job with the moment that it was due.

    A job is due when its last due moment is later than that of its last run, however many it missed
    in between. It is due, too, when that run was cut off. One that was never met owes nothing: its
    first time is its next one.
    """
    found: list[tuple[PlannedJob, datetime]] = []
    for job in jobs:
        state, followed = (known.get(name, JobState()) for name in (job.name, job.follows))
        if state.due is None:
            continue
        latest = job.times.latest(now) if job.times else _followed(followed)
        # The run it follows may have been due within the second in which both were met.
        is_first = bool(job.follows) and state.started_at is None and state.due == latest
        if latest is not None and (state.due < latest or is_first):
            found.append((job, latest))
        elif state.goes_on:
            found.append((job, state.due))
    return found


def _followed(state: JobState) -> datetime | None:
    """When the run was due that a job follows; None while that one has not come to an end, and
    when there is nothing new to report on (2: wrong settings, 4: it goes on later)."""
    return state.due if state.exit_code in (0, 1, 3) and not state.goes_on else None


def run_due(jobs: Sequence[PlannedJob], runner: Runner) -> int:
    """Run what is due, lanes at the same time, then what follows it; the worst exit code.

    Raises ``OSError`` when the home folder cannot be written; the other lanes have ended by then.
    """
    codes: list[int] = []
    done: set[str] = set()
    while not runner.stop.is_set():
        plan(jobs, runner)
        lanes: dict[str, list[PlannedJob]] = {}
        for job, _due in due_runs(jobs, runner.state.jobs(), runner.now()):
            if job.name not in done and not (job.waits_its_turn and is_syncing(runner.home)):
                lanes.setdefault(job.lane, []).append(job)
                done.add(job.name)
        if not lanes:
            break
        with ThreadPoolExecutor(len(lanes)) as pool:
            for ended in pool.map(lambda lane: _run_lane(lane, runner), lanes.values()):
                codes += ended
    return worst(codes)


def _run_lane(jobs: Sequence[PlannedJob], runner: Runner) -> list[int]:
    codes: list[int] = []
    try:
        with _lane(runner, jobs[0]):
            for job in jobs:
                # Another call may have run it since; whoever holds the lane reads the truth.
                for _job, due in due_runs([job], runner.state.jobs(), runner.now()):
                    if not runner.stop.is_set():
                        codes.append(runner.run(job, due).exit_code)
    except AlreadyRunning:
        pass
    return codes


def run_now(job: PlannedJob, jobs: Sequence[PlannedJob], runner: Runner) -> int:
    """Run one job, due or not, and what follows it.

    :class:`AlreadyRunning` while its lane is busy.
    """
    plan(jobs, runner)
    with _lane(runner, job):
        code = runner.run(job, runner.now()).exit_code
    after = [one for one in jobs if one.follows == job.name]
    return worst([code, *(code for one in after for code in _run_lane([one], runner))])


def _lane(runner: Runner, job: PlannedJob) -> AbstractContextManager[None]:
    busy = AlreadyRunning(f"The job '{job.name}' or one like it runs already; nothing was done.")
    return held(lane_lock(runner.home, job.lane), lambda: busy, timeout=_LOOK)


def plan(jobs: Sequence[PlannedJob], runner: Runner) -> None:
    """Write each job's next time to the state."""
    now = runner.now()
    times = {job.name: job.times.after(now) for job in jobs if job.times}
    times |= {job.name: times[job.follows] for job in jobs if job.follows}
    runner.state.plan(times, now)
    runner.incidents.keep_only(times)


def serve(
    jobs: Sequence[PlannedJob], runner: Runner, *, is_outdated: Callable[[], bool] = lambda: False
) -> int:
    """Run what is due until asked to stop, or until no job runs and ``is_outdated`` says that the
    jobs are to be planned anew.

    0 when nothing was cut off by the stop, 4 when a run was. What that run fetched is kept, and the
    next start goes on from there. :class:`AlreadyRunning` when another one serves the home.
    """
    alarmed: set[str] = set()

    def call() -> None:
        try:
            run_due(jobs, runner)
        except (OSError, filelock.Timeout) as error:
            # The home folder is full or gone: a later call may fare better.
            why = f"No run can be noted in {runner.home}: {error.strerror or error}."
            if why not in alarmed:
                alarmed.add(why)  # first: another call comes while the message is sent
                runner.alarm(why)
        else:
            alarmed.clear()

    with held(runner.home / "schedule.lock", lambda: _another(runner), timeout=2 * _LOOK):
        runner.state.scheduler(os.getpid(), runner.now())
        plan(jobs, runner)
        runner.log.info("scheduler begins", count=len(jobs))
        for job in jobs:
            moment = runner.state.jobs()[job.name].next_at
            when = "" if moment is None else f"{moment.astimezone(job.zone):%Y-%m-%d %H:%M %Z}"
            how = f"after {job.follows}" if job.follows else str(job.times)
            runner.tell(f"{job.name}: {job.summary}; {how}, next {when}")
        runner.catch_up()
        # One call for each lane at work, and one that finds nothing to do.
        most = len({job.lane for job in jobs}) + 1
        engine = BackgroundScheduler(timezone=UTC)
        rule = {"trigger": "interval", "seconds": EVERY.total_seconds()}
        options = {"max_instances": most, "coalesce": True, "misfire_grace_time": None}
        called = engine.add_job(call, **rule, **options, next_run_time=datetime.now(UTC))
        engine.start()
        try:
            while not runner.stop.wait(EVERY.total_seconds()):
                if called.next_run_time > datetime.now(UTC) + 2 * EVERY:  # the clock was set back
                    called.reschedule(**rule)
                if not runner.busy and is_outdated():
                    break
        except BaseException:
            runner.stop.set()
            raise
        finally:
            engine.shutdown(wait=True)
            runner.state.scheduler(None, runner.now())
            runner.log.info("scheduler ends", state="cut off" if runner.cut_off else "")
        return 4 if runner.cut_off else 0


def _another(runner: Runner) -> AlreadyRunning:
    who = runner.state.scheduler_since()
    since = who[1].astimezone() if who else None
    known = f" (process {who[0]}, since {since:%Y-%m-%d %H:%M %Z})" if who else ""
    return AlreadyRunning(f"A scheduler{known} serves {runner.home} already; this one ends.")
