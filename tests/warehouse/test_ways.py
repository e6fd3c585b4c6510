"""Two ways to build the models: as shipped without dbt, and dbt itself once they were edited."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from pipelines.transform import compiled, dbt, models
from pipelines.transform.models import PROJECT, ModelRun, ModelsFailed, build, copy_project
from shopmirror.main import main
from tests.warehouse import edited
from tests.warehouse.raw import Raw

WITHOUT_DBT = """
import sys
sys.modules["dbt"] = None
from pathlib import Path
from pipelines.transform.models import build
print(build(Path(sys.argv[1]), home=Path(sys.argv[2]), shops=[]).models)
"""


@pytest.fixture
def raw(tmp_path: Path) -> Raw:
    made = Raw(tmp_path / "warehouse.duckdb")
    made.add("ticket_invoices", "a", amount_total=10, status="Paid", created_date="2026-01-05")
    made.add("ticket_invoices", "b", amount_total=20, status="Due", created_date="2026-01-05")
    return made


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


@edited.NEEDS_DBT
def test_an_edited_project_is_built_by_dbt_with_all_that_it_says(raw: Raw, tmp_path: Path) -> None:
    """A unique key, a pivot over what is there, a literal date, hooks and a seed; twice. Of the
    models that are shipped it has those that the edited ones read.
    """
    mine = edited.write(tmp_path / "mine")
    edited.leave_out(mine, keep="stg_ticket_invoices.sql")
    run = build(raw.path, home=tmp_path, shops=[], project=mine)
    assert run.models >= 3
    assert raw.execute(edited.ASKED) == [("a", 10, edited.CUT_OFF), ("b", 20, edited.CUT_OFF)]
    assert raw.execute("select shop_id, paid, due from marts.by_status") == [("main", 1, 1)]
    assert raw.execute("select region from marts.regions") == [("North",)]
    # One changed, a status is new, which is in the pivot, and what dbt finds wrong stops the build.
    raw.execute("update raw.ticket_invoices set amount_total = 15 where id = 'a'")
    raw.add("ticket_invoices", "c", amount_total=1, status="Void", created_date="2026-01-05")
    (mine / "tests" / "mine.sql").write_text("select * from {{ ref('by_status') }} where void = 1")
    with pytest.raises(ModelsFailed, match=r"Test mine \(mine/tests/mine\.sql\)"):
        build(raw.path, home=tmp_path, shops=[], project=mine)
    assert raw.execute(edited.ASKED) == [
        (id, amount, edited.CUT_OFF) for id, amount in (("a", 15), ("b", 20), ("c", 1))
    ]
    assert raw.execute("select count(*) from marts.told") == [(2,)]


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
    clone = plain_folder / "transforms"
    shutil.copytree(PROJECT, clone)
    monkeypatch.setattr(models, "PROJECT", clone)
    assert told() == "as shipped"
    (clone / "models" / "marts" / "leads.sql").write_text("select 1 as one")
    (clone / "target").mkdir()
    (clone / "target" / "run.sql").write_text("select 1")  # dbt's own
    assert "since models/marts/leads.sql differ" in told()
    (clone / "models" / "marts" / "mine.sql").write_text("select 1 as one")
    assert "models/marts/leads.sql, models/marts/mine.sql differ" in told()


# -- statements as shipped ------------------------------------------------------------------------


def shipped(folder: Path, *nodes: compiled.Node, depths: Iterable[int] = range(9)) -> Path:
    """A project that ships these statements, each reading those before it, or of given depths."""
    (folder / compiled.FOLDER).mkdir(parents=True, exist_ok=True)
    for depth, node in zip(depths, nodes, strict=False):
        compiled.write(folder / compiled.FOLDER, depth, node)
    comments = {f"{node.schema}.{node.table}": {} for node in nodes}
    (folder / compiled.FOLDER / compiled.COMMENTS).write_text(json.dumps(comments))
    lines = [f"{digest}  {name}\n" for name, digest in compiled.files(folder).items()]
    (folder / compiled.FOLDER / compiled.FILES).write_text("".join(lines))
    return folder


@pytest.fixture
def built(raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModelRun]:
    """Builds statements as shipped: ``built(node, node, depths=(0, 0))``."""
    projects = itertools.count()

    def make(*nodes: compiled.Node, depths: Iterable[int] = range(9), **more: int) -> ModelRun:
        project = shipped(tmp_path / f"project{next(projects)}", *nodes, depths=depths)
        monkeypatch.setattr(models, "PROJECT", project)
        return build(raw.path, home=tmp_path, shops=[], **more)

    return make


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
    raw: Raw, built: Callable[..., ModelRun], settings: dict[str, str], outcome: str
) -> None:
    rows = model("rows", "from range(3) as r(n)")
    test = compiled.Node("odd", "tests/odd.sql", "test", 'select * from "marts"."rows"', **settings)
    if outcome == "fail":
        with pytest.raises(
            ModelsFailed, match=r"Test odd \(transforms/tests/odd\.sql\): 3 records"
        ):
            built(rows, test)
        return
    assert built(rows, test).findings == ({"odd": 3} if outcome else {})
    if "stores" in settings:
        assert raw.execute("select count(*) from audit.found") == [(3,)]


def model(name: str, sql: str, kind: str = "table") -> compiled.Node:
    later = sql if kind == "incremental" else ""
    return compiled.Node(name, f"models/{name}.sql", kind, sql, "marts", name, later)


def test_a_model_that_fails_leaves_no_half_and_the_next_build_makes_all_anew(
    raw: Raw, built: Callable[..., ModelRun]
) -> None:
    """In the private file stands what was made before the fault; readers have another one."""
    built(model("first", "select 1 as n"), model("second", "select 1 as n"))
    with pytest.raises(ModelsFailed, match=r"second \(transforms/models/second\.sql\).*column"):
        built(model("first", "select 2 as n"), model("second", "select x as n"))
    assert raw.execute("select n, (select n from marts.second) from marts.first") == [(2, 1)]
    built(model("first", "select 3 as n"), model("second", "select 3 as n"))
    assert raw.execute("select n, (select n from marts.second) from marts.first") == [(3, 3)]


def test_a_table_that_no_model_makes_any_more_goes_and_a_view_stays(
    raw: Raw, built: Callable[..., ModelRun]
) -> None:
    """An older version's table, or one of a project of somebody's own, would never change again."""
    history = replace(model("seen", "select 1 as n", "incremental"), schema="history")
    built(model("table", "select 1 as n"), model("look", "select 1 as n", "view"), history)
    built(model("other", "select 1 as n"))
    sql = "select table_name from information_schema.tables where table_schema in (?, ?) order by 1"
    assert raw.execute(sql, "marts", "history") == [("look",), ("other",), ("seen",)]


def pipes(folder: Path, *names: str) -> list[Path]:
    """Files that have an end when somebody wrote them."""
    made = [folder / f"{name}.csv" for name in names]
    for pipe in made:
        os.mkfifo(pipe)
    return made


def test_a_build_makes_two_models_at_a_time_that_do_not_read_each_other(
    raw: Raw, tmp_path: Path, built: Callable[..., ModelRun]
) -> None:
    """Each of two reads a pipe, and neither pipe has an end before both are read."""
    first, second = pipes(tmp_path, "a", "b")
    nodes = [model(pipe.stem, f"from read_csv('{pipe}')") for pipe in (first, second)]
    nodes.append(model("both", "select a.n + b.n as n from marts.a, marts.b"))

    def answer() -> None:
        with first.open("w") as one, second.open("w") as other:
            one.write("n\n1\n")
            other.write("n\n2\n")

    with ThreadPoolExecutor() as pool:
        pool.submit(answer)
        built(*nodes, depths=(0, 0, 1))
    assert raw.execute("select n from marts.both") == [(3,)]


def test_a_model_that_found_no_memory_beside_another_is_made_once_the_other_is(
    raw: Raw, tmp_path: Path, built: Callable[..., ModelRun]
) -> None:
    """It is given more than it may hold, and little once the other has all that it waits for."""
    first, second = pipes(tmp_path, "a", "b")
    nodes = [
        model("a", f"select list(repeat('x', 1000000)) as held from read_csv('{first}')"),
        model("b", f"from read_csv('{second}')"),
        model("both", "select len(held) as held, n from marts.a, marts.b"),
    ]

    def answer() -> None:
        with suppress(BrokenPipeError), first.open("w") as one:
            one.write("n\n")
            for _ in range(10_000):  # until the reader gave up
                one.write("1\n" * 10_000)
        with second.open("w") as other:
            other.write("n\n2\n")
        with first.open("w") as one:
            one.write("n\n1\n")

    with ThreadPoolExecutor() as pool:
        pool.submit(answer)
        built(*nodes, depths=(0, 0, 1), memory=200_000_000)
    assert raw.execute("select held, n from marts.both") == [(1, 2)]


KILLED = """
import sys
from pathlib import Path
from pipelines.transform import models
models.PROJECT = Path(sys.argv[2])
models.build(Path(sys.argv[1]), home=Path(sys.argv[1]).parent, shops=[])
"""


def test_a_build_that_was_killed_in_the_middle_is_repaired_by_the_next(
    raw: Raw, tmp_path: Path, built: Callable[..., ModelRun]
) -> None:
    def nodes(number: int, last: str) -> tuple[compiled.Node, ...]:
        return (
            model("first", f"select {number} as n"),
            model("seen", f"select {number} as n, {compiled.MOMENT} as at", "incremental"),
            model("second", last),
        )

    (pipe,) = pipes(tmp_path, "pipe")
    waits = shipped(tmp_path / "mine", *nodes(1, f"from read_csv('{pipe}', header = false)"))
    command = [sys.executable, "-c", KILLED, str(raw.path), str(waits)]
    with subprocess.Popen(command) as process:
        with pipe.open("w"):  # opened when the last model begins to read it
            process.kill()
        assert process.wait() == -signal.SIGKILL
    built(*nodes(2, "select 2 as n"))
    assert raw.execute("select n, (select n from marts.second) from marts.first") == [(2, 2)]
    # What history saw before the kill it may keep, and no build adds it twice.
    found = raw.execute("select n, count(*) from marts.seen group by 1 order by 1")
    assert found == [(1, 1), (2, 1)]


def test_rows_that_are_only_added_get_columns_that_are_new(
    raw: Raw, built: Callable[..., ModelRun]
) -> None:
    for columns in ("1 as n", "2 as n, 'x' as text"):
        built(model("seen", f"select {columns}, {compiled.MOMENT} as seen_at", "incremental"))
    assert raw.execute("select n, text, seen_at < now() from marts.seen order by n") == [
        (1, None, True),
        (2, "x", True),
    ]
