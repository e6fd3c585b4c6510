"""Housekeeping: what is past its retention goes.

Old answers of the service that are in the warehouse already, old logs, old closing reports, and
drafts that a power cut left behind. Nothing that only exists here is touched: not the warehouse,
not its history, not the queue.
"""

from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pipelines.home import LEDGER
from schedules.settings import RetentionSettings
from sources.repair_shop.ledger import Ledger

_DRAFT_DAYS = 1
"""No draft is in use for so long: the longest, a copy of the warehouse, takes minutes."""


def clear_out(home: Path, retention: RetentionSettings, now: datetime) -> dict[str, int]:
    """Delete what is past its retention at ``now`` (aware).

    How many ``logs``, ``reports`` and ``drafts`` went, and their ``bytes``. Raises ``OSError`` or
    :class:`~sources.repair_shop.ledger.LedgerError` when it cannot.
    """
    counts = {"logs": 0, "reports": 0, "drafts": 0, "bytes": 0}
    for kind, pattern, days in (
        ("logs", "logs/shopmirror-*.jsonl", retention.logs_days),
        ("logs", "logs/error-*.log", retention.logs_days),
        ("reports", "reports/closing-*", retention.reports_days),
        ("drafts", ".*.tmp", _DRAFT_DAYS),
        ("drafts", "build/.*.tmp", _DRAFT_DAYS),
        ("drafts", "reports/.*.tmp", _DRAFT_DAYS),
    ):
        for path in filter(Path.is_file, home.glob(pattern) if days else ()):
            with suppress(FileNotFoundError):  # a draft that was put in its place meanwhile
                status = path.stat()
                if datetime.fromtimestamp(status.st_mtime, UTC) < now - timedelta(days=days):
                    path.unlink()
                    counts[kind] += 1
                    counts["bytes"] += status.st_size
    if (home / LEDGER).exists():
        with closing(Ledger(home / LEDGER)) as ledger:
            ledger.prune(now)
    return counts
