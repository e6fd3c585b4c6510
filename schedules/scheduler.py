"""The scheduler: times and state -> runs, until it is asked to stop.

APScheduler keeps the times (:mod:`schedules.triggers`) and the lanes; what a run is, is in
:mod:`schedules.runner`. A heartbeat every half minute mends what a sleeping machine or a clock that
jumped does to waiting times. Runs missed while nothing ran are made up once, however many; a night
that comes due while the one before it still runs follows it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor as ThreadPool
from datetime import UTC, datetime, timedelta

import filelock
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from pipelines.json_file import held
from pipelines.monitor import logs
from schedules.jobs import PlannedJob
from schedules.runner import JobRunning, Runner, worst

_HEARTBEAT = 30.0
_LOCK_WAIT = 1.0
"""Seconds: who only looks whether a scheduler lives holds the lock for an instant."""
_SLACK = timedelta(seconds=2)


class SchedulerRunning(Exception):
    """Another scheduler serves this home folder, so this one leaves. Exit code 4."""

    exit_code = 4


class Agenda:
    """Which jobs are due: the planned jobs against what the state knows."""

    def __init__(self, jobs: Sequence[PlannedJob], runner: Runner) -> None:
        self.jobs, self.runner = list(jobs), runner

    def note(self) -> None:
        """Write each job's next time to the state."""
        now = self.runner.now()
        times = {job.name: job.trigger.after(now) if job.trigger else None for job in self.jobs}
        for job in self.jobs:
            if job.follows:
                times[job.name] = times.get(job.follows)
        self.runner.state.planned(times, now)
        self.runner.incidents.keep_only(times)

    def owed(self) -> list[tuple[PlannedJob, datetime]]:
        """Jobs whose last due run was missed or cut off, with the moment they were due."""
        now = self.runner.now()
        known = self.runner.state.jobs()
        found: list[tuple[PlannedJob, datetime]] = []
        for job in self.jobs:
            state = known.get(job.name)
            if state is None or state.due is None:
                continue
            # What follows another job owes nothing but its own run that was cut off.
            latest = job.trigger.latest(now) if job.trigger else state.due
            if state.owes(latest, now):
                found.append((job, max(state.due, latest)))
        return found

    def followers(self, job: PlannedJob) -> list[PlannedJob]:
        """Jobs that run when ``job`` has ended."""
        return [other for other in self.jobs if other.follows == job.name]

    def run(self, job: PlannedJob, due: datetime) -> Iterator[int]:
        """Run a job, then those after it; their exit codes. A run cut off has nothing after it."""
        ended = self.runner.run(job, due)
        yield ended.exit_code
        if ended.exit_code in (2, 4):
            return  # nothing new to report on; 4: the run that goes on will have its report
        for follower in self.followers(job):
            yield self.runner.run(follower, due).exit_code


def run_once(agenda: Agenda) -> int:
    """Run what is due, each lane at the same time, and return the worst exit code.

    What a cron line calls every few minutes. A job that still runs from an earlier call is passed
    over quietly, so a long first sync does not hold up pushes. Raises ``OSError`` when the home
    folder cannot be written; the other lanes have ended by then.
    """
    owed = agenda.owed()
    agenda.note()
    lanes: dict[str, list[tuple[PlannedJob, datetime]]] = {}
    for job, due in owed:
        lanes.setdefault(job.lane, []).append((job, due))

    def work(lane: list[tuple[PlannedJob, datetime]]) -> list[int]:
        codes: list[int] = []
        for job, due in lane:
            try:
                codes.extend(agenda.run(job, due))
            except JobRunning:
                continue
        return codes

    with ThreadPool(max(1, len(lanes))) as pool:
        futures = [pool.submit(work, lane) for lane in lanes.values()]
    return worst([code for future in futures for code in future.result()])


class Scheduler:
    """Runs jobs at their times in the foreground, until the runner's ``stop`` is set."""

    def __init__(
        self,
        jobs: Sequence[PlannedJob],
        runner: Runner,
        *,
        is_outdated: Callable[[], bool] = lambda: False,
    ) -> None:
        self.agenda, self.runner = Agenda(jobs, runner), runner
        self._is_outdated = is_outdated
        self._log = logs.Logger("schedule")
        lanes = {job.lane for job in jobs}
        self._engine = BackgroundScheduler(
            timezone=UTC,
            executors={lane: ThreadPoolExecutor(1) for lane in lanes},
            # None: however late, a missed run is made up; coalesce: once.
            job_defaults={"coalesce": True, "misfire_grace_time": None},
        )

    def run(self) -> int:
        """Serve until asked to stop, or until no job runs and ``is_outdated`` says that the jobs
        are to be planned anew.

        0 when nothing was cut off by the stop, 4 when a run was (what it fetched is kept and the
        next start goes on from there). :class:`SchedulerRunning` when another one serves the home.
        """
        with held(self.runner.home / "schedule.lock", self._another, timeout=_LOCK_WAIT):
            self.runner.state.scheduler(os.getpid(), self.runner.now())
            self._log.info("scheduler begins", count=len(self.agenda.jobs))
            owed = {job.name: due for job, due in self.agenda.owed()}
            self.agenda.note()
            for job in self.agenda.jobs:
                if job.name in owed:
                    self.runner.tell(
                        f"{job.name}: makes up the run of "
                        f"{owed[job.name].astimezone(job.zone):%Y-%m-%d %H:%M %Z}"
                    )
                self._plan(job, owed.get(job.name))
            self._engine.start()
            self._announce()
            try:
                while not self.runner.stop.wait(_HEARTBEAT):
                    self.mend_times()
                    if not self.runner.busy and self._is_outdated():
                        break
            except BaseException:
                self.runner.stop.set()
                raise
            finally:
                self._engine.shutdown(wait=True)
                self.runner.state.scheduler(None, self.runner.now())
                self._log.info("scheduler ends", state="cut off" if self.runner.cut_off else "")
            return 4 if self.runner.cut_off else 0

    def _plan(self, job: PlannedJob, owed: datetime | None) -> None:
        now = self.runner.now()
        if job.trigger is None:
            if owed is not None:
                self._engine.add_job(self._run, executor=job.lane, args=[job, owed])
            return
        self._engine.add_job(
            self._run,
            job.trigger,
            id=job.name,
            executor=job.lane,
            args=[job],
            next_run_time=job.trigger.after(now) if owed is None else now,
            # 2: a night that comes due within the one before waits for its end in their lane.
            max_instances=2 if job.waits_its_turn else 1,
        )

    def mend_times(self) -> None:
        """Compare each waiting time with the clock as it is now.

        APScheduler sleeps by a clock that stops with the machine; this wakes it. A next run too far
        away was planned by a clock that was wrong then, and is planned anew.
        """
        now = self.runner.now()
        for job in self.agenda.jobs:
            planned = self._engine.get_job(job.name) if job.trigger else None
            if planned is None or job.trigger is None or planned.next_run_time is None:
                continue
            right = job.trigger.after(now)
            if planned.next_run_time > right + _SLACK:
                self._log.warning("clock was set back", job=job.name, next_at=right)
                planned.modify(next_run_time=right)
                self.runner.state.next_run(job.name, right)
        self._engine.wakeup()

    def _run(self, job: PlannedJob, due: datetime | None = None) -> None:
        if self.runner.stop.is_set():
            return  # queued behind another; still owed, so the next start makes it up
        now = self.runner.now()
        try:
            if job.trigger is not None:
                due = job.trigger.latest(now)
                for one in (job, *self.agenda.followers(job)):
                    self.runner.state.next_run(one.name, job.trigger.after(now))
            for _code in self.agenda.run(job, due or now):
                pass
        except JobRunning as error:
            self._log.info("run passed over", job=job.name, message=str(error))
            self.runner.tell(str(error))
        except (OSError, filelock.Timeout) as error:
            # The home folder is full or gone: the next run may fare better, and the log, if it can
            # be written, has it. The scheduler itself must live on.
            self._log.error("run could not be noted", job=job.name, error=str(error))
            self.runner.tell(f"{job.name}: {error}")

    def _announce(self) -> None:
        known = self.runner.state.jobs()
        for job in self.agenda.jobs:
            moment = known[job.name].next_at if job.name in known else None
            when = "" if moment is None else f"{moment.astimezone(job.zone):%Y-%m-%d %H:%M %Z}"
            how = f"after {job.follows}" if job.follows else str(job.trigger)
            self.runner.tell(f"{job.name}: {job.summary}; {how}, next {when}")

    def _another(self) -> SchedulerRunning:
        who = self.runner.state.scheduler_since()
        since = who[1].astimezone() if who else None
        known = f" (process {who[0]}, since {since:%Y-%m-%d %H:%M %Z})" if who else ""
        return SchedulerRunning(
            f"A scheduler{known} serves {self.runner.home} already; this one leaves."
        )
