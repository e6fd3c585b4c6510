"""The other marts: tickets, people, debts, stock, purchasing, leads, the calendar."""

import datetime as dt
from decimal import Decimal

from tests.warehouse import scenes

D = Decimal


def test_cycle_time_counts_opening_hours_only(warehouse):
    # Saturday 17:00 to 18:00 and Monday 9:00 to 10:30; Sunday is closed.
    assert warehouse.one(
        "select cycle_hours, done_source, done_day, "
        "first_touched_at = opened_at + interval 20 minute, "
        "is_late, paid_day, timer_hours, technician from marts.tickets where id = 'weekend'"
    ) == (
        D("2.5"),
        "invoice",
        dt.date(2026, 3, 9),
        True,
        True,
        dt.date(2026, 3, 11),
        D("1.5"),
        None,
    )


def test_comebacks_within_thirty_days(warehouse):
    found = warehouse.rows(
        "select id, is_comeback, comeback_of from marts.tickets "
        "where shop_id = 'bench' and device = 'Fono X|2021' order by opened_day"
    )
    assert found == [
        ("weekend", False, None),
        ("again", True, "weekend"),
        ("much_later", False, None),
    ]


def test_a_status_seen_to_change_dates_the_work(warehouse):
    done, source, changes, touched = warehouse.one(
        "select done_at, done_source, status_changes_seen, first_touched_at = done_at "
        "from marts.tickets where id = 'watched'"
    )
    assert (source, changes, touched) == ("history", 1, True)
    assert isinstance(done, dt.datetime)
    assert dt.timedelta(0) < done - scenes.NOW < dt.timedelta(hours=1)
    assert warehouse.rows(
        "select status_label, status_before, is_first_sight, is_done from marts.ticket_statuses "
        "where ticket_id = 'watched' order by first_seen_at"
    ) == [("New", None, True, False), ("Repaired", "New", False, True)]


def test_the_pipeline_flag_decides_what_is_closed(warehouse):
    assert warehouse.one("select is_done, is_closed from marts.tickets where id = 'scrapped'") == (
        True,
        True,
    )


def test_deleted_tickets_are_left_out(warehouse):
    assert warehouse.rows("select id from marts.tickets where id = 'removed'") == []


def test_technicians_and_the_unassigned(warehouse):
    assert warehouse.rows(
        "select technician, tickets, done_tickets, comebacks, timer_hours, clock_hours, revenue "
        "from marts.technicians where shop_id = 'bench' order by technician_key"
    ) == [
        ("Ana Lopez", 3, 3, 1, D("1.5"), D(9), D(90)),
        (None, 2, 2, 0, D(0), D(0), D(0)),
    ]


def test_issue_types_and_devices(warehouse):
    assert warehouse.rows(
        "select issue_type_key, issue_type, tickets, unassigned_share from marts.issue_types "
        "where shop_id = 'bench' order by 1"
    ) == [("7", "Screen", 3, D(0)), ("none", None, 2, D(1))]
    assert warehouse.rows(
        "select model, earliest_year, latest_year, tickets from marts.devices "
        "where shop_id = 'bench' order by 1"
    ) == [("Fono X", "2021", "2022", 4), ("unknown", None, None, 1)]


def test_customers(warehouse):
    assert warehouse.one(
        "select first_visit_day, last_visit_day, lifetime_value, tickets, has_sms_consent "
        "from marts.customers where shop_id = 'bench'"
    ) == (dt.date(2026, 3, 7), dt.date(2026, 9, 1), D(90), 3, True)
    assert warehouse.one(
        "select due, lifetime_value from marts.customers where shop_id = 'trade'"
    ) == (D(100), D(100))


def test_receivables_by_age(warehouse):
    assert warehouse.rows(
        "select document_id, age_bucket, age_days, days_overdue, due from marts.receivables "
        "where shop_id = 'trade' order by age_days"
    ) == [
        ("fresh", "0-30", 3, 0, D(10)),
        ("old", "31-60", 45, 31, D(20)),
        ("older", "61-90", 75, 61, D(30)),
        ("oldest", "over 90", 200, 186, D(40)),
    ]


def test_products_and_stock(warehouse):
    assert warehouse.rows(
        "select id, type, stock_value, sold_quantity_90_days, days_of_cover, "
        "is_below_reorder_level, is_dead_stock, margin_share from marts.products "
        "where shop_id = 'trade' order by id"
    ) == [
        ("dead", "product", D(10), D(0), None, False, True, None),
        ("fast", "product", D(180), D(9), D(300), True, False, D("0.4")),
        ("work", "service", None, D(0), None, False, False, None),
    ]
    assert warehouse.rows(
        "select location, quantity, stock_value from marts.stock_by_location "
        "where shop_id = 'trade' order by 1"
    ) == [("A1", D(12), D(60)), ("B2", D(18), D(108))]


def test_purchases_and_suppliers(warehouse):
    assert warehouse.rows(
        "select id, is_open, lead_days, is_late, total, lines from marts.purchases "
        "where shop_id = 'trade' order by id"
    ) == [("in", False, 10, True, D(65), 1), ("open", True, None, None, D(10), 0)]
    assert warehouse.one(
        "select orders, open_orders, open_total, received_total, median_lead_days, products "
        "from marts.suppliers where shop_id = 'trade'"
    ) == (2, 1, D(10), D(65), D(10), 1)


def test_leads_and_appointments(warehouse):
    assert warehouse.rows(
        "select id, stage, is_won, is_lost, appointments from marts.leads "
        "where shop_id = 'trade' order by id"
    ) == [
        ("l1", 7, False, False, 1),
        ("l2", 9, True, False, 0),
        ("l3", 10, False, True, 0),
    ]
    assert dict(
        warehouse.rows("select id, outcome from marts.appointments where shop_id = 'trade'")
    ) == {"missed": "no_show", "came": "kept", "who_knows": "unknown", "ahead": "upcoming"}


def test_the_calendar_knows_the_last_open_day(warehouse):
    # Monday 9 March 2026, after a closed Sunday.
    assert warehouse.one(
        "select weekday, is_open, last_open_day, four_weeks_earlier_day, open_minutes "
        "from marts.calendar where shop_id = 'bench' and day = '2026-03-09'"
    ) == (1, True, dt.date(2026, 3, 7), dt.date(2026, 2, 9), 540)
    assert warehouse.one(
        "select is_open, open_minutes from marts.calendar "
        "where shop_id = 'bench' and day = '2026-03-08'"
    ) == (False, 0)
    (now,) = warehouse.one("select day from marts.calendar where shop_id = 'void' and is_today")
    assert now == scenes.today("void")


def test_a_closed_day_of_the_settings_is_no_day_of_work(warehouse):
    assert warehouse.rows(
        "select day, is_open, last_open_day from marts.calendar where shop_id = 'holiday' "
        "and day between '2026-04-30' and '2026-05-02' order by day"
    ) == [
        (dt.date(2026, 4, 30), True, None),
        (dt.date(2026, 5, 1), False, dt.date(2026, 4, 30)),
        (dt.date(2026, 5, 2), True, dt.date(2026, 4, 30)),
    ]
    # Thursday 17:00 to 18:00 and Saturday 9:00 to 10:00.
    assert warehouse.one("select cycle_hours from marts.tickets where id = 'bridge'") == (D(2),)


def test_what_cannot_be_read_is_listed_and_not_zero(warehouse):
    assert warehouse.rows(
        "select table_name, id, column_name, original from ops.unreadable "
        "where shop_id = 'murky' order by 1, 2, 3"
    ) == [
        ("customers", "worse", "created_date", "2026-02-31"),
        ("ticket_invoices", "bad", "amount_total", "Q1,2,3"),
        ("ticket_invoices", "bad", "due_date", "soon"),
        ("ticket_invoices__lines", "bad", "quantity", "a few"),
    ]
    assert warehouse.one(
        "select gross, amount_source from marts.documents where shop_id = 'murky'"
    ) == (None, "unknown")


def test_values_nobody_expects_are_survived_and_all_kept(warehouse):
    assert warehouse.one("select count(*) from marts.documents where shop_id = 'absurd'") == (8,)
    assert warehouse.one(
        "select count(*), count(gross), count(effect_day) from marts.sales_documents "
        "where shop_id = 'absurd' and effect = 'return'"
    ) == (16, 8, 6)
    assert warehouse.one(
        "select count(*), count(day) from marts.payments where shop_id = 'absurd'"
    ) == (9, 1)
    first, last = warehouse.one(
        "select min(day), max(day) from marts.calendar where shop_id = 'absurd'"
    )
    assert isinstance(first, dt.date)
    assert isinstance(last, dt.date)
    assert first.year > 1990
    assert last.year < 2100
