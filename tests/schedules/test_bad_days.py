"""Days that go wrong between two syncs, the whole way through: what the user has afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import duckdb

from pipelines.outbox import Outbox, enqueue
from pipelines.sync import sync
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.settings import Settings, ShopSettings

ZONE = "America/Guatemala"


def _settings(server: SandboxServer, home: Path, zone: str) -> Settings:
    shop = ShopSettings(
        name="main", base_url=server.base_url, api_key=server.keys["main"], timezone=zone,
        requests_per_minute=100_000, minute_seconds=0.5, repair_requests=0, audit_requests=0,
    )  # fmt: skip
    return Settings(home=home, shops=(shop,))


def _days(home: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        return warehouse.execute(
            "SELECT day, total FROM marts.daily_sales WHERE total <> 0 ORDER BY day"
        ).fetchall()


def test_a_wrong_zone_is_mended_and_a_deleted_warehouse_comes_back(home: Path) -> None:
    spec = ShopSpec("main", timezone=ZONE, limit=None)
    with SandboxServer([spec], size="tiny", minute_seconds=0.5) as server:
        wrong = sync(_settings(server, home, "Asia/Tokyo"))
        shifted = _days(home)
        assert wrong.exit_code == 1, wrong.message  # the books say that something is off

        right = sync(_settings(server, home, ZONE))
        days = _days(home)
        assert right.exit_code == 0, right.details
        assert days != shifted
        assert sum(total for _, total in days) == sum(total for _, total in shifted)

        (number,) = enqueue(
            "customers", "create", {"name": "Ana"}, settings=_settings(server, home, ZONE)
        )
        (home / "warehouse.duckdb").unlink()
        shutil.rmtree(home / "build")
        again = sync(_settings(server, home, ZONE))
        assert again.exit_code == 0, again.details
        assert _days(home) == days
        with Outbox(home) as outbox:
            assert [(c.number, c.state) for c in outbox.changes()] == [(number, "queued")]
