"""Reports in every shape of the table are read right, or refused in words; never wrongly."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.service_reports.entries import Unreadable
from pipelines.service_reports.reading import Question, read
from sources.repair_shop.http.json_body import parse_json
from tests.reports.shapes import (
    AMOUNTS,
    DAYS,
    MONTHS,
    TODAY,
    every,
    random_case,
    sparse,
)

ZONE = ZoneInfo("America/Guatemala")
YEAR = Question("/monthlySales", "month", date(2026, 1, 1), TODAY.replace(day=1), ZONE)
PAST = Question("/monthlySales", "month", date(2025, 1, 1), date(2025, 12, 1), ZONE)
JANUARY = Question("/dailySales", "day", date(2026, 1, 1), date(2026, 1, 31), ZONE)


REFUSED: dict[str, tuple[Question, Any, str]] = {
    "nothing": (YEAR, None, "nothing"),
    "text": (YEAR, "no sales", "text"),
    "a note": (YEAR, {"message": "no data"}, "no month or day"),
    "data: null": (YEAR, {"data": None}, "none is called a total"),
    "bare days": (JANUARY, [1, 2, 3], "bare values"),
    "bare months, some": (YEAR, [1, 2, 3], "bare values"),
    "bare, newest first": (YEAR, [0, *range(1, 12)], "months to come"),
    "another year": (YEAR, {"year": 2025, "data": {"Jan": 5}}, "2025-01-01"),
    "another month": (JANUARY, [{"date": "2026-11-05", "total": 5}], "2026-11-05"),
    "the last thirty days": (
        JANUARY,
        [{"date": f"2026-01-{d}", "total": 5} for d in range(20, 32)]
        + [{"date": f"2026-02-{d:02d}", "total": 5} for d in range(1, 20)],
        "was asked",
    ),
    "the last twelve months": (
        PAST,
        [{"month": f"2025-{m:02d}", "total": 5} for m in range(6, 13)]
        + [{"month": f"2026-{m:02d}", "total": 5} for m in range(1, 6)],
        "was asked",
    ),
    "a month for days": (JANUARY, [{"month": "Jan", "total": 5}], "without a day"),
    "its number": (JANUARY, [{"month_year": 1, "year": 2026, "total": 5}], "without a day"),
    "no month at all": (YEAR, [{"year": 2026, "total": 5}], "without a month"),
    "weeks": (JANUARY, [{"year": 2026, "week": 1, "total": 5}], "without a day"),
    "months from zero": (YEAR, [{"month": n, "total": 5} for n in range(12)], "month '0'"),
    "split by kind": (
        YEAR,
        [{"month": "Jan", "type": t, "total": n} for t, n in (("all", 9), ("pos", 4), ("x", 5))],
        "more than one entry for 2026-01",
    ),
    "hours": (
        JANUARY,
        [{"date": f"2026-01-05T{h:02d}:00:00-0600", "total": 5} for h in (9, 10)],
        "more than one entry for 2026-01-05",
    ),
    "either day": (JANUARY, [{"date": "2026-01-05T03:00:00Z", "total": 5}], "date '2026"),
    "day or month first": (
        Question("/dailySales", "day", date(2026, 1, 1), date(2026, 3, 31), ZONE),
        [{"date": "02/03/2026", "total": 5}],
        "more than one way",
    ),
    "day or month first in a year": (YEAR, {"01/02/2026": 5}, "more than one way"),
    "day and month that disagree": (
        JANUARY,
        [{"date": "2026-01-05", "month": 2, "total": 5}],
        "different periods",
    ),
    "an unknown language": (YEAR, {"data": [{"month": "tammikuu", "total": 5}]}, "tammikuu"),
    "an odd year": (YEAR, [{"year": "FY26", "month": "Jan", "total": 5}], "FY26"),
    "two totals": (YEAR, [{"month": "Jan", "total": 3, "amount": 120.5}], "report_total"),
    "net of returns": (YEAR, [{"month": 1, "sales": 90, "returns": 10, "net": 80}], "report_total"),
    "returns below zero": (
        YEAR,
        [{"month": 1, "sales": 90, "refunds": -10, "net": 80}],
        "report_total",
    ),
    "a gross amount beside": (
        YEAR,
        [{"month": 1, "total": 90, "tax": 9, "sum": 99}],
        "report_total",
    ),
    "an undated amount": (
        YEAR,
        [{"month": 1, "total": 9}, {"month": None, "total": 3}],
        "whose sum is 9.00",
    ),
    "undated amounts": (YEAR, [{"month": "", "total": 9}], "without a month"),
    "sales that are a number": (YEAR, [{"month": 1, "sales": 3, "amount": 1.5}], "report_total"),
    "an odd name and tax": (YEAR, [{"month": 1, "mucho": 3.25, "tax": 1}], "report_total"),
    "an odd name, no cents": (YEAR, [{"month": 1, "facturas": 3}], "report_total"),
    "only counts": (YEAR, [{"month": 1, "count": 3.5}], "report_total"),
    "thousands or not": (YEAR, [{"month": 1, "total": "1.234"}], "more than one way"),
    "no amount": (YEAR, [{"month": 1, "total": "n/a"}], "'n/a'"),
    "a yes": (YEAR, [{"month": 1, "total": True}], "True"),
    "a total missing": (YEAR, [{"month": 1, "total": 5}, {"month": 2}], "which others have"),
    "one page of two": (YEAR, {"data": [{"month": 1, "total": 5}], "last_page": 2}, "pages"),
    "more to come": (YEAR, {"data": [{"month": 1, "total": 5}], "has_more": True}, "pages"),
    "a sum that is not theirs": (YEAR, {"Jan": 5, "Feb": 6, "total": 30}, "whose sum is 11.00"),
    "fewer than it says": (YEAR, {"data": [{"month": 1, "total": 5}], "total": 12}, "whose sum"),
    "two lists": (
        YEAR,
        {"pos": [{"month": 1, "total": 5}], "invoices": [{"month": 1, "total": 6}]},
        "several lists",
    ),
    "rows of three": (YEAR, [["Jan", 5, 6]], "without a head"),
    "pairs of numbers": (YEAR, [[13, 5]], "without a month"),
}


def sent(payload: Any) -> Any:
    """The payload as it comes over the wire."""
    return parse_json(json.dumps(payload, default=float).encode())


def nonzero(totals: dict[date, Decimal]) -> dict[date, Decimal]:
    return {day: value for day, value in totals.items() if value}


@pytest.mark.parametrize("grain", ["month", "day"])
@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("shown", AMOUNTS)
def test_every_shape_is_read_right(grain, zeros, shown):
    figures = MONTHS if grain == "month" else DAYS
    question = YEAR if grain == "month" else JANUARY
    said = figures if zeros else sparse(figures)
    for where, payload in every(said, grain, shown, one_in=1 if shown == "number" else 7):
        if not zeros and ("bare" in where or where == "year under its number"):
            continue  # eleven bare totals name no month
        assert nonzero(read(sent(payload), question)) == sparse(figures), where


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused_in_words(name):
    question, payload, words = REFUSED[name]
    with pytest.raises(Unreadable, match=re.escape(words)):
        read(sent(payload), question)


@pytest.mark.seeds(2)
def test_a_few_figures_are_read_right_or_refused(seed):
    """Of few figures much is ambiguous: day or month first, thousands or not."""
    dice, were_read = Random(seed), 0
    for _ in range(250):
        case = random_case(dice)
        with suppress(Unreadable):
            totals = read(sent(case.payload), replace(case.question, zone=ZONE))
            assert nonzero(totals) == sparse(case.figures), (case.where, case.payload)
            were_read += 1
    assert were_read > 25


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-5, 3000)
        | st.sampled_from(
            ["Jan", "2026-01", "05/01/2026", "total", "", "1.234", "x", "2026-01-05T10:00:00Z"]
        ),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["month", "date", "total", "data", "Jan", "1", "2026", "x", ""]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from([YEAR, PAST, JANUARY]),
)
def test_no_answer_ends_otherwise(payload, question):
    try:
        totals = read(payload, question)
    except Unreadable as error:
        assert str(error)
        return
    assert list(totals) == question.periods


HEADED = [{"date": "2026-01-05", "total": 5.25}, {"date": "2026-01-07", "total": 7}]


@pytest.mark.parametrize(
    "heading",
    [
        {"date": "2026-01-31 16:40", "total": 12.25, "data": HEADED},
        {"date": "31-Jan-2026", "totals": {"amount": "Q12.25"}, "sales": HEADED},
        {"data": {"date": "2026-01-31", "total": 12.25, "days": {"05": 5.25, "07": 7}}},
    ],
)
def test_a_heading_with_its_own_date_and_sum_is_no_day(heading):
    """It was read as one day that holds the sum, with nothing sold on all others."""
    totals = read(sent(heading), JANUARY)
    assert nonzero(totals) == {date(2026, 1, 5): Decimal("5.25"), date(2026, 1, 7): Decimal(7)}


def test_a_sum_under_the_list_may_have_no_name():
    rows = [*HEADED, {"date": None, "total": "12.25"}]
    totals = read(sent(rows), JANUARY)
    assert nonzero(totals) == {date(2026, 1, 5): Decimal("5.25"), date(2026, 1, 7): Decimal(7)}


@pytest.mark.parametrize(
    ("zone", "day", "begins"),
    [
        ("Africa/Cairo", date(2026, 4, 24), "2026-04-23T22:00:00Z"),
        ("America/Santiago", date(2026, 9, 6), "2026-09-06T04:00:00Z"),
        ("America/Havana", date(2026, 11, 1), "2026-11-01T04:00:00Z"),
        ("Europe/Berlin", date(2026, 3, 30), "2026-03-29T22:00:00Z"),
    ],
)
def test_a_day_may_begin_when_the_clocks_change(zone, day, begins):
    """In some zones they do so at midnight: that day's first moment is not 00:00."""
    question = Question("/dailySales", "day", day, day, ZoneInfo(zone))
    assert read([{"date": begins, "total": 5}], question) == {day: Decimal(5)}


def test_the_settings_may_name_the_total():
    rows = [
        {"month": 1, "total": 3, "Importe Final": 120.5},
        {"month": 2, "total": 1, "Importe Final": 7},
    ]
    named = replace(YEAR, total_field="Importe Final")
    assert nonzero(read(sent(rows), named)) == {
        date(2026, 1, 1): Decimal("120.5"),
        date(2026, 2, 1): Decimal(7),
    }


def test_the_months_own_total_decides_between_two_readings():
    rows = [{"date": "2026-01-05", "total": "1.234"}, {"date": "2026-01-06", "total": "2.000"}]
    for month, first in ((Decimal("3.234"), Decimal("1.234")), (Decimal(3234), Decimal(1234))):
        totals = read(sent(rows), replace(JANUARY, month_total=month))
        assert totals[date(2026, 1, 5)] == first
    with pytest.raises(Unreadable, match="more than one way"):
        read(sent(rows), replace(JANUARY, month_total=Decimal(5)))
