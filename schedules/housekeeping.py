"""Housekeeping: what is past its retention goes.

Old answers of the service that are in the warehouse already, old logs, old closing reports, and
drafts that a power cut left behind. Nothing that only exists here is touched: not the warehouse,
not its history, not the queue.
"""

from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pipelines.home import LEDGER
from pipelines.monitor import logs
from schedules.settings import RetentionSettings
from sources.repair_shop.ledger import Ledger

_DRAFTS = timedelta(days=1)
"""No draft is in use for so long: the longest, a copy of the warehouse, takes minutes."""


def clear_out(home: Path, retention: RetentionSettings, now: datetime) -> dict[str, int]:
    """Delete what is past its retention at ``now`` (aware).

    How many ``logs``, ``reports`` and ``drafts`` went, and their ``bytes``. Raises ``OSError`` or
    :class:`~sources.repair_shop.ledger.LedgerError` when it cannot.
    """
    counts = {"logs": 0, "reports": 0, "drafts": 0, "bytes": 0}

    def drop(kind: str, path: Path, kept: timedelta) -> None:
        with suppress(FileNotFoundError):  # a draft that was put in its place meanwhile
            status = path.stat()
            if datetime.fromtimestamp(status.st_mtime, UTC) < now - kept:
                path.unlink()
                counts[kind] += 1
                counts["bytes"] += status.st_size

    if retention.logs_days:
        for path, _written in logs.log_files(home / "logs"):
            drop("logs", path, timedelta(days=retention.logs_days))
    if retention.reports_days:
        for path in filter(Path.is_file, (home / "reports").glob("closing-*")):
            drop("reports", path, timedelta(days=retention.reports_days))
    for folder in (home, home / "build", home / "reports"):
        for path in folder.glob(".*.tmp"):
            drop("drafts", path, _DRAFTS)
    if (home / LEDGER).exists():
        with closing(Ledger(home / LEDGER)) as ledger:
            ledger.prune(now)
    return counts
