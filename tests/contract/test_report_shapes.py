"""Reports in the shapes that services answer: read to the cent, or refused in words."""

import calendar
import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.service_reports.reading import Question, Unreadable, read

ZONE = ZoneInfo("America/Guatemala")
YEAR = Question("/monthlySales", "month", date(2026, 1, 1), date(2026, 12, 1), ZONE)
JANUARY = Question("/dailySales", "day", date(2026, 1, 1), date(2026, 1, 31), ZONE)
SPANISH = "ene feb mar abr may jun jul ago sep oct nov dic".split()

MONTHS = {
    "number": lambda d: d.month,
    "Jan": lambda d: calendar.month_abbr[d.month],
    "January": lambda d: calendar.month_name[d.month],
    "ene": lambda d: SPANISH[d.month - 1],
    "Jan 2026": lambda d: f"{calendar.month_abbr[d.month]} {d.year}",
    "2026-01": lambda d: f"{d:%Y-%m}",
    "01/2026": lambda d: f"{d:%m/%Y}",
    "day first": lambda d: f"{d:%d/%m/%Y}",
    "month first": lambda d: f"{d:%m/%d/%Y}",
    "first day": lambda d: d.isoformat(),
    "dd-mmm-yyyy": lambda d: f"{d.day:02d}-{calendar.month_abbr[d.month]}-{d.year}",
}
DAYS = {
    "iso": lambda d: d.isoformat(),
    "moment": lambda d: f"{d.isoformat()}T00:00:00-0600",
    "moment in UTC": lambda d: f"{d.isoformat()}T06:00:00Z",
    "dd-mmm-yyyy": lambda d: f"{d.day:02d}-{calendar.month_abbr[d.month]}-{d.year}",
    "dd-ene-yyyy": lambda d: f"{d.day:02d}-{SPANISH[d.month - 1]}-{d.year}",
    "day first": lambda d: f"{d:%d/%m/%Y}",
    "month first": lambda d: f"{d:%m/%d/%Y}",
    "day alone": lambda d: d.day,
}
AMOUNTS = {
    "number": lambda v: v,
    "text": lambda v: f"{v:.2f}",
    "Q1,234.50": lambda v: f"{'-' if v < 0 else ''}Q{abs(v):,.2f}",
    "object": lambda v: {"amount": f"{v:.2f}", "currency": "GTQ"},
    "1.234,50": lambda v: f"{v:,.2f}".translate(str.maketrans(",.", ".,")),
}


def shapes(rows, name):
    """The same figures in every layout."""
    keyed = {str(period): total for period, total in rows}
    listed = [{name: period, "total": total} for period, total in rows]
    whole = {"number": len(rows)}
    return {
        "list": listed,
        "newest first": listed[::-1],
        "camelCase": [{name.title(): p, "totalAmount": t} for p, t in rows],
        "more fields": [{name: p, "amount": t, "count": 3} for p, t in rows],
        "Spanish": [{"mes" if name == "month" else "fecha": p, "monto": t} for p, t in rows],
        "by period": keyed,
        "objects by period": {p: {"total": t, "orders": 1} for p, t in keyed.items()},
        "envelope": {"data": listed, "meta": {"page": 1}},
        "under its path": {"dailySales" if name == "date" else "monthly_sales": listed},
        "number of entries": {"data": listed, "total": whole["number"]},
        "last page": {"data": listed, "has_more": False, "last_page": 1},
    }


MONTH_TEXTS, DAY_TEXTS, SPELLINGS = (st.sampled_from(sorted(n)) for n in (MONTHS, DAYS, AMOUNTS))
FIGURES = st.decimals(-99_999, 9_999_999, places=2)


@given(
    st.lists(FIGURES, min_size=12, max_size=12),
    MONTH_TEXTS,
    SPELLINGS,
)
def test_months_are_read_in_every_shape(totals, text, amount):
    periods = [date(2026, month, 1) for month in range(1, 13)]
    rows = [(MONTHS[text](p), AMOUNTS[amount](v)) for p, v in zip(periods, totals, strict=True)]
    for where, payload in shapes(rows, "month").items():
        assert read(payload, YEAR) == dict(zip(periods, totals, strict=True)), where


@given(st.lists(FIGURES, min_size=31, max_size=31), DAY_TEXTS, SPELLINGS)
def test_days_are_read_in_every_shape(totals, text, amount):
    periods = [date(2026, 1, 1) + timedelta(n) for n in range(31)]
    rows = [(DAYS[text](p), AMOUNTS[amount](v)) for p, v in zip(periods, totals, strict=True)]
    for where, payload in shapes(rows, "date").items():
        assert read(payload, JANUARY) == dict(zip(periods, totals, strict=True)), where


@given(st.dictionaries(st.dates(date(2026, 1, 1), date(2026, 1, 31)), FIGURES, min_size=1))
def test_few_days_with_slashes_are_right_or_refused(figures):
    rows = [{"date": f"{day:%m/%d/%Y}", "total": total} for day, total in figures.items()]
    try:
        totals = read(rows, JANUARY)
    except Unreadable:
        assert all(day.day <= 12 for day in figures)
    else:
        assert {day: v for day, v in totals.items() if v or day in figures} == figures


def test_periods_without_an_entry_are_zero():
    assert read([], YEAR) == dict.fromkeys(YEAR.periods, 0)
    assert read([{"month": "Mar", "total": 5}], YEAR)[date(2026, 3, 1)] == 5


def test_a_sum_line_and_net_beside_tax_are_no_rivals():
    rows = [{"month": 1, "net": 90, "tax": 9, "total": 99}, {"month": "Total", "total": 99}]
    assert read(rows, YEAR)[date(2026, 1, 1)] == 99


def test_a_heading_with_its_own_date_and_sum_is_no_day():
    rows = [{"date": "2026-01-05", "total": 5.25}, {"date": "2026-01-07", "total": 7}]
    totals = read({"date": "2026-01-31", "total": "12.25", "data": rows}, JANUARY)
    assert {day.day: v for day, v in totals.items() if v} == {5: Decimal("5.25"), 7: 7}


def test_a_name_is_no_period_an_empty_total_is_zero_and_words_are_no_rival():
    rows: list[dict[str, object]] = [{"name": "Sales", "month": 1, "total": 5, "amount": "n/a"}]
    totals = read([*rows, {"name": "Sales", "month": 2, "total": "", "amount": None}], YEAR)
    assert [*totals.values()][:2] == [5, 0]


def test_a_midnight_of_another_clock_means_the_day_that_it_writes():
    totals = read([{"date": "2026-01-05T00:00:00Z", "total": 5}], JANUARY)
    assert {day.day: v for day, v in totals.items() if v} == {5: 5}


def test_days_around_those_that_were_asked_are_left_out():
    rows = [{"date": f"{day}T12:00:00Z", "total": 5} for day in ("2025-12-31", "2026-02-01")]
    totals = read([rows[0], {"date": "2026-01-05", "total": 7}, rows[1]], JANUARY)
    assert {day.day: v for day, v in totals.items() if v} == {5: 7}


def test_of_several_lists_the_one_of_the_reports_name_is_meant():
    rows = [{"month": 1, "total": 5}]
    payload = {"monthlySales": rows, "returns": [{"month": 1, "total": 2}]}
    assert read(payload, YEAR)[date(2026, 1, 1)] == 5


def test_what_the_other_report_counts_is_no_total_of_this_one():
    rows = [{"month": 1, "purchases": 5, "sales": 9}]
    for path, total in (("/monthlyPurchases", 5), ("/monthlySales", 9)):
        assert read(rows, replace(YEAR, path=path))[date(2026, 1, 1)] == total


def test_the_settings_may_name_the_total():
    rows = [{"month": 1, "total": 3, "Importe Final": 120.5}]
    named = replace(YEAR, total_field="Importe Final")
    assert read(rows, named)[date(2026, 1, 1)] == Decimal("120.5")


def test_the_months_own_total_decides_between_two_readings():
    rows = [{"date": "2026-01-05", "total": "1.234"}, {"date": "2026-01-06", "total": "2.000"}]
    for month, first in ((Decimal("3.234"), Decimal("1.234")), (Decimal(3234), Decimal(1234))):
        totals = read(rows, replace(JANUARY, month_total=month))
        assert totals[date(2026, 1, 5)] == first


def test_a_day_may_begin_when_the_clocks_change():
    """In some zones they do so at midnight: that day's first moment is not 00:00."""
    day = date(2026, 4, 24)
    question = Question("/dailySales", "day", day, day, ZoneInfo("Africa/Cairo"))
    assert read([{"date": "2026-04-23T22:00:00Z", "total": 5}], question) == {day: Decimal(5)}


REFUSED = {
    "text": ("nothing", YEAR, "where a list"),
    "bare values": ([1, 2, 3], YEAR, "among the entries"),
    "another year": ([{"month": "2025-01", "total": 5}], YEAR, "was asked"),
    "a day outside": ([{"date": "2026-02-05", "total": 5}], JANUARY, "was asked"),
    "one month twice": ([{"month": 1, "total": 5}] * 2, YEAR, "more than one entry"),
    "no month": ([{"month": "", "total": 9}], YEAR, "without a month"),
    "an unknown month": ([{"month": "tammikuu", "total": 5}], YEAR, "tammikuu"),
    "a month that is none": ([{"month": 13, "total": 5}], YEAR, "without a month"),
    "fields at odds": ([{"month": 1, "date": "2026-02-01", "total": 5}], YEAR, "different periods"),
    "two totals": ([{"month": 1, "total": 3, "amount": 120.5}], YEAR, "report_total"),
    "net of returns": ([{"month": 1, "sales": 90, "returns": 10, "net": 80}], YEAR, "report_total"),
    "no total": ([{"month": 1, "count": 3.5}], YEAR, "report_total"),
    "thousands or not": ([{"month": 1, "total": "1.234"}], YEAR, "more than one way"),
    "no amount": ([{"month": 1, "total": "n/a"}], YEAR, "'n/a'"),
    "an object without one": ([{"month": 1, "total": {"value": 5}}], YEAR, '{"value": 5}'),
    "a yes": ([{"month": 1, "total": True}], YEAR, "'true'"),
    "a total missing": ([{"month": 1, "total": 5}, {"month": 2}], YEAR, "which others have"),
    "one page of two": ({"data": [{"month": 1, "total": 5}], "last_page": 2}, YEAR, "pages"),
    "more to come": ({"data": [{"month": 1, "total": 5}], "has_more": True}, YEAR, "pages"),
    "another sum": ({"Jan": 5, "Feb": 6, "total": 30}, YEAR, "whose sum is 11.00"),
    "a sum of nothing": ({"data": [], "total": 30}, YEAR, "a sum 30 beside 0 entries"),
    "a key that is no month": ({"Jan": 5, "Febr": 6}, YEAR, "'febr'"),
    "a year beside that was not asked": (
        {"year": 2025, "data": [{"month": 1, "total": 5}]},
        YEAR,
        "was asked",
    ),
    "nothing but what stands beside": ({"meta": {"page": 1}}, YEAR, "only meta"),
    "a moment of two days": ([{"date": "2026-01-05T03:00:00Z", "total": 5}], JANUARY, "two days"),
    "two lists": (
        {"pos": [{"month": 1, "total": 5}], "invoices": [{"month": 1, "total": 6}]},
        YEAR,
        "several lists",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused_in_words(name):
    payload, question, words = REFUSED[name]
    with pytest.raises(Unreadable, match=re.escape(words)):
        read(payload, question)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 3000)
    | st.sampled_from(["Jan", "2026-01", "05/01/2026", "total", "", "1.234", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["month", "date", "total", "data", "Jan", "1", "2026", "x", ""]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from([YEAR, JANUARY]))
def test_no_answer_ends_otherwise(payload, question):
    try:
        totals = read(payload, question)
    except Unreadable as error:
        assert str(error)
        return
    assert list(totals) == question.periods
