"""A loopback service whose lists are given row by row, and a sync of it up to raw."""

import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta
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
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.schema.names import snake_case
from tests.fakes.loopback import Loopback, Reply, Seen
from tests.homes import shop_of
from tests.mirror.shop import Recorder

Row = dict[str, Any]
NOT_FOUND = Reply(404, {"error": "Not found"})


def rows_of(count: int, prefix: str = "r", *, a_day: int = 9, **more: Any) -> list[Row]:
    """``r0``, ``r1`` and so on, so many a day from the first of January on."""
    days = [date(2026, 1, 1) + timedelta(n // a_day) for n in range(count)]
    return [
        {"id": f"{prefix}{n}", "created_date": day.isoformat(), **more}
        for n, day in enumerate(days)
    ]


@dataclass
class Stranger:
    """Lists by path, oldest first; ``past_the_end`` answers a page that holds no row."""

    loopback: Loopback
    home: Path
    lists: dict[str, list[Row]] = field(default_factory=dict)
    paths: dict[str, list[Row]] = field(default_factory=dict)
    """Lists whose rows have paths of their own, and the rows that these show."""
    other: dict[str, Any] = field(default_factory=lambda: {"/info": {"name": "A shop"}})
    """Answers of paths that are no lists; a shop without a status has to tell of itself."""
    past_the_end: Reply = field(default_factory=Reply)
    missing: Reply | None = None
    """Answers a path that is not in ``lists``; without it such a list is empty."""
    shown: Callable[[Row], Row] = lambda row: row
    """What an answer says of a row."""
    ignores: tuple[str, ...] = ()
    """Parameters that it does not know."""
    repeats: bool = False
    """Whether the last page comes again past the end."""
    timezone: str = "UTC"
    size: int = 50
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.loopback.otherwise = self.answer

    def answer(self, seen: Seen) -> Reply:
        path = seen.path.removeprefix("/v1")
        query = {name: value for name, value in seen.query if name not in self.ignores}
        if path in self.other:
            return Reply(body=self.other[path])
        above, _, record = path.rpartition("/")
        if above in self.paths and path not in self.lists:
            found = [row for row in self.paths[above] if str(row["id"]) == record]
            return Reply(body=self.shown(found[0])) if found else self.missing or NOT_FOUND
        if path not in self.lists and self.missing:
            return self.missing
        rows = list(self.lists.get(path, []))
        if query.get("sort") != "oldest":
            rows.reverse()
        for name, keep in (("paymentDateFrom", operator.ge), ("paymentDateTo", operator.le)):
            if name in query:
                day = parse_moment(query[name], UTC)
                assert day is not None
                rows = [row for row in rows if keep(row["date"], day)]
        return self.page(rows, query)

    def page(self, rows: list[Row], query: dict[str, str]) -> Reply:
        """The page that is asked for, of rows in their order."""
        start = (int(query.get("page", 1)) - 1) * self.size
        if self.repeats:
            start = min(start, max(0, len(rows) - 1) // self.size * self.size)
        page = rows[start : start + self.size]
        return Reply(body=[self.shown(row) for row in page]) if page else self.past_the_end

    def instead(self, reply: Reply, when: Callable[[Seen], object]) -> None:
        """Answer so where ``when`` holds, and everything else as before, until it heals."""
        before = self.loopback.otherwise
        self.loopback.otherwise = lambda seen: reply if when(seen) else before(seen)

    def heal(self) -> None:
        """It answers by its lists again."""
        self.loopback.otherwise = self.answer

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

    def complete(self, *resources: str, **options: Any) -> SyncReport:
        """One sync of these lists that ends complete."""
        report = self.sync(*resources, **options)
        assert report.exit_code == 0, report.details
        return report

    def same(self, *resources: str, **options: Any) -> SyncReport:
        """One sync that ends complete, after which raw holds the rows of these lists, no other."""
        report = self.complete(*resources, **options)
        for name in resources:
            listed = self.lists[ENDPOINTS[snake_case(name)].path]
            assert self.held(name) == {str(row["id"]) for row in listed}, name
        return report

    def held(self, name: str) -> set[str]:
        """Ids that raw holds of a list, without those that are marked as gone."""
        return set(self.recorder.live(snake_case(name), "main"))

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
