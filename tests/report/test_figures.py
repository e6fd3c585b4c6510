from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from pipelines.home import Home
from pipelines.monitor.severity import Severity
from pipelines.publish.errors import NothingPublished
from pipelines.report import ReportError, SealState, closing_report
from pipelines.report.figures import Page, Report
from sources.repair_shop.ledger import Ledger
from tests.app.warehouse import NOW, TODAY, ask, change


def report(home: Path, **options: object) -> Report:
    return closing_report(home, now=NOW, **options)  # type: ignore[arg-type]


def payment(home: Path, number: int, kind: str, amount: str, **values: str) -> None:
    columns = {
        "shop_id": "centro",
        "id": f"x{number}",
        "day": str(TODAY),
        "kind": kind,
        "kind_chosen": kind,
        "amount": amount,
        "document_type": "ticket_invoice",
        "payment_method": "Cash",
    } | values
    named = ", ".join(f"'{value}' as {name}" for name, value in columns.items())
    change(home, f"insert into marts.payments by name select {named}")


def test_money_taken_is_split_by_kind_and_by_what_it_paid_for(home):
    change(home, f"delete from marts.payments where day = '{TODAY}'")
    payment(home, 1, "sale", "100.10")
    payment(home, 2, "sale", "50.00", document_type="pos_order", payment_method="Card")
    payment(home, 3, "receivable", "30.05")
    payment(home, 4, "advance", "20.00")
    payment(home, 5, "refund", "-10.15", document_type="pos_order")
    page = report(home, shop="centro", day=TODAY).pages[0]
    taken = page.now.taken
    assert taken.total == Decimal("190.00")
    assert (taken.sales, taken.receivables) == (Decimal("150.10"), Decimal("30.05"))
    assert (taken.advances, taken.refunds) == (Decimal("20.00"), Decimal("-10.15"))
    assert (taken.repairs, taken.counter) == (Decimal("150.15"), Decimal("39.85"))
    assert [(m.name, m.amount) for m in page.methods] == [
        ("Cash", Decimal("140.00")),
        ("Card", Decimal("50.00")),
    ]


def test_a_month_is_the_sum_of_its_days(chain):
    """Up to the shop's today: a report a day is what this takes long for."""
    month = TODAY.replace(day=1)
    whole = report(chain, month=month).pages[0].now
    days = [report(chain, day=month + timedelta(days=n)).pages[0].now for n in range(TODAY.day)]
    assert whole.taken.total == sum(day.taken.total for day in days) > 0
    assert whole.sold.total == sum(day.sold.total for day in days) > 0
    assert whole.sold.total == whole.sold.repairs + whole.sold.counter


def test_the_chain_is_the_sum_of_its_shops(chain):
    month = date(2026, 6, 1)
    both = report(chain, month=month).pages[0]
    assert [line.shop for line in both.lines] == ["centro", "norte"]
    for name in ("taken", "sold", "due"):
        alone = [
            getattr(report(chain, month=month, shop=shop).pages[0].now, name).total
            for shop in ("centro", "norte")
        ]
        assert getattr(both.now, name).total == sum(alone)
        assert [getattr(line, name) for line in both.lines] == alone


@pytest.mark.parametrize("back", [0, 20, 90, 200])
def test_due_at_an_earlier_day_is_what_was_unpaid_then(chain, back):
    """Added up again from documents, returns and payments one by one."""
    last = TODAY - timedelta(days=back)
    owed: dict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    created: dict[tuple[str, ...], date] = {}
    for *key, day, gross in ask(
        chain,
        "select shop_id, document_type, document_id, created_day, gross from marts.documents "
        "where created_day <= ? and gross is not null",
        last,
    ):
        owed[tuple(key)] += gross
        created[tuple(key)] = day
    for *key, gross in ask(
        chain,
        "select shop_id, document_type, document_id, gross from marts.sales_documents "
        "where effect = 'return' and effect_day <= ?",
        last,
    ):
        owed[tuple(key)] += gross
    for *key, amount in ask(
        chain,
        "select shop_id, document_type, document_id, amount from marts.payments "
        "where day <= ? and document_id is not null",
        last,
    ):
        owed[tuple(key)] -= amount
    open_ones = {k: v for k, v in owed.items() if k in created and v >= Decimal("0.01")}
    due = report(chain, day=last).pages[0].now.due
    assert due.total == sum(open_ones.values())
    assert due.documents == len(open_ones)
    assert due.over_90 == sum(v for k, v in open_ones.items() if (last - created[k]).days > 90)


def test_due_today_is_the_mart_of_receivables(chain):
    (total,) = ask(chain, "select sum(due) from marts.receivables")[0]
    assert report(chain, day=TODAY).pages[0].now.due.total == total


def test_tickets_add_up_over_technicians(chain):
    page = report(chain, month=date(2026, 6, 1)).pages[0]
    work = page.now.workshop
    assert work.opened == sum(line.opened for line in page.technicians) > 0
    assert work.closed == sum(line.closed for line in page.technicians) > 0
    assert work.open_at_end == sum(line.open_at_end for line in page.technicians)
    opened = ask(
        chain,
        "select count(*) from marts.tickets where opened_day between '2026-06-01' and '2026-06-30'",
    )
    assert [(work.opened,)] == opened


@pytest.mark.parametrize(("month", "lines"), [(3, 1), (4, 1), (6, 0)])
def test_tickets_of_nobody_are_one_line(chain, month, lines):
    """Of both shops in March, of one in April, of none in June."""
    page = report(chain, month=date(2026, month, 1)).pages[0]
    median = ask(
        chain,
        "select median(cycle_hours) from marts.tickets where is_unassigned and is_done "
        "and year(done_day) = 2026 and month(done_day) = ?",
        month,
    )
    found = [(one.median_hours,) for one in page.technicians if one.name is None]
    assert found == median * lines


def test_thirteen_months_end_with_the_one_reported(chain):
    bars = report(chain, day=TODAY).pages[0].months
    assert [bars[0].month, bars[-1].month] == [date(2025, 7, 1), date(2026, 7, 1)]
    assert len(bars) == 13
    assert [bar.is_whole for bar in bars] == [True] * 12 + [False]
    assert report(chain, month=date(2026, 6, 1)).pages[0].months[-1].is_whole
    sums = dict(ask(chain, "select month, sum(total) from marts.monthly_sales group by 1"))
    assert all(bar.total == sums.get(bar.month, 0) for bar in bars)


def test_the_day_is_the_last_open_one_the_mirror_has_seen(home):
    assert report(home).period.first == TODAY
    change(
        home,
        "update marts.calendar set is_today = (day = '2026-07-12')",
        "update marts.calendar set is_open = false where day = '2026-07-12'",
    )
    sunday = report(home)
    assert sunday.period.first == date(2026, 7, 11)


def test_a_day_is_compared_with_the_last_open_day_and_four_weeks_back(chain):
    page = report(chain, day=date(2026, 7, 13)).pages[0]
    assert page.before is not None and page.earlier is not None
    assert page.before.period.first == date(2026, 7, 11), "the 12th was a closed Sunday"
    assert page.earlier.period.first == date(2026, 6, 15)
    month = report(chain, month=date(2026, 6, 9)).pages[0]
    assert month.before is not None and month.earlier is not None
    assert (month.before.period.label, month.earlier.period.label) == ("2026-05", "2025-06")


def test_nothing_is_compared_with_days_before_the_books_begin(chain):
    ((first,),) = ask(chain, "select min(day) from marts.calendar")
    page = report(chain, day=first).pages[0]
    assert page.before is None
    assert page.earlier is None


def test_today_is_the_shops_own_day(home):
    late = datetime(2026, 7, 17, 5, 30, tzinfo=UTC)  # 23:30 of the 16th in Guatemala
    assert closing_report(home, day=TODAY, now=late).period.first == TODAY
    with pytest.raises(ReportError, match=r"2026-07-17 has not begun yet \(today is 2026-07-16\)"):
        closing_report(home, day=TODAY + timedelta(days=1), now=late)
    with pytest.raises(ReportError, match="2026-08 has not begun"):
        closing_report(home, month=date(2026, 8, 1), now=late)


def test_a_day_after_the_last_sync_says_so(home):
    page = closing_report(home, day=TODAY + timedelta(days=2), now=NOW + timedelta(days=3)).pages[0]
    assert any("ends at 2026-07-16" in note for note in page.notes)


def test_the_seal_tells_agreeing_differing_and_not_compared_apart(home):
    assert report(home).seal is SealState.AGREES
    change(home, "delete from marts.reconciliation where shop_id = 'norte'")
    assert report(home).seal is SealState.UNKNOWN
    assert report(home, shop="centro").seal is SealState.AGREES
    change(
        home,
        "update marts.reconciliation set matches = false, theirs = theirs + 1 "
        "where shop_id = 'centro' and period = '2026-03-01'",
    )
    made = report(home)
    assert made.seal is SealState.DIFFERS
    (difference,) = made.pages[0].seal.differences
    assert (difference.shop, difference.period) == ("centro", date(2026, 3, 1))
    assert difference.theirs - difference.ours == 1
    assert [line.seal for line in made.pages[0].lines] == [SealState.DIFFERS, SealState.UNKNOWN]
    # A sync of some lists asks no report: what they brought was never compared.
    change(home, "update marts.reconciliation set fetched_at = '2026-01-01 00:00:00+00'")
    made = report(home, shop="centro")
    assert (made.seal, made.pages[0].seal.differing) == (SealState.IN_DOUBT, 0)
    assert "1 period(s) of the reports are to be compared anew" in texts(made.pages[0])[-1]
    change(home, "delete from marts.reconciliation")
    assert report(home).seal is SealState.UNKNOWN


def test_shops_of_several_currencies_get_a_page_each_and_no_sum(home):
    change(home, "update ops.shops set currency = 'EUR' where shop_id = 'norte'")
    pages = report(home).pages
    assert [(page.title, page.currency) for page in pages] == [("centro", "GTQ"), ("norte", "EUR")]
    assert all(not page.lines for page in pages)


def test_doubts_are_noted(home):
    change(
        home,
        "insert into ops.completeness by name select 'centro' as shop_id, 'tickets' as resource, "
        "false as is_proven",
        f"insert into marts.payments by name select 'centro' as shop_id, 'y' as id, "
        f"date '{TODAY}' as day, 'sale' as kind",
        f"insert into marts.documents by name select 'centro' as shop_id, 'pos_order' as "
        f"document_type, 'x' as document_id, date '{TODAY}' as created_day",
    )
    page = report(home, day=TODAY).pages[0]
    assert texts(page) == ["Not proven complete at the last sync: tickets (centro)."]
    notes = page.notes
    assert any("1 payment(s) have an amount that could not be read" in note for note in notes)
    assert any("1 document(s) have no amount that could be read" in note for note in notes)


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
    assert report(home).as_of == evening
    assert report(home, shop="norte").as_of == evening + timedelta(hours=5)
    assert not report(home, shop="centro").pages[0].notes
    change(
        home,
        "update ops.completeness set began_at = began_at + interval 50 year "
        "where shop_id = 'norte' and kind = 'head'",
    )
    assert report(home, shop="norte").as_of == evening - timedelta(hours=15), "no look to come"
    change(home, "delete from ops.completeness where resource = 'payments' and shop_id = 'centro'")
    assert report(home).as_of is None
    page = report(home, shop="centro").pages[0]
    assert texts(page) == ["Not proven complete at the last sync: payments."]


def texts(page: Page) -> list[str]:
    return [line.shown for line in page.cautions]


def _run(home: Path, exit_code: int | None, outcome: str = "failed", **complete: bool) -> None:
    ledger = Ledger(home / "mirror.sqlite")
    run = ledger.begin_run("sync")
    if exit_code is not None:
        ledger.end_run(
            run, outcome=outcome, exit_code=exit_code, requests=0, rows=0, message="The disk is "
            "full", detail={"shops": [{"shop": s, "complete": c} for s, c in complete.items()]},
        )  # fmt: skip
    ledger.close()


def test_no_seal_is_green_after_a_failed_sync_or_one_that_was_cut_off(home):
    """They publish nothing: the file is as whole as it was, and no longer tonight's."""
    _run(home, 0, "complete")
    made = report(home)
    assert (made.seal, made.pages[0].cautions) == (SealState.AGREES, ())
    _run(home, 2)
    for shop in (None, "centro"):
        made = report(home, shop=shop)
        (caution,) = made.pages[0].cautions
        assert caution.severity is Severity.FAULT
        assert caution.shown == "The last run (sync) ended failed: The disk is full."
        assert made.seal is SealState.IN_DOUBT
    assert {line.seal for line in report(home).pages[0].lines} == {SealState.IN_DOUBT}
    _run(home, None)
    assert "was cut off" in texts(report(home).pages[0])[0]
    with Home(home).sync_lock():
        # It is at work; what failed before it is not made good yet.
        assert "The disk is full" in texts(report(home).pages[0])[0]
    _run(home, 0, "complete")
    assert report(home).seal is SealState.AGREES


def test_what_one_shop_was_refused_leaves_the_others_their_seal(home):
    _run(home, 3, "incomplete", centro=True, norte=False)
    assert report(home, shop="centro").seal is SealState.AGREES
    assert [line.seal for line in report(home).pages[0].lines] == [
        SealState.AGREES,
        SealState.IN_DOUBT,
    ]
    _run(home, 3, "incomplete", centro=False, norte=False)
    assert report(home, shop="centro").seal is SealState.IN_DOUBT


def test_no_seal_is_green_when_a_night_was_missed(chain):
    made = closing_report(chain, day=TODAY, now=NOW + timedelta(hours=40))
    (caution,) = made.pages[0].cautions
    assert (caution.severity, caution.shown) == (Severity.DOUBT, "The mirror is 40 hours old.")
    assert made.seal is SealState.IN_DOUBT


def test_rows_that_vanished_and_are_kept_leave_the_seal_in_doubt(home):
    change(home, "update ops.completeness set reason = '9 of 20 rows vanished at once' "
                 "where shop_id = 'centro' and resource = 'brands'")  # fmt: skip
    assert texts(report(home, shop="centro").pages[0]) == [
        "Not proven complete at the last sync: brands."
    ]
    assert report(home, shop="centro").seal is SealState.IN_DOUBT
    assert report(home, shop="norte").seal is SealState.AGREES


def test_the_seal_counts_periods_with_business_that_have_begun(home):
    before = report(home, shop="norte").pages[0].seal.compared
    for period, ours in (("2019-01-01", 0), ("2026-12-01", 5)):
        change(home, "insert into marts.reconciliation by name select 'norte' as shop_id, "
                     f"'monthly_sales' as report, date '{period}' as period, {ours} as ours, "
                     f"{ours} as theirs, 0 as difference, true as matches")  # fmt: skip
    assert report(home, shop="norte").pages[0].seal.compared == before
    change(home, "update marts.reconciliation set matches = false, theirs = 6 "
                 "where period = '2026-12-01'")  # fmt: skip
    assert report(home, shop="norte").seal is SealState.DIFFERS, "none is hidden"


def test_a_chain_closes_a_day_that_has_begun_in_each_of_its_zones(home):
    change(
        home,
        "update ops.shops set timezone = 'Pacific/Auckland' where shop_id = 'norte'",
        "update marts.calendar set is_open = true",
        f"update marts.calendar set is_today = day = date '{TODAY + timedelta(days=1)}' "
        "where shop_id = 'norte'",
    )
    assert report(home).period.first == TODAY
    assert report(home, shop="norte").period.first == TODAY + timedelta(days=1)


def test_a_day_before_the_books_begin_says_so(chain):
    notes = report(chain, day=date(2001, 1, 1)).pages[0].notes
    assert any("books begin" in note for note in notes)


@pytest.mark.parametrize(
    ("change_by", "options", "words"),
    [
        (
            "drop table marts.payments",
            {},
            r"another version .*payments .* 'shopmirror sync'",
        ),
        ("alter table marts.daily_sales drop column tax", {}, r"another version .*tax.* sync"),
        (None, {"shop": "sur"}, r"no shop 'sur' in the warehouse\. It has: centro"),
        (None, {"day": TODAY, "month": TODAY}, "not for both"),
    ],
)
def test_what_keeps_a_report_from_being_made_is_said(home, change_by, options, words):
    if change_by:
        change(home, change_by)
    with pytest.raises((NothingPublished, ReportError), match=words):
        report(home, **options)


def test_a_warehouse_that_is_not_there_is_none_or_was_replaced_is_said(home, tmp_path):
    with pytest.raises(NothingPublished, match=r"no warehouse in .* yet: run 'shopmirror sync'"):
        report(tmp_path)
    (tmp_path / "warehouse.duckdb").write_bytes(b"nonsense" * 1000)
    with pytest.raises(NothingPublished, match="cannot be read"):
        report(tmp_path)
    report(home)
    (home / "warehouse.duckdb").rename(home / "moved.duckdb")
    with pytest.raises(NothingPublished, match="no warehouse"):
        report(home)
