"""The service's clock and ours: what is asked by day is asked by neither alone."""

import sqlite3
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pipelines.doctor import doctor, exit_code
from pipelines.monitor.status import status
from pipelines.settings import Settings
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import BudgetUnusable
from sources.repair_shop.http.service_clock import ServiceClock, clock_words

pytestmark = [pytest.mark.core, pytest.mark.usefixtures("noon")]


def dated(days, **headers):
    """A header ``Date`` of a service that is ``days`` ahead of us."""
    return {"date": format_datetime(datetime.now(UTC) + timedelta(days=days)), **headers}


def away(client):
    return (client.clock.now() - datetime.now(UTC)).total_seconds() / 86400


def test_the_services_time_is_that_of_its_newest_answer(connect, loopback):
    with connect() as client:
        assert away(client) == pytest.approx(0, abs=0.01)
        loopback.date_ahead = timedelta(days=5)
        client.get("/brands")
        assert away(client) == pytest.approx(5, abs=0.01)
        client.clock.observe(dated(3))
        assert away(client) == pytest.approx(3, abs=0.01)
        assert client.clock.earlier().date() == datetime.now(UTC).date()
        client.clock.observe(dated(-3))
        assert client.clock.earlier() < datetime.now(UTC) - timedelta(days=2.9)
        assert client.today() == datetime.now(UTC).date()


@pytest.mark.parametrize(
    "text", ["", "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 99 Foo 2026 99:99:99", "0"]
)
def test_a_date_of_no_sense_is_none(text):
    clock = ServiceClock(lambda: 40.0)
    assert clock.observe({"date": text}) is None
    assert clock.skew == 40.0


def test_an_answer_out_of_a_cache_is_as_old_as_it_says():
    clock = ServiceClock()
    skew = clock.observe(dated(-1, age="86400"))
    assert skew == pytest.approx(0, abs=5)


def test_another_process_knows_the_difference_before_its_first_answer(connect, loopback, budget):
    loopback.date_ahead = timedelta(days=4)
    with connect() as client:
        client.get("/brands")
    with connect() as client:
        assert away(client) == pytest.approx(4, abs=0.01)
        assert client.today() == (datetime.now(UTC) + timedelta(days=4)).date()


@pytest.mark.parametrize(
    ("days", "words"), [(0, ""), (0.001, ""), (3, "3 days behind"), (-0.1, "2 hours ahead of")]
)
def test_a_difference_is_told_in_words(days, words):
    told = clock_words(days * 86400)
    assert words in told
    assert bool(told) == bool(words)


def test_doctor_and_status_tell_a_clock_that_differs(loopback, make_shop, tmp_path):
    shop = make_shop(base_url=loopback.base_url, minute_seconds=0.2, requests_per_minute=1000)
    settings = Settings(home=tmp_path, shops=(shop,))
    loopback.date_ahead = timedelta(days=-2)
    [found] = doctor(settings)
    assert any("2 days ahead of the service's" in text for text in found.problems)
    assert exit_code([found]) == 1
    shown = status(settings)
    assert any("2 days ahead of the service's" in text for text in shown.problems)
    assert shown.exit_code == 1
    loopback.date_ahead = timedelta()
    [found] = doctor(settings)
    assert found.items["clock"] == "agrees with ours"
    assert not any("clock" in text for text in status(settings).problems)


def test_a_budget_of_a_newer_version_is_left_alone(tmp_path, make_shop):
    with sqlite3.connect(tmp_path / "budget.sqlite") as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(BudgetUnusable, match="newer version"):
        Budget(tmp_path / "budget.sqlite").key(make_shop()).state()
