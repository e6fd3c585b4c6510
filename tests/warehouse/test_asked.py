"""Reports asked of a service: the same figures in any shape, and what gives a wrong answer away."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from pipelines.doctor import exit_code
from pipelines.doctor.profile import ServiceProfile, probe
from pipelines.reconcile.differences import Compared
from pipelines.service_reports import fetch_days, fetch_year
from pipelines.service_reports.kept import report_totals, store_report
from pipelines.settings import ShopSettings
from pipelines.sync.reconcile import contradictions
from pipelines.sync.repair import definition_hint, fetch_monthly_reports
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import BadAnswer, KeyRefused, Stopped
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from tests.fakes.loopback import Reply
from tests.mirror.stranger import client as client
from tests.mirror.stranger import stranger as stranger
from tests.promises import promise

pytestmark = pytest.mark.usefixtures("noon")
INVOICES = [
    (
        "ticket_invoices",
        {
            "id": f"i{n}",
            "number": f"I-{n}",
            "customer": None,
            "amount_total": Decimal(n * 977) / 100,
            "created_date": f"2026-01-{n:02d}T10:00:00+0000",
            "lines": [],
        },
    )
    for n in range(1, 29, 3)
]


@promise("reports agree to the cent, whatever shapes the service answers in")
@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("amounts", ["number", "text", "currency"])
@pytest.mark.parametrize("shape", ["list", "object", "parts"])
def test_the_sandboxes_shapes_say_the_same(shape, amounts, zeros, tmp_path):
    quirks = Quirks(
        daily_report=shape, monthly_report=shape, report_amounts=amounts, zero_periods=zeros
    )
    spec = ShopSpec(quirks=quirks, records=INVOICES, limit=None)
    with SandboxServer([spec]) as server:
        shop = ShopSettings(name="main", base_url=server.base_url, api_key=server.keys["main"])
        with Client(shop, Budget(tmp_path / "budget.sqlite")) as asked:
            months = fetch_year(asked, "monthly_sales", 2026, date(2026, 11, 22))
            days = fetch_days(asked, "daily_sales", date(2026, 1, 1), date(2026, 1, 31))
    assert {day.day: total for day, total in days.items() if total} == {
        n: Decimal(n * 977) / 100 for n in range(1, 29, 3)
    }
    assert len(days) == 31
    assert months[date(2026, 1, 1)] == sum(days.values()) == sum(months.values())


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger(tmp_path / "mirror.sqlite")
    yield ledger
    ledger.close()


def test_days_in_parts_are_days(stranger, client):
    """Once read as months: January's sum stood on its first day."""
    stranger.other["/dailySales"] = [
        {"year": 2026, "month": 1, "day": day, "amount": day + 0.25, "tax": 0.1, "count": 1}
        for day in range(1, 32)
    ]
    totals = fetch_days(client, "daily_sales", date(2026, 1, 1), date(2026, 1, 31))
    assert totals == {date(2026, 1, day): day + Decimal("0.25") for day in range(1, 32)}
    assert client.requests == 1


def test_a_service_that_ignores_the_year_is_found_out(stranger, client, ledger):
    stranger.other |= {"/monthlySales": {"Jan": 5.25, "Feb": 7}, "/monthlyPurchases": []}
    for table in ("ticket_invoices", "pos_orders", "purchase_orders"):
        ledger.set_list("main", table, whole_on=date(2024, 1, 1))
    row = {"shop": "main", "list": "ticket_invoices", "id": "i1", "day": "2025-01-05"}
    ledger.write("remember_row", **row, deleted_at=None, at="")
    with pytest.raises(BadAnswer, match="2025 and 2026: it seems to ignore the year"):
        fetch_monthly_reports(client, ledger)


def test_a_report_that_cannot_be_read_keeps_no_other_from_being_compared(stranger, client, ledger):
    stranger.other |= {"/monthlySales": "soon", "/monthlyPurchases": {"Jan": 5.25}}
    for table in ("ticket_invoices", "pos_orders", "purchase_orders"):
        ledger.set_list("main", table, whole_on=date(2024, 1, 1))
    with pytest.raises(BadAnswer, match="monthlySales"):
        fetch_monthly_reports(client, ledger)
    found = report_totals(ledger, "main", "monthly_purchases")
    assert [row.total for row in found if row.total] == [Decimal("5.25")]


def test_a_year_without_figures_yet_keeps_no_older_one_from_being_compared(
    stranger, client, ledger
):
    stranger.other |= {"/monthlySales": {"Dec": 5.25}, "/monthlyPurchases": []}
    stranger.instead(Reply(body=None), lambda seen: ("year", "2026") in seen.query)
    for table in ("ticket_invoices", "pos_orders", "purchase_orders"):
        ledger.set_list("main", table, whole_on=date(2024, 1, 1))
    row = {"shop": "main", "list": "ticket_invoices", "id": "i1", "day": "2025-12-05"}
    ledger.write("remember_row", **row, deleted_at=None, at="")
    with pytest.raises(BadAnswer, match="monthlySales"):
        fetch_monthly_reports(client, ledger)
    found = report_totals(ledger, "main", "monthly_sales")
    assert [row.total for row in found if row.total] == [Decimal("5.25")]


@pytest.mark.parametrize(("daily", "found"), [(12.5, 0), (12.0, 1)])
def test_daily_figures_that_contradict_the_monthly_ones_are_told(
    stranger, client, ledger, daily, found
):
    stranger.other["/dailySales"] = [{"date": "2024-05-01", "total": daily}]
    store_report(ledger, "main", "monthly_sales", {date(2024, 5, 1): Decimal("12.5")})
    told = contradictions(client, ledger)
    assert len(told) == found
    assert all("12.00" in one and "12.50" in one and "2024-05" in one for one in told)
    assert client.requests == 1


def test_doctor_tells_reports_that_contradict_each_other(stranger, client):
    stranger.other = {
        "/info": {"name": "x"},
        "/monthlySales": [{"month": 1, "total": 12.5}],
        "/dailySales": [{"date": "2026-01-05", "total": 12}],
    }
    problems = probe(client).problems
    assert any("add up to 12.00" in problem for problem in problems)


def test_doctor_ends_as_a_sync_does_where_shops_fail_in_different_ways():
    now = datetime(2026, 1, 5, tzinfo=UTC)
    errors = Stopped("asked to stop"), KeyRefused("the key is wrong")
    found = [ServiceProfile(error.args[0], now, error=error) for error in errors]
    assert exit_code(found) == KeyRefused.exit_code


def test_doctor_tells_a_report_that_cannot_be_read_and_a_record_that_its_path_hides(
    stranger, client
):
    stranger.other = {"/monthlySales": "soon", "/ticketInvoices/7": []}
    stranger.lists["/ticketInvoices"] = [{"id": 7, "amount_total": 5}]
    found = probe(client)
    assert found.items["report monthly_sales"] == "not readable"
    assert any("/monthlySales" in one and "with certainty" in one for one in found.problems)
    assert "detail" in found.items and found.items["detail"] != "the object"


@pytest.mark.parametrize(("theirs", "words"), [(0, "nothing but zeros"), (3, "--calibrate")])
def test_reports_that_hold_nothing_do_not_count_differently(theirs, words):
    months = [
        Compared("main", "monthly_sales", date(2026, month, 1), Decimal(5), Decimal(theirs))
        for month in range(1, 9)
    ]
    assert words in definition_hint(months)
