"""The scheduler: times and state -> runs, until it is asked to stop.

It looks every half minute, and when the next run is due, at what :class:`Agenda` says is owed: the
clock on the wall and the state file are all it goes by, so a machine that slept and a clock that
jumped need no rule of their own. Runs missed while nothing ran are made up once, however many; a
night that comes due while the one before it still runs follows it.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime

from pipelines.json_file import held
from pipelines.monitor import logs
from schedules.jobs import PlannedJob
from schedules.runner import JobRunning, Runner, worst

_HEARTBEAT = 30.0
_Owed = Sequence[tuple[PlannedJob, datetime]]
_LOCK_WAIT = 1.0
"""Seconds: who only looks whether a scheduler lives holds the lock for an instant."""


class SchedulerRunning(Exception):
    """Another scheduler serves this home folder, so this one leaves. Exit code 4."""

    exit_code = 4


class Agenda:
    """Which jobs are due: the planned jobs against what the state knows."""

    def __init__(self, jobs: Sequence[PlannedJob], runner: Runner) -> None:
        self.jobs, self.runner = list(jobs), runner
        self._noted: dict[str, datetime | None] = {}
        self._log = logs.Logger("schedule")

    def note(self) -> None:
        """Write each job's next time to the state, once it is another one."""
        now = self.runner.now()
        times = {job.name: job.trigger.after(now) if job.trigger else None for job in self.jobs}
        for job in self.jobs:
            if job.follows:
                times[job.name] = times.get(job.follows)
        if times == self._noted:
            return
        for name, before in self._noted.items():
            if before and (at := times[name]) and at < before:
                self._log.warning("clock was set back", job=name, next_at=at)
        self._noted = times
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

    with ThreadPoolExecutor(max(1, len(lanes))) as pool:
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
        self._begun: dict[str, datetime] = {}
        """Job -> due time of its last run that was handed to its lane, with or without success."""

    def run(self) -> int:
        """Serve until asked to stop, or until no job runs and ``is_outdated`` says that the jobs
        are to be planned anew.

        0 when nothing was cut off by the stop, 4 when a run was (what it fetched is kept and the
        next start goes on from there). :class:`SchedulerRunning` when another one serves the home.
        """
        with held(self.runner.home / "schedule.lock", self._another, timeout=_LOCK_WAIT):
            self.runner.state.scheduler(os.getpid(), self.runner.now())
            self._log.info("scheduler begins", count=len(self.agenda.jobs))
            owed = self.agenda.owed()
            for job, due in owed:
                self.runner.tell(
                    f"{job.name}: makes up the run of {due.astimezone(job.zone):%Y-%m-%d %H:%M %Z}"
                )
            self.agenda.note()
            self._announce()
            lanes = {job.lane: ThreadPoolExecutor(1) for job in self.agenda.jobs}
            try:
                self._serve(owed, lanes)
            except BaseException:
                self.runner.stop.set()
                raise
            finally:
                for lane in lanes.values():
                    lane.shutdown()
                self.runner.state.scheduler(None, self.runner.now())
                self._log.info("scheduler ends", state="cut off" if self.runner.cut_off else "")
            return 4 if self.runner.cut_off else 0

    def _serve(self, owed: _Owed, lanes: Mapping[str, ThreadPoolExecutor]) -> None:
        while True:
            for job, due in [one for one in owed if self._is_new(*one)]:
                lanes[job.lane].submit(self._run, job, due)
                self._begun |= {one.name: due for one in (job, *self.agenda.followers(job))}
            if self.runner.stop.wait(self._pause()):
                return
            if not self.runner.busy and self._is_outdated():
                return
            owed = []
            with self._living_on("schedule"):
                owed = self.agenda.owed()
                self.agenda.note()

    def _is_new(self, job: PlannedJob, due: datetime) -> bool:
        """Whether a run was not handed to its lane yet; one that goes on is not begun again. A due
        time in the future is of a clock that was set back, and counts as none."""
        begun = self._begun.get(job.name)
        is_known = begun is not None and due <= begun <= self.runner.now()
        return job.name not in self.runner.busy and not is_known

    def _pause(self) -> float:
        """Seconds until something is due, or may have changed."""
        now = self.runner.now()
        times = [job.trigger.after(now) for job in self.agenda.jobs if job.trigger]
        return min([_HEARTBEAT, *((at - now).total_seconds() for at in times)])

    def _run(self, job: PlannedJob, due: datetime) -> None:
        if self.runner.stop.is_set():
            return  # queued behind another; still owed, so the next start makes it up
        try:
            with self._living_on(job.name):
                for _code in self.agenda.run(job, due):
                    pass
        except JobRunning as error:
            self._log.info("run passed over", job=job.name, message=str(error))
            self.runner.tell(str(error))

    @contextmanager
    def _living_on(self, job: str) -> Iterator[None]:
        """A home folder that is full or gone: the next run may fare better, and the log, if it can
        be written, has it. The scheduler itself must live on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - of a thread, where nobody else would hear of it
            self._log.error("run could not be noted", job=job, error=str(error))
            self.runner.tell(f"{job}: {error}")

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
