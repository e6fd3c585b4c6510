"""Rows that lists leave out unless asked for: inactive staff and products, closed leads."""

import zlib

import pytest

from sandbox.quirks import Quirks
from tests.fakes.loopback import Reply, Seen
from tests.mirror.shop import Mirror
from tests.promises import promise

LISTS = {"users": "In active", "products": "In active", "suppliers": "In active", "leads": "Lost"}


def _a_week_later(mirror: Mirror, table: str) -> None:
    """As if the list had been asked for what it hides as long ago as it may be."""
    mirror.age(table, "hidden_on", 5 + zlib.crc32(table.encode()) % 5)


def _statuses(mirror: Mirror, table: str) -> dict[str, str]:
    return {str(record["id"]): record["status"] for record in mirror.store.all(table)}


@promise("what lists hide unless they are asked is read")
@pytest.mark.parametrize("table", LISTS)
def test_hidden_rows_are_read_and_stay(make_mirror, table):
    mirror = make_mirror(quirks=Quirks(hides=True))
    known = _statuses(mirror, table)
    other = next(identity for identity, status in known.items() if status != LISTS[table])
    assert mirror.run(table, full=True).exit_code == 0
    mirror.assert_same(table)
    # One that is hidden later, and one that comes back, are there every night.
    for status in (LISTS[table], known[other]):
        mirror.store.update(table, other, {"status": status})
        for _ in range(2):
            report = mirror.run(table)
            assert report.exit_code == 0, report.details
            mirror.assert_same(table)
    report = mirror.run(table, full=True)
    assert report.exit_code == 0, report.details
    mirror.assert_same(table)


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_hidden_row_that_went_is_found_within_a_week(make_mirror, is_refused):
    mirror = make_mirror(quirks=Quirks(hides=True))
    mirror.run("products")
    gone = next(row for row, status in _statuses(mirror, "products").items() if status != "Active")
    mirror.store.delete("products", gone)
    mirror.run("products")
    assert gone in mirror.live("products")
    _a_week_later(mirror, "products")
    if is_refused:  # by chance: the first request after those for what is new
        mirror.server.faults.next("not_found", path="/products", skip=2)
    assert mirror.run("products").exit_code == 0
    mirror.assert_same("products")


def test_a_row_that_came_and_went_while_its_list_was_asked_under_a_filter_is_not_hidden(stranger):
    rows = [{"id": n, "created_date": f"2026-03-{n:02d}"} for n in range(1, 9)]
    stranger.lists["/products"], answer = rows, stranger.answer
    passing = iter([{"id": 9, "created_date": "2026-03-09"}])

    def meanwhile(seen: Seen) -> Reply:
        if seen.path != "/v1/products":
            found = [row for row in rows if seen.path == f"/v1/products/{row['id']}"]
            return Reply(body=found[0]) if found else Reply(404, {"error": "Not found"})
        rows.extend(passing if "status" in dict(seen.query) else ())
        reply = answer(seen)
        del rows[8:]
        return reply

    stranger.loopback.otherwise = meanwhile
    for _night in range(2):
        assert stranger.sync("products").exit_code == 0
    assert set(stranger.recorder.live("products", "main")) == {str(row["id"]) for row in rows}


def test_more_hidden_rows_than_a_page_holds_are_all_read_though_a_night_failed(stranger):
    rows = [
        {"id": n, "status": "Active" if n % 4 else "In active", "name": "x"} for n in range(240)
    ]
    answer = stranger.answer

    def filtered(seen: Seen) -> Reply:
        asked = dict(seen.query).get("status", "Active")
        stranger.lists["/users"] = [row for row in rows if row["status"] == asked]
        return answer(seen)

    stranger.loopback.otherwise = lambda seen: (
        Reply(503, b"busy") if "status" in dict(seen.query) else filtered(seen)
    )
    assert stranger.sync("users").exit_code == 3
    stranger.loopback.otherwise = filtered
    for _ in range(2):
        assert stranger.sync("users").exit_code == 0
        assert len(stranger.recorder.live("users", "main")) == len(rows)


def test_tickets_alone_are_not_read_twice(mirror):
    assert mirror.run("tickets").exit_code == 0
    mirror.assert_same("tickets")
    assert len(mirror.asked("/statuses")) == 2
    # By last change they would be read up and down, for want of a status to ask by.
    assert len(mirror.asked("/tickets/updated")) == 2
    mirror.run("tickets", full=True)
    assert len(mirror.asked("/statuses")) <= 3


@pytest.mark.parametrize("fails", [True, False])
def test_a_new_row_of_a_night_that_failed_is_no_hidden_one(stranger, fails):
    """Only its type was asked for, so it counted as hidden, and no night missed it when it went."""
    rows = [
        {"id": n, "created_date": f"2026-03-{1 + n % 20:02d}", "type": "public"} for n in range(9)
    ]
    stranger.lists["/ticketComments"] = rows
    assert stranger.sync("ticketComments").exit_code == 0
    with stranger.session() as session:
        session.ledger.query("UPDATE lists SET hidden_on = '2026-01-01'")
    rows.append({"id": 99, "created_date": "2026-03-28", "type": "private"})
    stranger.loopback.otherwise = lambda seen: (
        Reply(body="odd") if fails and "type" not in dict(seen.query) else stranger.answer(seen)
    )
    assert stranger.sync("ticketComments").exit_code == (3 if fails else 0)
    stranger.loopback.otherwise = stranger.answer
    rows.pop()
    assert stranger.sync("ticketComments").exit_code == 0
    assert len(stranger.recorder.live("ticket_comments", "main")) == len(rows)


def test_a_row_made_between_a_list_and_what_it_may_hide_is_no_hidden_one(stranger):
    """It counted as hidden, and no night missed it when it went."""
    rows = [
        {"id": n, "created_date": f"2026-03-{1 + n % 20:02d}", "type": "public"} for n in range(9)
    ]
    stranger.lists["/ticketComments"] = rows
    new = {"id": 99, "created_date": "2026-03-28", "type": "private"}

    def answer(seen):
        if "type" in dict(seen.query) and new not in rows:
            rows.append(new)
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    assert stranger.sync("ticketComments").exit_code == 0
    assert "99" in stranger.recorder.live("ticket_comments", "main")
    stranger.loopback.otherwise = stranger.answer
    rows.remove(new)
    assert stranger.sync("ticketComments").exit_code == 0
    assert "99" not in stranger.recorder.live("ticket_comments", "main")


def test_a_row_that_no_list_showed_has_its_mark_when_its_path_is_gone(stranger):
    rows = [{"id": f"c{n}", "created_date": f"2026-03-{1 + n // 9:02d}"} for n in range(120)]
    stranger.lists["/customers"] = rows
    stranger.missing = lambda: Reply(404, {"error": "Not found"})
    assert stranger.sync("customers").exit_code == 0
    left_out = rows.pop(40)
    stranger.other = {f"/customers/{row['id']}": row for row in (left_out, *rows)}
    assert stranger.sync("customers").exit_code == 0
    assert left_out["id"] in stranger.recorder.live("customers", "main")
    del stranger.other[f"/customers/{left_out['id']}"]
    assert stranger.sync("customers").exit_code == 0
    assert left_out["id"] not in stranger.recorder.live("customers", "main")


def test_lists_that_show_recent_rows_alone_are_read_from_a_day_on(stranger):
    days = [f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}" for n in range(330)]
    rows = {
        f"/{name}": [{"id": f"{name}{n}", "created_date": day} for n, day in enumerate(days)]
        for name in ("posOrders", "warranties")
    }
    answer, asked = stranger.answer, list[Seen]()

    def recent_alone(seen: Seen) -> Reply:
        asked.append(seen)
        since = "2026-09" if "createdDateFrom" not in dict(seen.query) else ""
        stranger.lists = {
            path: [row for row in found if row["created_date"] >= since]
            for path, found in rows.items()
        }
        return answer(seen)

    stranger.loopback.otherwise = recent_alone
    for night in range(2):
        report = stranger.sync("posOrders", "warranties")
        assert report.exit_code == 0, report.details
        for table in ("pos_orders", "warranties"):
            assert len(stranger.recorder.live(table, "main")) == len(days) + night
        rows["/posOrders"].append({"id": "new", "created_date": "2026-12-01"})
        rows["/warranties"].append({"id": "new", "created_date": "2026-12-01"})


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_service_that_refuses_to_show_rows_from_a_day_on_has_complete_lists(stranger, status):
    days = (f"2026-0{1 + n // 25}-{1 + n % 25:02d}" for n in range(120))
    rows = [{"id": f"p{n}", "created_date": day} for n, day in enumerate(days)]
    stranger.lists["/products"] = [*rows]
    answer = stranger.answer

    def refusing(seen: Seen) -> Reply:
        is_asked = "createdDateFrom" in dict(seen.query)
        return Reply(status, {"error": "No such filter"}) if is_asked else answer(seen)

    stranger.loopback.otherwise = refusing
    proofs: list[str] = []
    for _night in range(2):
        report = stranger.sync("products")
        assert report.exit_code == 0, report.details
        assert len(stranger.recorder.live("products", "main")) == 120
        results = [one for shop in report.shops for one in shop.results]
        proofs += [one.outcome.proof for one in results if one.job.kind == "hidden"]
    [told] = proofs
    assert told.startswith("rows before the oldest: not answered (GET /products")
