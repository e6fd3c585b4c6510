"""Three homes load one PostgreSQL; readers of any of them get the shops of all."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg2
import pytest
from streamlit.testing.v1 import AppTest

from pipelines.dashboard.serve import APP
from pipelines.destinations import lease
from pipelines.monitor.status import status
from pipelines.publish import reading
from pipelines.publish.asking import asked
from pipelines.publish.errors import NothingPublished, QueryFailed
from pipelines.publish.published import published
from pipelines.report import closing_report, write
from pipelines.report.export import export
from tests.engines.chain import SHOPS, Chain, ended
from tests.engines.postgres import name_company

MONEY = ("daily_sales", "monthly_sales", "monthly_purchases", "payments", "documents",
         "sales_documents", "receivables", "reconciliation", "tax_by_rate")  # fmt: skip


@pytest.fixture(scope="module")
def environment() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def read(chain: Chain, environment: pytest.MonkeyPatch) -> Chain:
    """The chain, mirrored and read at its PostgreSQL."""
    name_company(environment, chain.address)
    environment.setenv("WAREHOUSE__ALSO", "company")
    environment.setenv("WAREHOUSE__READ", "company")
    for shop in SHOPS:
        if not (chain.home(shop) / "warehouse.duckdb").exists():
            assert chain.sync(shop, models=shop == SHOPS[-1]) == 0
    return chain


def of_file(read: Chain, shop: str, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(read.home(shop) / "warehouse.duckdb"), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("table", MONEY)
def test_each_shops_rows_are_those_of_its_own_home(read: Chain, table: str) -> None:
    described = of_file(read, SHOPS[0], f"describe marts.{table}")
    kinds = {name: kind for name, kind, *_ in described}
    # How many days have gone is counted from the build, and the homes' are not one; a home that
    # reads a report again builds nothing for it.
    besides = {"bucket", "fetched_at"}
    columns = ", ".join(name for name in kinds if "days" not in name and name not in besides)
    with published(read.home(SHOPS[0])) as warehouse:
        there = warehouse.connection.execute(f"describe marts.{table}").fetchall()
        assert {name: kind for name, kind, *_ in there} == kinds
        for shop in SHOPS:
            sql = f"select {columns} from marts.{table} where shop_id = '{shop}' order by all"
            rows = of_file(read, shop, sql)
            assert warehouse.connection.execute(sql).fetchall() == rows
            assert rows or table == "receivables"


def test_no_amount_is_floating_point(read: Chain) -> None:
    kinds = (
        "select table_name || '.' || column_name, data_type from duckdb_columns() "
        "where {} in ('marts', 'staging', 'ops', 'history') and data_type like '{}' order by 1"
    )
    with published(read.home(SHOPS[0])) as warehouse:
        held = warehouse.connection.execute(kinds.format("schema_name", "DECIMAL%")).fetchall()
        assert not warehouse.connection.execute(kinds.format("schema_name", "DOUBLE")).fetchall()
    exact = of_file(read, SHOPS[0], kinds.format("schema_name", "DECIMAL%"))
    assert set(held) >= {row for row in exact if "_versions." not in row[0]}


def test_the_report_is_of_all_shops(read: Chain, environment: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC)
    whole = closing_report(read.home("north"), now=now)
    (page,) = whole.pages
    assert page.shops == SHOPS and page.source == "company"
    assert whole.pages[0].as_of is not None and whole.pages[0].given is not None
    assert whole.pages[0].as_of < whole.pages[0].given < now
    assert not page.cautions
    # The head office has no home.
    assert closing_report(read.folder / "office", now=now).pages[0].lines == page.lines
    with environment.context() as file:
        file.setenv("WAREHOUSE__READ", "")
        for line in page.lines:
            own = closing_report(read.home(line.shop), period=whole.period, now=now)
            figures = own.pages[0].now.figures
            assert (line.figures.taken, line.figures.sold) == (figures.taken, figures.sold)
            assert line.figures.due == figures.due
            assert own.pages[0].source == ""
    (text,) = {write(whole, read.folder / "report.html").read_text()}
    assert re.search(r"Read from PostgreSQL &#39;company&#39;, given there 20\d\d-", text)


def test_status_tells_of_the_other_homes_shops(read: Chain) -> None:
    found = status(read.settings("north", "north"))
    assert [shop.shop for shop in found.shops] == ["north"]
    assert [shop["shop"] for shop in found.others] == ["east", "south"]
    assert all(shop["compared"] and not shop["problems"] for shop in found.others)
    assert found.warehouse["read_from"] == "company"
    assert found.warehouse["given_at"] > found.others[0]["as_of"]
    assert found.problems == []


def test_questions_exports_notebooks_and_the_page_are_of_all_shops(
    read: Chain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sums = "select shop_id, sum(total) as total from marts.monthly_sales group by 1 order by 1"
    own = [row for shop in SHOPS for row in of_file(read, shop, sums)]
    with asked(read.home("north"), sums) as answer:
        assert list(answer.rows) == own
    with pytest.raises(QueryFailed), asked(read.home("north"), "from read_text('/etc/hostname')"):
        pass
    export(read.home("north"), tmp_path / "out", form="parquet", tables=["monthly_sales"])
    exported = sums.replace("marts.monthly_sales", f"'{tmp_path}/out/monthly_sales.parquet'")
    assert duckdb.sql(exported).fetchall() == own
    # A notebook runs in a folder of its own, below that of the settings.
    (tmp_path / ".dlt").mkdir()
    (tmp_path / ".dlt" / "config.toml").write_text(
        '[warehouse]\nalso = ["company"]\nread = "company"\n'
    )
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.delenv("WAREHOUSE__READ")
    monkeypatch.delenv("WAREHOUSE__ALSO")
    frame = reading.query(sums)
    assert list(frame.itertuples(index=False, name=None)) == own
    assert isinstance(frame["total"][0], Decimal)
    assert "sold" in " ".join(reading.tables()["holds"]) and len(reading.columns("payments"))
    alone = reading.query(sums, home=read.home("north"))
    assert list(alone["shop_id"]) == ["north"]
    monkeypatch.setenv("SHOPMIRROR_HOME", str(read.home("north")))
    monkeypatch.chdir(tmp_path)
    page = AppTest.from_file(str(APP), default_timeout=120).run()
    assert not page.exception
    assert page.title[0].value == "3 shops"
    assert any("Read from PostgreSQL 'company'" in one.value for one in page.caption)


def test_questions_of_one_reader_see_one_moment(read: Chain) -> None:
    with published(read.home("north")) as warehouse:
        question = "select count(*) as n from ops.requests"
        before = warehouse.row(question)
        read.do("create table kept as select * from ops.requests", "delete from ops.requests")
        assert warehouse.row(question) == before
        with pytest.raises(duckdb.Error):
            warehouse.connection.execute("delete from ops.runs")
        warehouse.connection.rollback()
    read.do("insert into ops.requests select * from kept", "drop table kept")


def test_no_error_has_the_password(read: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    ((file,),) = read.do("create role walled login password 'of-the-wall'", "show hba_file")
    rules = Path(str(file))
    held = rules.read_text()
    rules.write_text(f"host all walled 127.0.0.1/32 scram-sha-256\n{held}")
    read.do("select pg_reload_conf()")
    place = read.address.partition("@")[2]
    host, database = place.split("/")
    for address, reason in (
        (f"postgresql://walled:not-to-be-told@{place}", "password authentication failed"),
        (f"postgresql://walled:not-to-be-told@127.0.0.1:1/{database}", "Connection refused"),
        (f"postgresql://walled:not-to-be-told@{host}/none?sslmode=verify-full", "SSL"),
        ("postgresql://walled:not-to-be-told@[", "no address of a PostgreSQL"),
    ):
        monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", address)
        with pytest.raises(NothingPublished) as caught, published(read.home("north")):
            pass
        assert reason in str(caught.value) and "not-to-be-told" not in str(caught.value)
        assert "not-to-be-told" not in str(caught.value.__context__)
    found = status(read.settings("north", *SHOPS))
    assert any("cannot be read" in problem for problem in found.problems)
    # By names, as .dlt/secrets.toml has them, and nothing of it in what can be asked.
    named = "DESTINATION__COMPANY__CREDENTIALS"
    monkeypatch.delenv(named)
    fields = {"host": "127.0.0.1", "port": host.partition(":")[2], "database": database,
              "username": "walled", "password": "of-the-wall"}  # fmt: skip
    for name, value in fields.items():
        monkeypatch.setenv(f"{named}__{name.upper()}", value)
    for question in ("from duckdb_databases()", "from duckdb_secrets()"):
        with asked(read.home("north"), question) as answer:
            assert "of-the-wall" not in str(list(answer.rows))


def test_a_build_waits_for_homes_that_will_load_and_outlives_them(read: Chain) -> None:
    with closing(psycopg2.connect(read.address)) as waiting:
        waiting.autocommit = True
        cursor = waiting.cursor()
        cursor.execute("select pg_advisory_lock_shared(%s)", [lease._AWAITED])
        building = read.begin("east", closed_days="2020-12-25")
        try:
            taken = False  # its turn, by one that waited
            while not taken and building.poll() is None:
                cursor.execute(
                    "select count(made_of), count(*) from ops.shop_owners where shop_id = 'east' "
                    "and made_of is distinct from published_of"
                )
                if cursor.fetchone() == (1, 1):
                    cursor.execute("select pg_try_advisory_lock(%s)", [lease._LOCK])
                    taken = cursor.fetchall() == [(True,)]
                time.sleep(0.1)
            assert taken
            whole = closing_report(read.home("north"))
            assert whole.pages[0].as_of is None
            said = {caution.text for caution in whole.pages[0].cautions}
            assert "east: its newest rows are in no report yet" in said
        finally:
            waiting.close()  # it dies
    assert ended(building)[0] == 0
    whole = closing_report(read.home("north"))
    assert whole.pages[0].as_of is not None and not whole.pages[0].cautions


def test_a_figure_that_another_home_has_otherwise_is_not_published(read: Chain) -> None:
    def doctored(by: int) -> None:
        read.do(
            f"update ops.home_figures set amount = amount + {by} where shop_id = 'north' and "
            "figure = 'monthly_sales' and period = (select max(period) from ops.home_figures "
            "where shop_id = 'north' and figure = 'monthly_sales')",
            "update ops.shop_owners set published_of = 'older' where shop_id = 'north'",
        )

    before = closing_report(read.home("north")).pages[0].given
    doctored(1)
    assert read.sync("south") == 1
    # Its own home knows why, the others that readers have not got the newest.
    whole = closing_report(read.home("south"))
    assert whole.pages[0].given == before
    said = {caution.text for caution in whole.pages[0].cautions}
    (why,) = [text for text in said if text.startswith("south: ")]
    assert "monthly_sales of north in" in why
    assert "north: its newest rows are in no report yet" in said
    doctored(-1)
    assert read.sync("south") == 0


def test_a_shop_is_taken_over_by_another_home(read: Chain) -> None:
    sums = (
        "select shop_id, sum(total), count(*) from marts.daily_sales group by 1 order by 1",
        "select shop_id, count(*) from raw.tickets group by 1 order by 1",
        "select shop_id, count(*) from ops.shops group by 1 order by 1",
    )

    def figures() -> list[Any]:
        with published(read.home("north")) as warehouse:
            return [warehouse.connection.execute(sql).fetchall() for sql in sums]

    before = figures()
    assert read.sync("east", home="heir", models=False) == 1
    assert figures() == before
    assert read.sync("east", "--take-over", "east", home="heir") == 0
    assert figures() == before
    with published(read.home("north")) as warehouse:
        owners = warehouse.rows("select count(distinct home_id) as n from ops.shop_owners")
        told = warehouse.rows("select count(distinct home_id) as n from ops.completeness")
        runs = warehouse.rows("select count(distinct home_id) as n from ops.runs")
    assert owners == told == runs == [{"n": 3}]
    assert read.sync("east", models=False) == 1
    whole = closing_report(read.home("north"))
    assert whole.pages[0].shops == SHOPS and not whole.pages[0].cautions
