"""``dlt init`` for other destinations than DuckDB: files, and a PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pyarrow.dataset as ds
import pytest

from sandbox.server import SandboxServer
from tests.engines.postgres import Postgres, do
from tests.promises import promise
from tests.source.project import Project
from tests.source.test_source import _own_folder, shop

__all__ = ["_own_folder", "shop"]
TABLES = ("tickets", "ticket_invoices", "payments", "suppliers")


@pytest.fixture
def ids(shop: SandboxServer) -> dict[str, set[str]]:
    store = shop.store("main")
    return {table: {str(row["id"]) for row in store.all(table)} for table in TABLES}


@promise("dlt init makes a project that runs, with any destination of dlt")
def test_into_files(
    ids: dict[str, set[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    monkeypatch.setenv("DESTINATION__FILESYSTEM__BUCKET_URL", lake.as_uri())
    project = Project(tmp_path, "filesystem")
    assert "no failed jobs" in project.run("repair_shop_pipeline.py")
    for table, expected in ids.items():
        files = [str(path) for path in (lake / "raw" / table).glob("*.parquet")]
        assert set(ds.dataset(files).to_table(["id"])["id"].to_pylist()) == expected
    before = sorted(lake.rglob("*.parquet"))
    project.run("repair_shop_pipeline.py")
    again = set(lake.rglob("*.parquet")) - set(before)
    assert not [path for path in again if path.parent.name in TABLES]


@promise("dlt init makes a project that runs, with any destination of dlt")
def test_into_postgres(
    ids: dict[str, set[str]], server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.uri("initiated")
    monkeypatch.setenv("DESTINATION__POSTGRES__CREDENTIALS", address.replace("@", ":unused@"))
    project = Project(tmp_path, "postgres")
    for told in ("no failed jobs", "0 load package(s)"):
        assert told in project.run("repair_shop_pipeline.py")
        for table, expected in ids.items():
            assert sorted(do(address, f"select id from raw.{table}")) == sorted(
                (id,) for id in expected
            )
