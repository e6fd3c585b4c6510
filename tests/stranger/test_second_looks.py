"""Documents and rows that no list announces: looked at again because something names them."""

from datetime import date
from decimal import Decimal

import pytest

from pipelines.reconcile.differences import Difference
from pipelines.sync.repair import split_months
from pipelines.sync.session import open_session
from sources.repair_shop.extract import ShopFetch
from sources.repair_shop.scan.jobs import Job, resume_jobs
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import Settings

DAY = date(2026, 3, 7)


def test_days_that_were_answered_empty_once_are_asked_again_by_the_next_run(stranger):
    stranger.lists["/payments"] = [
        {"id": n, "amount": 5, "date": f"2026-{1 + n // 20:02d}-{1 + n % 20:02d}"}
        for n in range(80)
    ]
    assert stranger.sync("payments").exit_code == 0
    kept = [
        row for row in stranger.lists["/payments"] if not "2026-03-06" <= row["date"] < "2026-03-09"
    ]
    stranger.lists["/payments"] = kept
    shop = stranger.shop
    with open_session(Settings(home=stranger.home, shops=(shop,))) as session:
        ledger = session.ledger

        def look(jobs):
            fetch = ShopFetch(
                session.client(shop), ledger, ledger.begin_run("sync"), session.observer
            )
            [result] = fetch.run(jobs)
            assert result.vanished is not None
            return result.vanished.marked, result.vanished.refused

        assert resume_jobs(ledger, shop) == []
        repair = Job("main", ENDPOINTS["payments"], "repair", first=DAY, last=DAY)
        marked, refused = look([repair])
        assert marked == 0
        assert "1 rows" in refused
        assert look(resume_jobs(ledger, shop)) == (1, "")
        assert look([repair]) == (0, "")
        assert resume_jobs(ledger, shop) == []


@pytest.mark.parametrize(
    "named",
    [
        {"pos": {"id": "p1"}},
        {"posOrder": {"id": "p1"}},
        {"orderId": "p1"},
        {"return": {"id": "r1", "order": {"id": "p1"}}},
        {"return": {"id": "r1", "posOrderId": "p1"}},
    ],
    ids=["nested", "camel", "flat", "return", "flat-in-return"],
)
def test_an_old_order_that_a_new_payment_names_is_read_again(stranger, named):
    order = {"id": "p1", "amount_total": 5, "created_date": "2026-01-02", "returns": []}
    stranger.lists["/posOrders"] = [order]
    stranger.lists["/payments"] = [
        {"id": 1, "amount": 5, "date": "2026-01-02", "pos": {"id": "p1"}}
    ]
    assert stranger.sync("posOrders", "payments").exit_code == 0
    changed = {**order, "returns": [{"id": "r1", "amount": 2, "created_date": "2026-03-04"}]}
    # The list still shows the order as it was: only its own path tells.
    stranger.other["/posOrders/p1"] = changed
    stranger.lists["/payments"].append({"id": 2, "amount": -2, "date": "2026-03-04", **named})
    assert stranger.sync("payments").exit_code == 0
    held = stranger.recorder.live("pos_orders", "main")["p1"]
    assert [given["id"] for given in held["returns"]] == ["r1"]


@pytest.mark.parametrize("reports", [["daily_sales"], ["daily_sales", "monthly_sales"]])
def test_a_day_that_differs_in_a_month_that_agrees_is_asked_again(stranger, reports):
    stranger.other["/dailySales"] = [{"date": DAY.isoformat(), "total": 12}]
    month, shop = DAY.replace(day=1), stranger.shop
    found = [
        Difference(
            "main", report, DAY if report == "daily_sales" else month, *map(Decimal, (12, 9))
        )
        for report in reports
    ]
    with open_session(Settings(home=stranger.home, shops=(shop,))) as session:
        assert split_months(session.client(shop), session.ledger, found, limit=5) == 1
        kept = session.ledger.query("SELECT total FROM reports WHERE period=?", (DAY.isoformat(),))
    assert [Decimal(row[0]) for row in kept] == [12]


def test_a_payment_that_went_is_missed_though_the_days_around_it_have_payments(stranger):
    stranger.lists["/payments"] = [
        {"id": n, "amount": 5, "date": f"2026-03-{1 + n // 4:02d}"} for n in range(100)
    ]
    assert stranger.sync("payments").exit_code == 0
    gone = stranger.lists["/payments"].pop(25)
    assert gone["date"] == DAY.isoformat()
    shop = stranger.shop
    with open_session(Settings(home=stranger.home, shops=(shop,))) as session:
        ledger = session.ledger
        fetch = ShopFetch(session.client(shop), ledger, ledger.begin_run("sync"), session.observer)
        fetch.run([Job("main", ENDPOINTS["payments"], "repair", first=DAY, last=DAY)])
        assert ledger.is_deleted("main", "payments", str(gone["id"]))
        assert ledger.live_count("main", "payments") == 99
