"""The figures of a closing report, against the records they are made of."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from pipelines.dashboard import view
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published
from pipelines.report import Period, ReportError, closing_report
from pipelines.report.figures import Calendar
from pipelines.report.layout import tables
from tests.app.warehouse import NOW, TODAY, ask, built_at, change, report, texts


def test_money_taken_is_split_by_kind_and_by_what_it_paid_for(chain):
    page = report(chain, "2026-06", shop="centro").pages[0]
    found = page.now.figures
    paid = ask(
        chain,
        "select kind, document_type, ticket_id is not null, amount, payment_method "
        "from marts.payments where shop_id = 'centro' and strftime(day, '%Y-%m') = '2026-06'",
    )

    def total(chosen) -> Decimal:
        return sum((row[3] for row in paid if chosen(row)), Decimal(0))

    assert found.taken == total(lambda row: True) > 0
    kinds = (found.sales, found.receivables, found.advances, found.refunds)
    names = ("sale", "receivable", "advance", "refund")
    assert kinds == tuple(total(lambda row, name=name: row[0] == name) for name in names)
    assert found.taken_counter == total(lambda row: row[1] == "pos_order")
    assert found.taken_repairs + found.taken_unassigned == found.taken - found.taken_counter
    assert {(m["name"], m["amount"]) for m in page.methods} == {
        (name, total(lambda row, name=name: row[4] == name)) for name in {row[4] for row in paid}
    }


def test_a_period_is_the_sum_of_its_days(chain):
    days = [report(chain, f"2026-07-{day:02}").pages[0].now for day in (13, 14, 15, 16)]
    whole = report(chain, "2026-W29").pages[0].now.figures
    assert whole.taken == sum(day.figures.taken for day in days) > 0
    assert whole.sold == sum(day.figures.sold for day in days) > 0
    assert whole.sold == whole.sold_repairs + whole.sold_counter


def test_the_chain_is_the_sum_of_its_shops_and_asks_as_often_as_one(chain, monkeypatch):
    questions = []
    rows = Published.rows

    def counted(self, sql, values=None):
        questions.append(sql)
        return rows(self, sql, values)

    monkeypatch.setattr(Published, "rows", counted)
    both = report(chain, "2026-06").pages[0]
    of_both = len(questions)
    alone = {
        shop: report(chain, "2026-06", shop=shop).pages[0].now.figures
        for shop in ("centro", "norte")
    }
    assert of_both == (len(questions) - of_both) // 2 + 1, "one more: the shops' own lines"
    assert [line.shop for line in both.lines] == ["centro", "norte"]
    for name in ("taken", "sold", "due", "tickets_opened"):
        assert getattr(both.now.figures, name) == sum(getattr(one, name) for one in alone.values())
        for line in both.lines:
            assert getattr(line.figures, name) == getattr(alone[line.shop], name)


def test_what_is_due_in_a_month_to_date_is_what_is_due_on_its_last_day(chain):
    month, today = (report(chain, text).pages[0].now for text in ("2026-07", str(TODAY)))
    assert month.period.last == TODAY
    assert month.figures.due_to_30 == today.figures.due_to_30 > 0
    assert month.figures.due == today.figures.due


@pytest.mark.parametrize(
    ("today", "kind", "before", "so_far"),
    [
        ("2026-02-28", "month", "2026-01-01 2026-01-28", "20:00"),
        ("2026-04-30", "month", "2026-03-01 2026-03-30", "20:00"),
        # February has no such day: it stands there whole, its last day too.
        ("2026-03-29", "month", "2026-02-01 2026-02-28", ""),
        ("2026-03-31", "month", "2026-02-01 2026-02-28", ""),
        ("2026-06-30", "quarter", "2026-01-01 2026-03-31", ""),
        ("2026-05-31", "week", "2026-05-18 2026-05-24", "20:00"),
        ("2026-07-16", "day", "2026-07-15 2026-07-15", "20:00"),
    ],
)
def test_a_period_whose_last_day_still_runs_is_set_beside_as_many_days(
    home, today, kind, before, so_far
):
    change(home, f"update marts.shop_days set is_today = day = '{today}'")
    day = date.fromisoformat(today)
    now = datetime(day.year, day.month, day.day, 20, tzinfo=ZoneInfo("America/Guatemala"))
    page = closing_report(home, period=Period.of(kind, day), now=now).pages[0]
    assert page.before is not None
    days = f"{page.before.period.first} {page.before.period.last}"
    assert (days, page.before.so_far) == (before, so_far)
    last = page.before.period.last
    ((whole, cut),) = ask(
        home,
        "select (select sum(taken) from marts.shop_days where day between $1 and $2), "
        "(select coalesce(sum(taken), 0) from marts.shop_days where day between $1 and $2 - 1) + "
        "(select sum(taken) from marts.shop_days_so_far where day = $2)",
        page.before.period.first,
        last,
    )
    assert page.before.figures.taken == (cut if so_far else whole)


def test_payment_methods_of_a_running_day_stand_beside_the_same_hours(home):
    built_at(home, 12 * 60)
    page = report(home, str(TODAY)).pages[0]
    assert page.before is not None and page.before.so_far == "12:00"
    found = {line["name"]: line["before"] for line in page.methods if line["before"]}
    paid = (
        "select payment_method, sum(amount) from marts.payments where day = '2026-07-09' "
        "and (paid_at at time zone 'America/Guatemala')::time {} time '12:01' group by 1"
    )
    assert found == dict(ask(home, paid.format("<"))) and ask(home, paid.format(">="))
    (table,) = [table for table in tables(report(home), page) if table.key == "methods"]
    assert table.heads[-1] == "A week before\nto 12:00"


def test_without_a_day_the_last_one_open_with_business_is_reported(home):
    """Today nobody has come yet."""
    assert report(home).period.first == date(2026, 7, 15)
    change(home, "update marts.shop_days set is_business_day = false where day >= '2026-07-15'")
    ((before,),) = ask(home, "select max(day) from marts.shop_days where is_business_day")
    assert report(home).period.first == before
    change(home, "update marts.shop_days set is_business_day = false")
    assert report(home).period.first == TODAY


def test_tickets_add_up_over_technicians(chain):
    page = report(chain, "2026-06").pages[0]
    work = page.now.figures
    assert work.tickets_opened == sum(line["opened"] for line in page.technicians) > 0
    assert work.tickets_closed == sum(line["closed"] for line in page.technicians) > 0
    assert work.tickets_open == sum(line["open_at_end"] for line in page.technicians)
    opened = "select count(*) from marts.tickets where strftime(opened_day, '%Y-%m') = '2026-06'"
    assert [(work.tickets_opened,)] == ask(chain, opened)


def test_a_ticket_invoiced_before_it_was_opened_is_closed_by_its_technician(home):
    change(home, "update marts.tickets set opened_day = done_day + 40 where is_done")
    page = report(home, "2026-05").pages[0]
    closed = sum(line["closed"] for line in page.technicians)
    assert page.now.figures.tickets_closed == closed > 0


@pytest.mark.parametrize(("month", "lines"), [(3, 1), (4, 1), (6, 0)])
def test_tickets_of_nobody_are_one_line(chain, month, lines):
    """Of both shops in March, of one in April, of none in June."""
    page = report(chain, f"2026-{month:02}").pages[0]
    median = ask(
        chain,
        "select median(cycle_hours) from marts.tickets where is_unassigned and is_done "
        "and year(done_day) = 2026 and month(done_day) = ?",
        month,
    )
    found = [(one["median_hours"],) for one in page.technicians if one["name"] is None]
    assert found == median * lines


def test_thirteen_months_end_with_the_one_reported(chain):
    bars = report(chain, str(TODAY)).pages[0].months
    assert [bars[0]["month"], bars[-1]["month"]] == [date(2025, 7, 1), date(2026, 7, 1)]
    assert [bar["is_whole"] for bar in bars] == [True] * 12 + [False]
    assert report(chain, "2026-06").pages[0].months[-1]["is_whole"]
    sums = dict(ask(chain, "select month, sum(total) from marts.monthly_sales group by 1"))
    assert all(bar["total"] == sums.get(bar["month"], 0) for bar in bars)


def test_a_warehouse_without_a_shop_says_what_to_do(home):
    change(home, "delete from ops.shops", "delete from marts.calendar")
    with pytest.raises(ReportError, match="run 'shopmirror sync' first"):
        report(home)


def test_today_is_the_shops_own_day(home):
    late = datetime(2026, 7, 17, 5, 30, tzinfo=UTC)  # 23:30 of the 16th in Guatemala
    assert closing_report(home, period=Period.of("day", TODAY), now=late).period.first == TODAY
    with pytest.raises(ReportError, match=r"2026-07-17 has not begun yet \(today is 2026-07-16\)"):
        closing_report(home, period=Period.read("2026-07-17"), now=late)
    with pytest.raises(ReportError, match="2026-08 has not begun"):
        closing_report(home, period=Period.read("2026-08"), now=late)


@pytest.mark.parametrize(
    ("day", "note"), [("2026-07-18", "ends at 2026-07-16"), ("2001-01-01", "books begin")]
)
def test_a_day_that_the_books_do_not_hold_says_so(chain, day, note):
    now = NOW + timedelta(days=3)
    page = closing_report(chain, period=Period.read(day), now=now).pages[0]
    assert any(note in one for one in page.notes)


def test_nothing_is_compared_with_days_before_the_books_begin(chain):
    ((first,),) = ask(chain, "select min(day) from marts.calendar")
    page = report(chain, str(first)).pages[0]
    assert (page.before, page.earlier) == (None, None)


def test_shops_of_several_currencies_get_a_page_each_and_no_sum(home):
    change(home, "update ops.shops set currency = 'EUR' where shop_id = 'norte'")
    pages = report(home).pages
    assert [(page.title, page.currency) for page in pages] == [("centro", "GTQ"), ("norte", "EUR")]
    assert all(not page.lines for page in pages)
    # The books of each begin when its own shops' do.
    change(home, "delete from marts.shop_days where shop_id = 'norte' and day < '2026-06-01'")
    older, younger = report(home, "2026-06").pages
    assert older.before is not None and younger.before is None
    assert any(
        "begin at 2026-06-01" in str(note) for note in report(home, "2026-05").pages[1].notes
    )


def test_as_of_is_the_oldest_look_at_what_the_figures_are_made_of(home):
    """A sync of one shop makes no other newer, nor one of customers the sales."""
    change(
        home,
        "create or replace table ops.completeness as "
        "select shop_id, resource, kind, true as is_proven, "
        "timestamptz '2026-07-16 20:00:00+00' + to_hours(late) as began_at "
        "from unnest(['centro', 'norte']) as shops(shop_id), "
        "unnest(['tickets', 'ticket_invoices', 'pos_orders', 'payments', 'customers']) "
        "as lists(resource), "
        "(values ('full', -20), ('head', 0), ('repair', 7)) as kinds(kind, late)",
        "update ops.completeness set began_at = began_at + interval 5 hour "
        "where shop_id = 'norte' or resource = 'customers'",
    )
    evening = datetime(2026, 7, 16, 20, 0, tzinfo=UTC)
    assert report(home).pages[0].as_of == evening
    assert report(home, shop="norte").pages[0].as_of == evening + timedelta(hours=5)
    assert not report(home, shop="centro").pages[0].notes
    late = closing_report(home, now=evening + timedelta(hours=40)).pages[0]
    assert texts(late) == ["Centro: the mirror is 40 hours old."], "norte is younger"
    change(
        home,
        "update ops.completeness set began_at = began_at + interval 50 year "
        "where shop_id = 'norte' and kind = 'head'",
    )
    assert report(home, shop="norte").pages[0].as_of == evening - timedelta(
        hours=15
    )  # none to come
    change(home, "delete from ops.completeness where resource = 'payments' and shop_id = 'centro'")
    assert report(home).pages[0].as_of is None
    page = report(home, shop="centro").pages[0]
    assert texts(page) == ["Not proven complete at the last sync: payments."]


def test_a_chain_closes_a_day_that_has_begun_in_each_of_its_zones(home):
    """It is the 17th in Auckland, and that shop has done business already."""
    change(
        home,
        "update ops.shops set timezone = 'Pacific/Auckland' where shop_id = 'norte'",
        "update marts.shop_days set is_business_day = true where day >= '2026-07-15'",
        "insert into marts.shop_days by name select * replace (day + 1 as day) "
        "from marts.shop_days where shop_id = 'norte' and is_today",
        "update marts.shop_days set is_today = day = '2026-07-17' where shop_id = 'norte'",
        "update marts.shop_days set taken = taken + 5 where day = '2026-07-15'",
    )
    assert report(home).period.first == TODAY
    assert report(home, shop="norte").period.first == TODAY + timedelta(days=1)
    # There the 16th is over, so that no day before it is cut at an hour either.
    page = report(home).pages[0]
    before = page.before
    assert before is not None and before.so_far == "20:00"
    assert not page.notes, "nothing is missing of a day that still runs"
    # A ticket closed on the day that has begun in one zone alone is open at the end of the other's.
    change(
        home,
        "update marts.tickets set is_done = true, done_day = '2026-07-17' where id in "
        "(select id from marts.tickets where shop_id = 'norte' and not is_done limit 1)",
    )
    begun = report(home, "2026-07-17").pages[0]
    assert begun.now.figures.tickets_open == sum(line["open_at_end"] for line in begun.technicians)
    alone = "select sum(taken) from marts.{} where shop_id = '{}' and day = '2026-07-15'"
    cut, whole = (
        ask(home, alone.format(*which))[0][0]
        for which in (("shop_days_so_far", "centro"), ("shop_days", "norte"))
    )
    assert before.figures.taken == cut + whole


@pytest.mark.parametrize(
    ("change_by", "options", "words"),
    [
        ("drop table marts.payments", {}, r"another version .*payments .* 'shopmirror sync'"),
        ("alter table marts.shop_days drop column tax", {}, r"another version .*tax.* sync"),
        (None, {"shop": "sur"}, r"no shop 'sur' in the warehouse\. It has: centro"),
    ],
)
def test_what_keeps_a_report_from_being_made_is_said(home, change_by, options, words):
    if change_by:
        change(home, change_by)
    with pytest.raises((NothingPublished, ReportError), match=words):
        report(home, **options)


def test_a_warehouse_that_is_not_there_or_is_none_is_said(tmp_path):
    with pytest.raises(NothingPublished, match=r"no warehouse in .* yet: run 'shopmirror sync'"):
        report(tmp_path)
    (tmp_path / "warehouse.duckdb").write_bytes(b"nonsense" * 1000)
    with pytest.raises(NothingPublished, match="cannot be read"):
        report(tmp_path)


@pytest.mark.parametrize(
    ("code", "first", "last"),
    [
        ("day", "2026-11-18", "2026-11-18"),
        ("today", "2026-11-20", "2026-11-20"),
        ("week", "2026-11-16", "2026-11-20"),
        ("range", "2026-11-16", "2026-11-20"),
        ("month", "2026-11-01", "2026-11-20"),
        ("quarter", "2026-10-01", "2026-11-20"),
        ("year", "2026-01-01", "2026-11-20"),
        ("13-months", "2025-11-01", "2026-11-20"),
        ("all", "2025-03-09", "2026-11-20"),
        ("2026-12-24", "2026-12-24", "2026-12-24"),
        ("soon", "2026-11-18", "2026-11-18"),
    ],
)
def test_a_code_means_days_up_to_the_mirrors_last_one(code, first, last):
    begun, until, opened = date(2025, 3, 9), date(2026, 11, 20), date(2026, 11, 18)
    days = Calendar(begun=begun, until=until, open_day=opened)
    found = view.period_of(code, days)
    assert (found.first.isoformat(), found.last.isoformat()) == (first, last)
    assert view.periods(days, code)[-1] == (code if code in ("2026-12-24", "soon") else "2025")
