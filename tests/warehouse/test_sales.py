"""The four reports and what they are made of."""

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.warehouse import scenes

pytestmark = pytest.mark.core
D = Decimal


def test_days_follow_the_default_definition(warehouse):
    found = warehouse.rows(
        "select day, total, returns, ticket_total, pos_total from marts.daily_sales "
        "where shop_id = 'books' order by day"
    )
    assert found == [
        (dt.date(2026, 1, 31), D("162.0000"), D(0), D(112), D(50)),
        (dt.date(2026, 2, 3), D(0), D(0), D(0), D(0)),
        (dt.date(2026, 2, 10), D("7.5"), D(0), D(0), D("7.5")),
        (dt.date(2026, 2, 20), D(-8), D(-8), D(0), D(-8)),
        (dt.date(2026, 3, 1), D("-11.2"), D("-11.2"), D("-11.2"), D(0)),
    ]


def test_months_keep_a_return_out_of_the_month_of_its_sale(warehouse):
    assert warehouse.rows(
        "select month, total from marts.monthly_sales where shop_id = 'books' order by month"
    ) == [
        (dt.date(2026, 1, 1), D(162)),
        (dt.date(2026, 2, 1), D("-0.5")),
        (dt.date(2026, 3, 1), D("-11.2")),
    ]


def test_tax_cost_and_margin(warehouse):
    assert warehouse.one(
        "select tax, net, cost, margin, uncosted from marts.daily_sales "
        "where shop_id = 'books' and day = '2026-01-31'"
    ) == (D(12), D(150), D(40), D(60), D("61.2"))
    # A return's tax is that of its lines.
    assert warehouse.one(
        "select gross, tax, net from marts.sales_documents "
        "where shop_id = 'books' and effect = 'return' and document_id = 'plain'"
    ) == (D("-11.2"), D("-1.2"), D(-10))


def test_a_total_the_service_left_out_is_the_sum_of_the_lines_and_says_so(warehouse):
    assert warehouse.one(
        "select gross, amount_source from marts.documents where document_id = 'by_lines'"
    ) == (D("7.5"), "lines")


def test_purchases_count_when_received(warehouse):
    assert warehouse.rows(
        "select day, total, expenses, tax + net from marts.daily_purchases where shop_id = 'books'"
    ) == [(dt.date(2026, 2, 2), D(105), D(0), D(105))]


def test_days_are_right_whatever_the_spelling_of_the_time(warehouse):
    expected, _ = scenes.oracle()
    found = warehouse.rows(
        "select day, total, ticket_invoice_count + pos_order_count + return_count "
        "from marts.daily_sales where shop_id = 'random'"
    )
    assert {day: total for day, total, _ in found} == expected.days
    assert sum(count for *_, count in found) == expected.documents


def test_money_is_decimal_everywhere(warehouse):
    floating = warehouse.rows(
        "select table_schema, table_name, column_name from information_schema.columns "
        "where table_schema in ('staging', 'intermediate', 'marts', 'history') "
        "and data_type in ('DOUBLE', 'FLOAT')"
    )
    assert floating == []


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
