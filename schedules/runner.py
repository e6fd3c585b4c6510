"""One run of one job: its children, its trace in the state, and who is told.

Data flow: job and due time -> child processes of ``shopmirror`` -> ``schedule.json``, log,
incidents. Who calls it (:mod:`schedules.clock`) holds the lock of the job's lane.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import filelock

from pipelines.monitor import logs
from pipelines.monitor.notify import Incidents, NotifyError
from pipelines.monitor.schedule_state import STOPPED, WAITING, ScheduleState
from schedules.children import PROGRAM, STOP_SECONDS, Ended, run_child
from schedules.jobs import Command, PlannedJob

_WORST = (0, 4, 1, 3, 2)
"""Exit codes from good to bad; of several commands the worst counts."""


class Runner:
    """Runs jobs of one home folder. ``tell`` gets lines for a person who watches."""

    def __init__(
        self,
        home: Path,
        incidents: Incidents,
        *,
        stop: threading.Event,
        tell: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        program: Sequence[str] = PROGRAM,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.home, self.incidents, self.stop_seconds = home, incidents, stop_seconds
        self.state = ScheduleState(home)
        self.stop, self.tell, self.now, self._program = stop, tell, now, program
        self.log = logs.Logger("schedule")
        self.cut_off = False
        """Whether a run was stopped in the middle; the next one goes on from there."""
        self.busy: set[str] = set()
        """Jobs that run now."""

    def run(self, job: PlannedJob, due: datetime) -> Ended:
        """Run a job's commands one after the other; the worst ending.

        Never raises for what a command did: that is in the ending, the state and the log, and a
        person is told once an incident. ``OSError`` when the run cannot be noted.
        """
        began = self.now()
        self.state.started(job.name, job.lane, due, began)
        self.log.info("run begins", job=job.name, due=due)
        self.tell(f"{job.name}: begins (due {due.astimezone(job.zone):%Y-%m-%d %H:%M %Z})")
        self.busy.add(job.name)
        try:
            ended = self._commands(job, due)
        finally:
            self.busy.discard(job.name)
        self.state.ended(job.name, self.now(), **asdict(ended))
        seconds = round((self.now() - began).total_seconds(), 1)
        self.log.info("run ended", job=job.name, seconds=seconds, **asdict(ended))
        self.tell(f"{job.name}: exit code {ended.exit_code}. {ended.message}".rstrip())
        self.cut_off = self.cut_off or ended.outcome == STOPPED
        self._told(job, lambda: self._incident(job, ended))
        if job.is_night and ended.outcome not in (STOPPED, WAITING):
            # It says that this machine lives; what the night came to is told apart.
            self._told(job, self.incidents.beat)
        return ended

    def _commands(self, job: PlannedJob, due: datetime) -> Ended:
        worst = Ended(0, "ended", "")
        ends = self.now() + job.limit
        for command in job.commands(due):
            ended = self._child(job, command, (ends - self.now()).total_seconds())
            if ended.outcome == "overdue":
                minutes = job.limit.total_seconds() / 60
                text = f"Took longer than {minutes:g} minutes and was ended."
                ended = Ended(ended.exit_code, ended.outcome, text)
            elif job.waits_its_turn and (ended.exit_code, ended.outcome) == (4, "ended"):
                return Ended(4, WAITING, ended.message)
            if _rank(ended.exit_code) >= _rank(worst.exit_code):
                worst = ended
            if ended.outcome in (STOPPED, "overdue"):
                return ended
        return worst

    def _child(self, job: PlannedJob, command: Command, seconds: float) -> Ended:
        try:
            return run_child(
                command,
                limit_seconds=max(1.0, seconds),
                grace_seconds=self.stop_seconds,
                stop=self.stop,
                tell=lambda line: self.tell(f"{job.name}: {line}"),
                program=self._program,
            )
        except OSError as error:  # no process, no memory: not the end of the scheduler
            return Ended(3, "ended", f"It could not be started: {error.strerror or error}.")

    def _incident(self, job: PlannedJob, ended: Ended) -> bool:
        """Exit code 4 is neither a failure nor a success: an incident goes on, none begins."""
        if ended.exit_code == 0 or ended.exit_code in job.quiet:
            return self.incidents.recovered(job.name)
        if ended.exit_code == 4:
            return False
        return self.incidents.failed(job.name, ended.exit_code, ended.message)

    def _told(self, job: PlannedJob, send: Callable[[], bool]) -> None:
        """Send a message; one that does not go out is logged and told, and ends nothing."""
        try:
            if send():
                self.log.info("message sent", job=job.name)
        except (NotifyError, OSError, filelock.Timeout) as error:
            self.log.error("message not sent", job=job.name, error=str(error))
            self.tell(f"{job.name}: {error}")


def _rank(code: int) -> int:
    return _WORST.index(code) if code in _WORST else len(_WORST)


def worst(codes: Sequence[int]) -> int:
    """The worst of several exit codes; 0 for none."""
    return max(codes, key=_rank, default=0)
