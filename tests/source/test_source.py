"""The dlt source as its users meet it: in a folder of their own, with destinations of their own."""

import ast
import threading
from pathlib import Path
from typing import Any

import dlt
import duckdb
import pyarrow.parquet as pq
import pytest
from dlt.common.configuration.container import Container
from dlt.common.configuration.specs.pluggable_run_context import PluggableRunContext
from dlt.pipeline.exceptions import PipelineStepFailed

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop import repair_shop
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.promises import promise
from tests.source.project import CLONE, Project

ZONE = "America/Guatemala"
PREFIX = "SOURCES__REPAIR_SHOP__"
LISTS = ("brands", "tickets")


@pytest.fixture(autouse=True)
def _own_folder(plain_folder, tmp_path, monkeypatch):
    """The current folder, dlt's own and the settings are each test's own."""
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")
    monkeypatch.setenv("DLT_DATA_DIR", str(tmp_path / "dlt"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    # dlt has read the settings of the folder in which the tests began.
    Container()[PluggableRunContext].reload_providers()


@pytest.fixture
def shop(monkeypatch):
    with SandboxServer([ShopSpec("main", timezone=ZONE, limit=None)], minute_seconds=0.5) as server:
        for name, value in settings_of(server, "main").items():
            monkeypatch.setenv(PREFIX + name.upper(), str(value))
        yield server


def settings_of(server: SandboxServer, name: str) -> dict[str, Any]:
    return {
        "base_url": server.base_url,
        "api_key": server.keys[name],
        "timezone": ZONE,
        "requests_per_minute": 100_000,
        "minute_seconds": 0.5,
    }


@pytest.fixture
def pipeline(tmp_path):
    def make(name):
        return dlt.pipeline(
            name,
            pipelines_dir=str(tmp_path / "pipelines"),
            destination=dlt.destinations.duckdb(str(tmp_path / f"{name}.duckdb")),
            dataset_name="raw",
        )

    return make


def ask(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as database:
        return database.execute(sql).fetchall()


@promise("dlt init makes a project that runs, with any destination of dlt")
def test_dlt_init_makes_a_project_that_runs(shop, tmp_path):
    project = Project(tmp_path, "duckdb")
    assert "api_key" in (project.folder / ".dlt" / "secrets.toml").read_text()
    assert "LOADED and contains no failed jobs" in project.run("repair_shop_pipeline.py")
    [warehouse] = project.folder.glob("*.duckdb")
    store = shop.store("main")
    for table in ("tickets", "ticket_invoices", "payments", "suppliers"):
        ids = {str(row["id"]) for row in store.all(table)}
        assert {row[0] for row in ask(warehouse, f"SELECT id FROM raw.{table}")} == ids
    tables = ask(warehouse, "SELECT table_name FROM information_schema.tables")
    assert {name for (name,) in tables} >= {*ENDPOINTS, "ticket_invoices__lines"}
    shop.forget_requests()
    project.run("repair_shop_pipeline.py")
    assert len(shop.requests("main")) <= 60


def test_one_ledger_feeds_two_destinations_and_a_row_that_went_is_told_to_both(
    shop, pipeline, tmp_path
):
    store = shop.store("main")
    first = pipeline("first")
    first.run(repair_shop().with_resources(*LISTS))
    assert len(ask(tmp_path / "first.duckdb", "SELECT id FROM raw.brands")) == len(
        store.all("brands")
    )
    shop.forget_requests()
    second = dlt.pipeline(
        "second",
        pipelines_dir=str(tmp_path / "pipelines"),
        destination=dlt.destinations.filesystem((tmp_path / "files").as_uri()),
        dataset_name="raw",
    )
    second.run(repair_shop().with_resources(*LISTS), loader_file_format="parquet")
    assert len(shop.requests("main")) <= 5, "only what may be new is asked"

    def files(table):
        found = sorted((tmp_path / "files" / "raw" / table).glob("*.parquet"))
        return [row for file in found for row in pq.read_table(file).to_pylist()]

    assert {row["id"] for row in files("tickets")} == {str(r["id"]) for r in store.all("tickets")}
    lines = sum(len(row.get("lines") or []) for row in store.all("tickets"))
    assert len(files("tickets__lines")) == lines
    gone = store.ids("brands")[0]
    store.delete("brands", gone)
    first.run(repair_shop(full=True).with_resources("brands"))
    sql = "SELECT id, name NOTNULL FROM raw.brands WHERE _deleted_at NOTNULL"
    assert ask(tmp_path / "first.duckdb", sql) == [(str(gone), True)]
    second.run(repair_shop().with_resources("brands"), loader_file_format="parquet")
    assert str(gone) in {row["id"] for row in files("brands") if row["_deleted_at"]}


@pytest.mark.parametrize("in_threads", [False, True])
def test_a_source_runs_twice_and_in_threads(shop, pipeline, tmp_path, in_threads):
    """As a notebook does: one object, run by several cells, with ``parallelize()`` or without."""
    store = shop.store("main")
    source = repair_shop().with_resources(*LISTS, "customers", "payments")
    source = source.parallelize() if in_threads else source
    first = pipeline("first")
    first.run(source)
    gone = store.ids("brands")[0]
    store.delete("brands", gone)
    first.run(source)
    for name in "brands", "tickets", "customers", "payments":
        live = f"SELECT id FROM raw.{name} WHERE _deleted_at IS NULL"
        ids = {row[0] for row in ask(tmp_path / "first.duckdb", live)}
        assert ids == {str(row["id"]) for row in store.all(name)}, name


def test_a_list_feeds_a_transformer_and_keeps_its_rows_for_a_later_run(shop, pipeline, tmp_path):
    @dlt.transformer(name="names")
    def names(rows):
        yield rows.select(["shop_id", "name"])

    first, warehouse = pipeline("first"), tmp_path / "first.duckdb"
    first.run(repair_shop().brands | names)
    brands = shop.store("main").all("brands")
    assert ask(warehouse, "SELECT count(*) FROM raw.names") == [(len(brands),)]
    first.run(repair_shop().with_resources("brands"))
    assert ask(warehouse, "SELECT count(*) FROM raw.brands") == [(len(brands),)]


def test_a_lost_destination_is_filled_again_without_asking_for_it(shop, pipeline, tmp_path):
    pipeline("main").run(repair_shop().with_resources(*LISTS))
    (tmp_path / "main.duckdb").unlink()
    shop.forget_requests()
    pipeline("main").run(repair_shop().with_resources(*LISTS))
    assert len(shop.requests("main")) <= 5
    rows = ask(tmp_path / "main.duckdb", "SELECT count(*) FROM raw.tickets")
    assert rows == [(len(shop.store("main").all("tickets")),)]


def test_a_destination_of_another_ledger_starts_over(shop, pipeline, tmp_path, monkeypatch):
    made, file, store = pipeline("main"), tmp_path / "main.duckdb", shop.store("main")
    warned: list[str] = []
    monkeypatch.setattr("sources.repair_shop.source.logger.warning", warned.append)
    made.run(repair_shop(ledger_folder="one").with_resources("brands"))
    edited, gone, *_ = store.ids("brands")
    store.update("brands", edited, {"name": "Neu"})
    store.delete("brands", gone)
    made.run(repair_shop(ledger_folder="two").with_resources("brands"))
    assert ask(file, f"SELECT name FROM raw.brands WHERE id = '{edited}'") == [("Neu",)]
    # What went meanwhile no ledger knows of.
    assert ["refresh='drop_resources'" in words for words in warned] == [True]
    made.run(repair_shop(ledger_folder="two").with_resources("brands"), refresh="drop_resources")
    names = {name for (name,) in ask(file, "SELECT name FROM raw.brands")}
    assert names == {row["name"] for row in store.all("brands")}


def test_several_shops_from_the_settings(pipeline, tmp_path):
    specs = [ShopSpec(name, timezone=ZONE, limit=None) for name in ("centro", "norte")]
    with SandboxServer(specs, minute_seconds=0.5) as server:
        settings = Path(".dlt")
        settings.mkdir()
        one = settings_of(server, "centro")
        (settings / "config.toml").write_text(
            "[sources.repair_shop]\n"
            + "".join(f"{name} = {one[name]!r}\n" for name in one if name != "api_key")
        )
        (settings / "secrets.toml").write_text(
            "".join(
                f"[sources.repair_shop.shops.{name}]\napi_key = {server.keys[name]!r}\n"
                for name in ("centro", "norte")
            )
        )
        pipeline("chain").run(repair_shop().with_resources("brands"))
        found = ask(tmp_path / "chain.duckdb", "SELECT shop_id, id FROM raw.brands")
        told = {(n, str(i)) for n in ("centro", "norte") for i in server.store(n).ids("brands")}
        assert set(found) == told


def test_a_second_run_in_the_same_folder_is_refused_and_the_first_ends_well(shop, pipeline):
    asked, go_on = threading.Event(), threading.Event()
    shop.faults.after(1, lambda: asked.set() or go_on.wait(60))
    first = threading.Thread(
        target=lambda: pipeline("first").run(repair_shop().with_resources("brands"))
    )
    first.start()
    try:
        assert asked.wait(60)
        with pytest.raises(PipelineStepFailed, match=r"reads into .* already"):
            pipeline("second").run(repair_shop().with_resources("brands"))
    finally:
        go_on.set()
        first.join(60)
    known = shop.store().count("brands")
    assert ask(Path("../first.duckdb"), "SELECT count(*) FROM raw.brands") == [(known,)]


def test_the_key_that_dlt_init_left_open_is_not_asked_with():
    with pytest.raises(Exception, match="dlt init"):
        repair_shop(base_url="http://127.0.0.1:1/v1", api_key="<configure me>")


def test_resources_bear_keys_and_columns():
    source = repair_shop(base_url="http://127.0.0.1:1/v1", api_key="k")
    assert set(source.resources) == set(ENDPOINTS)
    columns = source.resources["ticket_invoices"].compute_table_schema()["columns"]
    assert columns["amount_total"]["data_type"] == "decimal"
    keys = {name for name, column in columns.items() if column.get("primary_key")}
    assert keys == {"shop_id", "id"}


def test_the_source_stands_by_itself():
    """Inside it imports are relative, and never lead out of the folder."""
    folder = CLONE / "sources" / "repair_shop"
    for path in folder.rglob("*.py"):
        depth = len(path.relative_to(folder).parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom):
                assert node.level <= depth, f"{path}: {ast.unparse(node)}"
                names = [node.module or ""] if node.level == 0 else []
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            tops = {name.partition(".")[0] for name in names}
            ours = {"sources", "pipelines", "schedules", "shopmirror", "sandbox", "repair_shop"}
            assert not tops & ours, f"{path}: {ast.unparse(node)}"
