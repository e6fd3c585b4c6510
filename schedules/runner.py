"""One run of one job: its child processes with an end to them, its trace, and who is told.

Data flow: job and due time -> child processes of ``shopmirror`` -> ``schedule.json``, log,
incidents. Who calls it (:mod:`schedules.clock`) holds the lock of the job's lane.

A child is in a session of its own, so that Ctrl-C at the terminal reaches it once, through us:
SIGTERM asks it to finish the request in flight and keep what was fetched; what does not end within
the grace is killed, its own children too.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import filelock

from pipelines.monitor import logs
from pipelines.monitor.notify import Incidents
from pipelines.monitor.schedule_state import CUT_OFF, RUN, STOPPED, WAITING, ScheduleState
from pipelines.monitor.sender import NotSent
from schedules.jobs import Command, PlannedJob

STOP_SECONDS = 40
"""A run that is asked to stop has so long for its request in flight."""
PROGRAM: tuple[str, ...] = (sys.executable, "-P", "-c", "from shopmirror.main import run; run()")
"""The command line of ``shopmirror`` wherever it is installed, without a look at PATH or (``-P``)
at what the current folder calls like a package of ours."""

_LINES = 200_000
"""More than any ``--json`` document of ours has; of a child that says more the last ones count."""
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: ``ended`` by itself, ``stopped`` by us, ``overdue``, ``cut off``."""

    exit_code: int
    outcome: str
    message: str
    troubles: frozenset[str] = frozenset()
    """What the commands say is wrong, to tell one trouble from another."""


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
        noted: dict[str, Any] = asdict(ended)
        del noted["troubles"]  # those are for the one who tells them
        self.state.ended(job.name, self.now(), **noted)
        seconds = round((self.now() - began).total_seconds(), 1)
        self.log.info("run ended", job=job.name, seconds=seconds, **noted)
        self.tell(f"{job.name}: exit code {ended.exit_code}. {ended.message}".rstrip())
        self.cut_off = self.cut_off or ended.outcome == STOPPED
        self._told(job.name, lambda: self._incident(job, ended))
        if job.is_night and ended.outcome not in (STOPPED, WAITING, CUT_OFF):
            # It says that this machine lives; what the night came to is told apart.
            self._told(job.name, self.incidents.beat)
        return ended

    def _commands(self, job: PlannedJob, due: datetime) -> Ended:
        worst, found = Ended(0, "ended", ""), set[str]()
        ends = self.now() + job.limit
        run = {RUN: f"{job.name} {due:%Y-%m-%dT%H:%M:%S}"}
        for one in job.commands(due):
            command = replace(one, environment={**one.environment, **run})
            ended = self._child(job, command, (ends - self.now()).total_seconds())
            found |= ended.troubles
            if job.waits_its_turn and (ended.exit_code, ended.outcome) == (4, "ended"):
                return Ended(4, WAITING, ended.message)
            if _rank(ended.exit_code) >= _rank(worst.exit_code):
                worst = ended
            if ended.outcome in (STOPPED, "overdue"):
                worst = ended
                break
        return replace(worst, troubles=frozenset(found))

    def _child(self, job: PlannedJob, command: Command, seconds: float) -> Ended:
        """Run a command to its end, to the stop, or for so long, whichever is first.

        The message is what its ``--json`` document says, else its last line (of standard error, if
        it used it).
        """
        try:
            process = subprocess.Popen(  # noqa: S603 - our own program with arguments of our jobs
                [*self._program, *command.arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **command.environment},
                start_new_session=True,
                text=True,
                errors="replace",
            )
        except OSError as error:  # no process, no memory: not the end of the scheduler
            return Ended(3, "ended", f"It could not be started: {error.strerror or error}.")
        said, told = deque[str](maxlen=_LINES), deque[str](maxlen=_LINES)
        follow = (
            (process.stdout, said, lambda line: None),
            (process.stderr, told, lambda line: self.tell(f"{job.name}: {line}")),
        )
        readers = [threading.Thread(target=_follow, args=each, daemon=True) for each in follow]
        for reader in readers:
            reader.start()
        outcome = self._wait(process, max(1.0, seconds))
        for reader in readers:
            reader.join(5)
        code = process.returncode
        if outcome == "overdue":
            minutes = job.limit.total_seconds() / 60
            why = f"Took longer than {minutes:g} minutes and was ended."
            return Ended(3, outcome, why, frozenset({outcome}))
        if outcome == STOPPED:
            return Ended(4, outcome, "Stopped; what was fetched is kept.")
        if code < 0:
            name = signal.Signals(-code).name if -code in list(signal.Signals) else str(-code)
            return Ended(1, CUT_OFF, f"Was killed from outside ({name}).", frozenset({CUT_OFF}))
        message, troubles = _message(list(said), list(told), code)
        if code not in (0, 4) and not said and "--json" in command.arguments:
            troubles |= {"no result"}
        return Ended(code, outcome, message, troubles)

    def _wait(self, process: subprocess.Popen[str], seconds: float) -> str:
        ends = time.monotonic() + seconds
        while process.poll() is None:
            is_stopped = self.stop.wait(_POLL)
            if is_stopped or time.monotonic() > ends:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                try:
                    process.wait(self.stop_seconds)
                except subprocess.TimeoutExpired:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                return STOPPED if is_stopped else "overdue"
        return "ended"

    def _incident(self, job: PlannedJob, ended: Ended) -> bool:
        """Exit code 4 is neither a failure nor a success: an incident goes on, none begins."""
        if ended.exit_code == 0 or (ended.exit_code in job.quiet and not ended.troubles):
            return self.incidents.recovered(job.name)
        if ended.exit_code == 4:
            return False
        return self.incidents.failed(job.name, ended.exit_code, ended.message, ended.troubles)

    def alarm(self, error: str) -> None:
        """Log and tell, by message too, what keeps all runs from being noted."""
        self.log.error("run could not be noted", error=error)
        self.tell(error)
        self._told("schedule", lambda: self.incidents.alarm(error))

    def catch_up(self) -> None:
        """Tell what a scheduler that was killed did not."""
        for job, send in self.incidents.catch_up():
            self._told(job, send)

    def _told(self, job: str, send: Callable[[], bool]) -> None:
        """Send a message; one that does not go out is logged and told, and ends nothing."""
        try:
            if send():
                self.log.info("message sent", job=job)
        except (NotSent, OSError, filelock.Timeout) as error:
            self.log.error("message not sent", job=job, error=str(error))
            self.tell(f"{job}: {error}")


def _rank(code: int) -> int:
    return _WORST.index(code) if code in _WORST else len(_WORST)


def worst(codes: Sequence[int]) -> int:
    """The worst of several exit codes; 0 for none."""
    return max(codes, key=_rank, default=0)


def _follow(stream: IO[str], lines: deque[str], tell: Callable[[str], None]) -> None:
    """Read to the end, though only the last lines are kept: the child would wait for ever."""
    with stream:
        for line in stream:
            if text := line.strip():
                lines.append(text)
                tell(text)


def _message(said: Sequence[str], told: Sequence[str], code: int) -> tuple[str, frozenset[str]]:
    """What a run came to in words, and the troubles that its document names, or a fault of ours."""
    for place, line in enumerate(told):
        if line.startswith(logs.UNEXPECTED):
            return " ".join(told[place:]), frozenset({logs.UNEXPECTED})
    try:
        document = json.loads("\n".join(said))
    except ValueError:
        document = None
    found = frozenset[str]()
    if isinstance(document, dict):
        found = frozenset(map(str, document.get("troubles") or ()))
        if isinstance(document.get("message"), str):
            return str(document["message"]), found
        if code == 0:
            return "", found  # the last line would be some step of its progress
    lines = told or (() if isinstance(document, dict) else said)
    return lines[-1] if lines else "", found
