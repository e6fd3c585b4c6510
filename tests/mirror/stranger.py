"""A loopback service whose lists are given row by row, and a sync of it up to raw."""

import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from pipelines.sync.session import Session, open_session
from pipelines.sync.verdict import SyncReport
from sources.repair_shop.extract import JobResult, ShopFetch
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.schema.dates import parse_moment
from tests.fakes.loopback import Loopback, Reply, Seen
from tests.homes import shop_of
from tests.mirror.shop import Recorder


@dataclass
class Stranger:
    """Lists by path; ``past_the_end`` answers a page that holds no row."""

    loopback: Loopback
    home: Path
    lists: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    other: dict[str, Any] = field(default_factory=dict)
    """Answers of paths that are no lists."""
    past_the_end: Callable[[], Reply] = Reply
    missing: Callable[[], Reply] | None = None
    """Answers a path that is not in ``lists``; without it such a list is empty."""
    shown: Callable[[dict[str, Any]], dict[str, Any]] = lambda row: row
    """What an answer says of a row."""
    timezone: str = "UTC"
    size: int = 50
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.loopback.otherwise = self.answer

    def answer(self, seen: Seen) -> Reply:
        path, query = seen.path.removeprefix("/v1"), dict(seen.query)
        if path in self.other:
            return Reply(body=self.other[path])
        if path not in self.lists and self.missing:
            return self.missing()
        rows = list(self.lists.get(path, []))
        if query.get("sort") != "oldest":
            rows.reverse()
        for name, keep in (("paymentDateFrom", operator.ge), ("paymentDateTo", operator.le)):
            if name in query:
                day = parse_moment(query[name], UTC)
                assert day is not None
                rows = [row for row in rows if keep(row["date"], day)]
        start = (int(query.get("page", 1)) - 1) * self.size
        page = rows[start : start + self.size]
        return Reply(body=[self.shown(row) for row in page]) if page else self.past_the_end()

    @property
    def shop(self) -> ShopSettings:
        return shop_of(
            base_url=self.loopback.base_url,
            api_key="the-secret-key",
            timezone=self.timezone,
            requests_per_minute=100_000,
            minute_seconds=0.5,
        )

    @property
    def settings(self) -> Settings:
        return Settings(home=self.home, shops=(self.shop,))

    def sync(self, *resources: str, **options: Any) -> SyncReport:
        """One sync of these lists into ``recorder``."""
        return sync(self.settings, resources=resources, loader=self.recorder, **options)

    def session(self, max_requests: int | None = None) -> AbstractContextManager[Session]:
        """A session of its home."""
        return open_session(self.settings, max_requests=max_requests)

    def fetch(self, session: Session, *jobs: Job) -> list[JobResult]:
        """Scans of a run of their own."""
        ledger = session.ledger
        run_id = ledger.begin_run("sync")
        return ShopFetch(session.client(self.shop), ledger, run_id, session.observer).run(jobs)


@pytest.fixture
def stranger(tmp_path):
    with Loopback() as loopback:
        yield Stranger(loopback, tmp_path)


@pytest.fixture
def client(stranger, tmp_path):
    settings = Settings(home=tmp_path / "client", shops=(stranger.shop,))
    with open_session(settings) as session:
        yield session.client(stranger.shop)
