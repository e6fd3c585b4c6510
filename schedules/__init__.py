"""What runs by itself: nightly sync, pushes, the closing report, the weekly audit, housekeeping.

Data flow: ``[schedule]`` settings -> jobs (:mod:`schedules.jobs`) -> child processes of
``shopmirror`` -> ``schedule.json``, which ``status`` reads through :func:`next_runs`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def next_runs(home: Path) -> list[dict[str, Any]]:
    """Each known job of a home folder: when it runs next and how it ended last.

    Keys: ``job``, ``next_at``, ``last_due_at``, ``last_ended_at`` (UTC ISO text or None),
    ``exit_code`` (None while it runs or before the first run), ``outcome``, ``message`` and
    ``is_served``: whether a scheduler lives that will do it. Sorted by ``next_at``.
    """
    from pipelines.monitor.schedule_state import ScheduleState

    state = ScheduleState(home)
    served = is_served(home)
    rows = [
        {
            "job": name,
            "next_at": job.next_at and job.next_at.isoformat(),
            "last_due_at": job.due.isoformat() if job.due and job.started_at else None,
            "last_ended_at": job.ended_at and job.ended_at.isoformat(),
            "exit_code": job.exit_code,
            "outcome": job.outcome,
            "message": job.message,
            "is_served": served,
        }
        for name, job in state.jobs().items()
    ]
    return sorted(rows, key=lambda row: (row["next_at"] is None, str(row["next_at"]), row["job"]))


def is_served(home: Path) -> bool:
    """Whether a scheduler process serves a home folder now (its lock says so, not its word)."""
    import filelock

    path = home / "schedule.lock"
    if not path.exists():
        return False
    lock = filelock.FileLock(path, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        return True
    lock.release()
    return False
