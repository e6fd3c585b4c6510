"""Rows deleted at the service have their mark the next night, whatever the list and its service."""

import functools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sandbox.quirks import Quirks
from tests.fakes.loopback import Reply
from tests.mirror.stranger import rows_of
from tests.promises import promise

pytestmark = pytest.mark.core

LISTS = ("customers", "ticket_comments", "ticket_timers", "stock", "expenses", "payments")


def records(
    count: int, tables: tuple[str, ...] = LISTS, hour: int = 12
) -> list[tuple[str, dict[str, Any]]]:
    """Lists of several pages: with paths and windows, with either, with neither.

    ``hour``: of the day at which their oldest row was made.
    """
    now = datetime.now(UTC).replace(hour=hour)
    made = []
    for table in tables:
        for number in range(count):
            at = (now - timedelta(days=400, hours=-number)).strftime("%Y-%m-%dT%H:%M:%S+0000")
            day = {"date": at, "amount": 1.5} if table == "payments" else {"created_date": at}
            made.append((table, {"id": f"{table}-{number}", **day}))
    return made


@promise("a row deleted at the service is marked the next night, however old")
@pytest.mark.parametrize(
    "quirks",
    [
        {},
        {"paging": "offset_only"},
        {"past_the_end": "last_page"},
        {"order": "loose", "past_the_end": "error"},
    ],
    ids=lambda quirks: "-".join(quirks.values()) or "plain",
)
def test_deleted_rows_of_all_lists_are_marked_the_next_night(make_mirror, quirks):
    mirror = make_mirror(Quirks(**quirks), records=records(160), audit_requests=0)
    mirror.complete(*LISTS)
    gone = {table: {f"{table}-{7 + at}", f"{table}-{70 + at}"} for at, table in enumerate(LISTS)}
    for table, ids in gone.items():
        for identity in ids:
            mirror.store.delete(table, identity)
    mirror.complete(*LISTS)
    for table, ids in gone.items():
        assert mirror.gone(table) == ids, table


@pytest.mark.parametrize("mark", [{"deleted": True}, {"deleted_at": "2026-02-03T10:00:00+0000"}])
def test_a_row_that_stays_in_its_list_with_a_mark_is_deleted_until_it_has_none(make_mirror, mark):
    mirror = make_mirror(records=records(60, ("customers", "payments")))
    mirror.complete("customers", "payments")
    for table in ("customers", "payments"):
        mirror.store.update(table, f"{table}-7", mark)
    mirror.complete("customers", "payments", full=True)
    assert [mirror.gone(table) for table in ("customers", "payments")] == [
        {"customers-7"},
        {"payments-7"},
    ]
    for table in ("customers", "payments"):
        mirror.store.update(table, f"{table}-7", dict.fromkeys(mark))
    mirror.complete("customers", "payments", full=True)
    mirror.assert_same("customers", "payments")


@pytest.mark.parametrize("hour", [0, 3, 7, 10])
def test_a_list_whose_full_last_page_comes_again_past_its_end_costs_no_more(make_mirror, hour):
    requests = {}
    for past in ("empty", "last_page"):
        quirks = Quirks(past_the_end=past)
        mirror = make_mirror(quirks, records=records(600, ("stock",), hour), audit_requests=0)
        requests[past] = [mirror.same("stock").requests for _night in range(2)]
    assert requests["last_page"] == requests["empty"]
    assert requests["empty"][0] <= 12 + 10 and requests["empty"][1] <= 6


def test_lists_that_are_read_by_their_last_change_are_counted_too(synced):
    gone = {table: synced.store.ids(table)[3] for table in ("tickets", "appointments", "products")}
    for table, identity in gone.items():
        synced.store.delete(table, identity)
    synced.same("tickets", "appointments", "products")
    for table, identity in gone.items():
        assert synced.gone(table) == {identity}
        [(proof,)] = synced.ledger(
            "SELECT proof FROM scans WHERE list=? ORDER BY scan_id DESC LIMIT 1", table
        )
        assert "are gone" in proof


def test_a_ticket_that_changed_its_half_unannounced_is_not_gone(synced):
    new = next(one for one in synced.store.all("statuses") if one["label"] == "New")
    ticket = next(one for one in synced.store.all("tickets") if one["status"]["label"] != "New")
    status = {"id": new["id"], "label": "New"}
    synced.store.update("tickets", ticket["id"], {"status": status}, touch=False)
    synced.same("tickets")
    assert not synced.gone("tickets")


def test_a_row_deleted_while_a_list_without_days_is_read_whole_is_found_the_next_night(make_mirror):
    rows = [("stock_count", {"id": f"{number:03}", "count": number}) for number in range(70)]
    for answers in (1, 2, 3, 4):
        mirror = make_mirror(records=rows, audit_requests=0)
        mirror.complete("stock_count")
        mirror.store.delete("stock_count", "007")
        delete = functools.partial(mirror.store.delete, "stock_count", "020")
        mirror.server.faults.after(answers, delete)
        mirror.run("stock_count")
        mirror.complete("stock_count")
        assert mirror.gone("stock_count") == {"007", "020"}, answers


def test_the_requests_for_old_pages_are_all_used_and_find_an_edit(make_mirror):
    mirror = make_mirror(records=records(160), audit_requests=9)
    mirror.complete(*LISTS)
    mirror.store.update("stock", "stock-20", {"location": "moved"}, touch=False)
    nights = []
    for _ in range(3):
        mirror.server.forget_requests()
        mirror.run()
        [(asked,)] = mirror.ledger(
            "SELECT sum(requests) FROM scans WHERE kind='audit' AND "
            "run_id=(SELECT max(run_id) FROM runs)"
        )
        nights.append(asked)
    # Twenty pages, and a few at the edges of stretches twice.
    assert nights == [9, 9, 9]
    mirror.assert_same("stock")


@pytest.mark.parametrize(
    "mark", [{"deleted_at": "2026-03-09"}, {"isDeleted": True}, {"deleted": 1}]
)
def test_a_row_that_its_own_path_shows_as_deleted_is_gone(stranger, mark):
    rows = stranger.lists["/customers"] = rows_of(120)
    stranger.same("customers")
    no_mark = {"deleted_at": "0000-00-00 00:00:00", "isDeleted": False, "deleted": "N"}
    stranger.paths["/customers"] = [
        {**rows.pop(40), **no_mark, **mark},
        {**rows.pop(40), **no_mark},
    ]
    stranger.complete("customers")
    assert stranger.recorder.gone("customers") == {"r40"}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", ["shipments", "paymentMethods", "taxRates", "customFields/leads"])
def test_a_row_that_one_answer_of_a_short_list_lacks_is_not_gone(stranger, name, full):
    rows = stranger.lists[f"/{name}"] = rows_of(12, a_day=2)
    resource, _, _ = name.partition("/")
    stranger.complete(resource)
    less = iter([Reply(body=rows[:4] + rows[5:])])
    stranger.loopback.otherwise = lambda seen: (
        (seen.path.endswith(name) and next(less, None)) or stranger.answer(seen)
    )
    stranger.complete(resource, full=full)
    assert next(less, None) is None, "it was answered"
    assert len(stranger.held(resource)) == 12
