"""Deleted rows have their mark, and living ones none, whatever a list or a path shows for once."""

import random
import time
import zlib
from datetime import date, datetime, timedelta

import pytest

from pipelines.load.evidence import completeness
from sources.repair_shop.http.client import TRIES
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of

NO_RIGHT = Reply(403, {"error": "No permission for this record"})


def test_a_row_that_stands_among_such_of_later_days_is_not_taken_for_gone(stranger):
    """Its list has no paths to look it up, and another row went near where it stands."""
    rows = stranger.lists["/ticketComments"] = rows_of(600, a_day=2)
    rows[460]["created_date"] = rows[120]["created_date"]
    stranger.same("ticketComments")
    del rows[470]
    stranger.same("ticketComments")


@pytest.mark.parametrize("seed", [0, 3, 5, 10])
def test_a_row_that_went_from_a_list_of_mixed_days_has_its_mark_that_night(stranger, seed):
    """Its list has no paths to look it up; two readings of the night do not show it."""
    chance = random.Random(seed)
    at = [chance.random() * 2400 for _ in range(80)]
    order = sorted(range(80), key=lambda n: at[n] + zlib.crc32(str(n).encode()) % 50)
    days = [datetime(2026, 1, 1) + timedelta(hours=hours) for hours in at]
    rows = [{"id": n, "created_date": days[n].isoformat()} for n in order]
    stranger.lists["/ticketComments"] = rows
    stranger.same("ticketComments")
    del rows[chance.randrange(80)]
    stranger.same("ticketComments")


def test_a_row_deleted_before_a_reading_is_gone_on_with_has_its_mark_that_night(stranger):
    rows = stranger.lists["/expenses"] = rows_of(300, a_day=100, amount=5)
    failures = 999

    def fails(seen: Seen) -> bool:
        nonlocal failures
        is_hit = ("page", "2") in seen.query and failures > 0
        failures -= is_hit
        return is_hit

    stranger.instead(Reply(503), fails)
    assert stranger.sync("expenses").exit_code == 3
    # Its page was read, and is kept. The next night one request more fails, and is made once more.
    del rows[280]
    failures = TRIES
    stranger.same("expenses")


def test_rows_that_vanished_for_once_are_no_doubt_when_the_list_shows_them_again(stranger):
    rows = stranger.lists["/customers"] = rows_of(120)
    stranger.same("customers")
    stranger.lists["/customers"] = []
    report = stranger.sync("customers", full=True)
    assert "not believed" in report.details[0]
    assert report.as_json()["troubles"] == ["main: vanished"]
    stranger.lists["/customers"] = rows
    stranger.same("customers")
    with stranger.session() as session:
        assert [row["reason"] for row in completeness(session.ledger) if row["reason"]] == []


@pytest.mark.parametrize("name", ["customers", "stock"])
@pytest.mark.parametrize("seed", range(6))
def test_a_row_that_slipped_past_a_whole_reading_is_neither_gone_nor_left_out(stranger, name, seed):
    """One with an old date came and one that was read went meanwhile: there are as many places."""
    chance = random.Random(f"{name} {seed}")
    rows = stranger.lists[f"/{name}"] = stranger.paths[f"/{name}"] = rows_of(300, a_day=50)
    stranger.same(name)
    change = iter([True])
    page, at, gone = chance.randint(2, 4), chance.randrange(40), chance.randrange(205, 245)

    def changing(seen: Seen) -> Reply:
        reply = stranger.answer(seen)
        if {("page", f"{page}"), ("sort", "oldest")} <= {*seen.query} and next(change, False):
            del rows[gone]
            rows.insert(at, {"id": "new", "created_date": rows[0]["created_date"]})
        return reply

    stranger.loopback.otherwise = changing
    stranger.complete(name, full=True)
    assert stranger.held(name) >= {row["id"] for row in rows}
    stranger.same(name)


def test_a_record_whose_id_is_a_digit_of_the_refusals_status_is_gone(stranger):
    rows = [{"id": n, "created_date": f"2026-01-{1 + n // 4:02d}"} for n in range(1, 61)]
    stranger.lists["/models"] = stranger.paths["/models"] = rows
    stranger.missing = Reply(400, {"error": "Record does not exist"})
    stranger.same("models")
    for place in (39, 3):
        assert rows.pop(place)["id"] in (40, 4)
        stranger.same("models", full=True)


def test_a_deleted_row_that_an_old_answer_shows_for_once_has_its_mark_the_next_night(stranger):
    """Its path comes from a copy that lags behind the list."""
    rows = stranger.lists["/posOrders"] = rows_of(160, a_day=40)
    stranger.paths["/posOrders"] = list(rows)
    stranger.same("posOrders")
    del rows[70]
    stranger.complete("posOrders")
    assert "r70" in stranger.held("posOrders")
    stranger.paths["/posOrders"] = rows
    stranger.same("posOrders")


def test_an_invoice_that_went_is_found_the_night_a_payment_shows_the_one_in_its_place(stranger):
    rows = rows_of(160, a_day=40)
    stranger.lists["/ticketInvoices"] = stranger.paths["/ticketInvoices"] = rows

    def paid(seen: Seen) -> Reply:
        query = dict(seen.query)
        if "paymentDateFrom" not in query:
            return stranger.answer(seen)
        time.sleep(0.2)
        return Reply(body=[row for row in rows if row["id"] == "new"][: query["page"] == "1"])

    stranger.loopback.otherwise = paid
    stranger.same("ticketInvoices")
    rows[70] = {"id": "new", "created_date": rows[70]["created_date"]}
    stranger.same("ticketInvoices")


@pytest.mark.parametrize(("name", "many"), [("brands", 6), ("customers", 120)])
def test_a_row_that_its_list_leaves_out_lives_until_its_own_path_is_gone(stranger, name, many):
    rows = stranger.paths[f"/{name}"] = rows_of(many)
    stranger.lists[f"/{name}"] = list(rows)
    stranger.same(name)
    left_out = stranger.lists[f"/{name}"].pop(3)
    stranger.complete(name)
    assert left_out["id"] in stranger.held(name)
    rows.remove(left_out)
    stranger.same(name)


@pytest.mark.parametrize(("many", "code"), [(6, 0), (1, 1)])
def test_a_row_of_a_short_list_whose_paths_do_not_tell_is_gone_the_only_one_a_night_later(
    stranger, many, code
):
    rows = stranger.lists["/brands"] = rows_of(many)
    stranger.missing = NO_RIGHT
    stranger.same("brands")
    gone = rows.pop(many // 2)
    assert stranger.sync("brands").exit_code == code
    assert (gone["id"] in stranger.held("brands")) == bool(code)
    stranger.same("brands")


def test_days_are_not_believed_to_be_empty_while_their_whole_list_comes_empty(stranger):
    rows = [{"id": n, "amount": 5, "date": f"2026-03-{1 + n // 3:02d}"} for n in range(60)]
    stranger.lists["/payments"] = rows
    stranger.same("payments")
    day = date(2026, 3, 7)
    days = Job("main", ENDPOINTS["payments"], "repair", first=day, last=day)
    stranger.lists["/payments"] = []
    assert stranger.sync("payments").exit_code == 1
    with stranger.session() as session:
        for _ in range(2):
            stranger.fetch(session, days)
        assert session.ledger.live_count("main", "payments") == 60
    stranger.lists["/payments"] = [row for row in rows if row["date"] != "2026-03-07"]
    stranger.same("payments")


@pytest.mark.parametrize("name", ["customers", "stock", "expenses", "ticketComments"])
def test_a_deleted_row_is_found_in_a_list_that_shows_another_one_twice(stranger, name):
    """Its place more makes up for the one that went."""
    rows = stranger.lists[f"/{name}"] = rows_of(160, a_day=40)
    stranger.missing = NOT_FOUND
    rows.insert(75, rows[75])
    stranger.same(name)
    del rows[70]
    stranger.sync(name)  # without a path or a day to tell, it is believed at its second sighting
    stranger.same(name)


@pytest.mark.parametrize("there", [False, True])
def test_rows_too_many_to_be_believed_cost_a_look_up_each_only_where_they_exist(stranger, there):
    rows = stranger.lists["/customers"] = rows_of(160, a_day=40)
    stranger.paths["/customers"] = list(rows)
    stranger.same("customers")
    del rows[60:140]
    if there:
        stranger.sync("customers")
    else:
        stranger.paths["/customers"] = rows
    report = stranger.sync("customers")
    assert len(stranger.held("customers")) == 160
    assert report.exit_code == (0 if there else 1), report.details
    assert there or report.requests < 20


@pytest.mark.parametrize("status", [403, 500, 200, None])
@pytest.mark.parametrize("name", ["customers", "leads", "stock"])
def test_a_deleted_row_has_its_mark_though_paths_answer_no_more(stranger, name, status):
    rows = stranger.lists[f"/{name}"] = stranger.paths[f"/{name}"] = rows_of(160, a_day=40)
    stranger.same(name)
    words = {"error": "It failed"} if status and status > 200 else {}
    # Without a status: whatever record is asked for, the first one comes.
    stranger.missing = Reply(status, words) if status else Reply(body=rows[0])
    stranger.paths.clear()
    del rows[70]
    stranger.sync(name)
    stranger.same(name)


def test_a_row_that_its_list_leaves_out_outlives_a_night_without_any_paths(stranger):
    rows = stranger.paths["/customers"] = rows_of(160, a_day=40)
    stranger.lists["/customers"] = list(rows)
    stranger.same("customers")
    del stranger.lists["/customers"][70]
    for _ in range(2):
        stranger.complete("customers")
    for there in ([], rows):
        stranger.paths["/customers"] = there
        stranger.sync("customers")
        assert "r70" in stranger.held("customers")
    del rows[70]
    stranger.sync("customers")
    assert "r70" not in stranger.held("customers")


@pytest.mark.parametrize("status", [403, 500])
def test_a_deleted_row_that_only_a_filter_shows_has_its_mark_though_paths_refuse(stranger, status):
    rows = [{"id": f"r{n}", "status": "Won" if n % 4 == 0 else "New"} for n in range(120)]
    stranger.missing = Reply(status, {"error": "It failed"})

    def filtered(seen: Seen) -> Reply:
        asked = dict(seen.query).get("status") or "New"
        stranger.lists["/leads"] = [row for row in rows if row["status"] == asked]
        return stranger.answer(seen)

    stranger.loopback.otherwise = filtered
    stranger.complete("leads")
    del rows[40]
    stranger.sync("leads", full=True)
    stranger.complete("leads")
    assert stranger.held("leads") == {row["id"] for row in rows}


def test_a_list_that_shows_a_row_twice_is_read_whole_once_a_night(stranger):
    rows = rows_of(500, a_day=50)
    stranger.lists["/customers"] = [*rows[:75], *rows[74:]]
    for _ in range(3):
        stranger.loopback.seen.clear()
        stranger.sync()
    pages = [seen.path for seen in stranger.loopback.seen].count("/v1/customers")
    assert 11 <= pages <= 11 + 11 + 6, "a reading of eleven pages, and an audit"


@pytest.mark.parametrize("name", ["customers", "leads"])
@pytest.mark.parametrize("alive", ["r60", "r80"])
@pytest.mark.parametrize("status", [403, 500])
def test_a_row_that_its_own_path_shows_lives_though_another_path_fails(
    stranger, name, alive, status
):
    rows = stranger.lists[f"/{name}"] = rows_of(160, a_day=40)
    stranger.paths[f"/{name}"] = [row for row in rows if row["id"] != "r70"]
    stranger.missing = Reply(status, {"error": "It failed"})
    stranger.same(name)
    rows[:] = [row for row in rows if row["id"] not in (alive, "r70")]
    for _ in range(3):
        stranger.sync(name)
    assert stranger.held(name) == {alive, *(row["id"] for row in rows)}
