"""Dates: every style the service was seen to use, whatever the machine's locale."""

from contextlib import suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop.schema.dates import (
    day_in,
    format_day,
    format_moment,
    local_day,
    parse_moment,
)

pytestmark = pytest.mark.core

GUATEMALA = ZoneInfo("America/Guatemala")


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-07-16T18:22:05-0600", "2026-07-16T18:22:05-06:00"),
        ("2026-07-16T18:22:05-06:00", "2026-07-16T18:22:05-06:00"),
        ("2026-07-16T18:22:05-06", "2026-07-16T18:22:05-06:00"),
        ("2026-07-16T18:22:05Z", "2026-07-16T18:22:05+00:00"),
        ("2026-07-16T18:22:05.123+05:30", "2026-07-16T18:22:05.123000+05:30"),
        ("2026-07-16T18:22:05.123456789Z", "2026-07-16T18:22:05.123456+00:00"),
        ("2026-07-16 18:22:05", "2026-07-16T18:22:05"),
        ("2026-07-16T18:22", "2026-07-16T18:22:00"),
        ("2026-07-16", "2026-07-16"),
        ("16-Jul-2026", "2026-07-16"),
        ("16-JUL-2026 18:22", "2026-07-16T18:22:00"),
        ("16-jul-2026 18:22:05", "2026-07-16T18:22:05"),
        ("1-September-2026", "2026-09-01"),
        ("16 Jul 2026", "2026-07-16"),
        ("16/07/2026", "2026-07-16"),
        ("16/07/2026 18:22:05", "2026-07-16T18:22:05"),
        ("16/07/2026 06:22 PM", "2026-07-16T18:22:00"),
        ("16-Jul-2026 12:05 am", "2026-07-16T00:05:00"),
        (1784247725, "2026-07-16T18:22:05-06:00"),
        (1784247725000, "2026-07-16T18:22:05-06:00"),
        ("1784247725", "2026-07-16T18:22:05-06:00"),
        ("  2026-07-16  ", "2026-07-16"),
        ("05-ene-2026", "2026-01-05"),
        ("05-Ago.-2026 10:00", "2026-08-05T10:00:00"),
        ("1 Dic 2026", "2026-12-01"),
        ("05-Nov-26", "2026-11-05"),
        ("05-Nov-26 23:59:59", "2026-11-05T23:59:59"),
        ("5 January 09", "2009-01-05"),
        ("31-Dec-39", "2039-12-31"),
        ("01-Jan-40", "1940-01-01"),
    ],
)
def test_each_style_becomes_iso(text, iso):
    assert parse_moment(text, GUATEMALA) == iso


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01", "31-Feb-2026", "0000-00-00", "0000-00-00 00:00:00", "16-Abc-2026",
     "2026-07-16T25:00", "2026-07-16T18:22:05+99:00", "13:00 PM", "16/07/2026 13:00 PM", "12.5",
     "31-Sep-2026", "05/11/26", "05-11-26", "5-Nov-126", "31-Feb-26",
     True, 0, -5, 12, 10**7, 10**15, 10**30],
)  # fmt: skip
def test_what_is_no_date_is_none(text):
    assert parse_moment(text, UTC) is None


@given(st.text(max_size=40))
def test_no_text_makes_it_fail(text):
    found = parse_moment(text, GUATEMALA)
    assert found is None or datetime.fromisoformat(found)


@given(st.integers())
def test_no_number_makes_it_fail(number):
    found = parse_moment(number, GUATEMALA)
    assert found is None or datetime.fromisoformat(found).tzinfo


@given(st.dates())
def test_a_day_survives_the_way_there_and_back(day):
    assert parse_moment(format_day(day), UTC) == day.isoformat()


@given(st.datetimes(timezones=st.timezones()).map(lambda moment: moment.replace(microsecond=0)))
def test_a_moment_keeps_its_instant(moment):
    iso = moment.isoformat()
    shown = parse_moment(iso, GUATEMALA)
    with suppress(ValueError):  # the calendar's first or last hours
        assert day_in(iso, GUATEMALA) == (shown and local_day(shown, GUATEMALA))
    offset = moment.utcoffset()
    if offset is None or offset.total_seconds() % 60:
        return
    assert parse_moment(iso, UTC) == iso


def test_formats_of_the_specification():
    assert format_day(date(2026, 1, 5)) == "05-Jan-2026"
    assert format_moment(datetime(2026, 12, 31, 9, 5, 7)) == "31-Dec-2026 09:05:07"


@pytest.mark.parametrize(
    ("iso", "day"),
    [
        ("2026-07-17T03:30:00+00:00", date(2026, 7, 16)),
        ("2026-07-17T03:30:00-06:00", date(2026, 7, 17)),
        ("2026-07-17T03:30:00", date(2026, 7, 17)),
        ("2026-07-17", date(2026, 7, 17)),
        ("2026-07-31T23:59:59-06:00", date(2026, 7, 31)),
    ],
)
def test_the_day_is_the_shops_own(iso, day):
    assert local_day(iso, GUATEMALA) == day == day_in(iso, GUATEMALA)


def test_the_day_follows_daylight_saving():
    london = ZoneInfo("Europe/London")
    assert local_day("2026-03-28T23:30:00+00:00", london) == date(2026, 3, 28)
    assert local_day("2026-03-29T23:30:00+00:00", london) == date(2026, 3, 30)
    assert local_day("2026-10-25T23:30:00+00:00", london) == date(2026, 10, 25)


def test_the_end_of_the_calendar_is_a_value_error():
    with pytest.raises(ValueError, match="calendar"):
        local_day("0001-01-01T00:00:00+00:00", GUATEMALA)
