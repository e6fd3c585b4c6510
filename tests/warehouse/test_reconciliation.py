"""Against the service's own reports: comparison, calibration, explanation, history."""

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from pipelines.reconcile.calibrate import (
    Candidate,
    calibrate,
    counted_otherwise,
    current,
    judge,
    store,
)
from pipelines.reconcile.explain import explain
from tests.promises import promise

D = Decimal


@pytest.fixture
def undone(connection):
    """A connection whose changes are taken back."""
    connection.execute("begin")
    yield connection
    connection.execute("rollback")


@promise("reports agree to the cent, whatever shapes the service answers in")
def test_every_known_period_is_compared_to_the_cent(warehouse):
    assert warehouse.rows(
        "select report, period, ours, theirs, matches from marts.reconciliation "
        "where shop_id = 'books' order by 1, 2"
    ) == [
        ("daily_purchases", dt.date(2026, 2, 2), D(105), D(105), True),
        ("monthly_sales", dt.date(2026, 1, 1), D(162), D(162), True),
        ("monthly_sales", dt.date(2026, 2, 1), D("-0.5"), D("-0.5049"), True),
        ("monthly_sales", dt.date(2026, 3, 1), D("-11.2"), D("-11.21"), False),
        ("monthly_sales", dt.date(2026, 4, 1), D(0), D(0), True),
    ]


def test_the_default_is_confirmed(connection):
    verdict = judge(calibrate(connection, "fits", "sales"), "sales")
    assert verdict.chosen.key == "document/gross/return_day/all"
    assert verdict.chosen.agreeing == verdict.chosen.compared == 7
    # Documents without ticket or due date: these bases are the same day, and it says so.
    assert verdict.certainty == "undecided"
    assert {rival.definition["date_basis"] for rival in verdict.rivals} == {"ticket", "due"}


@promise("what the service counts as a sale is found out")
def test_another_definition_is_found(connection):
    verdict = judge(calibrate(connection, "net", "sales"), "sales")
    assert verdict.chosen.key == "document/net/sale_day/all"


def test_a_service_that_rounds_each_document_is_found_and_followed(undone):
    best = calibrate(undone, "rounds", "sales")[0]
    assert best.fits
    assert best.key == "document/gross_rounded/return_day/all"
    store(undone, "rounds", best)
    found = undone.execute(
        "select day, sum(total) from intermediate.int_sales_effects where shop_id = 'rounds' "
        "group by 1 order by 1"
    ).fetchall()
    assert [total for _, total in found] == [D("20.02"), D(3), D("-1.01")]


@pytest.mark.parametrize(
    ("shop", "counted"),
    [("books", "pos_order"), ("books", "ticket_invoice"), ("differs", "paid_or_due")],
)
def test_a_service_that_counts_some_kinds_of_documents_only_is_found(undone, shop, counted):
    undone.execute(
        "update ops.service_reports as theirs set total = (select coalesce(sum(total), 0) from "
        "intermediate.int_sales_by_definition as ours where ours.shop_id = theirs.shop_id and "
        f"month = period and definition = 'document/gross/return_day/{counted}') "
        "where shop_id = ? and report = 'monthly_sales'",
        [shop],
    )
    verdict = judge(calibrate(undone, shop, "sales"), "sales")
    assert verdict.chosen.definition["documents"] == counted


@pytest.mark.parametrize(("telling", "certainty"), [(6, "sure"), (5, "likely")])
def test_the_only_definition_that_fits_is_sure_after_half_a_year(telling, certainty):
    parts = {"date_basis": "document", "documents": "all"}
    fits = Candidate("sales", parts, 9, 9, telling, D(0))
    verdict = judge([fits, replace(fits, agreeing=8, difference=D(1))], "sales")
    assert (verdict.chosen, verdict.certainty, verdict.rivals) == (fits, certainty, ())


def test_a_service_that_reported_zeros_alone_confirms_no_definition():
    parts = {"date_basis": "document", "documents": "all"}
    verdict = judge([Candidate("sales", parts, 9, 9, 0, D(0))], "sales")
    assert (verdict.chosen, verdict.certainty) == (None, "no data")


def test_when_none_fits_the_closest_is_named(connection):
    verdict = judge(calibrate(connection, "fits", "purchases"), "purchases")
    assert verdict.chosen is None
    assert verdict.certainty == "none"
    assert verdict.closest.difference == 1
    assert verdict.closest.key in verdict.message


def test_without_the_service_s_months_nothing_is_claimed(connection):
    verdict = judge(calibrate(connection, "random", "sales"), "sales")
    assert (verdict.chosen, verdict.certainty) == (None, "no data")


def test_a_choice_is_kept_and_followed(undone):
    best = calibrate(undone, "net", "sales")[0]
    store(undone, "net", best)
    assert current(undone, "net", "sales") == best.definition
    followed = undone.execute(
        "select sales_amount_basis, sales_returns from intermediate.int_shop_definitions "
        "where shop_id = 'net'"
    ).fetchone()
    total = undone.execute(
        "select sum(total) from intermediate.int_sales_effects where shop_id = 'net'"
    ).fetchone()
    again = calibrate(undone, "net", "sales")[0]
    assert followed == ("net", "sale_day")
    assert total == (D(7 * 70),)
    assert again.definition == best.definition


def test_every_definition_gives_what_the_report_gives_under_it(undone):
    """The comparison and the report are two queries: under each definition they must agree."""
    for candidate in calibrate(undone, "net", "sales"):
        store(undone, "net", candidate)
        by_report = undone.execute(
            "select cast(date_trunc('month', day) as date), sum(total) "
            "from intermediate.int_sales_effects "
            "where shop_id = 'net' group by 1 having sum(total) <> 0 order by 1"
        ).fetchall()
        by_definition = undone.execute(
            "select month, total from intermediate.int_sales_by_definition "
            "where shop_id = 'net' and definition = ? and total <> 0 order by 1",
            [candidate.key],
        ).fetchall()
        assert by_report == by_definition, candidate.key
        by_line = undone.execute(
            "select cast(date_trunc('month', counted_day) as date), sum(counted_amount) "
            "from marts.counted_lines "
            "where shop_id = 'net' group by 1 having sum(counted_amount) <> 0 order by 1"
        ).fetchall()
        assert by_line == by_report, candidate.key


def test_an_unknown_shop_is_refused(connection):
    candidate = Candidate("sales", {"date_basis": "document"}, 0, 0, 0, D(0))
    with pytest.raises(ValueError, match="no shop 'nowhere'"):
        store(connection, "nowhere", candidate)


@pytest.fixture
def findings(connection):
    return explain(connection, "differs", "monthly_sales", dt.date(2026, 5, 1))


@pytest.mark.parametrize(
    ("day", "reason", "document", "amount"),
    [
        (2, "edited", "edited", 40),
        (4, "deleted", "gone", -60),
        (6, "midnight", "late", 70),
        (8, "still_due", "owed", 80),
        (10, "missing", "nowhere", -90),
        (12, "unexplained", None, -33),
        (18, "void", "annulled", 45),
    ],
)
def test_each_day_that_differs_is_explained(findings, day, reason, document, amount):
    of_day = [finding for finding in findings if finding.day == dt.date(2026, 5, day)]
    first = of_day[0]
    assert (first.reason, first.document_id, first.amount) == (reason, document, D(amount))
    assert first.settles == (document is not None)
    assert first.meaning
    assert first.detail


def test_a_report_that_has_nothing_of_its_day_yet_is_late(undone):
    undone.execute(
        "update marts.reconciliation set fetched_at = '2026-05-09 04:30:00+00' "
        "where shop_id = 'differs' and period = '2026-05-08'"
    )
    found = explain(undone, "differs", "monthly_sales", dt.date(2026, 5, 1))
    first = next(one for one in found if one.day == dt.date(2026, 5, 8))
    assert (first.reason, first.amount, first.settles) == ("late", D(80), True)


def test_documents_that_went_together_are_named_once_each(findings):
    found = {
        (finding.reason, finding.document_id, finding.amount)
        for finding in findings
        if finding.day == dt.date(2026, 5, 16)
    }
    assert found == {("deleted", "void-1", D(-25)), ("deleted", "void-2", D(-35))}


def test_days_that_agree_are_not_mentioned(findings):
    assert dt.date(2026, 5, 14) not in {finding.day for finding in findings}


def test_a_period_that_agrees_needs_no_explanation(connection):
    assert explain(connection, "differs", "monthly_sales", dt.date(2026, 6, 1)) == []


def test_purchases_are_explained_too(connection):
    (finding,) = explain(connection, "differs", "daily_purchases", dt.date(2026, 5, 20))
    assert (finding.reason, finding.document_id, finding.amount) == ("midnight", "bought", D(12))


@pytest.mark.parametrize("report", ["monthly_sales", "weekly_sales"])
def test_what_the_service_never_said_cannot_be_explained(connection, report):
    with pytest.raises(ValueError, match="sales"):
        explain(connection, "differs", report, dt.date(2020, 1, 1))


def believed(connection: duckdb.DuckDBPyConnection, night: dt.datetime) -> dict[dt.date, Decimal]:
    """Sales by day as the mirror believed them at a moment of UTC."""
    return dict(
        connection.execute(
            "select effect_day, sum(gross) from history.sales_documents "
            "where shop_id = 'differs' and effect_day is not null and dbt_valid_from <= $night "
            "and (dbt_valid_to is null or dbt_valid_to > $night) group by 1",
            {"night": night},
        ).fetchall()
    )


def test_what_was_believed_on_an_earlier_night(connection):
    (changed,) = connection.execute(
        "select dbt_valid_to from history.sales_documents where dbt_valid_to is not null "
        "and document_id = 'edited'"
    ).fetchall()
    before = believed(connection, changed[0] - dt.timedelta(microseconds=1))
    after = believed(connection, changed[0] + dt.timedelta(hours=1))
    assert before[dt.date(2026, 5, 2)] == 100
    assert before[dt.date(2026, 5, 4)] == 60
    assert after[dt.date(2026, 5, 2)] == 140
    assert dt.date(2026, 5, 4) not in after
    now = dict(
        connection.execute(
            "select day, total from marts.daily_sales where shop_id = 'differs'"
        ).fetchall()
    )
    assert after == now


def test_the_guides_queries_are_answered(connection):
    """And the one for an earlier morning says what the history says of it."""
    guides = Path(__file__).resolve().parents[2] / "docs" / "how-to"
    blocks = {
        guide.stem: re.findall(
            r"^```sql\n(.*?)^```", guide.read_text(encoding="utf-8"), re.M | re.S
        )
        # The other guides' queries are asked of the demo.
        for guide in (guides / "several-shops.md", guides / "when-something-differs.md")
    }
    assert all(blocks.values())
    for sql in (sql for found in blocks.values() for sql in found):
        connection.execute(sql)
    (changed,) = connection.execute(
        "select dbt_valid_to from history.sales_documents where document_id = 'edited' "
        "and dbt_valid_to is not null"
    ).fetchall()
    morning = changed[0] - dt.timedelta(microseconds=1)
    sql = blocks["when-something-differs"][0].replace("2026-03-01 08:00", morning.isoformat(" "))
    told = connection.execute(sql.replace("where", "where shop_id = 'differs' and")).fetchall()
    assert dict(told) == believed(connection, morning)


def test_models_without_the_definitions_tell_of_none():
    with duckdb.connect() as empty:
        assert counted_otherwise(empty, "main", {"monthly_sales"}) == ""
