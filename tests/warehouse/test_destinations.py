"""Further destinations: their settings and faults. What they hold: tests/engines."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from threading import Event
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from pipelines.destinations.load import destination
from pipelines.home import Home
from pipelines.load.loader import LoadError
from pipelines.settings import SettingsError, WarehouseSettings
from pipelines.sync.run import _load_all
from pipelines.sync.verdict import SyncReport
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.observer import Observer
from tests.ledgers import LoadedHome, opened
from tests.promises import promise


def company_at(patch, lake):
    patch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "duckdb")
    patch.setenv("DESTINATION__COMPANY__CREDENTIALS", str(lake))


def test_a_destination_that_fails_is_told_and_harms_nothing_else(loaded, monkeypatch):
    company_at(monkeypatch, "/proc/none/not-to-be-told.duckdb")
    loaded.load("brands", {"id": "a"})
    session: Any = SimpleNamespace(
        home=loaded.home,
        ledger=loaded.ledger,
        feed=loaded.feed,
        observer=Observer(),
        stop=Event(),
        settings=SimpleNamespace(shops=loaded.shops),
    )
    report = SyncReport(0, "complete", "All well.")
    assert not _load_all(session, WarehouseSettings(also=("company",)), report, ())
    assert (report.exit_code, report.outcome) == (1, "incomplete")
    assert "'company' of [warehouse] is not up to date" in report.message
    assert "not-to-be-told" not in report.message
    assert loaded.query("SELECT id FROM raw.brands") == [("a",)]
    with (
        pytest.raises(LoadError, match="nowhere"),
        destination(loaded.home, loaded.ledger, "nowhere"),
    ):
        pass
    company_at(monkeypatch, loaded.home.path / "also.duckdb")
    with (
        pytest.raises(LoadError, match="up to date: the server went"),
        destination(loaded.home, loaded.ledger, "company"),
    ):
        try:
            raise OSError("the server went")
        except OSError:
            None.rollback()  # as dlt does, on a connection that it could not make again


def test_destinations_are_a_list_or_words(monkeypatch):
    assert WarehouseSettings.load().also == ()
    monkeypatch.setenv("WAREHOUSE__ALSO", "postgres, company")
    assert WarehouseSettings.load().also == ("postgres", "company")
    monkeypatch.setenv("WAREHOUSE__ALOS", "x")
    with pytest.raises(SettingsError, match="Did you mean 'also'"):
        WarehouseSettings.load()


@promise("several homes load into one PostgreSQL, and none takes another's shop")
def test_a_shop_is_taken_over_by_a_persons_word_only(tmp_path, monkeypatch):
    lake = tmp_path / "lake.duckdb"
    company_at(monkeypatch, lake)
    # What is no secret is told, and so what to type.
    monkeypatch.setenv("DESTINATION__COMPANY2__CREDENTIALS__USERNAME", "shopmirror")
    homes = {name: Home(tmp_path / name) for name in ("north", "heir")}

    def claim(name, *shops, take_over=()):
        ledger = Ledger(homes[name].ledger)
        try:
            with destination(homes[name], ledger, "company") as there:
                assert there.lease is not None
                others = there.lease.claim(shops, take_over)
                if not others:
                    there.lease.loaded(shops, "")
                elif take_over:
                    there.lease.keep_only(others, ["of the heir"])
                return others
        finally:
            ledger.close()

    def all_of(table):
        with duckdb.connect(str(lake)) as connection:
            return connection.execute(f"FROM {table} ORDER BY ALL").fetchall()

    assert claim("north", "a", "b") == []
    with duckdb.connect(str(lake)) as connection:
        connection.execute("CREATE TABLE ops.shops AS VALUES ('a', 'of north'), ('b', 'of north')")
        connection.execute("ALTER TABLE ops.shops RENAME col0 TO shop_id")
        connection.execute("ALTER TABLE ops.shops RENAME col1 TO home_id")
        connection.execute("CREATE SCHEMA raw")
        connection.execute(
            "CREATE TABLE raw.brands AS SELECT * FROM (VALUES ('a', 'of north'), "
            "('a', 'of the heir'), ('b', 'of north')) AS rows(shop_id, _dlt_load_id)"
        )
    before = all_of("ops.shop_owners")
    with pytest.raises(LoadError, match=r"by another home .*'shopmirror sync --take-over a'"):
        claim("heir", "c", "a")
    assert all_of("ops.shop_owners") == before
    assert claim("heir", "c", "a", take_over=("a",)) == ["a"]
    assert all_of("ops.shops") == [("b", "of north")]
    assert all_of("raw.brands") == [("a", "of the heir"), ("b", "of north")]
    # Until its rows are loaded, they are another's; and the home that had it is refused.
    assert claim("heir", "c", "a") == ["a"]
    with pytest.raises(LoadError, match="another home"):
        claim("north", "a", "b")
    assert claim("north", "b") == []


def load_there(made, *, is_complete=True):
    """A sync brings the destination what is new."""
    with destination(made.home, made.ledger, "company") as there:
        there.load(made.feed.log, ["main"], is_complete=is_complete)


@pytest.fixture(scope="module")
def filled(empty, tmp_path_factory):
    """A folder with a home of a few rows, and a destination that has them."""
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch, opened(empty, Home(folder / "home")) as made:
        company_at(patch, folder / "lake.duckdb")
        made.ledger.begin_run("sync")
        made.answer("brands", {"id": "a"})
        made.answer("ticket_invoices", {"id": "i", "lines": [{"total": 1}]})
        made.load("tickets", {"id": "t"})
        load_there(made)
    return folder


@pytest.fixture
def lake(filled, tmp_path, monkeypatch):
    """The destination of a copy of that."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    company_at(monkeypatch, tmp_path / "lake.duckdb")
    return tmp_path / "lake.duckdb"


@pytest.fixture
def synced(lake):
    """Its home."""
    made = LoadedHome(Home(lake.parent / "home"))
    yield made
    made.ledger.close()


@pytest.mark.parametrize("begins_anew", [True, False])
def test_a_home_that_was_put_back_leaves_no_row_there_that_it_does_not_know(
    synced, lake, begins_anew
):
    """The copy was taken within a run, or between two. Nor does it lose a row, though the numbers
    of its answers come a second time; what it does not know goes with the first complete run."""
    copy = lake.with_name("copy.sqlite")

    def also(*, is_complete=True):
        load_there(synced, is_complete=is_complete)
        with duckdb.connect(str(lake)) as connection:
            held = connection.execute("SELECT list(id ORDER BY id) FROM raw.brands").fetchone()
        return held[0]

    if not begins_anew:
        synced.ledger.begin_run("sync")
    with closing(sqlite3.connect(synced.home.ledger)) as ledger:
        ledger.execute("VACUUM INTO ?", [str(copy)])
    if begins_anew:
        synced.ledger.begin_run("sync")
    synced.load("brands", {"id": "of the time between"}, minute=1)
    assert also() == ["a", "of the time between"]

    synced.ledger.close()
    for name in synced.home.path.glob("mirror.sqlite*"):
        name.unlink()
    copy.rename(synced.home.ledger)
    synced.open()
    synced.ledger.begin_run("sync")
    # The ledger is older than the warehouse beside it, so every list is read whole.
    synced.answer("brands", {"id": "a"}, {"id": "b"}, minute=1)
    synced.load("tickets", {"id": "t"}, minute=1)
    if begins_anew:
        assert also(is_complete=False) == ["a", "b", "of the time between"]
    assert also() == ["a", "b"]


def test_a_table_that_somebody_dropped_there_is_made_and_filled_again(synced, lake):
    tables = ("brands", "ticket_invoices__lines")
    with duckdb.connect(str(lake)) as connection:
        assert [connection.table(f"raw.{table}").shape[0] for table in tables] == [1, 1]
        connection.execute("DROP TABLE raw.ticket_invoices__lines")
    load_there(synced)
    with duckdb.connect(str(lake)) as connection:
        assert [connection.table(f"raw.{table}").shape[0] for table in tables] == [1, 1]


def test_reports_there_are_of_what_was_loaded_or_are_to_be_built(loaded, tmp_path, monkeypatch):
    company_at(monkeypatch, tmp_path / "lake.duckdb")
    with destination(loaded.home, loaded.ledger, "company") as there:
        lease = there.lease
        assert lease is not None
        lease.claim(["a", "b"])
        # Half loaded: there is nothing that reports could be made of.
        assert lease.is_published() and lease.built_at() == ""
        lease.loaded(["a"], "rows", "2026-11-21 02:00:00")
        lease.loaded(["b"], "rows", "2026-11-22 02:00:00")
        assert not lease.is_published() and lease.built_at() == "2026-11-22 02:00:00"
        lease.published()
        assert lease.is_published()
        lease.claim(["b"])
        assert not lease.is_published()
        lease.loaded(["b"], "rows", "2026-11-22 02:00:00")
        assert lease.is_published()


ONE_SHOP = """
import sys
from pathlib import Path
from pipelines.publish.published import published
from pipelines.report import closing_report
from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from shopmirror.main import main

home = Path(sys.argv[1])
asked = {"base_url": "http://127.0.0.1:1/v1", "api_key": "k", "minute_seconds": 0.1}
shop = ShopSettings(name="main", timezone="America/Guatemala", currency="GTQ", **asked)
sync(Settings(home=home, shops=(shop,)))
with published(home) as warehouse:
    assert warehouse.has("marts.daily_sales")
closing_report(home)
print([name for name in sys.modules if name.startswith("pipelines.destinations")])
"""


def test_who_names_no_further_destination_never_enters_their_room(mirrored, tmp_path):
    shutil.copytree(mirrored, tmp_path / "home")
    command = [sys.executable, "-c", ONE_SHOP, str(tmp_path / "home")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
