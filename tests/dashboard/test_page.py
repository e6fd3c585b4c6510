"""The page as Streamlit builds it, without a browser."""

from __future__ import annotations

import itertools
import json
import threading
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pipelines.dashboard import DashboardError, DashboardSettings, serve, view
from pipelines.dashboard.serve import APP
from pipelines.publish.publish import publish
from pipelines.report import ReportError, formats
from shopmirror.main import main
from sources.repair_shop.ledger import Ledger
from tests.report.warehouse import ask, change


def shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not page.exception
    return page


def metric(page: AppTest, label: str) -> str:
    (value,) = [m.value for m in page.metric if m.label.startswith(label)]
    return str(value).replace(formats.NARROW, "")


def test_figures_follow_shop_and_period(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = shown(chain, monkeypatch)
    assert page.title[0].value == "2 shops"
    page.selectbox(key="shop").select("norte").run()
    page.selectbox(key="period").select("2025").run()
    assert not page.exception
    assert page.title[0].value == "norte"
    ((total,),) = ask(
        chain,
        "select sum(total) from marts.monthly_sales where shop_id = 'norte' and year(month) = 2025",
    )
    assert metric(page, "Sold, GTQ") == formats.money(total, places=0).replace(formats.NARROW, "")


@pytest.mark.parametrize(
    "definition",
    [
        {"date_basis": "settled", "amount_basis": "net", "documents": "paid"},
        {"date_basis": "ticket", "returns": "sale_day"},
        {"date_basis": "due", "returns": "ignored"},
        {"date_basis": "payment"},
    ],
    ids=lambda definition: definition["date_basis"],
)
def test_documents_add_up_to_the_month_by_whatever_definition(
    home: Path, definition: dict[str, str]
) -> None:
    """The models' own view says what counts when; the tables are of another build."""
    change(home, f"update ops.shops set sales_definition = '{json.dumps(definition)}'")
    counted = view.month(home, ["centro", "norte"], date(2026, 5, 1))
    ((count, total),) = ask(
        home,
        "select count(*), sum(total)::double from intermediate.int_sales_effects "
        "where day between '2026-05-01' and '2026-05-31'",
    )
    assert counted.count == len(counted.documents) == count > 0
    assert counted.documents["sold"].sum() == pytest.approx(total)


def test_a_month_leads_to_its_documents(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = shown(chain, monkeypatch)
    page.selectbox(key="month").select("2026-05").run()
    documents = page.dataframe[0].value
    ((count, gross),) = ask(
        chain,
        "select count(*), sum(gross)::double from marts.sales_documents "
        "where effect_day between '2026-05-01' and '2026-05-31'",
    )
    assert len(documents) == count > 0
    assert documents["gross"].sum() == pytest.approx(gross)
    assert documents["sold"].sum() == pytest.approx(gross)
    day = str(documents["day"].iloc[0])
    page.selectbox(key="day-2026-05").select(day).run()
    assert {str(value) for value in page.dataframe[0].value["day"]} == {day}


def test_books_that_differ_are_seen_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(
        home,
        "update marts.reconciliation set matches = false, difference = 7 "
        "where period = '2026-02-01' and shop_id = 'norte'",
    )
    page = shown(home, monkeypatch)
    assert any("Books differ" in str(m.value) for m in page.markdown)
    (books,) = [d.value for d in page.dataframe if "theirs" in d.value.columns]
    assert (books["shop"].iloc[0], books["difference"].iloc[0]) == ("norte", 7)


def test_a_mirror_that_is_old_or_whose_sync_failed_is_told_above_all(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(home, "update ops.completeness set began_at = now()")
    page = shown(home, monkeypatch)
    assert not page.warning and not page.error
    assert any("Books agree" in str(m.value) for m in page.markdown)
    ledger = Ledger(home / "mirror.sqlite")
    ledger.begin_run("sync")
    ledger.close()
    page = shown(home, monkeypatch)
    assert "was cut off" in page.error[0].value
    assert any("Books in doubt" in str(m.value) for m in page.markdown)
    (home / "mirror.sqlite").unlink()
    change(home, "update ops.completeness set began_at = now() - interval 50 hour")
    page = shown(home, monkeypatch)
    assert "50 hours old" in page.warning[0].value
    assert not any("Books agree" in str(m.value) for m in page.markdown)


def test_rows_are_the_rows_there_are(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(
        home,
        "insert into ops.completeness by name select 'centro' as shop_id, 'brands' as resource, "
        "true as is_proven, 'audit' as kind, 5000 as rows from range(3)",
    )
    page = shown(home, monkeypatch)
    (lists,) = [d.value for d in page.dataframe if "in doubt" in d.value.columns]
    found = lists[(lists["shop"] == "centro") & (lists["list"] == "brands")]
    ((count,),) = ask(home, "select count(*) from raw.brands where shop_id = 'centro'")
    assert list(found["rows"]) == [count]


def test_without_a_warehouse_the_page_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = shown(tmp_path, monkeypatch)
    assert "run 'shopmirror sync' first" in page.info[0].value


def test_a_warehouse_without_rows_or_marts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [
        row[0]
        for row in ask(home, "select table_name from duckdb_tables() where schema_name = 'marts'")
    ]
    change(home, *(f"delete from marts.{name}" for name in tables))
    page = shown(home, monkeypatch)
    assert metric(page, "Sold") == "0"
    change(home, "drop table marts.tickets", "drop table marts.receivables")
    page = shown(home, monkeypatch)
    assert any("marts.tickets" in str(note.value) for note in page.info)
    change(home, "delete from ops.shops")
    assert "holds no shop yet" in shown(home, monkeypatch).info[0].value
    change(home, "drop table marts.payments")
    assert "marts.payments" in shown(home, monkeypatch).info[0].value


def test_several_currencies_are_not_added(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(home, "update ops.shops set currency = 'EUR' where shop_id = 'norte'")
    page = shown(home, monkeypatch)
    assert "several currencies" in page.warning[0].value
    page.selectbox(key="shop").select("norte").run()
    assert not any("several currencies" in line.value for line in page.warning)
    assert metric(page, "Sold, EUR")


def test_looking_never_keeps_a_sync_from_publishing(chain: Path, tmp_path: Path) -> None:
    from pipelines.home import Home

    home = Home(tmp_path / "home")
    home.build_warehouse.write_bytes((chain / "warehouse.duckdb").read_bytes())
    publish(home)
    stop, failures = threading.Event(), []

    def look() -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            # Other months each time, so that every look opens the file.
            first = date(2000 + number % 25, number % 12 + 1, 1)
            try:
                found = view.view(home.path, ["centro"], first, date(2026, 7, 1))
                if found.seal.compared == 0:
                    failures.append("half a warehouse")
            except ReportError as error:
                failures.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    signatures = set()
    for _ in range(5):
        publish(home)
        signatures.add(view.signature(home.path))
    stop.set()
    thread.join()
    assert not failures
    assert len(signatures) == 5, "each publishing is noticed"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "example.com", "::"])
def test_only_this_machine_is_served(tmp_path: Path, host: str) -> None:
    with pytest.raises(DashboardError, match=r"127\.0\.0\.1 only"):
        serve(tmp_path, DashboardSettings(address=host))


def test_a_port_in_use_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["dashboard", "--port", str(port)]) == 2
    assert f"Port {port} on 127.0.0.1 cannot be used" in capsys.readouterr().err
