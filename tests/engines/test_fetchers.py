"""A chain's shops on three machines, one PostgreSQL: what one home would hold, whoever dies."""

from __future__ import annotations

import time
from typing import Any

import duckdb
import pytest

from pipelines.home import Home
from pipelines.sync.run import sync
from tests.engines.chain import SHOPS, Chain, ended
from tests.engines.equality import differences, same, tables
from tests.engines.postgres import name_company, table
from tests.promises import promise

WHEN_READ = {"seen_at", "fetched_at", "first_seen_at"}


@promise("several homes load into one PostgreSQL, and none takes another's shop")
def test_three_homes_load_one_postgres(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    name_company(monkeypatch, chain.address)
    machines = {shop: chain.begin(shop) for shop in SHOPS}
    # One dies as soon as its shop is its own there, which is before its rows are.
    until = time.monotonic() + 300
    while not (
        chain.do("select 1 from pg_class where relname = 'shop_owners'")
        and chain.do("select 1 from ops.shop_owners where shop_id = 'east'")
    ):
        assert time.monotonic() < until
        assert machines["east"].poll() is None
        time.sleep(0.05)
    machines["east"].kill()
    ended(machines["east"])
    for shop in ("north", "south"):
        code, told = ended(machines[shop])
        assert code == 0, told
    shops = chain.do("select distinct shop_id from marts.daily_sales order by 1")
    assert shops == [("north",), ("south",)]
    # Another home of that shop is refused; its own goes on where it was.
    code, told = ended(chain.begin("east", home="thief"))
    assert code == 1
    assert "--take-over east" in told
    code, told = ended(chain.begin("east"))
    assert code == 0, told

    alone = chain.settings("alone", *SHOPS)
    report = sync(alone)
    assert report.exit_code == 0, report.message
    found, compared = _differences(Home(alone.home), chain.address)
    # It ends at the minute of its build, and these were built some minutes apart.
    found.pop("marts.shop_days_so_far", None)
    assert found == {}
    assert compared["rows"] > 1000
    same("three homes in one PostgreSQL, and one home alone", **compared)


def _differences(alone: Home, address: str) -> tuple[dict[str, Any], dict[str, int]]:
    found: dict[str, Any] = {}
    compared = {"tables": 0, "rows": 0}
    with duckdb.connect(str(alone.warehouse), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for schema, name in tables(connection):
            if schema not in ("marts", "staging") and name != "unreadable":
                continue
            theirs = table(address, schema, name)
            compared["tables"] += 1
            compared["rows"] += theirs.num_rows
            if different := differences(connection, schema, name, theirs, besides=WHEN_READ):
                found[f"{schema}.{name}"] = len(different), different[:2]
    return found, compared
