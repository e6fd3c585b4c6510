"""Queue, lose the answer, push: what the queue says then, and how often the service did it."""

import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.outbox.desk import DAY, HOUR, Desk, at, kill, killed
from tests.promises import promise

pytestmark = pytest.mark.core

PLAIN = ("customers", "create", {"name": "Ann"})
UPDATE = ("customers", "update", {"city": "A"})
DELETE = ("customers", "delete", None)
STOCK = ("stock", "create", {"product": "7", "quantity": 2})
ADD = ("products", "update", {"stockQuantity": 2})
PRINT = ("tickets", "update", {"printLabel": True})
PAY = ("payments", "create", None)
ACTS = ((ADD, "lost"), (PRINT, "429"))
LINE = {"product_id": "7", "quantity": 2, "type": "Addition"}
ADJUST = ("adjustments", "create", {"adjustment_date": "01-Oct-2026 10:00", "products": [LINE]})


@dataclass
class Case:
    """What is queued, what its writes meet, what is told in the end, and how often it acted."""

    change: tuple[str, str, Any]
    faults: str
    state: str
    acted: int
    why: str = ""


LOST = ("lost", "500", "429", "401", "odd")
CASES = [
    *(Case(PLAIN, f"{what} after", "done", 1) for what in (*LOST, "409")),
    *(Case(PLAIN, f"{what} before", "done", 1) for what in ("lost", "reset", "503", "429", "403")),
    Case(PLAIN, "lost late", "done", 1),
    Case(("brands", "create", {"name": "B"}), "lost before", "done", 1),
    Case(PLAIN, "400 before", "rejected", 0, "400"),
    Case(PLAIN, "409 before", "rejected", 0, "no new record"),
    Case(PLAIN, "warned after", "done", 1),
    Case(PLAIN, "odd before", "in_doubt", 0, "though the service answered that it was done"),
    Case(PLAIN, "warned before", "in_doubt", 0, "answered that it was done"),
    *(Case(UPDATE, f"warned {when}", "done", 1) for when in ("before", "after")),
    Case(PLAIN, "lost before,409 after", "done", 1),
    Case(PLAIN, "lost before,400 before", "in_doubt", 0, "sent again, the service said"),
    *(Case(UPDATE, f"{what} after", "done", 1) for what in ("lost", "500", "odd")),
    *(Case(UPDATE, f"{what} before", "done", 1) for what in ("lost", "500", "429", "401")),
    *(Case(DELETE, f"{what} after", "done", 1) for what in ("lost", "429")),
    Case(DELETE, "lost before", "done", 1),
    Case(DELETE, "lie", "done", 1),
    *(Case(PAY, f"{what} after", "done", 1) for what in (*LOST, "403")),
    *(Case(PAY, f"{what} before", "in_doubt", 0, "sent again by itself") for what in LOST[:-1]),
    Case(PAY, "lost late", "done", 1),
    *(Case(STOCK, f"{what} before", "done", 1) for what in ("lost", "429")),
    Case(STOCK, "lost after", "in_doubt", 1, "may be it, or another's"),
    Case(ADJUST, "lost after", "in_doubt", 1, "may be it, or another's"),
    *(Case(change, f"{what} before", "in_doubt", 0, "acts each time") for change, what in ACTS),
    *(Case(change, f"{what} after", "in_doubt", 1, "acts each time") for change, what in ACTS),
    Case(PLAIN, "down,down,down", "queued", 0),
    *(Case(one, "down,400 before", "rejected", 0) for one in (PLAIN, PAY, UPDATE, PRINT)),
]  # fmt: skip


@promise("each change is sent once, a payment never twice")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.change[:2]} {case.faults}")
@pytest.mark.parametrize("lag", [0.0, 100.0], ids=["at once", "late lists"])
def test_a_lost_answer(desk, case, lag):
    desk.shop.lag = lag
    resource, op, body = case.change
    record = None if op == "create" else desk.shop.put(resource, name="Old", stock=1)
    if case.change is PAY:
        desk.pay(desk.shop.invoice())
    else:
        desk.queue(resource, op, body, record)
    desk.push(*case.faults.split(","))
    if case.state != "queued":
        desk.shop.faults.clear()
        desk.later(10 * HOUR, 3)  # a 403 may be a block, which lasts for hours
    assert desk.states() == [case.state]
    assert len(desk.shop.writes) == case.acted
    assert case.why in desk.change().reason


@pytest.mark.parametrize("step", ["checked", "intent", "answered", "outcome"])
@pytest.mark.parametrize("change", [PLAIN, UPDATE, PAY])
def test_a_process_that_is_killed(desk, change, step):
    resource, op, body = change
    record = desk.shop.put(resource, name="Old") if op == "update" else None
    desk.pay(desk.shop.invoice()) if change is PAY else desk.queue(resource, op, body, record)
    with killed():
        desk.push(hook=at(step, kill))
    desk.later(HOUR, 2)
    lost = change is PAY and step == "intent"
    assert desk.states() == ["in_doubt" if lost else "done"]
    assert len(desk.shop.writes) == (0 if lost else 1)


@pytest.mark.parametrize("step", ["slot", "slot kept"])
def test_an_upload_that_is_killed_sends_its_file_once(desk, photo, step):
    desk.queue("tickets", "upload", None, desk.shop.put("tickets", name="Old"), file=photo)
    with killed():
        desk.push(hook=at(step, kill))
    desk.later(HOUR, 2)
    assert (desk.states(), desk.shop.count("FILE", "tickets")) == (["done"], 1)


def test_a_file_that_changes_once_its_place_is_given_goes_as_it_was_queued(desk, photo):
    desk.queue("tickets", "upload", None, desk.shop.put("tickets", name="Old"), file=photo)
    assert desk.push(hook=at("slot", photo.unlink)).exit_code == 0
    assert (desk.states(), desk.shop.count("FILE", "tickets")) == (["done"], 1)


def same_stock(desk: Desk) -> None:
    desk.shop.put("stock", product={"id": "7"}, quantity=2)
    desk.shop.tables["products"][desk.record]["stock"] += 2


def same_payment(desk: Desk) -> None:
    desk.shop.take(desk.invoice, 50, "cash")


def same_adjustment(desk: Desk) -> None:
    desk.shop.put("adjustments", adjustment_date="2026-10-01T10:00:00+0000")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("change", "same"),
    [(STOCK, same_stock), (ADD, same_stock), (PAY, same_payment), (ADJUST, same_adjustment)],
)
def test_what_staff_and_till_do_alike_is_not_taken_for_ours(desk, change, same, when):
    resource, op, body = change
    desk.invoice = desk.shop.invoice()
    desk.record = desk.shop.put("products", name="Screen", stock=4)
    if change is PAY:
        desk.pay(desk.invoice, 50, "cash", marker=False)
    else:
        desk.queue(resource, op, body, desk.record if op == "update" else None)
    desk.push(f"lost {when}", hook=at("intent", lambda: same(desk)))
    for _ in range(3):
        desk.later(DAY)
        same(desk)
    assert desk.states() == ["in_doubt"]
    assert desk.change().needs_person
    assert len(desk.shop.writes) == (when == "after")


def test_two_alike_of_which_one_is_ours_are_left_to_a_person(desk):
    desk.queue(*PLAIN)
    desk.push("lost after", hook=at("intent", lambda: desk.shop.put(PLAIN[0], **PLAIN[2])))
    desk.later(HOUR, 2)
    assert desk.states() == ["in_doubt"]


@pytest.mark.parametrize(
    ("name", "known"), [("CUSTOMER 4711", {"mobile": "5551234"}), ("Bartholomew Smith", {})]
)
def test_a_record_whose_name_the_service_rewrites_is_asked_about(desk, name, known):
    desk.shop.edit = lambda field, value: name if field == "name" else value
    desk.queue("customers", "create", {"name": "Bartholomew Smyth"} | known)
    desk.push("lost after")
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("customers")) == (["in_doubt"], 1)
    assert "may be it, or another's" in desk.change().reason


def test_a_marked_payment_is_told_from_the_tills(desk):
    invoice = desk.shop.invoice()
    desk.pay(invoice, 50, "cash")
    desk.push("lost after", hook=at("intent", lambda: desk.shop.take(invoice, 50, "cash")))
    assert desk.states() == ["done"]
    assert desk.shop.tables["payments"][desk.change().id]["payment_note"].startswith("cash [sm-")


@pytest.mark.parametrize("when", ["before", "after"])
def test_lines_of_a_ticket_whose_answer_was_lost_are_set_once(desk, when):
    """A service may spell their numbers in its own way, and show more lines than were sent."""
    spelled = {"quantity": "2.000", "unit_price": "10.00"}
    desk.shop.edit = lambda key, value: (
        [{**line, **spelled} for line in value] if key == "lines" else value
    )
    line = {"product_code": "A", "item_description": "Screen", "quantity": 1, "unit_price": 10}
    ticket = desk.shop.put("tickets", name="Old", lines=[line])
    sent = {"productCode": "A", "itemDescription": "Screen", "quantity": 2, "unitPrice": 10}
    desk.queue("tickets", "update", {"lines": [sent]}, ticket)
    desk.push(f"lost {when}")
    desk.later(HOUR, 2)
    assert (desk.states(), len(desk.shop.writes)) == (["done"], 1)


def test_a_record_that_shows_the_day_it_was_made_and_no_hour_may_be_ours(desk):
    desk.shop.shown = lambda at=None: f"{datetime.fromtimestamp(desk.shop.now(), UTC):%Y-%m-%d}"
    desk.queue("brands", "create", {"name": "B"})
    desk.push("lost after")
    assert (desk.states(), desk.made("brands")) == (["done"], 1)


def test_a_payment_of_an_earlier_day_is_new_where_no_note_tells_whose_it_is(desk):
    desk.shop.hidden.add(("payments", "payment_note"))
    lines = [{"amount": 50, "paymentMethod": "1"}]
    body = {"invoiceId": desk.shop.invoice(), "lines": lines, "paymentDate": "01-Sep-2026 10:00"}
    desk.queue("payments", "create", body)
    desk.push("lost after")
    assert "new on the invoice, ours or the till's" in desk.change().reason


def test_what_was_sent_and_then_never_left_again_stays_in_doubt(desk):
    desk.queue(*PLAIN)
    desk.push("lost before", *["down"] * 9)
    desk.shop.faults.clear()
    assert desk.states() == ["in_doubt"]
    desk.shop._write("POST", "customers", desk.change().sent_body, b"", "")  # late after all
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_a_stock_count_that_comes_to_fit_proves_nothing(desk):
    record = desk.shop.put("products", name="Screen", stock=4)
    desk.queue("products", "update", {"stockQuantity": 3}, record)
    desk.push("lost before")
    desk.shop.tables["products"][record]["stock"] = 7
    desk.later(DAY, 3)
    assert desk.states() == ["in_doubt"]
    desk.retry()
    desk.push()
    assert (desk.states(), len(desk.shop.writes)) == (["done"], 1)


def test_an_id_that_was_given_out_again_is_a_record_of_its_own(desk):
    desk.queue("brands", "create", {"name": "B"})
    desk.push()
    first = desk.change().id
    desk.queue("brands", "delete", None, first)
    desk.push()
    desk.shop.free_ids = [first]
    desk.shop.clock.ticks += HOUR
    desk.queue("brands", "create", {"name": "B"})
    desk.push("lost after")
    assert desk.states() == ["done"] * 3
    assert (desk.made("brands"), desk.change(3).id) == (2, first)


@pytest.mark.parametrize("shows_dates", [True, False])
@pytest.mark.parametrize("kind", ["customers", "stock", "tickets"])
@pytest.mark.parametrize("fault", ["", "lost after", "500 after", "lost before"])
def test_an_id_that_a_restored_service_gives_again_hides_no_record(desk, kind, fault, shows_dates):
    if not shows_dates:
        desk.shop.hidden.add((kind, "created_date"))
    body = {"name": "Ann"} if kind == "customers" else {"product": "1", "quantity": 2}
    body = {"customerId": "7", "shortInfo": "Screen"} if kind == "tickets" else body
    desk.begin()
    before = copy.deepcopy(desk.shop.tables), desk.shop.next_id
    desk.queue(kind, "create", body)
    desk.push()
    desk.shop.clock.ticks += HOUR
    desk.shop.tables, desk.shop.next_id = before
    desk.queue(kind, "create", body)
    desk.push(fault)
    is_told = fault in ("", "lost before")
    assert desk.states() == ["done", "done" if is_told else "in_doubt"]
    assert desk.made(kind) == 2
    assert is_told or "may be it" in desk.change(2).reason


def test_a_delete_does_not_hit_the_record_that_got_its_id(desk):
    record = desk.shop.put("brands", name="B")
    desk.queue("brands", "delete", None, record)
    desk.shop.clock.ticks += HOUR
    desk.push("lost before", wait=False)
    desk.shop.clock.ticks += HOUR
    desk.shop.tables["brands"].pop(record)
    desk.shop.free_ids = [record]
    assert desk.shop.put("brands", name="Another") == record
    desk.later(HOUR, 2)
    assert record in desk.shop.tables["brands"]
    assert "given out again" in desk.change().reason


@pytest.mark.parametrize("rows", [0, 3, 60])
def test_a_record_that_a_clock_of_long_ago_dates_is_not_made_twice(desk, monkeypatch, rows):
    """It stands still, and is not the clock that dates answers. Of a whole list, what was not there
    is new all the same; one that was empty may have been so for once."""
    monkeypatch.setattr(desk.shop, "shown", lambda *_: "2026-07-16T18:22:05-0600")
    desk.shop.tables["customers"].clear()
    for number in range(rows):
        desk.shop.put("customers", name=f"Old {number}")
    desk.queue("customers", "create", {"name": "Ann", "mobile": "5550"})
    desk.push("lost after")
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("customers")) == (["done" if rows == 3 else "in_doubt"], 1)


def test_a_payment_that_a_clock_of_long_ago_dates_is_seen(desk, monkeypatch):
    monkeypatch.setattr(desk.shop, "shown", lambda *_: "2026-07-16T18:22:05-0600")
    invoice = desk.shop.invoice(100)
    desk.pay(invoice, 40, marker=False)
    desk.push("lost after")
    desk.later(HOUR)
    assert desk.states() == ["in_doubt"]
    assert "new on the invoice, ours or the till's" in desk.change().reason


def test_a_list_that_leaves_out_tickets_nobody_updated_hides_none(desk):
    desk.shop.list_shows = lambda path, query, row: (
        path != "tickets/updated" or "last_updated" in row
    )
    desk.queue("tickets", "create", {"customerId": "7", "shortInfo": "Screen"})
    desk.push("lost after")
    assert (desk.states(), desk.made("tickets")) == (["done"], 1)


def test_a_record_dated_by_its_author_is_not_made_twice(desk):
    desk.shop.put("timeClock", in_date="2026-09-20T08:00:00+0000")

    desk.shop.list_shows = lambda path, query, row: (
        path != "timeClock" or "createdDateFrom" not in query
    )
    body = {"inDate": "10-Aug-2026 10:00:00", "inNotes": "x", "userId": "7"}
    desk.queue("timeClock", "create", body)
    desk.push("lost after")
    desk.later(HOUR, 2)
    assert desk.made("timeClock") == 1


@pytest.mark.parametrize("hours", [48, -48])
def test_a_clock_that_was_set_doubles_nothing_and_keeps_no_push_waiting(desk, hours):
    desk.begin()
    desk.shop.clock.ticks += HOUR
    desk.shop.clock.wall_offset += hours * HOUR
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost after")
    assert (desk.states(), desk.made("customers")) == (["done"], 1)
    record = desk.shop.put("customers", name="Bob")
    desk.queue("customers", "delete", None, record)
    desk.queue("brands", "create", {"name": "B"})
    with killed():
        desk.push(hook=at("intent", kill))
    desk.shop.clock.wall_offset += hours * HOUR
    began = desk.shop.clock.ticks
    desk.push()
    assert (desk.states(), desk.made("brands")) == (["done"] * 3, 1)
    assert desk.shop.clock.ticks - began < HOUR


def test_an_error_that_nobody_knows_rejects_nothing(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.queue("customers", "update", {"city": "A"}, record)
    desk.shop.read_faults.extend([400])
    desk.push()
    assert desk.states() == ["queued"]
    desk.push()
    assert desk.states() == ["done"]


def test_what_is_parked_costs_nothing_until_it_is_looked_at_again(desk):
    desk.pay(desk.shop.invoice())
    desk.push("lost before")
    requests, events = len(desk.shop.requests), len(desk.events())
    desk.later(DAY / 96, 96)
    assert len(desk.shop.requests) - requests <= 8
    assert len(desk.events()) == events


def test_a_delete_that_is_answered_and_not_done_is_not_called_done(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.shop.ignores.add(record)
    desk.queue("customers", "delete", None, record)
    desk.shop.read_faults.extend([0, *[500, 502, 503] * 3])
    desk.push()
    assert desk.states() == ["in_doubt"]
    desk.shop.read_faults.clear()
    desk.later(HOUR, 3)
    assert desk.states() == ["in_doubt"]
    assert desk.change().needs_person


def test_three_without_an_answer_and_the_rest_stays_queued(desk):
    for name in "abcde":
        desk.queue("brands", "create", {"name": name * 9})
    report = desk.push(*["lost before"] * 5, wait=False)
    assert report.exit_code == 3
    assert desk.states() == ["in_doubt"] * 3 + ["queued"] * 2


def test_a_payment_of_which_one_line_was_booked_is_left_to_a_person(desk):
    invoice = desk.shop.invoice()
    lines = [{"amount": a, "paymentMethod": "1"} for a in (10, 20)]
    desk.queue("payments", "create", {"invoiceId": invoice, "lines": lines})
    desk.shop.lag = 100.0
    desk.push("lost after", wait=False)
    desk.shop.tables["payments"].popitem()
    desk.later(HOUR, 2)
    assert desk.states() == ["in_doubt"]
    assert "1 of 2 lines are booked" in desk.change().reason
