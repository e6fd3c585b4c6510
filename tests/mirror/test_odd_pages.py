"""Services whose pages are not those that were asked for, or whose rows move meanwhile."""

import random
from datetime import date, timedelta

import pytest

from pipelines.settings import Settings
from pipelines.sync.run import sync
from sources.repair_shop.scan.jobs import Job
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of


def test_offsets_that_a_service_ignores_are_not_kept_to(stranger):
    """A list of thirty rows that grew to sixty between a stop and the next run: its newest and its
    oldest page held them all, by offsets too, so every list was asked by them for good, and rows
    beyond the first page were deleted with exit code 0."""
    leads, comments = rows_of(60, a_day=1), rows_of(55, a_day=1)
    stranger.lists |= {"/leads": leads[:30], "/ticketComments": comments}
    assert stranger.sync("leads", max_requests=2).exit_code == 4
    stranger.lists["/leads"] = leads
    stranger.same("leads")
    for _ in range(2):
        stranger.same("ticketComments")
        comments.append({"id": 100, "created_date": "2026-04-27"})


def test_a_service_of_twenty_rows_unless_it_is_asked_for_more_loses_no_row(stranger):
    """Its page 2 is empty, but it knows offset and limit. Lists that were begun before one of them
    told so, those that do not grow, and tickets of both halves were their first pages, with exit
    code 0; others turned the shop back to page numbers each night."""
    sizes = {"brands": 25, "taxRates": 25, "leads": 40, "ticketComments": 120, "tickets": 60}
    lists = {name: rows_of(rows, a_day=1) for name, rows in sizes.items()}
    for number, ticket in enumerate(lists["tickets"]):
        ticket["status"] = {"label": ("Done", "New")[number % 4 == 0]}
    lists |= {"tickets/updated": lists["tickets"], "statuses": [{"id": 1, "label": "New"}]}

    def answer(seen: Seen) -> Reply:
        query, rows = dict(seen.query), lists.get(seen.path.removeprefix("/v1/"), [])
        rows = rows[:: 1 if query.get("sort") == "oldest" else -1]
        if "/tickets/" in seen.path and not rows:
            return Reply(body=lists["tickets"][int(seen.path.rpartition("/r")[2])])
        if "statusCondition" in query:
            is_not = query["statusCondition"] == "NOT-EQUAL"
            rows = [row for row in rows if (row["status"]["label"] == query["status"]) != is_not]
        elif seen.path.endswith("/tickets"):
            rows = [row for row in rows if row["status"]["label"] == "New"]  # the pipeline
        if "offset" in query:
            return Reply(body=rows[int(query["offset"]) :][: int(query["limit"])])
        return Reply(body=rows[:20] if query.get("page", "1") == "1" else [])

    stranger.loopback.otherwise = answer
    stranger.complete("statuses", "tickets")
    assert len(stranger.held("tickets")) == 60
    for _ in range(2):
        stranger.complete("statuses", *sizes)
        assert {name: len(stranger.held(name)) for name in sizes} == sizes
        lists["brands"].pop(3)
        sizes["brands"] = 24


def test_a_page_that_comes_whatever_is_asked_is_not_the_last_one(stranger):
    """It has twenty rows, as the last of 120: once one was deleted, all of them were "known"."""
    leads = stranger.lists["/leads"] = rows_of(120, a_day=1)[::-1]

    def answer(seen: Seen) -> Reply:
        query = dict(seen.query)
        begin, size = int(query.get("offset", 0)), int(query.get("limit", 20))
        is_it = seen.path.endswith("/leads")
        return Reply(body=leads[begin : begin + size]) if is_it else NOT_FOUND

    stranger.loopback.otherwise = answer
    stranger.same("leads")
    leads.pop(60)
    stranger.same("leads")


@pytest.mark.parametrize("rows", [800, 53])
def test_a_row_that_came_and_one_that_went_do_not_make_up_for_each_other(stranger, rows):
    """Newest first, whatever is asked, and changes that tell of edits only: as many as known.

    Of 53 the last page shows three, of which the first is the oldest by chance.
    """
    days = [str(date(2020, 1, 1) + timedelta(days=n)) for n in range(rows + 1)]
    listed = [{"id": n, "created_date": day} for n, day in enumerate(days)]
    listed[:3] = listed[1], listed[2], listed[0]  # as a list mixed within hours may stand
    new = listed.pop()
    stranger.lists |= {"/appointments": listed, "/appointments/updated": []}
    stranger.missing, stranger.ignores = NOT_FOUND, ("sort",)
    stranger.complete("appointments")
    del listed[rows // 3]
    listed.append(new)
    with stranger.session() as session:
        # A night of many lists looks at no page of this one besides those that it needs.
        night = Job("main", ENDPOINTS["appointments"], "updated", since=date(2026, 1, 1))
        [result] = stranger.fetch(session, night)
        assert not result.doubt
        held = set(session.ledger.live_ids("main", "appointments"))
        assert held == {str(row["id"]) for row in listed}


def test_a_row_that_slipped_past_a_reading_is_not_gone(stranger):
    """Its list has no paths to look it up, and the row that went in its place had been read."""
    rows = stranger.lists["/ticketComments"] = rows_of(120, a_day=1)
    stranger.same("ticketComments")

    def slips(seen: Seen) -> Reply:
        if rows[0]["id"] == "r0" and {("page", "1"), ("sort", "oldest")} <= {*seen.query}:
            rows.insert(0, {"id": "new", "created_date": "2026-01-01"})
            del rows[111]
        return stranger.answer(seen)

    stranger.loopback.otherwise = slips
    stranger.complete("ticketComments", full=True)
    assert stranger.held("ticketComments") == {"r110", *(row["id"] for row in rows)}
    stranger.heal()
    stranger.same("ticketComments")


@pytest.mark.parametrize("lists", [1, 5])
def test_lists_are_tried_again_where_one_does_not_page_but_not_where_none_does(stranger, lists):
    names = ["customers", "expenses", "timeClock", "ticketComments", "ticketTimers"][:lists]
    stranger.lists |= {f"/{name}": rows_of(180) for name in names}
    stranger.ignores = ("page", "offset", "limit")
    assert stranger.sync(*names).exit_code == 1
    with stranger.session() as session:
        [(scans,)] = session.ledger.query("SELECT count(*) FROM scans WHERE kind = 'full'")
    assert scans == (2 if lists == 1 else lists)


def test_a_list_of_one_long_page_that_comes_again_is_whole_after_it_lost_a_row(stranger):
    stranger.lists |= {"/ticketComments": rows_of(80), "/stock": rows_of(130)}
    stranger.missing, stranger.size, stranger.repeats = NOT_FOUND, 100, True
    stranger.same("stock", "ticketComments")
    del stranger.lists["/ticketComments"][40]
    stranger.complete("stock", "ticketComments")
    del stranger.lists["/ticketComments"][40]
    stranger.same("stock", "ticketComments")


@pytest.mark.parametrize("mixed", [20, 400])
def test_old_edits_are_found_in_turn_also_where_the_order_is_not_by_date(stranger, mixed):
    """Which rows stand on a page is a guess there: no page keeps the others from their turn. Where
    it is by date: test_gone.py."""
    chance = random.Random(3)
    at = sorted(chance.random() * 600 for _ in range(600))
    order = sorted(range(600), key=lambda n: at[n] + chance.random() * mixed)
    days = [date(2024, 1, 1) + timedelta(days=day) for day in at]
    rows = [{"id": n, "amount": 1, "date": f"{days[n]}"} for n in order]
    stranger.lists["/expenses"] = rows
    shop = stranger.shop.model_copy(update={"audit_requests": 3})
    settings = Settings(home=stranger.home, shops=(shop,))
    assert sync(settings, loader=stranger.recorder).exit_code == 0
    edited = {str(row["id"]): row for row in rows[10:520:25]}
    for row in edited.values():
        row["amount"] = 2
    for _night in range(8):
        assert sync(settings, loader=stranger.recorder).exit_code == 0
    held = stranger.recorder.live("expenses", "main")
    assert {row: float(held[row]["amount"]) for row in edited} == dict.fromkeys(edited, 2)
