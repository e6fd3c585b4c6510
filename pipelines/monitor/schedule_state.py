"""What ran when, and what runs next: ``$SHOPMIRROR_HOME/schedule.json``.

This file alone says what is due (:mod:`schedules.clock`); ``status`` reads it, too. It survives
restarts, which is how a run missed while the machine slept is known and made up once.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from pipelines.json_file import JsonFile, is_held, to_the_second

RUNNING = "running"
STOPPED = "stopped"
CUT_OFF = "cut off"
WAITING = "waiting"
"""Outcomes of a run that has not come to its end: at work, asked to stop, killed without a word,
and not begun since a sync started by hand holds the home."""
RUN = "SHOPMIRROR_RUN"
"""The variable that tells a command of which run it is; one that was cut off is repeated as it."""
_ATTEMPTS = 3
"""A run cut off by a restart or a power cut goes on; one that takes the machine down does not."""


class JobState(BaseModel):
    """The last run of a job. Times are aware; ``exit_code`` is None while it runs."""

    lane: str = ""
    due: AwareDatetime | None = None
    attempts: int = 0
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    exit_code: int | None = None
    outcome: str = ""
    message: str = ""
    next_at: AwareDatetime | None = None

    def is_known(self, now: datetime) -> bool:
        """Whether it was met before. A due time in the future is a clock that was set back."""
        return self.due is not None and self.due <= now

    @property
    def goes_on(self) -> bool:
        """Whether the last run is to be run again, since it did not come to its end."""
        is_cut = self.outcome in (RUNNING, STOPPED, CUT_OFF) and self.attempts < _ATTEMPTS
        return is_cut or self.outcome == WAITING


class _State(BaseModel):
    jobs: dict[str, JobState] = Field(default_factory=dict)
    scheduler: tuple[int, AwareDatetime] | None = None


class ScheduleState:
    """The state file of one home folder."""

    def __init__(self, home: Path) -> None:
        self._file = JsonFile(home / "schedule.json", _State)

    def jobs(self) -> dict[str, JobState]:
        """Every known job."""
        return self._file.read().jobs

    def plan(self, next_times: Mapping[str, datetime], now: datetime) -> None:
        """Note when each job runs next; jobs that are no longer planned are forgotten.

        A job met for the first time counts as known from ``now`` on. So does one whose due time a
        clock set back has made impossible. Nothing new writes nothing.
        """
        times = {name: to_the_second(moment) for name, moment in next_times.items()}
        known = self.jobs()
        if times == {name: job.next_at for name, job in known.items() if job.is_known(now)}:
            return
        with self._file.change() as state:
            state.jobs = {name: state.jobs.get(name, JobState()) for name in times}
            for name, job in state.jobs.items():
                if not job.is_known(now):
                    job.due, job.attempts, job.outcome = to_the_second(now), 0, ""
                job.next_at = times[name]

    def started(self, name: str, lane: str, due: datetime, now: datetime) -> None:
        """Note that a run begins, before it does: cut off, it is then known to be so.

        Whoever calls it holds the lane, so others of it that are noted as running were cut off.
        """
        with self._file.change() as state:
            for other in state.jobs.values():
                if other.lane == lane and other.outcome == RUNNING:
                    other.outcome = CUT_OFF
            job = state.jobs.setdefault(name, JobState())
            due = to_the_second(due)
            is_new = job.due != due or not job.outcome
            job.attempts = 1 if is_new else job.attempts + (job.outcome != WAITING)
            job.lane, job.due, job.started_at, job.ended_at = lane, due, to_the_second(now), None
            job.exit_code, job.outcome, job.message = None, RUNNING, ""

    def ended(self, name: str, now: datetime, exit_code: int, outcome: str, message: str) -> None:
        """Note how a run ended."""
        with self._file.change() as state:
            job = state.jobs.setdefault(name, JobState())
            job.ended_at, job.exit_code = to_the_second(now), exit_code
            job.outcome, job.message = outcome, message

    def scheduler(self, pid: int | None, now: datetime) -> None:
        """Note which process is the scheduler; None when it leaves."""
        with self._file.change() as state:
            state.scheduler = None if pid is None else (pid, to_the_second(now))

    def scheduler_since(self) -> tuple[int, datetime] | None:
        """Process and start of the scheduler that noted itself last; it may have been killed."""
        return self._file.read().scheduler


def next_runs(home: Path) -> list[dict[str, Any]]:
    """Each known job of a home folder: when it runs next and how it ended last.

    Keys: ``job``, ``next_at``, ``last_due_at``, ``last_ended_at`` (UTC ISO text or None),
    ``exit_code`` (None while it runs or before the first run), ``outcome``, ``message`` and
    ``is_served``: whether a scheduler lives that will do it. Sorted by ``next_at``.
    """
    state = ScheduleState(home)
    served = is_served(home)
    rows = [
        {
            "job": name,
            "next_at": job.next_at and job.next_at.isoformat(),
            "last_due_at": job.due.isoformat() if job.due and job.started_at else None,
            "last_ended_at": job.ended_at and job.ended_at.isoformat(),
            "exit_code": job.exit_code,
            # One whose process was killed could not say so itself.
            "outcome": CUT_OFF
            if job.outcome == RUNNING and not is_held(lane_lock(home, job.lane))
            else job.outcome,
            "message": job.message,
            "is_served": served,
        }
        for name, job in state.jobs().items()
    ]
    return sorted(rows, key=lambda row: (row["next_at"] is None, str(row["next_at"]), row["job"]))


def lane_lock(home: Path, lane: str) -> Path:
    """The lock that whoever runs jobs of a lane holds."""
    return home / f"schedule-{lane}.lock"


def is_served(home: Path) -> bool:
    """Whether a scheduler process serves a home folder now (its lock says so, not its word)."""
    return is_held(home / "schedule.lock")
