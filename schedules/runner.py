"""One run of one job: its lock, its children, its trace in the state, and who is told.

Data flow: job and due time -> child processes of ``shopmirror`` -> ``schedule.json``, log,
incidents. Every way to run a job passes here: the scheduler, ``--once`` from cron, ``--run``.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import filelock

from pipelines.json_file import held
from pipelines.monitor import logs
from pipelines.monitor.notify import Incidents, NotifyError
from pipelines.monitor.schedule_state import STOPPED, ScheduleState, job_lock
from schedules.children import PROGRAM, Ended, run_child
from schedules.jobs import Command, PlannedJob
from schedules.settings import ScheduleSettings

_PROBE_SECONDS = 0.5
_WORST = (0, 4, 1, 3, 2)
"""Exit codes from good to bad; of several commands the worst counts."""


class JobRunning(Exception):
    """The job runs or ran already, in this or another process: nothing was done. Exit code 4."""

    exit_code = 4


class Runner:
    """Runs jobs of one home folder. ``tell`` gets lines for a person who watches."""

    def __init__(
        self,
        home: Path,
        schedule: ScheduleSettings,
        incidents: Incidents,
        *,
        stop: threading.Event,
        tell: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        program: Sequence[str] = PROGRAM,
        turn_seconds: float = 60.0,
    ) -> None:
        self._turn_seconds = turn_seconds
        self.home, self.schedule, self.incidents = home, schedule, incidents
        self.state = ScheduleState(home)
        self.stop, self.tell, self.now, self._program = stop, tell, now, program
        self._log = logs.Logger("schedule")
        self.cut_off = False
        """Whether a run was stopped in the middle; the next one goes on from there."""
        self.busy: set[str] = set()
        """Jobs that run now."""

    def run(self, job: PlannedJob, due: datetime) -> Ended:
        """Run a job's commands one after the other; the worst ending.

        :class:`JobRunning` when it runs already, or that run has ended. Never raises for what a
        command did: that is in the ending, the state and the log, and a person is told once an
        incident.
        """
        busy = JobRunning(f"The job '{job.name}' runs already; nothing was done.")
        # Who only looks whether it runs holds the lock for an instant.
        with held(job_lock(self.home, job.name), lambda: busy, timeout=_PROBE_SECONDS):
            known = self.state.job(job.name)
            if known.due == due and known.outcome and not known.is_cut_off:
                raise JobRunning(f"The job '{job.name}' has run already; nothing was done.")
            began = self.now()
            self.state.started(job.name, due, began)
            self._log.info("run begins", job=job.name, due=due)
            self.tell(f"{job.name}: begins")
            self.busy.add(job.name)
            try:
                ended = self._commands(job, due)
            finally:
                self.busy.discard(job.name)
            self.state.ended(job.name, self.now(), ended.exit_code, ended.outcome, ended.message)
        seconds = round((self.now() - began).total_seconds(), 1)
        self._log.info(
            "run ended",
            job=job.name,
            exit_code=ended.exit_code,
            outcome=ended.outcome,
            seconds=seconds,
            message=ended.message,
        )
        self.tell(f"{job.name}: exit code {ended.exit_code}. {ended.message}".rstrip())
        self.cut_off = self.cut_off or ended.outcome == STOPPED
        self._incident(job, ended)
        if job.is_night and ended.outcome != STOPPED:
            self._beat(job)
        return ended

    def _beat(self, job: PlannedJob) -> None:
        """Tell who waits for it that this machine lives; what the night came to is told apart."""
        try:
            self.incidents.beat()
        except NotifyError as error:
            self._log.error("heartbeat not sent", job=job.name, error=str(error))
            self.tell(f"{job.name}: {error}")

    def _commands(self, job: PlannedJob, due: datetime) -> Ended:
        worst = Ended(0, "ended", "")
        ends = self.now() + job.limit
        for command in job.commands(due):
            while True:
                ended = self._child(job, command, (ends - self.now()).total_seconds())
                # A sync that someone started by hand holds the home: ours comes after it.
                waits = ended.exit_code == 4 and ended.outcome == "ended" and job.waits_its_turn
                if not waits or self.now() >= ends or self.stop.wait(self._turn_seconds):
                    break
            if _rank(ended.exit_code) >= _rank(worst.exit_code):
                worst = ended
            if ended.outcome == STOPPED:
                return ended
        return worst

    def _child(self, job: PlannedJob, command: Command, seconds: float) -> Ended:
        try:
            return run_child(
                command,
                limit_seconds=max(1.0, seconds),
                grace_seconds=self.schedule.stop_seconds,
                stop=self.stop,
                tell=lambda line: self.tell(f"{job.name}: {line}"),
                program=self._program,
            )
        except OSError as error:  # no process, no memory: not the end of the scheduler
            return Ended(3, "ended", f"It could not be started: {error.strerror or error}.")

    def _incident(self, job: PlannedJob, ended: Ended) -> None:
        """Exit code 4 is neither a failure nor a success: an incident goes on, none begins."""
        name = job.name
        try:
            if ended.exit_code == 0 or ended.exit_code in job.quiet:
                told = self.incidents.recovered(name)
            elif ended.exit_code != 4:
                told = self.incidents.failed(name, ended.exit_code, ended.message)
            else:
                return
        except (NotifyError, OSError, filelock.Timeout) as error:
            self._log.error("message not sent", job=name, error=str(error))
            self.tell(f"{name}: {error}")
        else:
            if told:
                self._log.info("message sent", job=name, exit_code=ended.exit_code)


def _rank(code: int) -> int:
    return _WORST.index(code) if code in _WORST else len(_WORST)


def worst(codes: Sequence[int]) -> int:
    """The worst of several exit codes; 0 for none."""
    return max(codes, key=_rank, default=0)
