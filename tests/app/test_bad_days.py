"""Days that go wrong between two syncs, the whole way through: what the user has afterwards."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.outbox import Outbox, enqueue
from pipelines.settings import Settings
from pipelines.sync.run import sync
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.ledger import LedgerError
from tests.app.nights import home as home
from tests.few_models import build_few
from tests.homes import settings_of

ZONE = "America/Guatemala"


def _settings(server: SandboxServer, home: Path, zone: str) -> Settings:
    few = {"repair_requests": 0, "audit_requests": 0}
    return settings_of(server, home, timezone=zone, requests_per_minute=100_000, **few)


def _days(home: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        return warehouse.execute(
            "SELECT day, total FROM marts.daily_sales WHERE total <> 0 ORDER BY day"
        ).fetchall()


OLDER = (
    # Views of an older project stand on columns that it did not have.
    "DROP SCHEMA staging CASCADE",
    "ALTER TABLE raw.customers DROP COLUMN gender",
    "DROP TABLE raw.adjustments__products",
    "DROP TABLE ops.unreadable",
    "DROP TABLE ops.completeness",
    "DROP TABLE marts.labour",
    "ALTER TABLE marts.daily_sales DROP COLUMN uncosted",
    # History as it was kept before it was read from versions.
    "CREATE TABLE history.kept AS SELECT * EXCLUDE (gender) FROM history.customers",
    "DROP VIEW history.customers",
    "DROP TABLE history.customers_versions",
    "ALTER TABLE history.kept RENAME TO customers",
    "CREATE VIEW marts.of_my_own AS SELECT 1 AS n",
)


def _make_older(home: Path) -> int:
    """Files as an older version left them; the versions of customers that its history holds."""
    with duckdb.connect(str(home / "build" / "warehouse.duckdb")) as older:
        (versions,) = older.execute("SELECT count(*) FROM history.customers").fetchall()[0]
        for statement in OLDER:
            older.execute(statement)
    # Another version has other models, so what it had built does not count as built.
    with closing(sqlite3.connect(home / "mirror.sqlite")) as ledger, ledger:
        statement = "UPDATE notes SET value = 'of older models' WHERE name = 'built'"
        assert ledger.execute(statement).rowcount == 1
    return int(versions)


def test_a_wrong_zone_a_deleted_warehouse_and_files_of_another_version(home, mirrored, monkeypatch):
    """Two syncs bring all of it right: each takes longer than all that is looked at."""
    build_few(monkeypatch, "marts.daily_sales", "marts.labour", "history.customers")
    shutil.copytree(mirrored, home, dirs_exist_ok=True)
    days, versions = _days(home), _make_older(home)
    spec = ShopSpec("main", timezone=ZONE, limit=None)
    with SandboxServer([spec], size="tiny", minute_seconds=0.5) as server:
        settings = _settings(server, home, ZONE)
        wrong = sync(_settings(server, home, "Asia/Tokyo"))
        assert wrong.exit_code == 1, wrong.message  # the books say that something is off
        shifted = _days(home)
        assert days != shifted
        assert sum(total for _, total in days) == sum(total for _, total in shifted)
        with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
            for table in ("raw.adjustments__products", "marts.labour", "ops.unreadable"):
                warehouse.execute(f"SELECT * FROM {table}")
            warehouse.execute("SELECT gender FROM history.customers")
            assert warehouse.execute("SELECT count(*) FROM marts.of_my_own").fetchall() == [(1,)]
            (kept,) = warehouse.execute("SELECT count(*) FROM history.customers").fetchall()[0]
        assert kept >= versions

        (number,) = enqueue("customers", "create", {"name": "Ana"}, settings=settings)
        (home / "warehouse.duckdb").unlink()
        shutil.rmtree(home / "build")
        right = sync(settings)
        assert right.exit_code == 0, (right.message, right.details)
        assert _days(home) == days
        with Outbox(home) as outbox:
            assert [(c.number, c.state) for c in outbox.changes()] == [(number, "queued")]

        with closing(sqlite3.connect(home / "mirror.sqlite")) as ledger:
            ledger.execute("PRAGMA user_version = 99")
        before = (home / "warehouse.duckdb").stat().st_mtime_ns
        with pytest.raises(LedgerError, match="Update shopmirror") as refused:
            sync(settings)
        assert refused.value.exit_code == 2
        assert (home / "warehouse.duckdb").stat().st_mtime_ns == before
