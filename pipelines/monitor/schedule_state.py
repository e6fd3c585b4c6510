"""What ran when, and what runs next: ``$SHOPMIRROR_HOME/schedule.json``.

The scheduler and single runs (``schedule --once``, ``--run``) write it; ``status`` reads it. It
survives restarts, which is how a run missed while the machine slept is known and made up once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pipelines.json_file import JsonFile, held

RUNNING = "running"
STOPPED = "stopped"
_ATTEMPTS = 3
"""A run cut off by a restart or a power cut goes on; one that takes the machine down does not."""


@dataclass(frozen=True, slots=True)
class JobState:
    """The last run of a job. Times are aware; ``exit_code`` is None while it runs."""

    due: datetime | None = None
    attempts: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    outcome: str = ""
    message: str = ""
    next_at: datetime | None = None

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


class ScheduleState:
    """The state file of one home folder."""

    def __init__(self, home: Path) -> None:
        self._file = JsonFile(home / "schedule.json")

    def job(self, name: str) -> JobState:
        """What is known of a job."""
        return _job(self._jobs().get(name, {}))

    def jobs(self) -> dict[str, JobState]:
        """Every known job."""
        return {name: _job(values) for name, values in self._jobs().items()}

    def _jobs(self) -> dict[str, Any]:
        found = self._file.read().get("jobs")
        return found if isinstance(found, dict) else {}

    def planned(self, next_times: Mapping[str, datetime | None], now: datetime) -> None:
        """Note when each job runs next; jobs that are no longer planned are forgotten.

        A job met for the first time counts as known from ``now`` on.
        """
        with self._file.change() as state:
            old = state.get("jobs")
            jobs: dict[str, Any] = old if isinstance(old, dict) else {}
            state["jobs"] = {
                name: {
                    "due": _text(now),
                    "attempts": 0,
                    "outcome": "",
                    **_valid(jobs.get(name), now),
                    "next_at": moment and _text(moment),
                }
                for name, moment in next_times.items()
            }

    def next_run(self, name: str, moment: datetime | None) -> None:
        """Note when one job runs next."""
        self._update(name, {"next_at": moment and _text(moment)})

    def started(self, name: str, due: datetime, now: datetime) -> None:
        """Note that a run begins, before it does: cut off, it is then known to be so."""
        with self._file.change() as state:
            known = state.setdefault("jobs", {}).setdefault(name, {})
            again = known.get("due") == _text(due)
            known.update(
                due=_text(due),
                attempts=int(known.get("attempts", 0)) + 1 if again else 1,
                started_at=_text(now),
                ended_at=None,
                exit_code=None,
                outcome=RUNNING,
                message="",
            )

    def ended(self, name: str, now: datetime, exit_code: int, outcome: str, message: str) -> None:
        """Note how a run ended."""
        told = {"exit_code": exit_code, "outcome": outcome, "message": message}
        self._update(name, {"ended_at": _text(now), **told})

    def scheduler(self, pid: int | None, now: datetime) -> None:
        """Note which process is the scheduler; None when it leaves."""
        with self._file.change() as state:
            state["scheduler"] = None if pid is None else {"pid": pid, "since": _text(now)}

    def scheduler_since(self) -> tuple[int, datetime] | None:
        """Process and start of the scheduler that noted itself last; it may have been killed."""
        found = self._file.read().get("scheduler")
        if not isinstance(found, dict) or not isinstance(found.get("pid"), int):
            return None
        since = _moment(found.get("since"))
        return None if since is None else (found["pid"], since)

    def _update(self, name: str, values: Mapping[str, Any]) -> None:
        with self._file.change() as state:
            state.setdefault("jobs", {}).setdefault(name, {}).update(values)


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
    return _is_held(home / "schedule.lock")


def _told(home: Path, name: str, job: JobState) -> str:
    """How a run ended; one whose process was killed could not say so itself."""
    if job.outcome == RUNNING and not _is_held(job_lock(home, name)):
        return "cut off"
    return job.outcome


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with held(path, TimeoutError):
            return False
    except TimeoutError:
        return True


def _valid(known: Any, now: datetime) -> dict[str, Any]:
    """A job's old entry, without a due time that a clock set back has made impossible."""
    if not isinstance(known, dict):
        return {}
    due = _moment(known.get("due"))
    if due is None or due > now:
        return {key: value for key, value in known.items() if key not in ("due", "attempts")}
    return known


def _job(values: Any) -> JobState:
    known: dict[str, Any] = values if isinstance(values, dict) else {}
    code = known.get("exit_code")
    attempts = known.get("attempts")
    moments = ("due", "started_at", "ended_at", "next_at")
    return JobState(
        **{name: _moment(known.get(name)) for name in moments},
        attempts=attempts if isinstance(attempts, int) else 0,
        exit_code=code if isinstance(code, int) else None,
        outcome=str(known.get("outcome") or ""),
        message=str(known.get("message") or ""),
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _moment(text: Any) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None
