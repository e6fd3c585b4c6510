"""Reading the published warehouse: exact, read-only, never stale, never in the way."""

import contextvars
from decimal import Decimal
from pathlib import Path

import altair as alt
import duckdb
import pandas as pd
import pytest

from notebooks import house_style
from pipelines.publish.reading import (
    QueryFailed,
    columns,
    floats,
    pretty,
    query,
    tables,
    value,
    warehouse_file,
)


def publish(home: Path, *amounts: str) -> None:
    """Put a warehouse in place as a sync does: whole, by a rename."""
    home.mkdir(exist_ok=True)
    fresh = home / "fresh.duckdb"
    with duckdb.connect(str(fresh)) as database:
        database.execute("create schema marts")
        database.execute(
            "create table marts.daily_sales (day date, total decimal(28, 4), documents bigint, "
            "is_open boolean, seen_at timestamptz)"
        )
        for place, amount in enumerate(amounts):
            database.execute(
                "insert into marts.daily_sales values "
                "(date '2026-03-01' + cast(? as integer), cast(? as decimal(28, 4)), ?, ?, "
                "timestamptz '2026-03-01 23:30:00-06')",
                [place, amount, place, place % 2 == 0],
            )
    fresh.replace(home / "warehouse.duckdb")


@pytest.fixture
def shop(tmp_path):
    publish(tmp_path / "home", "0.1", "0.2", "1234.5")
    return tmp_path / "home"


def test_money_adds_up_to_the_cent(shop):
    found = query("select total from marts.daily_sales order by day", home=shop)
    assert found["total"].sum() == Decimal("1234.8")
    assert value("select sum(total) from marts.daily_sales", home=shop) == Decimal("1234.8")


def test_types_are_what_analysts_expect(shop):
    found = query(
        "select *, sum(documents) over () as all_documents from marts.daily_sales", home=shop
    )
    assert str(found["documents"].dtype) == "Int64"
    assert str(found["all_documents"].dtype) == "Int64"
    assert str(found["is_open"].dtype) == "boolean"
    assert pd.api.types.is_datetime64_dtype(found["day"].dtype)
    assert found["seen_at"].iloc[0] == pd.Timestamp("2026-03-02 05:30", tz="UTC")
    assert floats(found)["total"].dtype == "float64"


def test_values_are_passed_not_pasted(shop):
    found = query(
        "select count(*) as days from marts.daily_sales where total > $least", home=shop, least="1"
    )
    assert found["days"].tolist() == [1]
    with pytest.raises(QueryFailed):
        query("select $which", home=shop)


def test_an_open_notebook_sees_what_was_published_last(shop):
    kept = query("select * from marts.daily_sales", home=shop)
    assert value("select count(*) from marts.daily_sales", home=shop) == 3
    publish(shop, "7")
    assert value("select count(*) from marts.daily_sales", home=shop) == 1
    assert len(kept) == 3


def test_nobody_is_kept_from_writing(shop):
    query("select * from marts.daily_sales", home=shop)
    with duckdb.connect(str(shop / "warehouse.duckdb")) as database:
        database.execute("create table marts.another (a integer)")


def test_the_warehouse_cannot_be_written_to(shop):
    with pytest.raises(QueryFailed, match="read-only"):
        query("delete from marts.daily_sales", home=shop)
    assert value("select count(*) from marts.daily_sales", home=shop) == 3


def test_a_home_is_found_from_a_folder_below(shop, monkeypatch):
    below = shop.parent / "notebooks" / "mine"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.setenv("SHOPMIRROR_HOME", "home")
    assert warehouse_file().samefile(shop / "warehouse.duckdb")


def test_faults_name_the_fault_and_not_the_machine(shop):
    with pytest.raises(QueryFailed, match="no_such_table") as raised:
        query("select * from marts.no_such_table", home=shop)
    assert str(shop) not in str(raised.value)
    with pytest.raises(QueryFailed, match="3 row"):
        value("select total from marts.daily_sales", home=shop)
    with pytest.raises(QueryFailed, match="no_such_table"):
        columns("marts.no_such_table", home=shop)


def test_tables_and_columns_are_explained(home):
    marts = tables("marts", home=home)
    assert {"daily_sales", "payments", "reconciliation"} <= set(marts["table"])
    assert (marts["holds"] != "").all()
    for table in ("payments", "reconciliation"):
        explained = columns(f"marts.{table}", home=home)
        assert (explained["meaning"] != "").all(), table
    assert columns("daily_sales", home=home).equals(columns("marts.daily_sales", home=home))


def test_pretty_is_for_people(shop):
    shown = pretty(
        query("select day, total, documents from marts.daily_sales order by 1", home=shop)
    )
    assert shown["day"].tolist() == ["2026-03-01", "2026-03-02", "2026-03-03"]
    assert shown["total"].tolist() == ["0.10", "0.20", "1,234.50"]
    gaps = pretty(
        query("select null::decimal(9, 2) as a, null::date as b, null::bigint as c", home=shop)
    )
    assert gaps.iloc[0].tolist() == ["", "", ""]
    pieces = pretty(query("select cast(1200 as decimal(9, 2)) as pieces", home=shop))
    assert pieces["pieces"].tolist() == ["1,200"]
    dinars = "select unnest([1200, 0.125, -3.5])::decimal(18, 4) as kwd, 0.3333::decimal(9, 4) as x"
    shown = pretty(query(dinars, home=shop))
    assert shown["kwd"].tolist() == ["1,200.000", "0.125", "\u22123.500"]
    assert shown["x"].tolist() == ["0.33"] * 3


def test_pretty_follows_the_settings(shop, tmp_path, monkeypatch):
    (tmp_path / ".dlt").mkdir()
    (tmp_path / ".dlt" / "config.toml").write_text('[display]\nlanguage = "es-GT"\n')
    inside = tmp_path / "notebooks"
    inside.mkdir()
    monkeypatch.chdir(inside)
    said = contextvars.copy_context().run(_pretty_sales, shop)
    assert said.iloc[-1].tolist() == ["03/03/2026", "\u22121,234.50"]
    assert Path.cwd() == inside


def _pretty_sales(shop: Path) -> pd.DataFrame:
    house_style.use()
    assert house_style.months().startswith("['ene', 'feb',")
    assert house_style.weekdays().startswith("['lun', 'mar',")
    axes = alt.renderers.options["embed_options"]
    assert axes["formatLocale"]["thousands"] == ","
    assert axes["timeFormatLocale"]["shortDays"][:2] == ["dom", "lun"]
    assert axes["timeFormatLocale"]["months"][0] == "enero"
    return pretty(query("select day, -total from marts.daily_sales order by 1", home=shop))


def test_currencies_that_do_not_add_up_are_told(shop, monkeypatch):
    with duckdb.connect(str(shop / "warehouse.duckdb")) as database:
        database.execute("create schema ops")
        database.execute("create table ops.shops as select unnest(['USD', 'CLP']) as currency")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(shop))
    with pytest.warns(UserWarning, match="several currencies"):
        contextvars.copy_context().run(house_style.use)


def test_columns_of_a_chart_become_rows_under_their_names(shop):
    frame = query("select day, total, documents from marts.daily_sales order by 1", home=shop)
    rows = house_style.series(frame, "day", documents="documentos", total="venta")
    assert rows["what"].tolist() == ["documentos"] * 3 + ["venta"] * 3
    assert rows["amount"].tolist() == [0, 1, 2, 0.1, 0.2, 1234.5]
    assert (house_style.months()[:7], house_style.weekdays()[:7]) == ("['Jan',", "['Mon',")
