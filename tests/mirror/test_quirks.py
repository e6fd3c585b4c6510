"""However a service answers, the same rows arrive."""

import operator
from datetime import datetime

import pytest

from sandbox.quirks import Quirks
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Reply, Seen
from tests.mirror.shop import Mirror
from tests.mirror.stranger import NOT_FOUND, rows_of

QUIRKS = (
    "paging=offset_only past_the_end=error empty_reference=missing dates=dd-mmm-yyyy "
    "ticket_invoice=empty",
    "past_the_end=error envelope=data amounts=currency naming=camelCase",
    "past_the_end=last_page envelope=resource amounts=text detail=list order=loose "
    "empty_reference=text daily_report=object monthly_report=object",
    "empty_reference=object dates=iso_colon month_name=yyyy-mm report_amounts=currency "
    "zero_periods=no ticket_invoice=full second_look=no",
)
"""Each way of answering that is not the plain one, which every other test of this folder reads."""


@pytest.mark.parametrize("quirks", QUIRKS)
def test_every_row_arrives_and_a_second_night_finds_nothing_new(make_mirror, quirks):
    mirror = make_mirror(Quirks(**dict(pair.split("=") for pair in quirks.split())))
    mirror.complete()
    mirror.assert_same()
    assert mirror.complete().requests <= 60
    mirror.assert_same()


def test_an_order_that_changes_with_each_answer_is_never_called_proven_while_rows_are_missing(
    make_mirror,
):
    mirror = make_mirror(Quirks(order="unstable"))
    tables = ("ticket_invoices", "pos_orders", "payments", "customers", "tickets")
    report = mirror.run("statuses", *tables)
    doubted = {doubt.partition(":")[0] for shop in report.shops for doubt in shop.doubts}
    for table in tables:
        if table not in doubted:
            mirror.assert_same(table)


@pytest.mark.parametrize("paging", ["offset_only", "offset_repeats", "none"])
def test_no_row_of_a_list_under_a_hundred_is_gone_where_only_offsets_page(make_mirror, paging):
    """Its newest and oldest page meet, so nothing shows in a first load that page 2 is empty, or
    page 1 again; a night then took the rows behind page 1 for gone."""
    knows_offset = paging != "none"
    days = [f"2025-0{1 + n // 28}-{1 + n % 28:02}T10:00:00-0600" for n in range(57)]
    rows = [("expense_categories", {"id": d, "created_date": d}) for d in days]
    mirror = make_mirror(Quirks(paging=paging), records=rows)
    for night in range(2):
        assert mirror.run("expenseCategories").exit_code == (0 if knows_offset else night)
        mirror.assert_same("expense_categories")
    if knows_offset:
        mirror.server.forget_requests()
        assert mirror.run("expenseCategories").exit_code == 0
        assert all("offset=" in asked for asked in mirror.asked()), "the service is known now"


def fill(mirror: Mirror, table: str, count: int) -> None:
    """The service has so many rows of a list."""
    while len(mirror.store.ids(table)) < count:
        mirror.store.insert(table, {"name": "One more"})


def test_a_service_of_small_pages_that_knows_neither_order_nor_offset(make_mirror):
    """Offset and limit show its first page only, as if that were all."""
    mirror = make_mirror(Quirks(page_rows=4, sort="ignored"))
    mirror.same("customers")


@pytest.mark.parametrize("size", [25, 100])
def test_nights_of_a_service_whose_pages_are_not_of_fifty(make_mirror, size):
    """Its page 2 was taken for the last one: what was new, gone or changed went unseen."""
    mirror = make_mirror(Quirks(page_rows=size))
    for table, rows in (("customers", 75), ("brands", 25)):
        fill(mirror, table, rows)
    lists = ("customers", "brands", "tickets", "ticket_invoices")
    mirror.same("statuses", *lists)
    mirror.store.delete("customers", next(iter(mirror.store.ids("customers"))))
    for table in ("customers", "brands"):
        mirror.store.insert(table, {"name": "Nueva"})
    mirror.same("statuses", *lists)


@pytest.mark.parametrize(("size", "other"), [(7, 20), (20, 7), (20, 50), (100, 20)])
def test_nights_at_pages_of_another_size_count_their_lists(stranger, size, other):
    rows = stranger.lists["/expenses"] = rows_of(700, a_day=3)
    stranger.missing = NOT_FOUND
    for night, pages in enumerate((size, other)):
        stranger.size = pages
        stranger.same("expenses")
        del rows[33]
        rows.append({"id": f"new{night}", "created_date": "2026-11-05"})
        assert stranger.same("expenses").requests <= 20


@pytest.mark.parametrize("paging", ["page", "offset_only"])
def test_a_service_that_knows_no_order(make_mirror, paging):
    """Its tickets, read as two lists, were never read whole; where only offsets page, no list."""
    mirror = make_mirror(Quirks(paging=paging, sort="ignored"))
    fill(mirror, "brands", 101)
    mirror.same("statuses", "tickets", "brands")
    for table in ("tickets", "brands"):
        mirror.store.delete(table, next(iter(mirror.store.ids(table))))
    mirror.store.insert("tickets", {"short_info": "new"})
    mirror.same("statuses", "tickets", "brands")


@pytest.mark.parametrize("rows", [151, 152])
def test_a_last_page_that_comes_for_any_number_ends_a_list_without_an_order(make_mirror, rows):
    quirks = Quirks(sort="ignored", past_the_end="last_page")
    mirror = make_mirror(quirks, records=[("expenses", {"id": f"e{n:03}"}) for n in range(rows)])
    report = mirror.run("expenses")
    assert (report.exit_code, report.rows) == (0, rows), report.details


def test_a_service_without_updated_lists_has_them_read_whole(make_mirror):
    """Its tickets were never read whole, and what changed in them never came."""
    mirror = make_mirror()
    for table in ("tickets", "products"):
        mirror.server.faults.next("not_found", path=f"/{table}/updated", times=1000)
    assert mirror.run("statuses", "tickets", "products").exit_code == 0
    for table in ("tickets", "products"):
        old = mirror.store.all(table)[0]
        mirror.store.update(table, str(old["id"]), {"description": "another"})
    mirror.same("statuses", "tickets", "products")


@pytest.mark.parametrize("known", [22, 24])
def test_a_short_list_that_outgrows_a_small_page_overnight_loses_no_row(make_mirror, known):
    """Its newest page held as many rows as were known, so old ones it left out were taken as gone,
    with exit code 0."""
    mirror = make_mirror(Quirks(page_rows=25))
    fill(mirror, "brands", known)
    assert mirror.run("brands").exit_code == 0
    fill(mirror, "brands", 28)
    mirror.same("brands")


@pytest.mark.parametrize("known", [0, 1])
def test_a_list_that_grows_by_pages_overnight_is_whole_where_pages_are_small(make_mirror, known):
    """Its first page is not of fifty rows, and was taken for all of it, with exit code 0."""
    one = {"name": "One", "created_date": "2026-03-05T10:00:00-0600"}
    records = [(table, {"id": n, **one}) for table in ("brands", "models") for n in range(60)]
    mirror = make_mirror(Quirks(page_rows=25), records=records[60 - known :])
    assert mirror.run("brands", "models").exit_code == 0
    fill(mirror, "brands", 120)
    mirror.same("brands")


def test_a_service_that_leaves_rows_out_after_it_cut_the_pages_hides_no_later_page(stranger):
    """A page of 49 rows was the last one, though there was another behind it."""
    rows = rows_of(130, a_day=1)
    stranger.missing = NOT_FOUND

    def answer(seen: Seen) -> Reply:
        reply = stranger.answer(seen)
        left = [row for row in reply.body if row["id"] != "r60"] if reply.status == 200 else []
        return Reply(body=left) if left else reply

    stranger.loopback.otherwise = answer
    for shown in (55, 98, 130, 130):
        stranger.lists["/customers"] = rows[:shown]
        stranger.complete("customers")
        assert stranger.held("customers") == {row["id"] for row in rows[:shown]} - {"r60"}


def test_tickets_that_lists_hide_stay_when_the_list_that_shows_them_is_missed_once(make_mirror):
    """Without ``/tickets/updated`` the lists without them counted as whole, and a person was told
    to confirm that the others are gone."""
    mirror = make_mirror(Quirks(status_filter="pipeline"))
    mirror.same("statuses", "tickets")
    mirror.server.faults.next("not_found", path="/tickets/updated", times=1000)
    night = mirror.run("statuses", "tickets")
    mirror.server.faults.clear()
    assert night.exit_code == 3 and "vanished" not in str(night.details), night.details
    mirror.same("statuses", "tickets")
    # No night can count what lists hide, so one that went was never missed.
    over = {one["id"] for one in mirror.store.all("statuses") if not one.get("in_pipeline")}
    gone = next(one for one in mirror.store.all("tickets") if one["status"]["id"] in over)
    mirror.store.delete("tickets", gone["id"])
    mirror.age("tickets", "whole_on", 7)
    mirror.same("statuses", "tickets")


def test_a_list_that_has_pages_of_fifty_again_is_counted_again(make_mirror):
    """What was seen once of its pages, by a mistake of the service, had it read whole for ever."""
    mirror = make_mirror(Quirks(page_rows=25))
    fill(mirror, "brands", 60)
    assert mirror.run("brands").exit_code == 0
    mirror.server.turn(page_rows=50)
    nights = [mirror.run("brands") for _ in range(2)]
    assert [night.shops[0].results[0].job.kind for night in nights] == ["full", "head"]
    mirror.assert_same("brands")


def test_old_pages_that_are_longer_than_they_were_end_no_run(stranger):
    """A row that went while a list was read had made its pages look shorter than fifty."""
    stranger.lists["/customers"] = rows_of(120)
    stranger.same("customers")
    with stranger.session() as session:
        session.ledger.set_list("main", "customers", page_rows=49)
        stranger.fetch(session, Job("main", ENDPOINTS["customers"], "audit", pages=(1, 2)))
        assert session.ledger.live_count("main", "customers") == 120
        assert session.ledger.list_state("main", "customers").page_rows is None


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize(("shown", "filters", "code"), [(2, True, 0), (2, False, 1), (1, True, 1)])
def test_full_pages_of_which_the_last_comes_again_are_all_where_a_filter_shows_no_more(
    stranger, newest_first, shown, filters, code
):
    """The service does not sort, so its last page says nothing of the other end of the list."""
    stock = stranger.lists["/stock"] = stranger.paths["/stock"] = rows_of(100, a_day=1)

    def answer(seen: Seen) -> Reply:
        query = dict(seen.query)
        if seen.path != "/v1/stock":
            return stranger.answer(seen)
        rows = stock[:: -1 if newest_first else 1]
        for name, keep in (("createdDateFrom", operator.ge), ("createdDateTo", operator.le)):
            if name in query and filters:
                day = datetime.strptime(query[name], "%d-%b-%Y").date().isoformat()
                rows = [row for row in rows if keep(row["created_date"], day)]
        last = min(shown - 1, max(0, len(rows) - 1) // 50)
        begin = 50 * min(int(query.get("page", 1)) - 1, last)
        return Reply(body=rows[begin : begin + 50])

    stranger.loopback.otherwise = answer
    for _ in range(2):
        assert stranger.sync("stock").exit_code == code
    del stock[70]
    if shown == 2:
        stranger.same("stock")
