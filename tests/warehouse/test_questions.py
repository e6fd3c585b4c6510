"""What owners ask every evening, and which mart answers."""

import datetime as dt
from decimal import Decimal

import pytest

from tests.warehouse import scenes

pytestmark = pytest.mark.core
D = Decimal


def test_money_is_split_by_the_invoices_day_and_by_the_tickets(warehouse):
    assert warehouse.rows(
        "select id, kind, kind_by_ticket, kind_chosen from marts.payments "
        "where shop_id = 'asked' order by id"
    ) == [
        ("p-adv", "advance", "advance", "advance"),
        ("p-fresh", "sale", "sale", "sale"),
        ("p-old", "sale", "receivable", "receivable"),
        ("p-till", "sale", "sale", "sale"),
    ]
    # Other shops' today goes by the invoice.
    assert (
        warehouse.rows(
            "select id from marts.payments where shop_id <> 'asked' and kind <> kind_chosen"
        )
        == []
    )


def test_a_shop_today_beside_yesterday(warehouse):
    assert warehouse.one(
        "select taken, sales, receivables, advances, sales_by_invoice, sales_by_ticket, sold, tax, "
        "margin, expenses, tickets_opened, tickets_closed, tickets_unpaid, unpaid, "
        "taken_day_before, tickets_opened_day_before from marts.shop_days "
        "where shop_id = 'asked' and is_today"
    ) == (
        D(188), D(56), D(112), D(20), D(168), D(56), D(168), D(18), D(70), D(15), 4, 2, 2, D(40),
        D(21), 1,
    )  # fmt: skip


def test_tickets_of_today_that_are_not_paid(warehouse):
    assert warehouse.rows(
        "select ticket_id, is_opened_today, amount, amount_source, paid, due "
        "from marts.unpaid_tickets where shop_id = 'asked' order by 1"
    ) == [
        ("no_price", True, None, "unknown", None, None),
        ("waits", True, D(60), "lines", D(20), D(40)),
    ]


def test_takings_by_issue_type_and_day(warehouse):
    today = scenes.today("asked")
    assert warehouse.rows(
        "select day, issue_type_key, issue_type, taken, sales, tickets "
        "from marts.takings_by_issue_type where shop_id = 'asked' order by 1, 2"
    ) == [
        (today - dt.timedelta(days=1), "counter", None, D(21), D(21), 0),
        (today, "7", "Glass", D(188), D(56), 3),
    ]


def test_technicians_by_period(warehouse):
    # Saturday 17:00 to Monday 10:30: 2.5 hours of opening, 41.5 of the clock.
    assert warehouse.rows(
        "select period_kind, period, tickets_closed, revenue, mean_cycle_hours, "
        "median_cycle_hours, mean_wall_hours, median_wall_hours from marts.technician_periods "
        "where shop_id = 'bench' and technician_key = 'u1' and period_kind <> 'year' "
        "and period between '2026-03-01' and '2026-03-31' and tickets_closed > 0 order by 1"
    ) == [
        (kind, day, 1, D(90), D("2.5"), D("2.5"), D("41.5"), D("41.5"))
        for kind, day in (("day", dt.date(2026, 3, 9)), ("month", dt.date(2026, 3, 1)))
    ]


def test_tax_by_rate(warehouse):
    assert warehouse.rows(
        "select rate_key, rate_name, sum(net), sum(tax) from marts.tax_by_rate "
        "where shop_id = 'asked' group by all order by 1"
    ) == [("12.00", "IVA 12", D(150), D(18)), ("5.00", "IVA 5", D(20), D(1))]
    # Tax that no rate of the shop gives is not lost: the test of arithmetic compares the sums.
    assert warehouse.rows(
        "select distinct rate_key from marts.tax_by_rate where shop_id = 'books' and tax <> 0"
    ) == [("unknown",)]


def test_margin_by_product_and_category(warehouse):
    assert warehouse.rows(
        "select product, category, product_type, quantity, net, cost, margin, uncosted "
        "from marts.product_months where shop_id = 'asked' order by 1"
    ) == [
        ("Cable", "none", "unknown", D(1), D(20), None, None, D(20)),
        ("Screen", "Parts", "product", D(2), D(150), D(80), D(70), D(0)),
    ]


def test_stock_on_order_and_services_that_nobody_orders(warehouse):
    assert warehouse.rows(
        "select product_key, product, quantity, amount, orders, late_orders "
        "from marts.stock_on_order where shop_id = 'asked'"
    ) == [("SCR", "Screen", D(3), D(120), 1, 0)]
    assert warehouse.rows(
        "select id, on_order_quantity, is_below_reorder_level from marts.products "
        "where shop_id = 'asked' order by 1"
    ) == [("hour", D(0), False), ("scr", D(3), False)]


def test_customers_who_come_again_and_those_who_are_there_twice(warehouse):
    assert warehouse.rows(
        "select id, visits, is_returning from marts.customers where shop_id = 'asked' order by 1"
    ) == [("c1", 2, True), ("c2", 1, False), ("c3", 0, False)]
    new, again = warehouse.one(
        "select sum(new_customers), sum(returning_customers) from marts.customer_months "
        "where shop_id = 'asked'"
    )
    assert (new, again) == (2, 1)
    assert warehouse.rows(
        "select matched_on, matched_value, customer_id, customers, is_oldest "
        "from marts.customer_duplicates where shop_id = 'asked' order by 1, 3"
    ) == [
        ("email", "ana@x.example", "c1", 2, True),
        ("email", "ana@x.example", "c2", 2, False),
        ("phone", "55551234", "c1", 2, True),
        ("phone", "55551234", "c2", 2, False),
    ]
