"""Which days a report is of, and which stand beside them."""

from datetime import date

import pytest

from pipelines.language import Language, use
from pipelines.report import Period
from pipelines.report.layout import in_words, report_period, taken_as
from tests.app.warehouse import ask, report

_BESIDE = [
    ("2026-07-13", "Monday", "", "open day before\n2026-07-11", "four weeks before\n2026-06-15"),
    (
        "2026-W29", "2026-07-13 \u2013 2026-07-16", "\nto 2026-07-16",
        "week before\nweek 28 of 2026\nto 2026-07-09 20:00",
        "year before\nweek 29 of 2025\nto 2025-07-17 20:00",
    ),
    (
        "2026-06", "2026-06-01 \u2013 2026-06-30", "", "month before\n2026-05",
        "year before\n2025-06",
    ),
    (
        "2026-Q2", "2026-04-01 \u2013 2026-06-30", "", "quarter before\n2026-Q1",
        "year before\n2025-Q2",
    ),
    (
        "2026-Q3", "2026-07-01 \u2013 2026-07-16", "\nto 2026-07-16",
        "quarter before\n2026-Q2\nto 2026-04-16 20:00",
        "year before\n2025-Q3\nto 2025-07-16 20:00",
    ),
    ("2025", "2025-01-01 \u2013 2025-12-31", ""),
    # The books begin in 2025, so that year alone stands beside it.
    (
        "2026", "2026-01-01 \u2013 2026-07-16", "\nto 2026-07-16",
        "year before\n2025\nto 2025-07-16 20:00",
    ),
    (
        "2026-07-01--2026-07-10", "", "",
        "as many days before\n2026-06-21 \u2013 2026-06-30",
        "year before\n2025-07-01 \u2013 2025-07-10",
    ),
    (
        "2026-07-02--2026-07-02", "Thursday", "", "as many days before\n2026-07-01",
        "year before\n2025-07-02",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "days", "end", "beside"), [(*a[:3], a[3:]) for a in _BESIDE])
def test_a_report_says_which_days_its_figures_are_of_and_stand_beside(
    chain, text, days, end, beside
):
    """A change was "against the as many days before", in Spanish "contra el semana anterior"."""
    found = report(chain, text)
    words = in_words(found, found.pages[0])
    now, before = found.pages[0].now.period, found.pages[0].before
    sold = "select coalesce(sum(total), 0) from marts.daily_sales where day between ? and ?"
    assert ask(chain, sold, now.first, now.last) == [(found.pages[0].now.figures.sold,)]
    change = ("Change",) if beside else ()
    (figures,) = [one for one in words["tables"] if one["key"] == "figures"]
    assert figures["heads"] == ("", f"{now.shown}{end}", *beside, *change)
    assert words["weekday"] == days
    against = words["footnote"].partition(" Change is ")[2]
    assert against == (f"against {before.period.said}." if before else "")
    assert (words["parts"][0]["label"] == "Sales of the day") is (now.kind == "day")


def test_a_currency_stands_beside_amounts_unless_each_bears_its_sign(chain):
    found = report(chain, "2026-06", shop="centro")
    words = in_words(found, found.pages[0])
    assert (words["unit"], dict(words["summary"])["Sold"][-4:]) == ("GTQ", " GTQ")
    with use(Language("es_GT")):
        words = in_words(found, found.pages[0])
    assert words["unit"] == "" and dict(words["summary"])["Sold"].startswith("Q")


def test_the_bar_of_what_was_taken_has_a_part_for_each_share(chain):
    found = report(chain, "2026-06")
    taken = [amount for _label, amount in taken_as(found.pages[0].now.figures, "month")]
    whole = sum(map(abs, taken))
    parts = in_words(found, found.pages[0])["parts"]
    assert [part["share"] for part in parts] == [float(abs(amount) / whole) for amount in taken]
    assert min(part["share"] for part in parts) > 0
    days = ask(chain, "select day from marts.shop_days group by 1 having sum(abs(taken)) = 0")
    closed = report(chain, str(days[0][0]))
    assert {part["share"] for part in in_words(closed, closed.pages[0])["parts"]} == {0}


@pytest.mark.parametrize(("kind", "told"), [("monthly", "2026-06"), ("daily", "2026-06-01")])
def test_a_period_of_the_service_is_a_month_or_a_day(kind, told):
    assert report_period(f"{kind}_sales", date(2026, 6, 1)) == told


@pytest.mark.parametrize(
    "text", ["0001", "9999", "0001-W01", "9999-W52", "0002-01-01--2026-01-01", "9999-12-31"]
)
def test_years_that_no_shop_knew_are_no_periods(text):
    assert Period.read(text) is None


def test_the_29th_of_february_is_compared_with_the_28th():
    period = Period.read("2028-02-29--2028-02-29")
    assert period is not None and period.year_before().first == date(2027, 2, 28)
