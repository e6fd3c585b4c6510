"""What goes wrong at the machine, through the commands: nothing is said that readers lack."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from notebooks.build import TIMEZONE
from pipelines.home import Home
from pipelines.load import loader as loading
from pipelines.load.loader import Loader
from pipelines.settings import load_settings
from pipelines.sync import run
from pipelines.sync.run import sync
from pipelines.transform import models
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.main import main
from sources.repair_shop.observer import Observer
from tests.app.command_line import point_at
from tests.few_models import build_few

LEAVES_A_LOG = """
import duckdb, os, sys
still_open = duckdb.connect(sys.argv[1]).execute("delete from raw.customers")
os._exit(9)
"""

DIES_WHILE_PUBLISHING = """
import os, sys
from pipelines.publish import publish
from pipelines.settings import load_settings
from pipelines.sync.run import sync
from pytest import MonkeyPatch
from tests.few_models import build_few
build_few(MonkeyPatch(), "marts.customers")
publish.copy_file = lambda *_: os._exit(9)
sync(load_settings())
"""


@pytest.fixture
def shop(plain_folder: Path, monkeypatch: pytest.MonkeyPatch, empty: Path):
    """A small shop at the service, and the settings of its home, whose tables are made."""
    shutil.copytree(empty, "data")
    spec = ShopSpec(timezone=TIMEZONE, limit=None)
    with SandboxServer([spec], minute_seconds=0.2) as server:
        given = {"TIMEZONE": TIMEZONE, "REQUESTS_PER_MINUTE": 100_000}
        point_at(server, monkeypatch, plain_folder / "data", **given)
        yield server


@pytest.fixture
def synced(shop, mirrored: Path):
    """The same shop, of which the home has a mirror."""
    shutil.copytree(mirrored, "data", dirs_exist_ok=True)
    return shop


def readers_get(sql: str, *values: object) -> list[tuple[object, ...]]:
    """What is published answers."""
    with duckdb.connect("data/warehouse.duckdb", read_only=True) as readers:
        return readers.execute(sql, values).fetchall()


def status(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    main(["status", "--json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_run_killed_while_it_publishes_is_never_called_complete(synced, capsys, monkeypatch):
    """Readers have last night's; so the run that they know is the one before."""
    store = synced.store("main")
    store.update("customers", store.all("customers")[0]["id"], {"name": "New"})
    root = Path(models.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", DIES_WHILE_PUBLISHING],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 9, done.stderr
    found = status(capsys)
    assert [run["outcome"] for run in found["runs"][:2]] == ["killed", "complete"]
    assert any("cut off" in problem for problem in found["problems"]), found["problems"]
    assert any("in no report yet" in problem for problem in found["problems"]), found["problems"]
    assert not found["complete"]
    build_few(monkeypatch, "marts.customers")
    assert main(["sync"]) == 0
    runs = readers_get("select outcome, exit_code, ended_at is null from ops.runs order by run_id")
    assert runs[-2:] == [("killed", None, False), ("complete", 0, False)]
    assert readers_get("select count(*) from marts.customers where name = 'New'") == [(1,)]
    assert status(capsys)["problems"] == []


def test_a_model_that_fails_while_a_first_load_goes_on_does_not_end_it(shop, monkeypatch):
    build_few(monkeypatch)
    builds = []
    built = models.build

    def failing_at_first(*arguments, **named):
        builds.append(time.monotonic())
        if len(builds) == 1:
            raise models.ModelsFailed("Model x: half of the rows are there")
        return built(*arguments, **named)

    monkeypatch.setattr(models, "build", failing_at_first)
    for name in ("PUBLISH_EVERY", "LEAST_PAUSE", "SHARE"):
        monkeypatch.setattr(run, name, 0)
    shop.faults.after(9, lambda: time.sleep(3))  # the service is waited for: it is time to build
    report = sync(load_settings(), resources=["customers", "tickets"])
    assert report.exit_code == 0, report.details
    assert len(builds) > 1


def test_a_first_load_is_published_early(shop, monkeypatch):
    """A minute after it began, not after the ten that lie between two further ones."""
    build_few(monkeypatch)
    stop, pages = threading.Event(), []

    class Reader(Observer):
        def page(self, *_):
            pages.append(1)
            until = time.monotonic() + 120
            while len(pages) > 30 and not stop.is_set() and time.monotonic() < until:
                time.sleep(0.05)
                if Path("data/warehouse.duckdb").exists():
                    stop.set()

    for name, seconds in (("PUBLISH_EVERY", 1e9), ("LEAST_PAUSE", 0), ("SHARE", 0)):
        monkeypatch.setattr(run, name, seconds)
    assert sync(load_settings(), observer=Reader(), stop=stop).exit_code == 4
    assert readers_get("select count(*) > 0 from raw.users") == [(True,)]
    readers_get("from marts.daily_sales")


def test_lack_of_memory_is_no_rows_fault(shop, monkeypatch, capsys):
    """The rows wait, and the run says what is lacking; with memory all of them are loaded."""
    build_few(monkeypatch)
    bound = loading._bound_memory

    def hardly_any(connection, blocks):
        bound(connection, blocks)
        connection.execute("SET memory_limit = '600KB'")

    with monkeypatch.context() as patch:
        patch.setattr(loading, "_bound_memory", hardly_any)
        assert main(["sync", "customers"]) == 2
    assert "too little memory" in capsys.readouterr().err
    assert main(["sync", "customers"]) == 0
    customers = shop.store().count("customers")
    assert readers_get("select count(*) from raw.customers") == [(customers,)]


def test_what_history_saw_on_a_night_whose_tests_fail_is_kept(synced, monkeypatch):
    """In the private file: readers keep the build before, and the next good night has all."""
    build_few(monkeypatch, "history.customers", "days_add_up")
    store = synced.store("main")
    # New ones: no night with few requests reads the old ones again.
    one, other = (customer["id"] for customer in store.all("customers")[-2:])

    def history() -> list[tuple[object, ...]]:
        sql = "select name from history.customers where id = ? order by dbt_valid_from"
        return readers_get(sql, one)

    store.update("customers", one, {"name": "Second"})
    with monkeypatch.context() as patch:
        patch.setattr("pipelines.transform.execute._test", lambda *_: (1, "fail"))
        assert main(["sync", "customers"]) == 1
    assert len(history()) == 1
    store.update("customers", other, {"name": "Third"})
    assert main(["sync", "customers"]) == 0
    assert history()[1:] == [("Second",)]


def test_a_private_file_that_was_lost_is_on_the_disk_again_before_it_is_used(
    mirrored, plain_folder, monkeypatch
):
    home = Home(Path(shutil.copytree(mirrored, "data")))
    # A process that was killed has left the file's log, which is of no other file.
    subprocess.run([sys.executable, "-c", LEAVES_A_LOG, str(home.build_warehouse)], check=False)
    assert home.build_warehouse.with_name("warehouse.duckdb.wal").exists()
    home.build_warehouse.unlink()
    synced = []
    sizes = lambda descriptor: synced.append(os.fstat(descriptor).st_size)  # noqa: E731
    monkeypatch.setattr("pipelines.json_file.os.fsync", sizes)
    with Loader(home).database() as database:
        assert home.warehouse.stat().st_size in synced
        customers = database.execute("select count(*) > 9 from raw.customers").fetchall()
    assert customers == [(True,)]
    assert home.build_warehouse.read_bytes() == home.warehouse.read_bytes()
    assert home.build_warehouse.stat().st_mode & 0o777 == 0o600


def test_a_file_of_somebody_elses_in_the_published_ones_place_is_replaced(synced, monkeypatch):
    """Of rows that are not ours nothing is compared with."""
    Path("data/warehouse.duckdb").unlink()
    with duckdb.connect("data/warehouse.duckdb") as theirs:
        theirs.execute("create schema raw")
        theirs.execute("create table raw.customers as select 'x' as id, 'y' as name")
    build_few(monkeypatch, "marts.customers")
    assert main(["sync", "customers"]) == 0
    customers = synced.store("main").count("customers")
    assert readers_get("select count(*) from marts.customers") == [(customers,)]


@pytest.mark.parametrize("command", ["sync", "reconcile"])
def test_a_run_that_cannot_open_the_private_file_is_told_afterwards(synced, capsys, command):
    """Somebody has it open, say: night after night, while the mirror of before looks well."""
    Path("data/build/warehouse.duckdb").write_bytes(b"not a database" * 1000)
    assert main([command]) == 2
    found = status(capsys)
    assert (found["runs"][0]["command"], found["runs"][0]["exit_code"]) == (command, 2)
    assert "damaged" in str(found["problems"])


def test_nobody_writes_within_an_opening_for_reading(tmp_path):
    home = Home(tmp_path)
    with home.open_build() as writer:
        writer.execute("create table t as select 1 as n")
        with home.open_build(read_only=True) as reader:
            assert reader.execute("from t").fetchall() == [(1,)]
    with (
        home.open_build(read_only=True),
        pytest.raises(RuntimeError, match="open for reading"),
        home.open_build(),
    ):
        pass
