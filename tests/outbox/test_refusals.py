"""What the service refused: looked into before it is rejected, and waited for where it may show."""

import re

import pytest

from tests.outbox.desk import HOUR
from tests.outbox.test_lost_answers import DELETE, PLAIN, STOCK, UPDATE

pytestmark = pytest.mark.core


@pytest.mark.parametrize("fault", ["401 after", "403 after", "409 after", "record400 after"])
def test_a_refusal_that_may_be_none_is_waited_for_where_lists_lag(desk, fault):
    """It may be a rate error, or of a second one that a proxy sent."""
    desk.shop.lag = 100.0
    desk.queue(*PLAIN)
    assert desk.push(fault).exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


@pytest.mark.parametrize("status", ["400", "404"])
def test_an_update_that_is_refused_is_rejected_at_once(desk, status):
    desk.queue(*UPDATE, desk.shop.put("customers", name="Cid"))
    assert desk.push(f"{status} before", wait=False).exit_code == 1
    assert (desk.states(), desk.shop.writes) == (["rejected"], [])


def test_a_second_update_that_the_key_has_no_right_to_is_rejected_at_once(desk):
    """The first was sent twice, to tell a missing right from the rate limit."""
    desk.begin()
    for _ in range(2):
        desk.queue(*UPDATE, desk.shop.put("customers", name="Cid"))
    desk.push(*["403 before"] * 3, wait=False)
    assert (desk.states(), desk.shop.writes) == (["in_doubt", "rejected"], [])


@pytest.mark.parametrize("change", [PLAIN, STOCK])
def test_a_create_that_the_key_has_no_right_to_is_rejected_at_once(desk, change):
    desk.begin()
    desk.queue(*change)
    desk.shop._write = lambda *_: (403, {"error": "You have no permission to do this."})
    desk.push(wait=False)
    assert (desk.states(), desk.change().attempts) == (["rejected"], 1)
    assert "You have no permission" in desk.change().reason


@pytest.mark.parametrize(("change", "fault"), [(PLAIN, "400 before"), (DELETE, "")])
def test_what_an_answer_leaves_open_is_looked_for_before_anything_else_is_sent(desk, change, fault):
    desk.queue(*change, *([desk.shop.put("customers", name="Cid")] if change is DELETE else []))
    desk.queue("brands", "create", {"name": "Acme"})
    desk.push(fault, wait=False)
    paths = [path for _, path in desk.shop.requests]
    [first] = [place for place, path in enumerate(paths) if "brands" in path][:1]
    assert all("brands" in path for path in paths[first:])
    assert desk.shop.requests[first - 1][0] == "GET"


def test_what_is_there_though_it_was_refused_after_a_new_start_is_done(desk):
    desk.queue(*PLAIN)
    desk.reboot()
    desk.push("400 after")
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_a_retry_of_what_was_refused_is_waited_for_like_any_other(desk):
    desk.shop.lag = 30.0
    desk.queue(*PLAIN)
    desk.push("400 before")
    desk.retry()
    desk.push("lost after")
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_stock_of_a_product_that_the_service_does_not_find_is_rejected(desk):
    product = desk.shop.put("products", name="Screen", stock=4)
    desk.queue("products", "update", {"stockQuantity": 2}, product)
    desk.push("404 before", hook=lambda *_: desk.shop.tables["products"].pop(product, None))
    assert desk.states() == ["rejected"]


def test_a_create_under_a_path_that_is_not_found_is_looked_for(desk):
    desk.queue(*PLAIN)
    assert desk.push("404 after").exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_a_delete_that_is_not_found_the_second_time_is_waited_for(desk):
    """A proxy sent it twice, and the record shows as before for a while."""
    desk.queue(*PLAIN)
    desk.queue(*DELETE, "@1")
    desk.shop.detail_lag = 30.0
    assert desk.push("", "404 after").exit_code == 0
    assert desk.states() == ["done", "done"]


def test_a_delete_that_is_not_found_though_it_was_done_is_done(desk):
    desk.begin()
    desk.queue(*DELETE, desk.shop.put("customers", name="Gone"))
    assert desk.push("404 after").exit_code == 0
    assert desk.states() == ["done"]


def test_a_second_delete_of_a_record_is_done_as_the_first_is(desk):
    desk.begin()
    record = desk.shop.put("customers", name="Gone")
    for _ in range(2):
        desk.queue(*DELETE, record)
    assert desk.push().exit_code == 0
    assert desk.states() == ["done", "done"]


def test_a_delete_of_what_the_mirror_knows_and_staff_deleted_is_done(desk, record):
    desk.queue(*DELETE, record)
    del desk.shop.tables["customers"][record]
    assert desk.push().exit_code == 0
    assert desk.states() == ["done"]


def test_a_file_whose_place_is_taken_is_for_a_person(desk, photo):
    """A proxy sent it twice; a file that was refused otherwise is rejected."""
    product = desk.shop.put("products", name="Screen")
    for _ in range(2):
        desk.queue("products", "upload", None, product, file=photo)
    desk.push("", "409 after", wait=False)
    assert desk.states() == ["in_doubt", "queued"]
    assert desk.change().needs_person
    desk.discard()
    desk.push("", "400 before")
    assert desk.states() == ["rejected", "rejected"]


def test_a_refusal_after_a_new_start_is_for_a_person(desk):
    """A service that takes no second of a name may have the first, though it does not show it."""
    desk.queue(*PLAIN)
    desk.reboot()
    desk.push("400 before")
    desk.later(HOUR)
    assert (desk.states(), desk.change().needs_person) == (["in_doubt"], True)


@pytest.mark.parametrize("kept", [lambda note: re.sub(r" ?\[.*", "", note), lambda note: note[:6]])
@pytest.mark.parametrize(("note", "fault"), [("card", "400 after"), ("", "lost after")])
def test_a_payment_whose_note_was_cut_off_is_not_called_anothers(desk, kept, note, fault):
    desk.shop.edit = lambda name, value: kept(value) if name == "payment_note" else value
    desk.pay(desk.shop.invoice(), note=note)
    desk.shop.take(desk.shop.invoice(), 50)
    desk.push(fault)
    assert desk.states() == ["in_doubt"]
    assert "ours or the till's" in desk.change().reason


def test_what_was_refused_and_cannot_be_looked_for_is_not_rejected(desk):
    desk.pay(desk.shop.invoice())
    desk.shop.read_faults.extend([0, *[500] * 3])
    desk.push("400 after", wait=False)
    assert desk.states() == ["in_doubt"]
    assert "could not be looked up" in desk.change().reason
    assert desk.later(2 * HOUR).exit_code == 0
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


@pytest.mark.parametrize(
    ("fault", "state"), [("400 after", "in_doubt"), ("400 before", "rejected")]
)
@pytest.mark.parametrize("is_hidden", [True, False])
def test_an_update_that_is_refused_and_is_there_in_part_is_a_question(
    desk, is_hidden, fault, state
):
    """The other field is shown by no record, or the service does not take it."""
    if is_hidden:
        desk.shop.hidden.add(("customers", "company"))
    desk.shop.edit = lambda name, value: "Old Ltd" if name == "company" else value
    record = desk.shop.put("customers", name="Cid", city="B", company="Old Ltd")
    desk.queue("customers", "update", {"city": "A", "company": "Glass"}, record)
    desk.push(fault)
    assert desk.states() == [state]
    assert ("shows city as sent since, and company not" in desk.change().reason) == (
        state == "in_doubt"
    )
