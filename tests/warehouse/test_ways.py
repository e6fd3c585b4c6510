"""Two ways to build the models: as shipped without dbt, and dbt itself once they were edited."""

import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.transform import compiled, dbt, models
from pipelines.transform.models import PROJECT, ModelsFailed, build, copy_project
from shopmirror.main import main
from tests.warehouse.raw import Raw

pytestmark = pytest.mark.xdist_group("transforms")

WITHOUT_DBT = """
import sys
sys.modules["dbt"] = None
from pathlib import Path
from pipelines.transform.models import build
print(build(Path(sys.argv[1]), home=Path(sys.argv[2]), shops=[]).models)
"""
VISITS = """
{{ config(materialized='incremental', unique_key='id',
    post_hook="insert into marts.told select 'hook'") }}
select id, amount_total as amount, cast('2024-01-01 00:00:00' as timestamp) as cut_off
from {{ ref('stg_ticket_invoices') }}
"""
PIVOT = """
{%- set question = 'select distinct status from ' ~ ref('stg_ticket_invoices') ~ ' order by 1' %}
{%- set statuses = run_query(question).columns[0].values() if execute else [] %}
select shop_id
{%- for status in statuses %},
    sum(case when status = '{{ status }}' then 1 else 0 end) as {{ status | lower }}
{%- endfor %}
from {{ ref('stg_ticket_invoices') }}
group by 1
"""
PROJECT_MORE = """
seed-paths: [seeds]
on-run-start:
  - create schema if not exists marts
  - create table if not exists marts.told (what varchar)
"""


@pytest.fixture
def raw(tmp_path: Path) -> Raw:
    made = Raw(tmp_path / "warehouse.duckdb")
    made.add("ticket_invoices", "a", amount_total=10, status="Paid", created_date="2026-01-05")
    made.add("ticket_invoices", "b", amount_total=20, status="Due", created_date="2026-01-05")
    return made


def of_my_own(folder: Path) -> Path:
    """A copy of the project with what dbt alone can do."""
    copy_project(folder)
    (folder / "models" / "marts" / "visits.sql").write_text(VISITS)
    (folder / "models" / "marts" / "by_status.sql").write_text(PIVOT)
    (folder / "seeds").mkdir()
    (folder / "seeds" / "regions.csv").write_text("shop_id,region\nmain,North\n")
    with (folder / "dbt_project.yml").open("a") as project:
        project.write(PROJECT_MORE)
    return folder


def test_what_is_shipped_is_what_the_project_holds() -> None:
    """After an edit of transforms/: `make models`."""
    assert compiled.edited(PROJECT) == []
    nodes = compiled.read(PROJECT)
    assert {node.kind for node in nodes} == {"table", "view", "incremental", "test"}
    assert len({node.name for node in nodes}) == len(nodes)


def test_a_build_as_shipped_does_without_dbt(raw: Raw, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_DBT, str(raw.path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
    assert raw.execute("select sum(total) from marts.daily_sales") == [(Decimal(30),)]


def test_an_edited_project_without_dbt_says_what_to_install(
    raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dbt, "find_spec", lambda _name: None)
    copy_project(tmp_path / "mine")
    with pytest.raises(ModelsFailed, match=r"pip install 'shopmirror\[dbt\]'") as failed:
        build(raw.path, home=tmp_path, shops=[], project=tmp_path / "mine")
    assert failed.value.exit_code == 1


def test_an_edited_project_is_built_by_dbt_with_all_that_it_says(raw: Raw, tmp_path: Path) -> None:
    """A unique key, a pivot over what is there, a literal date, hooks and a seed; twice."""
    mine = of_my_own(tmp_path / "mine")
    for _ in range(2):
        run = build(raw.path, home=tmp_path, shops=[], project=mine)
        assert run.models > 100 and run.tests > 40
    assert raw.execute("select id, amount, cast(cut_off as date) from marts.visits order by 1") == [
        ("a", 10, duckdb.sql("select date '2024-01-01'").fetchall()[0][0]),
        ("b", 20, duckdb.sql("select date '2024-01-01'").fetchall()[0][0]),
    ]
    assert raw.execute("select shop_id, paid, due from marts.by_status") == [("main", 1, 1)]
    assert raw.execute("select region from marts.regions") == [("North",)]
    assert raw.execute("select count(*) from marts.told") == [(2,)]
    assert raw.execute("select sum(total) from marts.daily_sales") == [(Decimal(30),)]
    # A status that is new is in the pivot, and what dbt finds wrong stops the build.
    raw.add("ticket_invoices", "c", amount_total=1, status="Void", created_date="2026-01-05")
    (mine / "tests" / "mine.sql").write_text("select * from {{ ref('by_status') }} where void = 1")
    with pytest.raises(ModelsFailed, match=r"Test mine \(transforms/tests/mine\.sql\)"):
        build(raw.path, home=tmp_path, shops=[], project=mine)


def test_a_project_of_ones_own_is_written_and_named_by_status(
    plain_folder: Path,
    mirrored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(mirrored, plain_folder / "data")
    for name, value in {"BASE_URL": "http://127.0.0.1:1/v1", "API_KEY": "k"}.items():
        monkeypatch.setenv(f"SOURCES__REPAIR_SHOP__{name}", value)

    def told() -> str:
        capsys.readouterr()
        main(["status", "--json"])
        return str(json.loads(capsys.readouterr().out)["warehouse"]["models"])

    assert told() == "as shipped"
    assert main(["models", "--to", "mine"]) == 0
    assert (plain_folder / "mine" / "dbt_project.yml").exists()
    assert not (plain_folder / "mine" / "compiled").exists()
    assert main(["models", "--to", "mine"]) == 2
    monkeypatch.setenv("WAREHOUSE__MODELS", "mine")
    assert told() == f"by dbt, from {plain_folder / 'mine'}"
    monkeypatch.delenv("WAREHOUSE__MODELS")
    edited = plain_folder / "transforms"
    shutil.copytree(PROJECT, edited)
    monkeypatch.setattr(models, "PROJECT", edited)
    assert told() == "as shipped"
    (edited / "models" / "marts" / "leads.sql").write_text("select 1 as one")
    (edited / "target").mkdir()
    (edited / "target" / "run.sql").write_text("select 1")  # dbt's own
    assert "since models/marts/leads.sql differ" in told()
    (edited / "models" / "marts" / "mine.sql").write_text("select 1 as one")
    assert "models/marts/leads.sql, models/marts/mine.sql differ" in told()


# -- statements as shipped ------------------------------------------------------------------------


def shipped(folder: Path, *nodes: compiled.Node) -> Path:
    """A project that ships these statements."""
    (folder / compiled.FOLDER).mkdir(parents=True, exist_ok=True)
    for depth, node in enumerate(nodes):
        compiled.write(folder / compiled.FOLDER, depth, node)
    (folder / compiled.FOLDER / compiled.COMMENTS).write_text("{}")
    lines = [f"{digest}  {name}\n" for name, digest in compiled.files(folder).items()]
    (folder / compiled.FOLDER / compiled.FILES).write_text("".join(lines))
    return folder


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({}, "fail"),
        ({"severity": "warn"}, "warn"),
        ({"error_if": "> 3"}, "warn"),
        ({"error_if": "> 2"}, "fail"),
        ({"error_if": "> 3", "warn_if": "> 3"}, ""),
        ({"fail_calc": "max(n) - 2"}, ""),
        ({"stores": "audit.found", "severity": "warn"}, "warn"),
    ],
)
def test_a_test_of_the_data_means_what_it_means_to_dbt(
    raw: Raw,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    outcome: str,
) -> None:
    model = compiled.Node(
        "rows", "models/rows.sql", "table", "from range(3) as r(n)", "marts", "rows"
    )
    test = compiled.Node("odd", "tests/odd.sql", "test", 'select * from "marts"."rows"', **settings)
    monkeypatch.setattr(models, "PROJECT", shipped(tmp_path / "project", model, test))
    if outcome == "fail":
        with pytest.raises(
            ModelsFailed, match=r"Test odd \(transforms/tests/odd\.sql\): 3 records"
        ):
            build(raw.path, home=tmp_path, shops=[])
        return
    assert build(raw.path, home=tmp_path, shops=[]).findings == ({"odd": 3} if outcome else {})
    if "stores" in settings:
        assert raw.execute("select count(*) from audit.found") == [(3,)]


def test_a_model_that_fails_leaves_everything_as_it_was(
    raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def node(name: str, sql: str) -> compiled.Node:
        return compiled.Node(name, f"models/{name}.sql", "table", sql, "marts", name)

    first, bad = node("first", "select 1 as n"), node("second", "select x as n")
    monkeypatch.setattr(models, "PROJECT", shipped(tmp_path / "a", first))
    build(raw.path, home=tmp_path, shops=[])
    again = node("first", "select 2 as n")
    monkeypatch.setattr(models, "PROJECT", shipped(tmp_path / "b", again, bad))
    with pytest.raises(ModelsFailed, match=r"second \(transforms/models/second\.sql\).*column"):
        build(raw.path, home=tmp_path, shops=[])
    assert raw.execute("select n from marts.first") == [(1,)]


def test_rows_that_are_only_added_get_columns_that_are_new(
    raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def project(name: str, columns: str) -> Path:
        sql = f"select {columns}, {compiled.MOMENT} as seen_at"
        node = compiled.Node("seen", "models/seen.sql", "incremental", sql, "marts", "seen", sql)
        return shipped(tmp_path / name, node)

    for name, columns in (("a", "1 as n"), ("b", "2 as n, 'x' as text")):
        monkeypatch.setattr(models, "PROJECT", project(name, columns))
        build(raw.path, home=tmp_path, shops=[])
    assert raw.execute("select n, text, seen_at < now() from marts.seen order by n") == [
        (1, None, True),
        (2, "x", True),
    ]
