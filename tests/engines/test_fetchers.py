"""A chain's shops on three machines, one PostgreSQL: what one home would hold, whoever dies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import duckdb
import psycopg2
import pytest

from pipelines.home import Home
from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.engines.equality import differences, same, tables
from tests.engines.postgres import Postgres
from tests.promises import promise

ROOT = Path(__file__).parents[2]
WHEN_READ = {"seen_at", "fetched_at", "first_seen_at"}
SHOPS = ("east", "north", "south")
_FETCHER = """
import sys
from pathlib import Path
from pipelines.warehouse_settings import WarehouseSettings
from pipelines.sync.run import sync
from tests.engines.test_fetchers import settings
home, base, take_over, *shops = sys.argv[1:]
report = sync(
    settings(Path(home), base, dict(shop.split("=") for shop in shops)),
    warehouse=WarehouseSettings(also=("company",)),
    take_over=take_over.split(),
)
print(report.message)
sys.exit(report.exit_code)
"""


def settings(home: Path, base: str, keys: dict[str, str]) -> Settings:
    shops = [
        ShopSettings(
            name=name,
            base_url=base,
            api_key=key,
            timezone="UTC",
            minute_seconds=0.5,
        )
        for name, key in keys.items()
    ]
    return Settings(home=home, shops=tuple(shops))


@pytest.fixture(scope="module")
def chain() -> Iterator[SandboxServer]:
    specs = [ShopSpec(name=name, seed=seed) for seed, name in enumerate(SHOPS, 1)]
    with SandboxServer(specs, minute_seconds=0.5) as server:
        yield server


class Machine:
    """A home, and the process that syncs it."""

    def __init__(self, home: Path, chain: SandboxServer, *shops: str) -> None:
        self._arguments = [str(home), chain.base_url], [f"{s}={chain.keys[s]}" for s in shops]
        self.process: subprocess.Popen[str]

    def begin(self, take_over: str = "") -> None:
        at, shops = self._arguments
        self.process = subprocess.Popen(
            [sys.executable, "-c", _FETCHER, *at, take_over, *shops],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def end(self) -> tuple[int, str]:
        told, _ = self.process.communicate(timeout=600)
        return self.process.returncode, told

    def sync(self, take_over: str = "") -> tuple[int, str]:
        self.begin(take_over)
        return self.end()


@promise("several homes load into one PostgreSQL, and none takes another's shop")
def test_three_homes_load_one_postgres(
    chain: SandboxServer, server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.uri("chain")
    monkeypatch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "postgres")
    monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", address.replace("@", ":unused@"))

    def ask(sql: str) -> list[tuple[Any, ...]]:
        with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    machines = {name: Machine(tmp_path / name, chain, name) for name in SHOPS}
    for machine in machines.values():
        machine.begin()
    # One dies as soon as its shop is its own there, which is before its rows are.
    until = time.monotonic() + 300
    while True:
        assert time.monotonic() < until
        assert machines["east"].process.poll() is None
        if ask("select 1 from pg_class where relname = 'shop_owners'") and ask(
            "select 1 from ops.shop_owners where shop_id = 'east'"
        ):
            break
        time.sleep(0.05)
    machines["east"].process.kill()
    machines["east"].end()
    for name in ("north", "south"):
        code, told = machines[name].end()
        assert code == 0, told
    assert ask("select distinct shop_id from marts.daily_sales order by 1") == [
        ("north",),
        ("south",),
    ]
    # Another home of that shop is refused; its own goes on where it was.
    code, told = Machine(tmp_path / "thief", chain, "east").sync()
    assert code == 1
    assert "--take-over east" in told
    code, told = machines["east"].sync()
    assert code == 0, told

    alone = Home(tmp_path / "alone")
    report = sync(settings(alone.path, chain.base_url, chain.keys))
    assert report.exit_code == 0, report.message
    found, compared = _differences(alone, address)
    # It ends at the minute of its build, and these were built some minutes apart.
    found.pop("marts.shop_days_so_far", None)
    assert found == {}
    assert compared["rows"] > 1000
    same("three homes in one PostgreSQL, and one home alone", **compared)


def _differences(alone: Home, address: str) -> tuple[dict[str, Any], dict[str, int]]:
    found: dict[str, Any] = {}
    compared = {"tables": 0, "rows": 0}
    with (
        duckdb.connect(str(alone.warehouse), read_only=True) as connection,
        adbc.connect(address) as there,
        there.cursor() as cursor,
    ):
        connection.execute("set TimeZone = 'UTC'")
        for schema, table in tables(connection):
            if schema not in ("marts", "staging") and table != "unreadable":
                continue
            cursor.execute(f'select * from {schema}."{table}"')
            theirs = cursor.fetch_arrow_table()
            compared["tables"] += 1
            compared["rows"] += theirs.num_rows
            if different := differences(connection, schema, table, theirs, besides=WHEN_READ):
                found[f"{schema}.{table}"] = len(different), different[:2]
    return found, compared
