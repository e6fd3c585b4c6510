"""``marts.shop_days`` and its companions, against sums of the records themselves.

What is sold, due and earned by day: tests/warehouse/test_answers.py.
"""

from datetime import timedelta

from tests.app.warehouse import NOW, TODAY, ask


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
