"""Rows that lists leave out unless asked for: inactive staff and products, closed leads."""

from itertools import count

import pytest

from sandbox.quirks import Quirks
from tests.fakes.loopback import Reply, Seen
from tests.mirror.shop import Mirror
from tests.mirror.stranger import rows_of
from tests.promises import promise

LISTS = {"users": "In active", "products": "In active", "suppliers": "In active", "leads": "Lost"}


def _statuses(mirror: Mirror, table: str) -> dict[str, str]:
    return {str(record["id"]): record["status"] for record in mirror.store.all(table)}


@promise("what lists hide unless they are asked is read")
@pytest.mark.parametrize("table", LISTS)
def test_hidden_rows_are_read_and_stay(make_mirror, table):
    mirror = make_mirror(quirks=Quirks(hides=True))
    known = _statuses(mirror, table)
    other = next(identity for identity, status in known.items() if status != LISTS[table])
    mirror.same(table, full=True)
    # One that is hidden later, and one that comes back, are there every night.
    for status in (LISTS[table], known[other]):
        mirror.store.update(table, other, {"status": status})
        for _ in range(2):
            mirror.same(table)
    mirror.same(table, full=True)


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_hidden_row_that_went_is_found_within_a_week(make_mirror, is_refused):
    mirror = make_mirror(quirks=Quirks(hides=True))
    mirror.run("products")
    gone = next(row for row, status in _statuses(mirror, "products").items() if status != "Active")
    mirror.store.delete("products", gone)
    mirror.run("products")
    assert gone in mirror.live("products")
    mirror.age("products", "hidden_on", 9)
    if is_refused:  # by chance: the first request after those for what is new
        mirror.server.faults.next("not_found", path="/products", skip=2)
    mirror.same("products")


def test_a_row_that_came_and_went_while_its_list_was_asked_under_a_filter_is_not_hidden(stranger):
    rows = stranger.lists["/products"] = stranger.paths["/products"] = rows_of(8, a_day=1)
    passing = iter([{"id": "passing", "created_date": "2026-03-09"}])

    def meanwhile(seen: Seen) -> Reply:
        rows.extend(passing if "status" in dict(seen.query) else ())
        reply = stranger.answer(seen)
        del rows[8:]
        return reply

    stranger.loopback.otherwise = meanwhile
    stranger.complete("products")
    stranger.same("products")


@pytest.mark.parametrize(("ignored", "step"), [("", 1), ("sort", 1), ("sort", -1)])
def test_more_hidden_rows_than_a_page_holds_are_all_read_though_a_night_failed(
    stranger, ignored, step
):
    """New ones were asked for about weekly alone: a payment at the till was missing until then."""
    stranger.ignores = (ignored,)
    rows = rows_of(1600, a_day=4)
    for n, row in enumerate(rows):
        row["status"] = "Active" if n % 4 else "In active"

    def filtered(seen: Seen) -> Reply:
        asked = dict(seen.query).get("status", "Active")
        stranger.lists["/users"] = [row for row in rows if row["status"] == asked][::step]
        return stranger.answer(seen)

    second = {("status", "In active"), ("page", "2")}
    for night in range(5):
        stranger.loopback.otherwise = filtered
        if night in (0, 3):
            stranger.instead(Reply(503, b"busy"), lambda seen: second <= {*seen.query})
            assert stranger.sync("users").exit_code == 3
            stranger.loopback.otherwise = filtered
        stranger.complete("users")
        assert len(stranger.held("users")) == len(rows)
        day = f"2027-01-0{night + 1}"
        rows += [
            {"id": f"new {night} {n}", "created_date": day, "status": "In active"}
            for n in range(30 * (1 + night))
        ]


def test_a_filter_that_makes_rows_up_is_given_up(stranger):
    hidden = rows_of(2, "hidden")
    stranger.lists["/users"] = rows_of(60)
    made = count()
    stranger.instead(Reply(body=hidden), lambda seen: "status" in dict(seen.query))
    stranger.complete("users")
    stranger.loopback.otherwise = lambda seen: (
        Reply(body=[{"id": f"made {next(made)}"} for _ in range(50)])
        if "status" in dict(seen.query) and next(made) < 9_000
        else stranger.answer(seen)
    )
    assert stranger.sync("users").exit_code == 1


def test_tickets_alone_are_not_read_twice(mirror):
    mirror.same("tickets")
    assert len(mirror.asked("/statuses")) == 2
    # By last change they would be read up and down, for want of a status to ask by.
    assert len(mirror.asked("/tickets/updated")) == 2
    mirror.run("tickets", full=True)
    assert len(mirror.asked("/statuses")) <= 3


@pytest.mark.parametrize("fails", [True, False])
def test_a_new_row_of_a_night_that_failed_is_no_hidden_one(stranger, fails):
    """Only its type was asked for, so it counted as hidden, and no night missed it when it went."""
    rows = stranger.lists["/ticketComments"] = rows_of(9, a_day=1, type="public")
    stranger.complete("ticketComments")
    with stranger.session() as session:
        session.ledger.query("UPDATE lists SET hidden_on = '2026-01-01'")
    rows.append({"id": 99, "created_date": "2026-03-28", "type": "private"})
    stranger.instead(Reply(body="odd"), lambda seen: fails and "type" not in dict(seen.query))
    assert stranger.sync("ticketComments").exit_code == (3 if fails else 0)
    stranger.heal()
    rows.pop()
    stranger.same("ticketComments")


def test_a_row_made_between_a_list_and_what_it_may_hide_is_no_hidden_one(stranger):
    """It counted as hidden, and no night missed it when it went."""
    rows = stranger.lists["/ticketComments"] = rows_of(9, a_day=1, type="public")
    new = {"id": 99, "created_date": "2026-03-28", "type": "private"}

    def answer(seen: Seen) -> Reply:
        if "type" in dict(seen.query) and new not in rows:
            rows.append(new)
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    stranger.complete("ticketComments")
    assert "99" in stranger.held("ticketComments")
    stranger.heal()
    rows.remove(new)
    stranger.same("ticketComments")


def test_lists_that_show_recent_rows_alone_are_read_from_a_day_on(stranger):
    names = ("posOrders", "warranties")
    rows = {name: rows_of(330, name, a_day=1) for name in names}

    def recent_alone(seen: Seen) -> Reply:
        since = "2026-09" if "createdDateFrom" not in dict(seen.query) else ""
        stranger.lists = {
            f"/{name}": [row for row in found if row["created_date"] >= since]
            for name, found in rows.items()
        }
        return stranger.answer(seen)

    stranger.loopback.otherwise = recent_alone
    for night in range(2):
        stranger.complete(*names)
        for name in names:
            assert len(stranger.held(name)) == 330 + night
            rows[name].append({"id": "new", "created_date": "2026-12-01"})


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_service_that_refuses_to_show_rows_from_a_day_on_has_complete_lists(stranger, status):
    stranger.lists["/products"] = rows_of(120, a_day=1)
    refused = Reply(status, {"error": "No such filter"})
    stranger.instead(refused, lambda seen: "createdDateFrom" in dict(seen.query))
    proofs: list[str] = []
    for _night in range(2):
        report = stranger.same("products")
        results = [one for shop in report.shops for one in shop.results]
        proofs += [one.outcome.proof for one in results if one.job.kind == "hidden"]
    [told] = proofs
    assert told.startswith("rows before the oldest: not answered (GET /products")
