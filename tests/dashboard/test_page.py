"""The page as Streamlit builds it, without a browser."""

import itertools
import json
import threading
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pipelines.dashboard import DashboardError, DashboardSettings, details, found, serve, view
from pipelines.dashboard.asking import signature
from pipelines.dashboard.filters import compared_with
from pipelines.dashboard.found import Key
from pipelines.dashboard.serve import APP
from pipelines.publish.errors import NothingPublished
from pipelines.publish.publish import publish
from pipelines.report import formats
from pipelines.report.figures import Period
from shopmirror.main import main
from sources.repair_shop.ledger import Ledger
from tests.app.warehouse import ask, change


def shown(home: Path, monkeypatch: pytest.MonkeyPatch, **address: str) -> AppTest:
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    page = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def metric(page: AppTest, label: str) -> str:
    (value,) = [m.value for m in page.metric if m.label.startswith(label)]
    return str(value).replace(formats.NARROW, "")


def test_figures_follow_shops_and_period(chain, monkeypatch):
    page = shown(chain, monkeypatch)
    assert page.title[0].value == "2 shops"
    page.multiselect(key="shops").select("norte").run()
    page.selectbox(key="period").select("2025").run()
    assert not page.exception
    assert page.title[0].value == "norte"
    ((total,),) = ask(
        chain,
        "select sum(total) from marts.monthly_sales where shop_id = 'norte' and year(month) = 2025",
    )
    assert metric(page, "Sold") == formats.money(total, places=0).replace(formats.NARROW, "")
    # The address says the same again to whoever gets it.
    assert dict(page.query_params) == {"shops": "norte", "period": "2025"}
    again = shown(chain, monkeypatch, shops="norte", period="2025")
    assert [m.value for m in again.metric] == [m.value for m in page.metric]


@pytest.mark.parametrize(
    ("address", "first", "last"),
    [
        ({"from": "2026-05-03", "to": "2026-05-09"}, "2026-05-03", "2026-05-09"),
        ({"from": "2026-05-09", "to": "2026-05-03"}, "2026-05-03", "2026-05-09"),
        ({"from": "never", "to": "2026-05-03"}, "2026-07-10", "2026-07-16"),
    ],
)
def test_days_of_the_address_are_looked_at(chain, monkeypatch, address, first, last):
    page = shown(
        chain, monkeypatch, period="range", part="breakdown", by="shop", shops="x,norte", **address
    )
    ((total,),) = ask(
        chain,
        "select coalesce(sum(total), 0) from marts.daily_sales where shop_id = 'norte' "
        f"and day between '{first}' and '{last}'",
    )
    assert metric(page, "Sold") == formats.money(total, places=0).replace(formats.NARROW, "")
    sold = page.dataframe[0].value["Sold"].sum() if page.dataframe else 0
    assert sold == pytest.approx(float(total))


@pytest.mark.parametrize("by", ["product", "category", "technician", "shop"])
def test_a_breakdown_adds_up_and_is_compared(chain, monkeypatch, by):
    page = shown(chain, monkeypatch, part="breakdown", by=by, period="2026-05")
    rows = page.dataframe[0].value
    for column, month in (("Sold", "2026-05"), ("Before", "2026-04")):
        ((documents, lines),) = ask(
            chain,
            "with effects as (from marts.sales_documents "
            f"where strftime(effect_day, '%Y-%m') = '{month}') "
            "select (select sum(gross)::double from effects), (select sum(total)::double "
            "from marts.sales_lines semi join effects using (shop_id, effect_key))",
        )
        wanted = lines if by in ("product", "category") else documents
        assert rows[column].sum() == pytest.approx(wanted)
    assert not rows.isin(["None", "pos_order", "\n"]).any().any()


def test_periods_before():
    def before(first, last, against="before"):
        days = date.fromisoformat(first), date.fromisoformat(last)
        found = compared_with(
            Period(kind="day", first=days[0], last=days[1]),
            against,
            date(2026, 3, 6),
            date(2025, 3, 1),
        )
        return None if found is None else (str(found.first), str(found.last))

    assert before("2026-03-09", "2026-03-09") == ("2026-03-06", "2026-03-06")
    assert before("2026-03-01", "2026-03-31") == ("2026-02-01", "2026-02-28")
    assert before("2026-03-01", "2026-03-09") == ("2026-02-01", "2026-02-09")
    assert before("2026-01-01", "2026-03-31") == ("2025-10-01", "2025-12-31")
    assert before("2026-03-02", "2026-03-08") == ("2026-02-23", "2026-03-01")
    assert before("2028-02-29", "2028-02-29", "year") == ("2027-02-28", "2027-02-28")
    assert before("2029-02-01", "2029-02-28", "year") == ("2028-02-01", "2028-02-29")
    assert before("2025-03-01", "2025-03-31") is None, "the books had not begun"
    assert before("2026-02-01", "2026-02-09", "year") is None


def test_what_is_looked_for_is_found_and_opens(chain, monkeypatch):
    ((number, identity, customer, name, lines, paid),) = ask(
        chain,
        "select document_number, document_id, customer_id, customer_name, "
        "(select count(*) from marts.sales_lines l where l.document_id = d.document_id), "
        "(select sum(amount)::double from marts.payments p where p.document_id = d.document_id) "
        "from marts.documents d where shop_id = 'centro' and document_type = 'ticket_invoice' "
        "and payments > 0 order by document_number limit 1",
    )
    page = shown(chain, monkeypatch, q=number.lower())
    hits = page.dataframe[0].value
    assert (hits["Number"].iloc[0], set(hits["Kind"])) == (number, {"invoice"})
    assert {"centro", "norte"} >= set(hits["Shop"])
    page = shown(chain, monkeypatch, open=f"centro/ticket_invoice/{identity}")
    assert page.subheader[0].value == f"Invoice {number}"
    tables = [d.value for d in page.dataframe]
    (its_lines,) = [t for t in tables if "Quantity" in t.columns]
    (payments,) = [t for t in tables if "Paid with" in t.columns]
    assert len(its_lines) == lines and payments["Amount"].sum() == pytest.approx(paid)
    said = [str(text.value) for text in page.text]
    assert name in said and identity not in " ".join(said)
    page = shown(chain, monkeypatch, open=f"centro/customer/{customer}", q=name.split()[0])
    assert any(number in set(d.value.get("Number", ())) for d in page.dataframe)
    page.button(key="close").click().run()
    assert not page.exception and "open" not in page.query_params
    for odd in ("centro/customer/none", "x/y", "centro/'; drop/1", "norte/ticket/' or 1=1"):
        key = Key.read(odd)
        assert key is None or found.thing(chain, key) is None
    assert found.search(chain, ("centro", "norte"), "' or 1=1 -- $shops %") == []


def test_open_tickets_are_a_list(chain, monkeypatch):
    page = shown(chain, monkeypatch, part="tickets")
    (tickets,) = [d.value for d in page.dataframe if "Device" in d.value.columns]
    ((count,),) = ask(chain, "select count(*) from marts.tickets where not is_done")
    assert len(tickets) == count > 0
    assert set(tickets["Shop"]) <= {"centro", "norte"}


@pytest.mark.parametrize(
    "definition",
    [
        {"date_basis": "settled", "amount_basis": "net", "documents": "paid"},
        {"date_basis": "ticket", "returns": "sale_day"},
        {"date_basis": "due", "returns": "ignored"},
        {"date_basis": "payment"},
        {"documents": "pos_order"},
        {"documents": "paid_or_due"},
    ],
    ids=lambda definition: "-".join(definition.values()),
)
def test_documents_add_up_to_the_month_by_whatever_definition(home, definition):
    """The models' own view says what counts when; the tables are of another build."""
    change(home, f"update ops.shops set sales_definition = '{json.dumps(definition)}'")
    counted = details.documents(home, ("centro", "norte"), date(2026, 5, 1), date(2026, 5, 31))
    ((count, total),) = ask(
        home,
        "select count(*), sum(total)::double from intermediate.int_sales_effects "
        "where day between '2026-05-01' and '2026-05-31'",
    )
    assert counted[0]["of"] == len(counted) == count > 0
    assert float(sum(row["sold"] for row in counted)) == pytest.approx(total)


def test_a_month_leads_to_its_documents(chain, monkeypatch):
    page = shown(chain, monkeypatch)
    page.selectbox(key="period").select("2026-05").run()
    documents = page.dataframe[0].value
    ((count, gross),) = ask(
        chain,
        "select count(*), sum(gross)::double from marts.sales_documents "
        "where effect_day between '2026-05-01' and '2026-05-31'",
    )
    assert len(documents) == count > 0
    assert documents["Gross"].sum() == pytest.approx(gross)
    assert documents["Sold"].sum() == pytest.approx(gross)
    assert set(documents["Kind"]) <= {"invoice", "POS order", "return"}


def test_books_that_differ_are_seen_first(home, monkeypatch):
    change(
        home,
        "update marts.reconciliation set matches = false, difference = 7 "
        "where period = '2026-02-01' and shop_id = 'norte'",
    )
    page = shown(home, monkeypatch, part="books")
    assert any("Books differ" in str(m.value) for m in page.markdown)
    (books,) = [d.value for d in page.dataframe if "Difference" in d.value.columns]
    assert (books["Shop"].iloc[0], books["Difference"].iloc[0]) == ("norte", 7)


def test_a_mirror_that_is_old_or_whose_sync_failed_is_told_above_all(home, monkeypatch):
    change(home, "update ops.completeness set began_at = now()")
    page = shown(home, monkeypatch)
    assert not page.warning and not page.error
    assert any("Books agree" in str(m.value) for m in page.markdown)
    ledger = Ledger(home / "mirror.sqlite")
    ledger.begin_run("sync")
    ledger.close()
    page = shown(home, monkeypatch, part="mirror")
    assert "was cut off" in page.error[0].value
    (runs,) = [d.value for d in page.dataframe if "Outcome" in d.value.columns]
    assert list(runs["Outcome"]) == ["cut off"] and str(runs["Began"].iloc[0])
    assert any("Books in doubt" in str(m.value) for m in page.markdown)
    (home / "mirror.sqlite").unlink()
    change(home, "update ops.completeness set began_at = now() - interval 50 hour")
    page = shown(home, monkeypatch)
    assert "50 hours old" in page.warning[0].value
    assert not any("Books agree" in str(m.value) for m in page.markdown)


def test_rows_are_the_rows_there_are(home, monkeypatch):
    change(
        home,
        "insert into ops.completeness by name select 'centro' as shop_id, 'brands' as resource, "
        "true as is_proven, 'audit' as kind, 5000 as rows from range(3)",
    )
    page = shown(home, monkeypatch, part="mirror")
    (lists,) = [d.value for d in page.dataframe if "In doubt" in d.value.columns]
    found = lists[(lists["Shop"] == "centro") & (lists["List"] == "brands")]
    ((count,),) = ask(home, "select count(*) from raw.brands where shop_id = 'centro'")
    assert list(found["Rows"]) == [count]


def test_without_a_warehouse_the_page_says_what_to_do(tmp_path, monkeypatch):
    page = shown(tmp_path, monkeypatch)
    assert "run 'shopmirror sync' first" in page.info[0].value
    monkeypatch.setenv("WAREHOUSE__READ", "north")
    assert "'north' is none of those" in shown(tmp_path, monkeypatch).info[0].value


def test_a_warehouse_without_rows_or_marts(home, monkeypatch):
    tables = [
        row[0]
        for row in ask(home, "select table_name from duckdb_tables() where schema_name = 'marts'")
    ]
    change(home, *(f"delete from marts.{name}" for name in tables))
    page = shown(home, monkeypatch)
    assert metric(page, "Sold") == "0"
    change(home, "drop table marts.receivables")
    assert "another version" in shown(home, monkeypatch, part="due").info[0].value
    change(home, "delete from ops.shops")
    assert "holds no shop yet" in shown(home, monkeypatch).info[0].value


def test_several_currencies_are_not_added(home, monkeypatch):
    change(home, "update ops.shops set currency = 'EUR' where shop_id = 'norte'")
    page = shown(home, monkeypatch)
    assert "several currencies" in page.warning[0].value
    page.multiselect(key="shops").select("norte").run()
    assert not any("several currencies" in line.value for line in page.warning)
    assert any("amounts in EUR" in line.value for line in page.caption)


def test_looking_never_keeps_a_sync_from_publishing(chain, tmp_path):
    from pipelines.home import Home

    home = Home(tmp_path / "home")
    home.build_warehouse.write_bytes((chain / "warehouse.duckdb").read_bytes())
    publish(home)
    stop, failures = threading.Event(), []

    def look():
        for number in itertools.count():
            if stop.is_set():
                return
            # Other months each time, so that every look opens the file.
            first = date(2000 + number % 25, number % 12 + 1, 1)
            try:
                found = view.view(home.path, ["centro"], first, date(2026, 7, 1))
                if found.seal.compared == 0:
                    failures.append("half a warehouse")
            except NothingPublished as error:
                failures.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    signatures = set()
    for _ in range(5):
        publish(home)
        signatures.add(signature(home.path))
    stop.set()
    thread.join()
    assert not failures
    assert len(signatures) == 5, "each publishing is noticed"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "example.com", "::"])
def test_only_this_machine_is_served(tmp_path, host):
    with pytest.raises(DashboardError, match=r"127\.0\.0\.1 only"):
        serve(tmp_path, DashboardSettings(address=host))


def test_a_port_in_use_is_said(tmp_path, capsys):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["dashboard", "--port", str(port)]) == 2
    assert f"Port {port} on 127.0.0.1 cannot be used" in capsys.readouterr().err


def test_a_cell_that_looks_like_a_formula_is_a_text(home, monkeypatch):
    change(home, "update marts.receivables set customer_name = '=cmd|''/c calc''!A1'")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params["part"] = "due"
    page.run()
    assert set(page.dataframe[0].value["Customer"]) == {"'=cmd|'/c calc'!A1"}
