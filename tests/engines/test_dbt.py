"""A build on DuckDB does without dbt: its statements are dbt's all the same, and so are its tables;
and who wants to may run dbt in the folder.

It stands here because dbt takes twenty seconds for it, and builds for the other engines too.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb

from bench import statements
from pipelines.transform import compiled
from pipelines.transform.models import PROJECT, build
from tests.warehouse.conftest import warehouse as warehouse


def test_make_models_writes_what_was_shipped_and_dbt_builds_the_same_tables(
    warehouse, tmp_path, monkeypatch
):
    project = tmp_path / "transforms"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    statements.write(project)
    assert compiled.files(project) == compiled.files(PROJECT)
    ours, theirs = tmp_path / "ours.duckdb", tmp_path / "theirs.duckdb"
    for copy in (ours, theirs):
        copy.write_bytes(warehouse.raw.path.read_bytes())
        with duckdb.connect(str(copy)) as connection:
            for schema in ("staging", "intermediate", "marts", "history"):
                connection.execute(f"drop schema {schema} cascade")
    run = build(ours, home=tmp_path, shops=[])
    assert not (tmp_path / "build" / "dbt").exists()  # dbt had no part in it
    with duckdb.connect(str(ours), read_only=True) as connection:
        sql = "select max(built_at) from intermediate.int_shops"
        [built_at] = connection.execute(sql).fetchone()
    monkeypatch.setenv("SHOPMIRROR_BUILT_AT", str(built_at))  # of one minute, so far is as far
    of_dbt = build(theirs, home=warehouse.home, shops=[], project=project)
    assert (run.models, run.tests, run.findings) == (of_dbt.models, of_dbt.tests, of_dbt.findings)
    assert _contents(theirs) == _contents(ours)


_CUSTOMERS = ("--select", "source:raw.customers")


def test_dbt_itself_runs_in_the_folder(warehouse, tmp_path):
    """With the folder's own profile: the tests that the product leaves out, those of the models
    themselves among them, and freshness.
    """
    copy = tmp_path / "warehouse.duckdb"
    with warehouse.raw.held():
        copy.write_bytes(warehouse.raw.path.read_bytes())
    places = ["--target-path", str(tmp_path / "target"), "--log-path", str(tmp_path / "logs")]
    environment = {
        **os.environ,
        "SHOPMIRROR_DUCKDB": str(copy),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    tests = ("test", "--select", "tag:thorough", "test_type:unit")
    words = ([*tests], ["source", "freshness", *_CUSTOMERS])
    # The command's own entry, twice in one process: loading dbt takes longer than what it does.
    command = (
        "from dbt.cli.main import dbtRunner\n"
        f"done = [dbtRunner().invoke([*words, *{places!r}]) for words in {words!r}]\n"
        "raise SystemExit(not all(one.success for one in done))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "belongs_to_payments_ticket_id" in done.stdout
    assert "freshness of raw.customers" in done.stdout
    assert len(re.findall(r"PASS \w+::\w+", done.stdout)) >= 7, done.stdout
    assert "exposure.shopmirror.closing_report" in (tmp_path / "target/manifest.json").read_text()


def _contents(path: Path) -> dict[str, object]:
    """Relations -> their columns with types and comments, and their rows; none of when."""
    found: dict[str, object] = {}
    with duckdb.connect(str(path), read_only=True) as connection:
        for schema, table in connection.execute(
            "select table_schema, table_name from information_schema.tables "
            "where table_schema <> 'raw' and table_name <> 'models'"
        ).fetchall():
            name = f'{schema}."{table}"'
            columns = connection.execute(
                "select column_name, data_type, comment from duckdb_columns() "
                "where schema_name = ? and table_name = ?",
                [schema, table],
            ).fetchall()
            lasting = [
                column
                for column, *_ in columns
                if not column.startswith("dbt_") and column not in ("first_seen_at", "built_at")
            ]
            listed = ", ".join(f'"{column}"' for column in lasting)
            rows = connection.execute(f"select {listed} from {name} order by all").fetchall()
            found[name] = (columns, rows)
    return found
