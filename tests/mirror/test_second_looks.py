"""Documents and rows that no list announces: looked at again because something names them."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from pipelines.reconcile.differences import Compared
from pipelines.sync.repair import months_of, split_months
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.schema.dates import format_day
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of

DAY = date(2026, 3, 7)


def repair(table):
    """The scan that reads the rows of ``DAY`` again."""
    return Job("main", ENDPOINTS[table], "repair", first=DAY, last=DAY)


@pytest.fixture
def payments(stranger):
    """A hundred payments, four a day, which were read; those of ``DAY`` begin with the 25th."""
    rows = [{"id": n, "amount": 5, "date": f"2026-03-{1 + n // 4:02d}"} for n in range(1, 101)]
    assert rows[24]["date"] == DAY.isoformat()
    stranger.lists["/payments"] = rows
    stranger.same("payments")
    return rows


def test_days_that_were_answered_empty_once_are_believed_when_the_next_run_counts_their_list(
    stranger, payments
):
    payments[:] = [row for row in payments if not "2026-03-06" <= row["date"] < "2026-03-09"]
    with stranger.session() as session:
        [result] = stranger.fetch(session, repair("payments"))
        assert session.ledger.live_count("main", "payments") == 100
        assert "4 row(s) were missed for the first time" in result.refused
    stranger.same("payments")


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
    stranger.complete("posOrders", "payments")
    changed = {**order, "returns": [{"id": "r1", "amount": 2, "created_date": "2026-03-04"}]}
    # The list still shows the order as it was: only its own path tells.
    stranger.other["/posOrders/p1"] = changed
    stranger.lists["/payments"].append({"id": 2, "amount": -2, "date": "2026-03-04", **named})
    stranger.complete("payments")
    held = stranger.recorder.live("pos_orders", "main")["p1"]
    assert [given["id"] for given in held["returns"]] == ["r1"]


@pytest.mark.parametrize("reports", [["daily_sales"], ["daily_sales", "monthly_sales"]])
def test_a_day_that_differs_in_a_month_that_agrees_is_asked_again(stranger, reports):
    stranger.other["/dailySales"] = [{"date": DAY.isoformat(), "total": 12}]
    first, shop = DAY.replace(day=1), stranger.shop
    found = [
        Compared("main", report, DAY if report == "daily_sales" else first, *map(Decimal, (12, 9)))
        for report in reports
    ]
    with stranger.session() as session:
        [month] = months_of(found)
        assert split_months(session.client(shop), session.ledger, [month]) == []
        kept = session.ledger.query("SELECT total FROM reports WHERE period=?", (DAY.isoformat(),))
    assert [Decimal(row[0]) for row in kept] == [12]


def test_a_payment_that_went_is_missed_though_the_days_around_it_have_payments(stranger, payments):
    gone = payments.pop(24)
    with stranger.session() as session:
        stranger.fetch(session, repair("payments"))
        assert session.ledger.known_row("main", "payments", str(gone["id"])).is_deleted
        assert session.ledger.live_count("main", "payments") == 99


def test_days_of_another_zone_than_ours_tell_no_deletion(stranger, payments):
    """What the service showed for them began days before, so it may end before they do."""
    shifted = [row for row in payments if row["date"] < DAY.isoformat()]
    stranger.instead(Reply(body=shifted[-8:]), lambda seen: "paymentDateFrom" in dict(seen.query))
    with stranger.session() as session:
        for _ in range(2):
            [result] = stranger.fetch(session, repair("payments"))
        assert "check the time zone" in result.outcome.proof
        assert session.ledger.live_count("main", "payments") == 100


def test_an_order_of_another_day_than_its_days_read_again_lives_though_paths_refuse(stranger):
    """Its date was edited, and no page that a night reads shows it."""
    orders = stranger.lists["/posOrders"] = rows_of(300, a_day=4)
    stranger.same("posOrders")
    stranger.missing = Reply(403, {"error": "No permission for this record"})
    moved, *left = [one for one in orders if one["created_date"] == DAY.isoformat()]
    moved["created_date"] = "2026-03-02"
    stranger.instead(Reply(body=left), lambda seen: "createdDateFrom" in dict(seen.query))
    for _ in range(2):
        with stranger.session() as session:
            [result] = stranger.fetch(session, repair("pos_orders"))
        assert "could not be looked up" in result.refused
    stranger.sync("posOrders")
    assert len(stranger.held("posOrders")) == 300


def test_days_whose_reading_was_stopped_are_read_anew(stranger, payments):
    """Weeks later, perhaps: what was answered then would pass for what is."""
    for most, amount in ((1, 6), (None, 7)):
        payments[24]["amount"] = amount
        with stranger.session(max_requests=most) as session:
            stranger.fetch(session, repair("payments"))
    with stranger.session() as session:
        assert session.ledger.contents("main", "payments", ["25"])["25"]["amount"] == 7


def test_an_empty_window_of_changes_leaves_its_days_to_the_next_night(stranger):
    """Empty for once: days that were passed over would never be asked for again."""
    stranger.lists["/products"] = [{"id": n, "name": "x", "stock": 1} for n in range(9)]
    stranger.complete("products")
    with stranger.session() as session:
        session.ledger.set_list("main", "products", updated_on=date(2026, 1, 5))
    for _ in range(2):
        stranger.complete("products")
    asked = [dict(seen.query) for seen in stranger.loopback.seen if "updated" in seen.path]
    assert {query["updatedDateFrom"] for query in asked} == {"04-Jan-2026"}


@pytest.mark.parametrize(("zone", "hour", "days"), [("Pacific/Kiritimati", 20, 1), ("UTC", 5, 2)])
def test_changes_are_asked_for_from_the_day_that_is_behind(stranger, zone, hour, days):
    """A service that filters by UTC showed nothing of a shop east of it, whose day is ahead; nor
    did one in America of a shop for which no zone was set; nor one that shows what changed after
    the day that it is given."""
    stranger.timezone = zone
    now = datetime.now(UTC)
    then = now.replace(hour=hour) - timedelta(days=1)
    stranger.loopback.date_ahead = then - now
    stranger.lists["/products"] = stranger.lists["/products/updated"] = [{"id": 1, "name": "x"}]
    for _ in range(2):
        stranger.complete("products")
    asked = [dict(seen.query) for seen in stranger.loopback.seen if "updated" in seen.path]
    assert asked[0]["updatedDateFrom"] == format_day(then.date() - timedelta(days=days))


def test_a_list_that_is_empty_for_once_is_looked_at_again_before_it_is_believed(stranger):
    stranger.lists["/brands"] = rows_of(9)
    stranger.instead(Reply(), lambda seen: len(stranger.loopback.seen) == 1)
    stranger.same("brands")


@pytest.mark.parametrize(("status", "listed"), [(404, 3), (400, 9)])
def test_one_refusal_of_the_changed_tickets_hides_no_ticket(stranger, status, listed):
    """One 404 where lists show the pipeline alone; or changes of so many years are refused."""
    stranger.lists["/statuses"] = [{"id": 1, "label": "New", "type": "repair"}]
    tickets = rows_of(9, status={"label": "New"})
    stranger.lists |= {"/tickets": tickets[:listed], "/tickets/updated": tickets}

    def is_refused(seen: Seen) -> bool:
        is_first = sum(one.path.endswith("/updated") for one in stranger.loopback.seen) == 1
        is_long = dict(seen.query).get("updatedDateFrom", "").endswith("2000")
        return seen.path.endswith("/updated") and (is_first if status == 404 else is_long)

    stranger.instead(Reply(status, {"error": "no"}), is_refused)
    stranger.complete("statuses", "tickets")
    assert len(stranger.held("tickets")) == len(tickets)


def test_a_run_of_few_requests_may_be_refused_a_list_before_it_stops(stranger):
    """Two ways to end early: it ended with an IndexError."""
    stranger.lists["/brands"] = [{"id": 1, "name": "x"}]
    stranger.missing = Reply(400, {"error": "Not in your plan"})
    report = stranger.sync("groups", "brands", "warranties", max_requests=2)
    assert report.exit_code == 3
    assert "Not in your plan" in report.message
    assert any("Stopped after 2 requests" in detail for detail in report.details)


def test_old_pages_that_are_the_whole_list_show_what_is_gone(stranger):
    """A row added and another deleted, in an order that is not by date: as many as were known. The
    pages read again showed the one, and the other lived on with exit code 0."""
    shuffled = [
        {"id": f"c-{n}", "created_date": f"2026-0{1 + n * 7 % 9}-{1 + n * 11 % 28:02d}"}
        for n in range(120)
    ]
    stranger.lists["/customers"] = shuffled
    stranger.missing = NOT_FOUND
    stranger.same("customers")
    shuffled[10] = {**shuffled[10], "id": "new"}
    with stranger.session() as session:
        stranger.fetch(session, Job("main", ENDPOINTS["customers"], "audit", pages=(1, 2, 3)))
        live = set(session.ledger.live_ids("main", "customers"))
    assert live == {row["id"] for row in shuffled}


def test_old_pages_of_rows_without_days_are_read_in_turn(stranger):
    stranger.lists["/customers"] = rows = [{"id": f"c-{n}", "name": "x"} for n in range(120)]
    stranger.sync()
    rows[3]["name"] = "y"
    for days in range(3):
        with time_machine.travel(datetime.now(UTC) + timedelta(days)):
            stranger.sync()
    assert stranger.recorder.live("customers", "main")["c-3"]["name"] == "y"


def test_a_missing_row_that_cannot_be_looked_up_is_not_left_alive(stranger):
    """Its list was "not counted", and complete all the same with a row that was gone for long."""
    customers = stranger.lists["/customers"] = rows_of(120, a_day=1)
    stranger.missing = Reply(body=b"null")
    stranger.same("customers")
    del customers[10]
    stranger.same("customers")


def test_rows_of_a_list_that_was_not_read_are_not_taken_for_hidden(stranger):
    stock = stranger.lists["/stock"] = rows_of(28, a_day=1)
    stranger.missing = NOT_FOUND
    filters = {"breakage", "internal_use"}
    stranger.instead(
        Reply(400, {"error": "Odd"}),
        lambda seen: seen.path == "/v1/stock" and not filters & dict(seen.query).keys(),
    )
    assert stranger.sync("stock").exit_code != 0
    stranger.heal()
    del stock[5]
    stranger.same("stock")


@pytest.mark.parametrize("refused", ["statuses", "users"])
def test_a_key_without_a_right_to_a_list_that_is_read_early_is_not_blocked_for_ever(
    stranger, refused
):
    """Its refusal costs a minute of silence, once: a list that was answered tells it from a block,
    and where none was, it stops for eight hours."""
    stranger.lists |= {"/customers": [{"id": 1}], "/statuses": [{"id": 1, "label": "New"}]}
    stranger.complete("customers")
    unauthorized = Reply(401, {"error": "Unauthorized"})
    stranger.instead(unauthorized, lambda seen: seen.path.endswith(refused))
    stranger.lists["/customers"].append({"id": 2})
    for _ in range(2):
        report = stranger.sync("statuses", "users", "customers")
        assert report.exit_code == 3 and "no right" in report.message, report.message
        assert len(stranger.held("customers")) == 2
