"""The published file, opened by the oldest DuckDB that an analyst's tools may bring."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.promises import promise

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


@promise("what is published opens in DuckDB 1.2 and later")
def test_whatever_is_published_opens_in_an_older_duckdb(mirrored, older):
    """Each table and view of it, with all columns."""
    with duckdb.connect(str(mirrored / "warehouse.duckdb"), read_only=True) as ours:
        found = ours.execute("select table_schema, table_name from information_schema.tables")
        relations = [f'{schema}."{table}"' for schema, table in found.fetchall()]
    asked = (
        "import duckdb, sys; print(duckdb.__version__)\n"
        "with duckdb.connect(sys.argv[1], read_only=True) as file:\n"
        "    for relation in sys.argv[2:]:\n"
        "        file.execute(f'select max(hash(found)) from {relation} as found').fetchall()\n"
        "print('all are read')"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked, mirrored / "warehouse.duckdb", *relations],
        capture_output=True, text=True, timeout=60, env=os.environ | {"PYTHONPATH": str(older)},
    )  # fmt: skip
    assert len(relations) > 180
    assert done.stdout.split("\n", 1) == [OLDEST, "all are read\n"], done.stderr[-500:]
