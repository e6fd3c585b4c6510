"""``marts.shop_days`` and its companions, against sums of the records themselves."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

import pytest

from tests.app.warehouse import NOW, TODAY, ask


@pytest.mark.parametrize("back", [0, 20, 90, 200])
def test_what_is_due_at_the_end_of_a_day_is_what_was_unpaid_then(chain, back):
    last = TODAY - timedelta(days=back)
    owed: dict[tuple[str, ...], Decimal] = defaultdict(Decimal)
    created: dict[tuple[str, ...], date] = {}
    for *key, day, gross in ask(
        chain,
        "select shop_id, document_type, document_id, created_day, gross from marts.documents "
        "where created_day <= ? and gross is not null",
        last,
    ):
        owed[tuple(key)] += gross
        created[tuple(key)] = day
    for *key, gross in ask(
        chain,
        "select shop_id, document_type, document_id, gross from marts.sales_documents "
        "where effect = 'return' and effect_day <= ?",
        last,
    ):
        owed[tuple(key)] += gross
    for *key, amount in ask(
        chain,
        "select shop_id, document_type, document_id, amount from marts.payments "
        "where day <= ? and document_id is not null",
        last,
    ):
        owed[tuple(key)] -= amount
    unpaid = {k: v for k, v in owed.items() if k in created and v >= Decimal("0.01")}
    ages = [
        sum((v for k, v in unpaid.items() if low <= (last - created[k]).days <= high), Decimal(0))
        for low, high in ((0, 30), (31, 60), (61, 90), (91, 9999))
    ]
    found = ask(
        chain,
        "select sum(due_to_30), sum(due_31_to_60), sum(due_61_to_90), sum(due_over_90), "
        "sum(due), sum(documents_due) from marts.shop_days where day = ?",
        last,
    )
    assert found == [(*ages, sum(unpaid.values()), len(unpaid))]


def test_what_is_due_today_is_what_the_list_of_debts_adds_up_to(chain):
    assert ask(
        chain, "select sum(due), sum(documents_due) from marts.shop_days where is_today"
    ) == ask(chain, "select sum(due), count(*) from marts.receivables")


def test_open_tickets_at_the_end_of_a_day_are_those_opened_and_not_done(chain):
    days = [TODAY - timedelta(days=n) for n in (0, 15, 120)]
    for day in days:
        assert ask(
            chain,
            "select sum(tickets_open), sum(tickets_without_technician) from marts.shop_days "
            "where day = ?",
            day,
        ) == ask(
            chain,
            "select count(*), count(*) filter (where is_unassigned) from marts.tickets "
            "where opened_day <= $1 and (not is_done or done_day > $1)",
            day,
        )


def test_counted_sales_add_up_to_the_days(chain):
    assert not ask(
        chain,
        "select shop_id, counted_day, sum(counted_amount), sum(margin) from marts.counted_sales "
        "group by all except select shop_id, day, total, margin from marts.daily_sales",
    )


def test_a_day_so_far_holds_what_had_happened_by_the_time_of_day_of_the_build(chain):
    """It was built at 20:00 in Guatemala; a document of 20:01 is in its whole day alone."""
    assert (NOW - timedelta(hours=6)).hour == 20
    sums = "select sum(sold), sum(documents), sum(taken), sum(tickets_opened) from {}"
    before = [
        ask(
            chain,
            f"select coalesce(sum({amount}), 0) from marts.{table} where {day} <= ? and "
            f"strftime({moment} at time zone 'America/Guatemala', '%H:%M') <= '20:00'",
            TODAY,
        )[0][0]
        for amount, table, day, moment in (
            ("gross", "sales_documents", "effect_day", "effect_at"),
            ("amount", "payments", "day", "paid_at"),
        )
    ]
    ((sold, documents, taken, opened),) = ask(chain, sums.format("marts.shop_days_so_far"))
    whole = ask(chain, sums.format("marts.shop_days"))[0]
    assert [sold, taken] == before
    assert documents < whole[1] and taken < whole[2] and opened <= whole[3]
    assert ask(chain, "select distinct until_minute from marts.shop_days_so_far") == [(20 * 60,)]


def test_the_last_open_day_is_the_last_one_open_with_business(chain):
    found = ask(
        chain,
        "select day, last_open_day, is_business_day from marts.shop_days where shop_id = 'centro' "
        "order by day desc limit 60",
    )
    business = dict(
        ask(
            chain,
            "select created_day, count(*) from (select shop_id, created_day from marts.documents "
            "union all select shop_id, opened_day from marts.tickets union all "
            "select shop_id, day from marts.payments) where shop_id = 'centro' group by 1",
        )
    )
    for day, last_open, is_business_day in found:
        assert is_business_day == (day in business and day.weekday() != 6)
        assert last_open == max(d for d in business if d < day and d.weekday() != 6)


def test_purchase_lines_add_up_to_their_orders_and_name_the_cost_before(chain):
    assert ask(chain, "select count(*), sum(quantity) from marts.purchase_lines") == ask(
        chain, "select sum(lines), sum(quantity) from marts.purchases"
    )
    rows = ask(
        chain,
        "select shop_id, product_code, unit_cost, unit_cost_before from marts.purchase_lines "
        "where product_code is not null order by created_day, purchase_id, position",
    )
    before: dict[tuple[str, str], Decimal] = {}
    for shop, code, cost, cost_before in rows:
        assert cost_before == before.get((shop, code))
        before[shop, code] = cost
    assert len(before) < len(rows)


def test_margin_by_technician_is_that_of_the_sales_of_their_tickets(chain):
    assert ask(chain, "select sum(margin), sum(uncosted) from marts.technicians") == ask(
        chain,
        "select sum(margin), sum(sales.uncosted) from marts.counted_sales as sales "
        "join marts.tickets on tickets.id = ticket_id and tickets.shop_id = sales.shop_id",
    )


def test_repairs_that_came_back_stand_beside_who_repaired_them_first(chain):
    found = ask(chain, "select ticket_id, first_ticket_id, days_after from marts.warranty_returns")
    assert sorted(row[:2] for row in found) == sorted(
        ask(chain, "select id, comeback_of from marts.tickets where is_comeback")
    )
    assert all(0 <= days <= 30 for _ticket, _first, days in found)


TIMES = """
    select table_name, column_name, data_type from duckdb_columns()
    where schema_name = 'marts' order by all
"""
"""Columns that hold a day, a moment, or a number of days; the rule is in how-to/analysts.md."""


def test_a_columns_name_says_whether_it_is_a_day_a_moment_or_a_number_of_days(chain):
    broken = []
    for table, name, kind in ask(chain, TIMES):
        words = name.split("_")
        if kind == "DATE":
            is_right = words[-1] in ("day", "month", "period")
        elif kind.startswith("TIMESTAMP"):
            is_right = words[-1] == "at"
        elif kind == "BOOLEAN":
            is_right = words[-1] not in ("month", "period", "at")
        else:
            is_right = words[-1] not in ("day", "month", "at")
            is_right = is_right and ("days" not in words or kind != "VARCHAR")
        if not is_right:
            broken.append(f"{table}.{name} {kind}")
    assert broken == []
    names = {name for _table, name, _kind in ask(chain, TIMES)}
    assert {"day", "created_day", "opened_day", "received_day", "month"} <= names
