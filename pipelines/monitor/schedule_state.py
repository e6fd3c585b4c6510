"""What ran when, and what runs next: ``$SHOPMIRROR_HOME/schedule.json``.

The scheduler and single runs (``schedule --once``, ``--run``) write it; ``status`` reads it. It
survives restarts, which is how a run missed while the machine slept is known and made up once.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, Field

from pipelines.json_file import JsonFile, is_held, to_the_second

RUNNING = "running"
STOPPED = "stopped"
_ATTEMPTS = 3
"""A run cut off by a restart or a power cut goes on; one that takes the machine down does not."""


class JobState(BaseModel):
    """The last run of a job. Times are aware; ``exit_code`` is None while it runs."""

    due: AwareDatetime | None = None
    attempts: int = 0
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    exit_code: int | None = None
    outcome: str = ""
    message: str = ""
    next_at: AwareDatetime | None = None

    @property
    def is_cut_off(self) -> bool:
        """Whether the last run was ended before its time, or goes on in another process."""
        return self.outcome in (RUNNING, STOPPED)

    def owes(self, latest_due: datetime, now: datetime) -> bool:
        """Whether the run that was due last was missed or cut off, so that it must be made up.

        A job that was never known owes nothing: its first time is its next one. A due time in the
        future is a clock that was set back, and counts as not known.
        """
        if self.due is None or self.due > now:
            return False
        if self.due < latest_due:
            return True
        return self.is_cut_off and self.attempts < _ATTEMPTS


class _Scheduler(BaseModel):
    pid: int
    since: AwareDatetime


class _State(BaseModel):
    jobs: dict[str, JobState] = Field(default_factory=dict)
    scheduler: _Scheduler | None = None


class ScheduleState:
    """The state file of one home folder."""

    def __init__(self, home: Path) -> None:
        self._file = JsonFile(home / "schedule.json", _State)

    def job(self, name: str) -> JobState:
        """What is known of a job."""
        return self.jobs().get(name, JobState())

    def jobs(self) -> dict[str, JobState]:
        """Every known job."""
        return self._file.read().jobs

    def planned(self, next_times: Mapping[str, datetime | None], now: datetime) -> None:
        """Note when each job runs next; jobs that are no longer planned are forgotten.

        A job met for the first time counts as known from ``now`` on, and so does one whose due time
        a clock set back has made impossible.
        """
        with self._file.change() as state:
            known = {name: state.jobs.get(name, JobState()) for name in next_times}
            for name, job in known.items():
                if job.due is None or job.due > now:
                    job.due, job.attempts = to_the_second(now), 0
                job.next_at = _known(next_times[name])
            state.jobs = known

    def next_run(self, name: str, moment: datetime | None) -> None:
        """Note when one job runs next."""
        with self._job(name) as job:
            job.next_at = _known(moment)

    def started(self, name: str, due: datetime, now: datetime) -> None:
        """Note that a run begins, before it does: cut off, it is then known to be so."""
        with self._job(name) as job:
            due = to_the_second(due)
            job.attempts = job.attempts + 1 if job.due == due else 1
            job.due, job.started_at, job.ended_at = due, to_the_second(now), None
            job.exit_code, job.outcome, job.message = None, RUNNING, ""

    def ended(self, name: str, now: datetime, exit_code: int, outcome: str, message: str) -> None:
        """Note how a run ended."""
        with self._job(name) as job:
            job.ended_at, job.exit_code = to_the_second(now), exit_code
            job.outcome, job.message = outcome, message

    def scheduler(self, pid: int | None, now: datetime) -> None:
        """Note which process is the scheduler; None when it leaves."""
        with self._file.change() as state:
            state.scheduler = None if pid is None else _Scheduler(pid=pid, since=to_the_second(now))

    def scheduler_since(self) -> tuple[int, datetime] | None:
        """Process and start of the scheduler that noted itself last; it may have been killed."""
        found = self._file.read().scheduler
        return (found.pid, found.since) if found else None

    @contextmanager
    def _job(self, name: str) -> Iterator[JobState]:
        with self._file.change() as state:
            yield state.jobs.setdefault(name, JobState())


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
            "outcome": _told(home, name, job),
            "message": job.message,
            "is_served": served,
        }
        for name, job in state.jobs().items()
    ]
    return sorted(rows, key=lambda row: (row["next_at"] is None, str(row["next_at"]), row["job"]))


def job_lock(home: Path, name: str) -> Path:
    """The lock that whoever runs a job holds."""
    return home / f"schedule-{quote(name, safe=':')}.lock".replace(":", "-")


def is_served(home: Path) -> bool:
    """Whether a scheduler process serves a home folder now (its lock says so, not its word)."""
    return is_held(home / "schedule.lock")


def _told(home: Path, name: str, job: JobState) -> str:
    """How a run ended; one whose process was killed could not say so itself."""
    if job.outcome == RUNNING and not is_held(job_lock(home, name)):
        return "cut off"
    return job.outcome


def _known(moment: datetime | None) -> datetime | None:
    return moment and to_the_second(moment)
