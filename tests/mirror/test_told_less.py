"""Answers that tell less than others: of a row, of a list, of which rows are one."""

import itertools

import pytest

from tests.fakes.loopback import Reply
from tests.mirror.stranger import rows_of


def test_what_a_record_tells_by_its_own_path_takes_nothing_from_what_its_list_told(stranger):
    rows = stranger.lists["/customers"] = rows_of(120, "c", a_day=1, name="C")
    stranger.same("customers")
    hidden = rows.pop(40)
    stranger.other["/customers/c40"] = {"id": "c40", "name": "renamed", "email": ""}
    stranger.complete("customers")
    held = stranger.recorder.live("customers", "main")["c40"]
    assert (held["name"], held["created_date"]) == ("renamed", hidden["created_date"])


def test_a_reference_that_its_own_path_leaves_out_is_empty_where_the_list_leaves_out_such(stranger):
    rows = stranger.lists["/customers"] = rows_of(120, "c", a_day=1, group={"id": 1})
    del rows[7]["group"]
    stranger.same("customers")
    edited = rows.pop(40)
    del edited["group"]
    stranger.other["/customers/c40"] = edited
    stranger.complete("customers")
    held = stranger.recorder.live("customers", "main")
    assert (held["c40"].get("group__id"), held["c41"]["group__id"]) == (None, "1")


@pytest.mark.parametrize("many", [3, 120])
def test_rows_that_are_alike_and_have_no_id_are_not_called_complete(stranger, many):
    rent = {"reference": "Rent", "amount": 100, "created_date": "2026-01-25"}
    stranger.lists["/expenses"] = [*rows_of(many, a_day=1), rent, rent]
    report = stranger.sync("expenses")
    assert report.exit_code == 1
    assert "several rows have one id, or none" in report.details[0]
    stranger.lists["/expenses"][-1] = {**rent, "id": "e2"}
    stranger.complete("expenses")


def _empty_from(stranger, requests: int) -> None:
    """Its lists come empty from a request on."""
    asked = itertools.count()
    stranger.instead(Reply(), lambda _: next(asked) >= requests)


@pytest.mark.parametrize("requests", [1, 2])
@pytest.mark.parametrize("many", [60, 120])
def test_a_list_that_comes_empty_half_way_is_read_whole_by_the_next_run(stranger, many, requests):
    stranger.lists["/expenses"] = rows_of(many, a_day=1)
    _empty_from(stranger, requests)
    assert stranger.sync("expenses").exit_code == 1
    stranger.heal()
    stranger.same("expenses")


@pytest.mark.parametrize("requests", range(1, 5))
def test_a_known_list_that_comes_empty_half_way_loses_no_row(stranger, requests):
    rows = stranger.lists["/expenses"] = rows_of(102, a_day=1)
    stranger.same("expenses")
    del rows[:2]
    # The last page shows these alone, so the one before it is asked for.
    rows += [{"id": f"new{day}", "created_date": f"2026-12-0{day}"} for day in (1, 2)]
    _empty_from(stranger, requests)
    stranger.sync("expenses")
    stranger.heal()
    stranger.same("expenses")


def test_short_pages_are_remembered_over_a_night_on_which_their_list_comes_empty(stranger):
    stranger.size, stranger.lists["/ticketComments"] = 20, rows_of(80, a_day=1)
    stranger.same("ticketComments")
    _empty_from(stranger, 1)
    assert stranger.sync("ticketComments").exit_code == 1
    stranger.heal()
    del stranger.lists["/ticketComments"][3]
    stranger.complete("ticketComments")
    stranger.same("ticketComments")
