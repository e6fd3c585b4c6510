"""A published warehouse without a service: generated records, loaded, modelled and published."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import time_machine

from pipelines.home import Home
from pipelines.publish.publish import publish
from pipelines.report import Period, closing_report
from pipelines.report.closing import Page, Report
from pipelines.transform.models import build
from sandbox.generator import Size, generate
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.homes import shop_of
from tests.ledgers import LoadedHome
from tests.once import made_once

TODAY = date(2026, 7, 16)
"""The last day of business of the generated shops."""
NOW = datetime(2026, 7, 17, 2, 0, tzinfo=UTC)
"""The evening of that day in the Americas."""


@dataclass(frozen=True)
class Shop:
    """A shop to generate."""

    zone: str = "America/Guatemala"
    currency: str = "GTQ"
    seed: int = 11
    size: Size = "tiny"


def make_home(path: Path, shops: Mapping[str, Shop]) -> Path:
    """Fill ``path`` with a published warehouse of ``shops`` whose books agree; returns it."""
    home = Home(path)
    settings = [
        shop_of(name, timezone=shop.zone, currency=shop.currency, closed_weekdays="sun")
        for name, shop in shops.items()
    ]
    loaded = LoadedHome(home, settings)
    loader = loaded.loader
    for name, shop in shops.items():
        for resource, rows in _rows(name, shop).items():
            loaded.answer(resource, *rows, shop=name)
    loaded.feed.load_waiting()
    loaded.ledger.close()
    loader.write_ops("runs", [_run()])
    loader.write_ops("completeness", [_proof(name, table) for name in shops for table in ENDPOINTS])
    # The models take the build's clock for now: that evening is the shops' running day.
    with time_machine.travel(NOW):
        build(home.build_warehouse, home=home.path, shops=settings)
    _agree(home.build_warehouse)
    publish(home)
    return home.path


def chain_home(factory: pytest.TempPathFactory) -> Path:
    """Two shops whose books agree, made once a run for all folders of tests; read only."""
    shops = {"centro": Shop(), "norte": Shop(seed=5)}
    return made_once(factory, "chain", lambda path: make_home(path, shops))


def change(home: Path, *statements: str) -> None:
    """Change the published warehouse in place; nothing may have it open."""
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement)


def built_at(home: Path, minute: int) -> None:
    """Let the running day of a published warehouse have come to a minute only."""
    change(
        home,
        f"create table marts.early as select * replace ({minute} as until_minute) "
        "from marts.shop_days_so_far",
        "drop view marts.shop_days_so_far",
        "alter table marts.early rename to shop_days_so_far",
    )


def ask(home: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Ask the published warehouse, independent of the code under test."""
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        return connection.execute(sql, list(values)).fetchall()


def _run() -> dict[str, Any]:
    return {
        "run_id": 1,
        "command": "sync",
        "started_at": NOW - timedelta(minutes=20),
        "exit_code": None,
    }


def _proof(shop: str, table: str) -> dict[str, Any]:
    return {
        "shop_id": shop,
        "resource": table,
        "kind": "full",
        "is_proven": True,
        "began_at": NOW - timedelta(minutes=20),
    }


def _rows(name: str, shop: Shop) -> dict[str, list[dict[str, Any]]]:
    batches: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    records = generate(
        seed=shop.seed,
        size=shop.size,
        shop=name,
        timezone=shop.zone,
        until=TODAY + timedelta(days=1),
    )
    for resource, record in records:
        if resource not in ENDPOINTS:
            continue
        served = {k: v for k, v in record.items() if not k.startswith("_")}
        # Through JSON, as an answer of the service comes.
        batches[resource].append(json.loads(json.dumps(served, default=str)))
    return dict(batches)


def _agree(database: Path) -> None:
    """As if the service had told the same figures."""
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "insert into marts.reconciliation (shop_id, report, period, ours, theirs, difference, "
            "matches, fetched_at) "
            "select shop_id, 'monthly_sales', month, total, total, 0, true, "
            f"timestamptz '{NOW.isoformat()}' from marts.monthly_sales"
        )


def report(home: Path, text: str = "", **options: Any) -> Report:
    """The closing report of the period that ``text`` names, as of that evening."""
    return closing_report(home, now=NOW, period=Period.read(text), **options)


def texts(page: Page) -> list[str]:
    """What a page warns of, in words."""
    return [line.shown for line in page.cautions]
