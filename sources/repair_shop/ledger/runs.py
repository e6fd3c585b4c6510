"""The ledger's runs: which commands were at work, and how each ended."""

import json
from collections.abc import Mapping
from typing import Any

from ..ledger.file import LedgerFile
from ..ledger.records import now_text

_SHOWN = (
    "run_id", "command", "started_at", "ended_at", "outcome", "exit_code", "requests", "rows",
    "message",
)  # fmt: skip
_INCOMPLETE = """(
    SELECT CASE WHEN sum(is_complete)
        THEN group_concat(shop, ', ') FILTER (WHERE NOT is_complete) END
    FROM (SELECT json_extract(value, '$.shop') AS shop,
                 json_extract(value, '$.complete') AS is_complete
          FROM json_each(detail, '$.shops'))
)"""


class Runs(LedgerFile):
    """The table ``runs``."""

    def begin_run(self, command: str) -> int:
        """Note that a run began; runs that never ended were killed, and are told so."""
        with self._transaction() as db:
            db.execute(
                "UPDATE runs SET ended_at = ?, outcome = 'killed', message = 'ended without a word'"
                " WHERE ended_at IS NULL",
                (now_text(),),
            )
            cursor = db.execute(
                "INSERT INTO runs(command, started_at) VALUES (?, ?)", (command, now_text())
            )
            return int(cursor.lastrowid or 0)

    def end_run(
        self,
        run_id: int,
        *,
        outcome: str,
        exit_code: int,
        requests: int,
        rows: int,
        message: str,
        detail: Mapping[str, Any],
    ) -> None:
        """Note how a run ended."""
        told = json.dumps(detail, default=str)
        self.execute(
            "UPDATE runs SET ended_at=?, outcome=?, exit_code=?, requests=?, rows=?, message=?,"
            " detail=? WHERE run_id=?",
            [(now_text(), outcome, exit_code, requests, rows, message, told, run_id)],
        )

    def fail_run(self, run_id: int, error: BaseException) -> None:
        """Note that a run that seemed to have ended well did not."""
        code, message = getattr(error, "exit_code", 1), str(error) or type(error).__name__
        self.execute(
            "UPDATE runs SET outcome='failed', exit_code=?, message=? WHERE run_id=?",
            [(code, message, run_id)],
        )

    def last_runs(self, limit: int = -1) -> list[dict[str, Any]]:
        """The newest runs (by default all), newest first, with the columns of ``ops.runs``.

        With a ``limit`` also ``shops``: those that it left incomplete, None if all or nobody knows.
        """
        names = (*_SHOWN, "shops")
        shops = "NULL" if limit < 0 else _INCOMPLETE
        rows = self.query(
            f"SELECT {', '.join(_SHOWN)}, {shops} FROM runs ORDER BY run_id DESC LIMIT ?", (limit,)
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def newest_run(self) -> int:
        """Number of the newest run, 0 before the first."""
        return int(self.query("SELECT coalesce(max(run_id), 0) FROM runs")[0][0])

    def run_began(self, run_id: int) -> str:
        """When a run began."""
        return str(self.query("SELECT started_at FROM runs WHERE run_id = ?", (run_id,))[0][0])

    def first_unfinished(self) -> int | None:
        """The first of the newest syncs that were all stopped or killed, None if none."""
        first: int | None = None
        for run_id, outcome in self.query(
            "SELECT run_id, outcome FROM runs WHERE (command='sync' OR command LIKE 'sync %') "
            "AND ended_at NOTNULL ORDER BY run_id DESC LIMIT 1000"
        ):
            if outcome not in ("killed", "stopped"):
                break
            first = int(run_id)
        return first
