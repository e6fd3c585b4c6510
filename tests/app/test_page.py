"""The page as Streamlit builds it, without a browser."""

import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from unittest.mock import MagicMock

import pyarrow as pa
import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

from pipelines.dashboard import asked, table
from pipelines.dashboard.plain import plain
from pipelines.dashboard.serve import APP
from pipelines.language import MINUS
from pipelines.report import Period, closing_report, formats
from shopmirror.main import main
from tests.app.warehouse import NOW, ask, built_at, change


def shown(home: Path, monkeypatch: pytest.MonkeyPatch, **address: str) -> AppTest:
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    # It looks through all packages for parts of pages: a fifth of what a test of the page takes.
    monkeypatch.setattr(BidiComponentManager, "discover_and_register_components", MagicMock())
    page = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in address.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def metric(page: AppTest, label: str) -> str:
    (value,) = [m.value for m in page.metric if m.label.startswith(label)]
    return str(value)


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
    assert metric(page, "Sold") == formats.money(total)
    # The address says the same again to whoever gets it.
    assert dict(page.query_params) == {"shops": "norte", "period": "2025"}
    again = shown(chain, monkeypatch, shops="norte", period="2025")
    assert [m.value for m in again.metric] == [m.value for m in page.metric]


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("2026-05-09--2026-05-03", "2026-05-03", "2026-05-09"),
        ("2026-W20", "2026-05-11", "2026-05-17"),
        ("nonsense", "2026-07-15", "2026-07-15"),
    ],
)
def test_days_of_the_address_are_looked_at(chain, monkeypatch, period, first, last):
    page = shown(chain, monkeypatch, period=period, part="breakdown", by="shop", shops="x,norte")
    ((total,),) = ask(
        chain,
        "select coalesce(sum(total), 0) from marts.daily_sales where shop_id = 'norte' "
        f"and day between '{first}' and '{last}'",
    )
    assert metric(page, "Sold") == formats.money(total)
    sold = page.dataframe[0].value["Sold"].sum() if page.dataframe else 0
    assert sold == pytest.approx(float(total))


def test_two_days_picked_one_after_the_other_are_a_period(chain, monkeypatch):
    page = shown(chain, monkeypatch, period="range")
    first, last = date(2026, 5, 3), date(2026, 5, 9)
    page.date_input[0].set_value((first,)).run()
    assert page.date_input[0].value == (first,), "the first waits for the second"
    page.date_input[0].set_value((first, last)).run()
    assert dict(page.query_params) == {"period": f"{first}--{last}"}
    assert page.date_input[0].value == (first, last)


def test_a_choice_made_before_the_browser_has_the_new_address_counts(chain, monkeypatch):
    page = shown(chain, monkeypatch)
    page.selectbox(key="period").select("2026-05").run()
    page.query_params.clear()
    page.selectbox(key="against").select("year").run()
    assert (page.selectbox(key="period").value, page.query_params["against"]) == (
        "2026-05", "year",
    )  # fmt: skip
    # Without a choice it is the way back through the browser's history.
    page.query_params.clear()
    page.run()
    assert page.selectbox(key="period").value == "day"


@pytest.mark.parametrize("against", ["before", "year"])
def test_a_year_stands_beside_the_year_before(chain, monkeypatch, against):
    page = shown(chain, monkeypatch, period="2026", against=against)
    assert any("change against 2025-01-01" in caption.value for caption in page.caption)


def test_what_was_looked_at_is_looked_at_again_once_there_is_a_warehouse_again(home, monkeypatch):
    page = shown(home, monkeypatch, period="2026-05", part="cash")
    figures = [m.value for m in page.metric]
    (home / "warehouse.duckdb").rename(home / "away")
    page.run()
    assert not page.metric
    (home / "away").rename(home / "warehouse.duckdb")
    page.run()
    assert dict(page.query_params) == {"period": "2026-05", "part": "cash"}
    assert [m.value for m in page.metric] == figures


def test_a_bar_of_any_month_leads_to_it(chain, monkeypatch):
    """Also one that lies further back than a year: it is among the periods to choose from."""
    ((month, total),) = ask(
        chain,
        "select month, sum(total) from marts.monthly_sales where total > 0 group by 1 "
        "order by 1 limit 1",
    )
    page = shown(chain, monkeypatch, period="all")
    page.session_state["period"] = f"{month:%Y-%m}"
    page.run()
    assert not page.exception
    assert page.selectbox(key="period").value == f"{month:%Y-%m}"
    assert metric(page, "Sold") == formats.money(total)


@pytest.mark.parametrize("by", ["product", "technician"])
def test_a_breakdown_adds_up_is_compared_and_leads_to_its_documents(chain, monkeypatch, by):
    asked = {"part": "breakdown", "by": by, "period": "2026-05"}
    rows = shown(chain, monkeypatch, **asked).dataframe[0].value
    for column, month in (("Sold", "2026-05"), ("Before", "2026-04")):
        ((sold,),) = ask(
            chain,
            "select sum(total)::double from marts.daily_sales "
            f"where strftime(day, '%Y-%m') = '{month}'",
        )
        assert rows[column].sum() == pytest.approx(sold)
    assert not rows.isin(["None", "pos_order", "\n"]).any().any()
    assert rows["Share"].dtype == rows["Change"].dtype == float, "they sort as numbers"
    assert rows["Share"].sum() == pytest.approx(100)
    if by == "product":
        best = rows.iloc[0]
        page = shown(chain, monkeypatch, **asked, open=f"part:product:{best['Product']}")
        assert page.dataframe[-1].value["Sold"].sum() == pytest.approx(best["Sold"])


@pytest.mark.parametrize("by", ["product", "technician"])
@pytest.mark.parametrize("earlier", [0, 1])
def test_a_breakdown_of_a_running_day_stands_beside_the_same_hours(home, monkeypatch, by, earlier):
    """Built in the minute of the first sale of the day before, or a minute earlier."""
    counted = "counted_lines" if by == "product" else "counted_sales"
    clock = "(happened_at at time zone 'America/Guatemala')"
    minutes = f"hour({clock}) * 60 + minute({clock})"
    sold = (
        f"select {minutes}, sum(counted_amount)::double from marts.{counted} "
        "where counted_day = '2026-07-15' group by 1 order by 1"
    )
    first, amount = ask(home, sold)[0]
    built_at(home, first - earlier)
    page = shown(home, monkeypatch, part="breakdown", by=by, period="today")
    before = page.dataframe[0].value["Before"].sum()
    assert before == (0 if earlier else pytest.approx(amount)) and amount > 0


def test_open_tickets_are_a_list(chain, monkeypatch):
    page = shown(chain, monkeypatch, part="tickets")
    (tickets,) = [d.value for d in page.dataframe if "Device" in d.value.columns]
    ((count,),) = ask(chain, "select count(*) from marts.tickets where not is_done")
    assert len(tickets) == count > 0
    assert set(tickets["Shop"]) <= {"centro", "norte"}


def test_a_share_is_of_all_parts_however_few_are_shown(home, monkeypatch):
    monkeypatch.setattr(asked, "MOST", 3)
    page = shown(home, monkeypatch, part="breakdown", by="product", period="2026-05")
    rows = page.dataframe[0].value
    ((sold,),) = ask(
        home,
        "select sum(total)::double from marts.daily_sales where strftime(day, '%Y-%m') = '2026-05'",
    )
    assert rows["Share"].tolist() == pytest.approx((rows["Sold"] / sold * 100).tolist())
    assert any(line.value.startswith("3 of ") for line in page.caption)


def test_cash_up_stands_beside_the_same_weekday_of_the_week_before(chain, monkeypatch):
    page = shown(chain, monkeypatch, part="cash", period="2026-07-15")
    methods = page.dataframe[0].value
    paid = "select coalesce(sum(amount), 0)::double from marts.payments where day = ?"
    assert methods["Taken"].sum() == pytest.approx(ask(chain, paid, date(2026, 7, 15))[0][0])
    (before,) = [name for name in methods.columns if "2026-07-08" in name]
    assert before.startswith("Wednesday")
    assert methods[before].sum() == pytest.approx(ask(chain, paid, date(2026, 7, 8))[0][0])


def test_cash_up_stands_beside_no_day_before_the_books_begin(home, monkeypatch):
    change(home, "delete from marts.shop_days where day < '2026-07-10'")
    methods = shown(home, monkeypatch, part="cash", period="2026-07-15").dataframe[0].value
    assert list(methods.columns) == ["Paid with", "Payments", "Taken"]


def test_what_comes_already_is_not_to_be_ordered_again(home, monkeypatch):
    change(home, "update marts.products set on_order_quantity = 50 where hash(id) % 2 = 0")
    rows = shown(home, monkeypatch, part="stock").dataframe[0].value
    comes = rows["Quantity"] + rows["On order"] > rows["Warn at"]
    assert comes.any() and rows[comes]["Order"].isna().all() and rows[~comes]["Order"].notna().any()


def test_charts_tell_amounts_in_the_places_of_their_currency(home, monkeypatch):
    change(
        home,
        "update ops.shops set currency = 'KWD'",
        "update marts.shop_days set sold_repairs = 1.2345 where day = '2026-05-04'",
    )
    page = shown(home, monkeypatch, period="2026-05")
    told = [
        amount
        for chart in page.get("vega_lite_chart")
        for piece in chart.proto.datasets
        for amount in pa.ipc.open_stream(piece.data.data).read_pandas()["told"]
    ]
    assert told and all(re.fullmatch(r"\u2212?[\d,]+\.\d{3}", amount) for amount in told)


def test_staff_see_no_margins(chain, monkeypatch):
    monkeypatch.setattr("pipelines.dashboard.access.sees_margins", lambda _headers: False)
    for part in ("sales", "breakdown", "cash", "stock"):
        page = shown(chain, monkeypatch, part=part, period="2026-05")
        labels = [one.label for one in page.metric]
        labels += [name for one in page.dataframe for name in one.value.columns]
        assert not {"Margin", "cost of goods", "Expenses", "Value at cost"} & set(labels)


@pytest.mark.parametrize("sees", [True, False])
def test_staff_see_no_totals_of_purchases(home, monkeypatch, sees):
    """They would tell the costs: neither in the books nor in what is downloaded."""
    change(
        home,
        "insert into marts.reconciliation by name from (from marts.reconciliation "
        "select * replace ('monthly_purchases' as report, false as matches) limit 1)",
    )
    monkeypatch.setattr("pipelines.dashboard.access.sees_margins", lambda _headers: sees)
    books = shown(home, monkeypatch, part="books").dataframe[0].value
    assert ("monthly purchases" in set(books["Report"])) is sees and len(books) > 1
    made = closing_report(home, now=NOW)
    (page,) = (made if sees else made.without_purchases()).pages
    assert page.seal.differing == 1 and len(page.seal.differences) == sees


@pytest.mark.parametrize(
    ("period", "told"),
    [
        ("2026-07", "1 document(s) have no amount"), ("2099", "mirror ends at 2026-07-16"),
        ("2019", "books begin at"),
    ],
)  # fmt: skip
def test_what_a_report_notes_is_noted_on_the_page(home, monkeypatch, period, told):
    change(home, "update marts.shop_days set unreadable_documents = 1 where is_today "
                 "and shop_id = 'centro'")  # fmt: skip
    page = shown(home, monkeypatch, period=period)
    assert any(plain(told) in caption.value for caption in page.caption)


def test_a_phone_gets_cards_with_their_amounts_in_sight(chain, monkeypatch):
    monkeypatch.setattr(table, "is_phone", lambda: True)
    page = shown(chain, monkeypatch, part="due")
    assert not page.dataframe
    ((due, number),) = ask(
        chain, "select due, document_number from marts.receivables order by due desc limit 1"
    )
    assert any(plain(formats.money(due)) in str(one.value) for one in page.markdown)
    page.button(key="debtors-card-0").click().run()
    assert not page.exception
    (drawer,) = page.get("dialog")
    assert plain(str(number)) in str(drawer.proto)


def test_on_a_phone_a_lines_amount_is_its_total(chain, monkeypatch):
    monkeypatch.setattr(table, "is_phone", lambda: True)
    ((shop, kind, document, price, total),) = ask(
        chain,
        "select shop_id, document_type, document_id, unit_price, total from marts.sales_lines "
        "where effect <> 'return' and unit_price <> total and total <> 0 order by all limit 1",
    )
    page = shown(chain, monkeypatch, open=f"{shop}/{kind}/{document}")
    bold = [str(one.value) for one in page.markdown]
    assert f"**{plain(formats.money(total))}**" in bold
    assert f"**{plain(formats.money(price))}**" not in bold


PERIODS = ("2026-07-16", "2026-07", "2026-W28", "2026-Q2", "2026-06-03--2026-06-09")


@pytest.mark.parametrize("period", PERIODS)
def test_report_page_and_query_say_the_same_of_a_period(chain, monkeypatch, capsys, period):
    """Month to date and a day that still runs among them, each beside the period before."""
    made = closing_report(chain, period=Period.read(period), now=NOW).pages[0]
    page = shown(chain, monkeypatch, period=period)
    now = made.now.figures
    for label, amount in (
        ("Sold", now.sold), ("Money taken", now.taken), ("Margin", now.margin),
        ("Still due", now.due),
    ):  # fmt: skip
        assert metric(page, label) == formats.money(amount)
    for label, count in (
        ("Tickets opened", now.tickets_opened),
        ("Open tickets", now.tickets_open),
    ):
        assert metric(page, label) == formats.whole(count)
    assert made.before is not None
    change_of_sales = formats.share(formats.change(now.sold, made.before.figures.sold))
    (delta,) = [one.delta for one in page.metric if one.label == "Sold"]
    assert delta == change_of_sales.replace(MINUS, "-")
    first, last = made.now.period.first, made.now.period.last
    asked = (
        f"select sum(sold), sum(taken), sum(margin), sum(due) filter (where day = '{last}') "
        f"from marts.shop_days where day between '{first}' and '{last}'"
    )
    assert main(["query", asked, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert [Decimal(str(value)) for value in row.values()] == [
        now.sold, now.taken, now.margin, now.due,
    ]  # fmt: skip


def test_how_runs_ended_is_said_in_the_language_of_the_page(home, monkeypatch):
    monkeypatch.setenv("DISPLAY__LANGUAGE", "es")
    told = "Stopped early. What was fetched is kept; the next run goes on from there."
    change(home, f"create or replace table ops.runs as select *, '{told}' as message "
                 "from (select * exclude (message) from ops.runs)")  # fmt: skip
    runs = shown(home, monkeypatch, part="mirror").dataframe[0].value
    assert runs["Mensaje"].iloc[0].startswith("Se detuvo antes de terminar.")


def test_a_month_leads_to_its_documents_and_to_its_report(chain, monkeypatch):
    page = shown(chain, monkeypatch)
    page.selectbox(key="period").select("2026-05").run()
    listed = page.dataframe[0].value
    ((count, gross),) = ask(
        chain,
        "select count(*), sum(gross)::double from marts.sales_documents "
        "where effect_day between '2026-05-01' and '2026-05-31'",
    )
    assert len(listed) == count > 0
    assert listed["Gross"].sum() == pytest.approx(gross)
    assert listed["Sold"].sum() == pytest.approx(gross)
    assert set(listed["Kind"]) <= {"invoice", "POS order", "return"}
    assert [one.label for one in page.get("download_button")] == ["PDF", "Excel"]


def test_several_currencies_are_not_added(home, monkeypatch):
    change(home, "update ops.shops set currency = 'EUR' where shop_id = 'norte'")
    page = shown(home, monkeypatch)
    assert "several currencies" in page.warning[-1].value and not page.metric
    # What is in doubt is told of all of them, and a reload looks at the same shops.
    assert any("hours old" in line.value for line in page.warning)
    page.multiselect(key="shops").select("norte").run()
    page.multiselect(key="shops").select("centro").run()
    assert page.query_params["shops"] == "norte,centro"
    page.multiselect(key="shops").unselect("centro").unselect("norte").run()
    page.multiselect(key="shops").select("norte").run()
    assert not any("several currencies" in line.value for line in page.warning)
    assert any("amounts in EUR" in line.value for line in page.caption)


def test_a_cell_that_looks_like_a_formula_is_a_text(home, monkeypatch):
    change(home, "update marts.receivables set customer_name = '=cmd|''/c calc''!A1'")
    page = shown(home, monkeypatch, part="due")
    assert set(page.dataframe[0].value["Customer"]) == {"'=cmd|'/c calc'!A1"}
