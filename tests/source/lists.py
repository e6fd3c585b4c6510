"""A service whose lists are given row by row, read by ``pipeline.run(repair_shop())``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dlt
import duckdb
from dlt.common.configuration.container import Container
from dlt.common.configuration.specs.pluggable_run_context import PluggableRunContext

from sources.repair_shop import repair_shop
from tests.fakes.loopback import Loopback, Reply, Seen

Rows = list[dict[str, Any]]


@dataclass
class Lists:
    """``rows``: path -> rows, oldest first."""

    loopback: Loopback
    folder: Path
    rows: dict[str, Rows] = field(default_factory=dict)
    given: dict[str, Any] | None = None
    """Arguments of the source; by default all that it needs."""

    def __post_init__(self) -> None:
        self.loopback.otherwise = self.answer
        # dlt has read the settings of the folder in which the tests began.
        Container()[PluggableRunContext].reload_providers()

    def answer(self, seen: Seen) -> Reply:
        """One page of a list."""
        query = dict(seen.query)
        rows = self.rows.get(seen.path.removeprefix("/v1"), [])
        rows = rows if query.get("sort") == "oldest" else rows[::-1]
        start = 50 * (int(query.get("page", 1)) - 1)
        return Reply(body=rows[start : start + 50])

    def run(self, *tables: str, **given: Any) -> int:
        """Load these lists once; the requests it took."""
        before = len(self.loopback.seen)
        settings = self.given or {
            "base_url": self.loopback.base_url,
            "api_key": "the-secret-key",
            "timezone": "America/Guatemala",
            "requests_per_minute": 100_000,
            "minute_seconds": 0.5,
            "ledger_folder": str(self.folder / "ledger"),
        }
        pipeline = dlt.pipeline(
            "lists",
            pipelines_dir=str(self.folder / "pipelines"),
            destination=dlt.destinations.duckdb(str(self.folder / "lists.duckdb")),
            dataset_name="raw",
        )
        pipeline.run(repair_shop(**(settings | given)).with_resources(*tables))
        return len(self.loopback.seen) - before

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """What the destination holds."""
        with duckdb.connect(str(self.folder / "lists.duckdb"), read_only=True) as database:
            return database.execute(sql).fetchall()
