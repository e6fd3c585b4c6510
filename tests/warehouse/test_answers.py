"""The marts, question by question (``answers.yml``), and days of any spelling."""

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.warehouse import by_hand, scenes

pytestmark = pytest.mark.core

ANSWERS = yaml.load(
    Path(__file__).with_name("answers.yml").read_text(encoding="utf-8"), yaml.BaseLoader
)


def written(value: object) -> str:
    """A value as ``answers.yml`` writes it."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_marts_answer(warehouse, question):
    asked = ANSWERS[question]
    shop = re.search(r"shop_id = '(\w+)'", asked["ask"])
    found = [[written(value) for value in row] for row in warehouse.rows(asked["ask"])]
    expected = scenes.dated(asked["rows"], scenes.today(shop[1])) if shop else asked["rows"]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("shop", by_hand.SHOPS)
@pytest.mark.parametrize("question", by_hand.QUESTIONS)
def test_the_marts_say_what_an_owner_reckons_by_hand(warehouse, shop, question):
    expected = by_hand.QUESTIONS[question](by_hand.Books(shop, scenes.today(shop)))
    found = {row[0]: row[1:] for row in warehouse.rows(question, shop)}
    quiet = {name for name, row in expected.items() if not any(row)} - found.keys()
    assert found == {name: row for name, row in expected.items() if name not in quiet}


def test_days_are_right_whatever_the_spelling_of_the_time(warehouse):
    expected, _ = scenes.oracle()
    found = warehouse.rows(
        "select day, total, ticket_invoice_count + pos_order_count + return_count "
        "from marts.daily_sales where shop_id = 'random'"
    )
    assert {day: total for day, total, _ in found} == expected.days
    assert sum(count for *_, count in found) == expected.documents


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    at=st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2060, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0, tzinfo=dt.UTC)
    ),
    zone=st.sampled_from(
        ["UTC", "America/Guatemala", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia"]
    ),
    hours=st.integers(-12, 14),
)
def test_an_instant_and_its_day(connection, at, zone, hours):
    written = at.astimezone(dt.timezone(dt.timedelta(hours=hours))).isoformat()
    connection.execute("begin")
    connection.execute("update ops.shops set timezone = ? where shop_id = 'void'", [zone])
    connection.execute(
        "insert into raw.brands (shop_id, id, created_date) values ('void', 'b', ?)", [written]
    )
    found = connection.execute(
        "select epoch(created_at), created_day from staging.brands where shop_id = 'void'"
    ).fetchone()
    connection.execute("rollback")
    assert found == (at.timestamp(), at.astimezone(ZoneInfo(zone)).date())
