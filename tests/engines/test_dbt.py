"""A build on DuckDB does without dbt: its statements are dbt's all the same, and so are its tables;
and who wants to may run dbt in the folder.

It stands here because dbt takes twenty seconds for it, and builds for the other engines too.
"""

import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pytest

from bench import staging, statements
from pipelines.transform import compiled, models
from pipelines.transform.models import PROJECT, build
from shopmirror.main import main
from tests.few_models import build_few
from tests.warehouse.conftest import warehouse as warehouse
from tests.warehouse.test_one_row import declared as declared
from tests.warehouse.test_one_row import home as home


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


@pytest.mark.usefixtures("declared")
def test_the_dictionary_tells_of_a_list_that_one_row_declares_offline(home, tmp_path, monkeypatch):
    build_few(monkeypatch)
    assert main(["sync", "gadgetLoans"]) == 0
    project = tmp_path / "transforms"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    staging.write(project)
    monkeypatch.setattr(models, "PROJECT", project)
    assert main(["dictionary", "--out", "docs/m.html"]) == 0
    page = (tmp_path / "docs" / "m.html").read_text(encoding="utf-8")
    assert "One row for each part lent with a gadget, as last read from the service." in page
    assert "What the customer left for it." in page
    assert "One row for each payment, with the document and ticket it belongs to; of" in page
    assert "What is in the warehouse" in page
    assert '<script src="http' not in page
    assert str(tmp_path) not in page
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        for view in home.rglob("compiled/**/stg_gadget_loans*.sql"):
            connection.execute(f"create view {view.stem} as {view.read_text()}")
        whole = connection.execute("from stg_gadget_loans order by id").to_arrow_table()
        (part,) = connection.execute("from stg_gadget_loans__parts").to_arrow_table().to_pylist()
    assert whole.column_names == [
        *("shop_id", "id", "customer_id", "customer_internal_id", "name", "customer_name"),
        *("customer_email", "customer_mobile", "customer_phone", "customer_company", "deposit"),
        *("is_returned", "created_at", "created_day", "due_at", "due_day"),
        *("seen_at", "deleted_at", "unreadable"),
    ]
    assert whole["is_returned"].to_pylist() == [True, False, True]
    assert whole["created_day"].to_pylist() == [date(2026, 3, n) for n in (1, 2, 3)]
    assert (part["gadget_loan_id"], part["position"], part["quantity"]) == ("1", 0, 2)
