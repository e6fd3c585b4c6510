"""The published file, opened by the oldest DuckDB that an analyst's tools may bring."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.home import open_database

OLDEST = "1.2.0"


@pytest.fixture(scope="module")
def older(tmp_path_factory) -> Path:
    """A folder with the oldest DuckDB that is promised."""
    folder: Path = tmp_path_factory.mktemp("older")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--only-binary=:all:", "--no-deps"]
    done = subprocess.run(
        [*pip, "--target", folder, f"duckdb=={OLDEST}"],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"DuckDB {OLDEST} cannot be installed here")
    return folder


def test_a_file_of_ours_opens_in_an_older_duckdb(tmp_path, older):
    path = tmp_path / "warehouse.duckdb"
    with open_database(path) as made:
        made.execute(
            "create table marts_like as select i as id, (i * 1.5)::decimal(28,4) as amount, "
            "'row ' || i % 7 as name, date '2026-01-01' + (i % 365)::int as day, [i, 2] as l, "
            "timestamptz '2026-01-01 00:00:00+00' as at from range(50000) t(i)"
        )
        made.execute(
            "create view as_view as select name, sum(amount) as s from marts_like group by 1"
        )
    with open_database(path) as again:
        again.execute("insert into marts_like select * replace (-1 as id) from marts_like limit 10")
        again.execute("force checkpoint")
    asked = (
        "import duckdb, sys; print(duckdb.__version__); "
        "c = duckdb.connect(sys.argv[1], read_only=True); "
        "print(c.execute('select count(*), sum(amount)::varchar from marts_like').fetchone(), "
        "c.execute('select count(*) from as_view').fetchone())"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked, path],
        capture_output=True, text=True, timeout=60, env=os.environ | {"PYTHONPATH": str(older)},
    )  # fmt: skip
    assert OLDEST in done.stdout
    assert "50010" in done.stdout, done.stderr[-300:]
    assert "(7,)" in done.stdout
