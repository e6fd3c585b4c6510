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


def test_a_row_that_stands_among_such_of_later_days_is_not_taken_for_gone(stranger):
    """Its list has no paths to look it up, and another row went near where it stands."""
    rows = [
        {
            "id": n,
            "created_date": f"{2024 + n // 360}-{1 + n % 360 // 30:02d}-{1 + n % 30 // 2:02d}",
        }
        for n in range(600)
    ]
    rows[460]["created_date"] = rows[120]["created_date"]
    stranger.lists["/ticketComments"] = rows
    assert stranger.sync("ticketComments").exit_code == 0
    del rows[470]
    assert stranger.sync("ticketComments").exit_code == 0
    held = set(stranger.recorder.live("ticket_comments", "main"))
    assert held == {str(row["id"]) for row in rows}


@pytest.mark.parametrize("seed", [0, 3, 5, 10])
def test_a_row_that_went_from_a_list_of_mixed_days_has_its_mark_that_night(stranger, seed):
    """Its list has no paths to look it up; two readings of the night do not show it."""
    chance = random.Random(seed)
    at = [chance.random() * 2400 for _ in range(80)]
    order = sorted(range(80), key=lambda n: at[n] + zlib.crc32(str(n).encode()) % 50)
    days = [datetime(2026, 1, 1) + timedelta(hours=hours) for hours in at]
    rows = [{"id": n, "created_date": days[n].isoformat()} for n in order]
    stranger.lists["/ticketComments"] = rows
    assert stranger.sync("ticketComments").exit_code == 0
    del rows[chance.randrange(80)]
    report = stranger.sync("ticketComments")
    assert report.exit_code == 0, report.details
    held = set(stranger.recorder.live("ticket_comments", "main"))
    assert held == {str(row["id"]) for row in rows}


def test_a_row_deleted_before_a_reading_is_gone_on_with_has_its_mark_that_night(stranger):
    rows = [{"id": f"p{n:03}", "date": f"2026-0{1 + n // 100}-05", "amount": 5} for n in range(300)]
    stranger.lists["/expenses"] = rows
    answer, failures = stranger.answer, 999

    def now_and_then(seen: Seen) -> Reply:
        nonlocal failures
        if ("page", "2") in seen.query and failures:
            failures -= 1
            return Reply(503)
        return answer(seen)

    stranger.loopback.otherwise = now_and_then
    assert stranger.sync("expenses").exit_code == 3
    # Its page was read, and is kept. The next night one request more fails, and is made once more.
    del rows[280]
    failures = TRIES
    report = stranger.sync("expenses")
    assert report.exit_code == 0, report.details
    assert set(stranger.recorder.live("expenses", "main")) == {row["id"] for row in rows}


def test_rows_that_vanished_for_once_are_no_doubt_when_the_list_shows_them_again(stranger):
    rows = [{"id": f"c{n}", "created_date": f"2026-03-{1 + n // 9:02d}"} for n in range(120)]
    stranger.lists["/customers"] = rows
    assert stranger.sync("customers").exit_code == 0
    stranger.lists["/customers"] = []
    report = stranger.sync("customers", full=True)
    assert "not believed" in report.details[0]
    assert report.as_json()["troubles"] == ["main: vanished"]
    stranger.lists["/customers"] = rows
    assert stranger.sync("customers").exit_code == 0
    with stranger.session() as session:
        assert [row["reason"] for row in completeness(session.ledger) if row["reason"]] == []


@pytest.mark.parametrize("name", ["customers", "stock"])
@pytest.mark.parametrize("seed", range(6))
def test_a_row_that_slipped_past_a_whole_reading_is_neither_gone_nor_left_out(stranger, name, seed):
    """One with an old date came and one that was read went meanwhile: there are as many places."""
    chance = random.Random(f"{name} {seed}")
    rows = [{"id": f"r{n}", "created_date": f"2026-{1 + n // 50:02d}-09"} for n in range(300)]
    stranger.lists[f"/{name}"] = rows
    assert stranger.sync(name).exit_code == 0
    answer, change = stranger.answer, iter([True])
    page, at, gone = chance.randint(2, 4), chance.randrange(40), chance.randrange(205, 245)

    def changing(seen: Seen) -> Reply:
        path, query = seen.path.removeprefix("/v1/"), dict(seen.query)
        if path != name:
            found = [row for row in rows if path == f"{name}/{row['id']}"]
            return Reply(body=found[0]) if found else Reply(404, {"error": "Not found"})
        reply = answer(seen)
        if (query["page"], query["sort"]) == (str(page), "oldest") and next(change, False):
            del rows[gone]
            rows.insert(at, {"id": "new", "created_date": "2026-01-09"})
        return reply

    stranger.loopback.otherwise = changing
    for full in (True, False):
        assert stranger.sync(name, full=full).exit_code == 0
        held = set(stranger.recorder.live(name, "main"))
        assert held >= {row["id"] for row in rows}
    assert held == {row["id"] for row in rows}


def test_a_record_whose_id_is_a_digit_of_the_refusals_status_is_gone(stranger):
    rows = [{"id": n, "created_date": f"2026-01-{1 + n // 4:02d}"} for n in range(1, 61)]
    stranger.lists["/models"] = rows
    answer = stranger.answer

    def refusing(seen: Seen) -> Reply:
        identity = seen.path.removeprefix("/v1/models/")
        if identity == seen.path:
            return answer(seen)
        found = [row for row in rows if str(row["id"]) == identity]
        return Reply(body=found[0]) if found else Reply(400, {"error": "Record does not exist"})

    stranger.loopback.otherwise = refusing
    assert stranger.sync("models").exit_code == 0
    for gone in (40, 4):
        rows[:] = [row for row in rows if row["id"] != gone]
        report = stranger.sync("models", full=True)
        assert report.exit_code == 0, report.details
    assert set(stranger.recorder.live("models", "main")) == {str(row["id"]) for row in rows}


def test_a_deleted_row_that_an_old_answer_shows_for_once_has_its_mark_the_next_night(stranger):
    """Its path comes from a copy that lags behind the list."""
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists["/posOrders"], stale, answer = rows, list(rows), stranger.answer

    def lagging(seen: Seen) -> Reply:
        identity = seen.path.removeprefix("/v1/posOrders/")
        if identity == seen.path:
            return answer(seen)
        found = [row for row in stale if row["id"] == identity]
        return Reply(body=found[0]) if found else Reply(404, {"error": "Not found"})

    stranger.loopback.otherwise = lagging
    assert stranger.sync("posOrders").exit_code == 0
    del rows[70]
    assert stranger.sync("posOrders").exit_code == 0
    assert "r70" in stranger.recorder.live("pos_orders", "main")
    stale[:] = rows
    assert stranger.sync("posOrders").exit_code == 0
    assert "r70" not in stranger.recorder.live("pos_orders", "main")


def test_an_invoice_that_went_is_found_the_night_a_payment_shows_the_one_in_its_place(stranger):
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists["/ticketInvoices"], answer = rows, stranger.answer

    def paid(seen: Seen) -> Reply:
        query, identity = dict(seen.query), seen.path.removeprefix("/v1/ticketInvoices/")
        if "paymentDateFrom" in query:
            time.sleep(0.2)
            return Reply(body=[row for row in rows if row["id"] == "new"][: query["page"] == "1"])
        found = [row for row in rows if row["id"] == identity]
        missing = Reply(404, {"error": "Not found"})
        if identity != seen.path:
            return Reply(body=found[0]) if found else missing
        return answer(seen)

    stranger.loopback.otherwise = paid
    assert stranger.sync("ticketInvoices").exit_code == 0
    rows[70] = {"id": "new", "created_date": rows[70]["created_date"]}
    assert stranger.sync("ticketInvoices").exit_code == 0
    held = stranger.recorder.live("ticket_invoices", "main")
    assert held.keys() == {row["id"] for row in rows}


def test_a_row_that_a_short_list_leaves_out_for_once_is_looked_up(stranger):
    rows = [{"id": f"b{n}", "name": f"Brand {n}"} for n in range(6)]
    stranger.lists["/brands"] = list(rows)
    stranger.other = {f"/brands/{row['id']}": row for row in rows}
    stranger.missing = lambda: Reply(404, {"error": "Not found"})
    assert stranger.sync("brands").exit_code == 0
    del stranger.lists["/brands"][3]
    assert stranger.sync("brands").exit_code == 0
    assert "b3" in stranger.recorder.live("brands", "main")
    del stranger.other["/brands/b3"]
    assert stranger.sync("brands").exit_code == 0
    assert "b3" not in stranger.recorder.live("brands", "main")


def test_a_row_of_a_short_list_whose_paths_do_not_tell_is_gone(stranger):
    rows = [{"id": f"b{n}", "name": f"Brand {n}"} for n in range(6)]
    stranger.lists["/brands"] = rows
    stranger.missing = lambda: Reply(403, {"error": "No permission for this record"})
    assert stranger.sync("brands").exit_code == 0
    del rows[3]
    assert stranger.sync("brands").exit_code == 0
    assert "b3" not in stranger.recorder.live("brands", "main")


def test_a_list_of_one_row_that_comes_empty_once_keeps_it_where_paths_do_not_tell(stranger):
    row = {"id": "b1", "name": "Brand"}
    stranger.lists["/brands"] = [row]
    stranger.missing = lambda: Reply(403, {"error": "No permission for this record"})
    assert stranger.sync("brands").exit_code == 0
    stranger.lists["/brands"] = []
    assert stranger.sync("brands").exit_code == 1
    assert "b1" in stranger.recorder.live("brands", "main")
    assert stranger.sync("brands").exit_code == 0
    assert "b1" not in stranger.recorder.live("brands", "main")


def test_days_are_not_believed_to_be_empty_while_their_whole_list_comes_empty(stranger):
    rows = [{"id": n, "amount": 5, "date": f"2026-03-{1 + n // 3:02d}"} for n in range(60)]
    stranger.lists["/payments"] = rows
    assert stranger.sync("payments").exit_code == 0
    day = date(2026, 3, 7)
    jobs = [Job("main", ENDPOINTS["payments"], "repair", first=day, last=day)]
    stranger.lists["/payments"] = []
    assert stranger.sync("payments").exit_code == 1
    with stranger.session() as session:
        for _ in range(2):
            stranger.fetch(session, *jobs)
        assert session.ledger.live_count("main", "payments") == 60
    stranger.lists["/payments"] = [row for row in rows if row["date"] != "2026-03-07"]
    assert stranger.sync("payments").exit_code == 0
    assert len(stranger.recorder.live("payments", "main")) == 57


@pytest.mark.parametrize("name", ["customers", "stock", "expenses", "ticketComments"])
def test_a_deleted_row_is_found_in_a_list_that_shows_another_one_twice(stranger, name):
    """Its place more makes up for the one that went."""
    table = "ticket_comments" if name == "ticketComments" else name
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists[f"/{name}"] = rows
    stranger.missing = lambda: Reply(404, {"error": "Not found"})
    rows.insert(75, rows[75])
    assert stranger.sync(name).exit_code == 0
    del rows[70]
    stranger.sync(name)  # without a path or a day to tell, it is believed at its second sighting
    assert stranger.sync(name).exit_code == 0
    assert set(stranger.recorder.live(table, "main")) == {row["id"] for row in rows}


@pytest.mark.parametrize("there", [False, True])
def test_rows_too_many_to_be_believed_cost_a_look_up_each_only_where_they_exist(stranger, there):
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists["/customers"] = rows
    stranger.other = {f"/customers/{row['id']}": row for row in rows}
    stranger.missing = lambda: Reply(404, {"error": "Not found"})
    assert stranger.sync("customers").exit_code == 0
    gone = [rows.pop(60) for _ in range(80)]
    if there:
        stranger.sync("customers")
    else:
        for row in gone:
            del stranger.other[f"/customers/{row['id']}"]
    report = stranger.sync("customers")
    assert len(stranger.recorder.live("customers", "main")) == 160
    assert report.exit_code == (0 if there else 1), report.details
    assert there or report.requests < 20


@pytest.mark.parametrize("status", [403, 500, 200, None])
@pytest.mark.parametrize("name", ["customers", "leads", "stock"])
def test_a_deleted_row_has_its_mark_though_paths_answer_no_more(stranger, name, status):
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists[f"/{name}"] = rows
    stranger.other = {f"/{name}/{row['id']}": row for row in rows}
    assert stranger.sync(name).exit_code == 0
    stranger.other = {}
    words = {"error": "It failed"} if status and status > 200 else {}
    # Without a status: whatever record is asked for, the first one comes.
    stranger.missing = lambda: Reply(status, words) if status else Reply(body=rows[0])
    del rows[70]
    stranger.sync(name)
    report = stranger.sync(name)
    assert report.exit_code == 0, report.details
    assert stranger.recorder.live(name, "main").keys() == {row["id"] for row in rows}


def test_a_row_that_its_list_leaves_out_outlives_a_night_without_any_paths(stranger):
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists["/customers"] = rows
    stranger.other = {f"/customers/{row['id']}": row for row in rows}
    stranger.missing = lambda: Reply(404, {"error": "Not found"})
    assert stranger.sync("customers").exit_code == 0
    stranger.lists["/customers"] = rows[:70] + rows[71:]
    for _ in range(2):
        assert stranger.sync("customers").exit_code == 0
    paths = stranger.other
    for there in ({}, paths):
        stranger.other = there
        stranger.sync("customers")
        assert "r70" in stranger.recorder.live("customers", "main")
    del paths["/customers/r70"]
    stranger.sync("customers")
    assert "r70" not in stranger.recorder.live("customers", "main")


@pytest.mark.parametrize("status", [403, 500])
def test_a_deleted_row_that_only_a_filter_shows_has_its_mark_though_paths_refuse(stranger, status):
    rows = [{"id": f"r{n}", "status": "Won" if n % 4 == 0 else "New"} for n in range(120)]
    answer = stranger.answer

    def filtered(seen: Seen) -> Reply:
        if seen.path != "/v1/leads":
            return Reply(status, {"error": "It failed"})
        asked = dict(seen.query).get("status") or "New"
        stranger.lists["/leads"] = [row for row in rows if row["status"] == asked]
        return answer(seen)

    stranger.loopback.otherwise = filtered
    assert stranger.sync("leads").exit_code == 0
    del rows[40]
    stranger.sync("leads", full=True)
    report = stranger.sync("leads")
    assert report.exit_code == 0, report.details
    assert stranger.recorder.live("leads", "main").keys() == {row["id"] for row in rows}


def test_a_list_that_shows_a_row_twice_is_read_whole_once_a_night(stranger):
    rows = [{"id": f"r{n}", "created_date": f"2026-{1 + n // 50:02d}-09"} for n in range(500)]
    stranger.lists["/customers"] = [*rows[:75], *rows[74:]]
    answer, asked = stranger.answer, []

    def counted(seen: Seen) -> Reply:
        asked.append(seen.path)
        return answer(seen)

    stranger.loopback.otherwise = counted
    for _ in range(3):
        asked.clear()
        stranger.sync()
    pages = asked.count("/v1/customers")
    assert 11 <= pages <= 11 + 11 + 6, "a reading of eleven pages, and an audit"


@pytest.mark.parametrize("name", ["customers", "leads"])
@pytest.mark.parametrize("alive", ["r60", "r80"])
@pytest.mark.parametrize("status", [403, 500])
def test_a_row_that_its_own_path_shows_lives_though_another_path_fails(
    stranger, name, alive, status
):
    rows = [{"id": f"r{n}", "created_date": f"2026-0{1 + n // 40}-09"} for n in range(160)]
    stranger.lists[f"/{name}"] = rows
    stranger.other = {f"/{name}/{row['id']}": row for row in rows}
    stranger.missing = lambda: Reply(status, {"error": "It failed"})
    assert stranger.sync(name).exit_code == 0
    del stranger.other[f"/{name}/r70"]
    rows[:] = [row for row in rows if row["id"] not in (alive, "r70")]
    for _ in range(3):
        stranger.sync(name)
    live = stranger.recorder.live(name, "main")
    assert live.keys() == {alive, *(row["id"] for row in rows)}
