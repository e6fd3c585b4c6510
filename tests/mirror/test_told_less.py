"""Answers that tell less than others: of a row, of a list, of which rows are one."""

import pytest

from tests.fakes.loopback import Reply, Seen


def _rows(many: int) -> list[dict[str, object]]:
    days = (f"2026-0{1 + n // 25}-{1 + n % 25:02d}" for n in range(many))
    return [{"id": f"c{n}", "name": f"C {n}", "created_date": day} for n, day in enumerate(days)]


def test_what_a_record_tells_by_its_own_path_takes_nothing_from_what_its_list_told(stranger):
    rows = _rows(120)
    stranger.lists["/customers"] = list(rows)
    assert stranger.sync("customers").exit_code == 0
    [hidden] = stranger.lists["/customers"][40:41]
    stranger.lists["/customers"].remove(hidden)
    stranger.other["/customers/c40"] = {"id": "c40", "name": "renamed", "email": ""}
    assert stranger.sync("customers").exit_code == 0
    held = stranger.recorder.live("customers", "main")["c40"]
    assert (held["name"], held["created_date"]) == ("renamed", hidden["created_date"])


def test_a_reference_that_its_own_path_leaves_out_is_empty_where_the_list_leaves_out_such(stranger):
    rows: list[dict[str, object]] = [row | {"group": {"id": 1}} for row in _rows(120)]
    del rows[7]["group"]
    stranger.lists["/customers"] = rows
    assert stranger.sync("customers").exit_code == 0
    edited = rows.pop(40)
    del edited["group"]
    stranger.other["/customers/c40"] = edited
    assert stranger.sync("customers").exit_code == 0
    held = stranger.recorder.live("customers", "main")
    assert (held["c40"].get("group__id"), held["c41"]["group__id"]) == (None, "1")


@pytest.mark.parametrize("many", [3, 120])
def test_rows_that_are_alike_and_have_no_id_are_not_called_complete(stranger, many):
    rent = {"reference": "Rent", "amount": 100, "created_date": "2026-01-25"}
    stranger.lists["/expenses"] = [*_rows(many), rent, rent]
    report = stranger.sync("expenses")
    assert report.exit_code == 1
    assert "several rows have one id, or none" in report.details[0]
    stranger.lists["/expenses"] = [*_rows(many), rent, {**rent, "id": "e2"}]
    assert stranger.sync("expenses").exit_code == 0


def _fails_from(stranger, requests: int) -> None:
    """Its lists come empty from a request on."""
    answer, left = stranger.answer, requests

    def for_a_while(seen: Seen) -> Reply:
        nonlocal left
        left -= 1
        return answer(seen) if left >= 0 else Reply()

    stranger.loopback.otherwise = for_a_while


@pytest.mark.parametrize("requests", [1, 2])
@pytest.mark.parametrize("many", [60, 120])
def test_a_list_that_comes_empty_half_way_is_read_whole_by_the_next_run(stranger, many, requests):
    stranger.lists["/expenses"] = _rows(many)
    answer = stranger.answer
    _fails_from(stranger, requests)
    assert stranger.sync("expenses").exit_code == 1
    stranger.loopback.otherwise = answer
    report = stranger.sync("expenses")
    assert report.exit_code == 0, report.details
    assert len(stranger.recorder.live("expenses", "main")) == many


@pytest.mark.parametrize("requests", range(1, 5))
def test_a_known_list_that_comes_empty_half_way_loses_no_row(stranger, requests):
    rows = stranger.lists["/expenses"] = _rows(102)
    answer = stranger.answer
    assert stranger.sync("expenses").exit_code == 0
    del rows[:2]
    # The last page shows these alone, so the one before it is asked for.
    rows += [{"id": f"new{day}", "created_date": f"2026-12-0{day}"} for day in (1, 2)]
    _fails_from(stranger, requests)
    stranger.sync("expenses")
    stranger.loopback.otherwise = answer
    report = stranger.sync("expenses")
    assert report.exit_code == 0, report.details
    assert set(stranger.recorder.live("expenses", "main")) == {str(row["id"]) for row in rows}


def test_short_pages_are_remembered_over_a_night_on_which_their_list_comes_empty(stranger):
    stranger.size, stranger.lists["/ticketComments"] = 20, _rows(80)
    answer = stranger.answer
    assert stranger.sync("ticketComments").exit_code == 0
    _fails_from(stranger, 1)
    assert stranger.sync("ticketComments").exit_code == 1
    stranger.loopback.otherwise = answer
    del stranger.lists["/ticketComments"][3]
    for _ in range(2):
        report = stranger.sync("ticketComments")
        assert report.exit_code == 0, report.details
    assert len(stranger.recorder.live("ticket_comments", "main")) == 79
