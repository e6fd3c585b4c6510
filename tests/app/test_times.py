"""Once a day means once: with clock changes, missing hours, doubled hours and missing days."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules.times import Daily, Every

pytestmark = pytest.mark.core

ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe",
    "Asia/Kathmandu", "Africa/Cairo", "America/Guatemala", "Pacific/Apia",
)  # fmt: skip
moments = st.datetimes(datetime(2005, 1, 1), datetime(2035, 12, 31)).map(
    lambda m: m.replace(tzinfo=UTC)
)
walls = st.times().map(lambda t: t.replace(second=0, microsecond=0))


def _fires(times: Daily, first: datetime, last: datetime) -> list[datetime]:
    found, moment = [], first
    while (moment := times.after(moment)) < last:
        found.append(moment)
    return found


@pytest.mark.parametrize(
    ("zone", "night", "at", "expected"),
    [
        # 02:30 does not exist on the night clocks go forward: it runs when they have.
        ("Europe/Berlin", date(2026, 3, 29), time(2, 30), ["2026-03-29T01:30:00+00:00"]),
        # 02:30 exists twice on the night they go back: the first of the two, not both.
        ("Europe/Berlin", date(2026, 10, 25), time(2, 30), ["2026-10-25T00:30:00+00:00"]),
        ("America/New_York", date(2026, 3, 8), time(2, 15), ["2026-03-08T07:15:00+00:00"]),
        ("America/New_York", date(2026, 11, 1), time(1, 15), ["2026-11-01T05:15:00+00:00"]),
        # Midnight itself is what a zone may leave out.
        ("Africa/Cairo", date(2026, 4, 24), time(0, 30), ["2026-04-23T22:30:00+00:00"]),
    ],
)
def test_nights_of_clock_changes(zone, night, at, expected):
    times = Daily(at, ZoneInfo(zone))
    begin = datetime.combine(night, time(0), UTC) - timedelta(hours=11)
    found = [
        moment
        for moment in _fires(times, begin - timedelta(days=1), begin + timedelta(days=2))
        if moment.astimezone(ZoneInfo(zone)).date() == night
    ]
    assert [moment.isoformat() for moment in found] == expected


@given(st.sampled_from(ZONES), walls, moments)
def test_each_day_has_exactly_one_run(zone, at, begin):
    times = Daily(at, ZoneInfo(zone))
    fires = _fires(times, begin, begin + timedelta(days=20))
    gaps = [b - a for a, b in pairwise(fires)]
    # 22: a change forward by two hours; 26: back by two. A day Apia left out has its own date.
    assert all(timedelta(hours=22) <= gap <= timedelta(hours=26) for gap in gaps), gaps
    assert 18 <= len(fires) <= 21


@given(st.sampled_from(ZONES), walls, moments, st.integers(0, 6))
def test_latest_and_after_meet(zone, at, moment, weekday):
    for times in (Daily(at, ZoneInfo(zone)), Daily(at, ZoneInfo(zone), weekday)):
        latest, following = times.latest(moment), times.after(moment)
        assert latest <= moment < following
        assert times.after(latest) == following
        assert times.latest(following) == following


@given(moments, st.integers(1, 1440))
def test_minutes_do_not_shift_with_a_restart(moment, minutes):
    times = Every(minutes)
    assert times.latest(moment) <= moment < times.after(moment)
    later = moment + timedelta(seconds=17)
    if times.latest(later) == times.latest(moment):
        assert times.after(later) == times.after(moment)


def test_the_zone_of_the_machine_plays_no_part(monkeypatch):
    times = Daily(time(22, 30), ZoneInfo("America/Guatemala"))
    moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
    before = times.after(moment)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert times.after(moment) == before == datetime(2026, 11, 22, 4, 30, tzinfo=UTC)
