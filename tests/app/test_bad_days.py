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


def _ledger(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "mirror.sqlite")) as ledger, ledger:
        assert ledger.execute(statement).rowcount == 1


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


def _older_files_are_brought_up_to_date_and_newer_ones_left_alone(
    settings: Settings, home: Path
) -> None:
    days = _days(home)
    with duckdb.connect(str(home / "build" / "warehouse.duckdb")) as older:
        versions = older.execute("SELECT count(*) FROM history.customers").fetchone()
        for statement in OLDER:
            older.execute(statement)
    # Another version has other models, so what it had built does not count as built.
    _ledger(home, "UPDATE notes SET value = 'of older models' WHERE name = 'built'")
    upgraded = sync(settings)
    assert upgraded.exit_code == 0, (upgraded.message, upgraded.details)
    assert _days(home) == days
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        for table in ("raw.adjustments__products", "marts.labour", "ops.unreadable"):
            warehouse.execute(f"SELECT * FROM {table}")
        warehouse.execute("SELECT gender FROM history.customers")
        assert warehouse.execute("SELECT count(*) FROM marts.of_my_own").fetchone() == (1,)
        kept = warehouse.execute("SELECT count(*) FROM history.customers").fetchone()
    assert kept is not None
    assert versions is not None
    assert kept[0] >= versions[0]

    with closing(sqlite3.connect(home / "mirror.sqlite")) as ledger:
        ledger.execute("PRAGMA user_version = 99")
    before = (home / "warehouse.duckdb").stat().st_mtime_ns
    with pytest.raises(LedgerError, match="Update shopmirror") as refused:
        sync(settings)
    assert refused.value.exit_code == 2
    assert (home / "warehouse.duckdb").stat().st_mtime_ns == before


def test_a_wrong_zone_a_deleted_warehouse_and_files_of_another_version(home, mirrored):
    """One after another: each needs a mirror, and making one takes longer than the rest."""
    shutil.copytree(mirrored, home, dirs_exist_ok=True)
    days = _days(home)
    spec = ShopSpec("main", timezone=ZONE, limit=None)
    with SandboxServer([spec], size="tiny", minute_seconds=0.5) as server:
        wrong = sync(_settings(server, home, "Asia/Tokyo"))
        shifted = _days(home)
        assert wrong.exit_code == 1, wrong.message  # the books say that something is off
        assert days != shifted
        assert sum(total for _, total in days) == sum(total for _, total in shifted)

        right = sync(_settings(server, home, ZONE))
        assert right.exit_code == 0, right.details
        assert _days(home) == days

        (number,) = enqueue(
            "customers", "create", {"name": "Ana"}, settings=_settings(server, home, ZONE)
        )
        assert _days(home) == days
        with Outbox(home) as outbox:
            assert [(c.number, c.state) for c in outbox.changes()] == [(number, "queued")]
        (home / "warehouse.duckdb").unlink()
        shutil.rmtree(home / "build")
        lost = sync(_settings(server, home, ZONE))
        assert lost.exit_code == 0, (lost.message, lost.details)
        assert _days(home) == days
        with Outbox(home) as outbox:
            assert [(c.number, c.state) for c in outbox.changes()] == [(number, "queued")]
        _older_files_are_brought_up_to_date_and_newer_ones_left_alone(
            _settings(server, home, ZONE), home
        )
