"""How PostgreSQL goes about a build of more than a few rows."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from bench.models import fill
from pipelines.transform import dbt, models
from tests.engines.equality import inputs
from tests.engines.postgres import Postgres, do, hold

_LINES = 20_000


def test_no_statement_compares_each_row_with_each(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a second; by the plans that PostgreSQL would choose, some took minutes."""
    path, address = tmp_path / "warehouse.duckdb", server.uri("plans")
    fill(path, _LINES)
    models.prepare(path, [])
    with duckdb.connect(str(path), read_only=True) as connection:
        hold(address, inputs(connection))
    do(address, "alter database plans set statement_timeout = '30s'")
    monkeypatch.setattr(dbt, "BUILD", ("run",))
    models.build_at("postgres", server.profile(address), home=tmp_path)
    lines = _LINES - _LINES % 9
    assert do(address, "select count(*) from marts.sales_lines") == [(lines,)]
