"""Lost answers: looked up, adopted, sent again or left for a person, and never doubled."""

import pytest

from pipelines.outbox import discard, enqueue, lookup, push, retry
from tests.outbox.conftest import (
    MINUTE,
    at,
    change,
    history,
    invoice,
    pay,
    payment,
    settings_for,
    states,
)


@pytest.mark.parametrize(
    ("fault", "event", "attempts"),
    [("after", "adopted", 1), ("500 after", "adopted", 1), ("500 before", "looked up", 2)],
)
def test_a_lost_create_is_looked_for(settings, service, fault, event, attempts):
    """Each resource and operation, with each fault: tests/outbox/test_with_sandbox.py."""
    enqueue("customers", "create", {"name": "Ann", "mobile": "1"}, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert [change(settings).id] == list(service.records["customers"])
    assert event in history(settings)
    assert change(settings).attempts == attempts


@pytest.mark.parametrize("late", [0.0, 60.0], ids=["absent", "late list"])
def test_a_lost_create_is_looked_for_at_most_four_times_in_five_minutes(tmp_path, service, late):
    settings = settings_for(tmp_path, service.base_url, settle_minutes=5)
    service.put("customers", name="Bob")
    for name in ("Ann", "Cid"):
        enqueue("customers", "create", {"name": name}, settings=settings)
    service.lose, service.late = ["ok", "before", "ok"], late
    push(settings)
    assert states(settings) == ["done", "in_doubt" if late else "done"]
    events = [event for event in history(settings, 2) if event in ("looked up", "absent")]
    assert 2 <= len(events) + bool(late) <= 4  # fewer where a look takes long


def test_one_refused_in_a_push_that_stopped_is_looked_for_by_the_next(settings, service):
    enqueue("brands", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["429 after"]
    assert push(settings, stop=lambda: bool(service.writes)).exit_code == 4
    assert states(settings) == ["in_doubt"]
    assert push(settings).exit_code == 0
    assert service.count("create", "brands") == 1


def test_what_is_kept_of_a_create_does_not_grow_with_the_queue(settings, service, monkeypatch):
    monkeypatch.setattr(lookup, "PAGE_ROWS", 3)
    enqueue("brands", "create", [{"name": f"Ann {n}"} for n in range(6)], settings=settings)
    service.lose = ["ok"] * 5 + ["before"]
    push(settings, wait=False)
    assert service.count("create", "brands") == 5
    assert change(settings, 1).baseline is None
    assert len(change(settings, 6).baseline["ids"]) == 3
    assert push(settings).exit_code == 0
    assert service.count("create", "brands") == 6


@pytest.mark.parametrize("faults", [["429 before", "after"], ["before", "429 after"]])
def test_one_that_is_sent_again_is_in_doubt_as_any(settings, service, faults):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = faults
    service.late = 0.5 * MINUTE
    service.put("customers", name="Bob")
    assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 1


def test_one_that_was_there_before_is_not_taken_for_ours(settings, service):
    service.put("customers", name="Ann", mobile="1")
    enqueue("customers", "create", {"name": "Ann", "mobile": "1"}, settings=settings)
    service.lose = ["before"]
    push(settings)
    assert len(service.records["customers"]) == 2
    assert states(settings) == ["done"]


def test_an_old_ticket_that_staff_touched_meanwhile_is_not_taken_for_ours(settings, service):
    """Tickets are listed by when they changed, so one made long ago turns up as a new one."""
    service.put("tickets", short_info="Battery")
    old = service.put("tickets", short_info="Screen", created_date="2026-01-02T10:00:00+0000")
    service.made[old] = float("inf")
    enqueue("tickets", "create", {"customerId": "7", "shortInfo": "Screen"}, settings=settings)
    service.lose = ["before"]
    push(settings, hook=at("intent", lambda: service.made.pop(old, None)))
    assert states(settings) == ["in_doubt"]
    assert f"new records that may be it: {old}" in change(settings).reason


def test_two_alike_of_our_own_are_both_created(settings, service):
    for _ in range(2):
        enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["after"]
    push(settings)
    assert len(service.records["customers"]) == 2
    assert states(settings) == ["done", "done"]
    assert change(settings, 1).id != change(settings, 2).id


def test_one_that_staff_made_meanwhile_leaves_it_to_a_person(settings, service):
    enqueue("customers", "create", {"name": "Ann", "mobile": "1"}, settings=settings)
    service.lose = ["before"]

    report = push(
        settings, hook=at("intent", lambda: service.put("customers", name="Ann", mobile="2"))
    )
    assert report.exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert "new records that may be it" in change(settings, 1).reason
    push(settings)
    assert len(service.records["customers"]) == 1
    retry(settings.home, 1, by="ann")
    push(settings)
    assert states(settings) == ["done"]
    assert len(service.records["customers"]) == 2


def test_a_marker_tells_it_from_one_that_staff_made(settings, service):
    enqueue("customers", "create", {"name": "Ann"}, marker=True, settings=settings)
    service.lose = ["after"]

    assert (
        push(settings, hook=at("intent", lambda: service.put("customers", name="Ann"))).exit_code
        == 0
    )
    record = service.records["customers"][change(settings, 1).id]
    assert change(settings, 1).marker in record["comments"]


def test_what_is_deleted_as_a_double_by_a_person_is_not_made_again(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["after"]
    extra = []

    push(settings, hook=at("intent", lambda: extra.append(service.put("brands", name="Acme"))))
    assert states(settings) == ["in_doubt"]
    service.records["brands"].clear()
    push(settings)
    assert states(settings) == ["in_doubt"]
    assert service.count("create", "brands") == 1


def test_stock_whose_effect_cannot_be_seen_is_left_to_a_person(settings, service):
    record = service.put("products", name="Screen", stock=4)
    enqueue("products", "update", {"stockQuantity": 3}, record_id=record, settings=settings)
    service.lose = ["before"]

    assert (
        push(
            settings, hook=at("intent", lambda: service.records["products"][record].update(stock=2))
        ).exit_code
        == 1
    )
    assert states(settings) == ["in_doubt"]
    assert "stockQuantity" in change(settings, 1).reason


def test_an_update_whose_record_somebody_changed_meanwhile_is_left(settings, service):
    record = service.put("customers", name="Ann", mobile="1")
    enqueue("customers", "update", {"mobile": "2"}, record_id=record, settings=settings)
    service.lose = ["before"]

    push(
        settings, hook=at("intent", lambda: service.records["customers"][record].update(mobile="9"))
    )
    assert states(settings) == ["in_doubt"]
    assert service.records["customers"][record]["mobile"] == "9"


def test_a_field_that_was_emptied_is_seen_to_be_empty(settings, service):
    record = service.put("customers", name="Ann", company="Acme")
    enqueue("customers", "update", {"company": ""}, record_id=record, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 0
    assert service.count("update", "customers") == 1


def test_a_delete_that_was_answered_but_not_done_is_for_a_person(settings, service):
    record = service.put("customers", name="Ann")
    enqueue("customers", "delete", record_id=record, settings=settings)
    service.lose = ["ignore"]
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert "is still there" in change(settings, 1).reason
    assert change(settings, 1).attempts == 1
    del service.records["customers"][record]
    assert push(settings).exit_code == 0
    assert states(settings) == ["done"]


@pytest.mark.parametrize("shown", [{}, {"error": "Invalid id"}, {"id": "", "name": ""}])
def test_a_deleted_record_may_be_answered_for_in_any_words(settings, service, shown):
    record = service.put("customers", name="Ann")
    enqueue("customers", "delete", record_id=record, settings=settings)

    def gone(step, number):
        if step == "answered":
            service.records["customers"][record] = shown

    assert push(settings, hook=gone).exit_code == 0
    assert states(settings) == ["done"]


def test_a_payment_is_never_sent_again_by_itself(settings, service):
    to = invoice(service, payments=[{"id": "1", "amount": 10}])
    pay(settings, to)
    pay(settings, to)
    service.lose = ["before"]
    for _ in range(3):
        assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt", "queued"]
    assert service.count("create", "payments") == 0
    assert "queue retry 1" in change(settings, 1).reason
    retry(settings.home, 1, by="ann")
    assert push(settings).exit_code == 0
    assert service.count("create", "payments") == 2


def test_a_payment_that_the_service_books_late_is_adopted_by_a_later_push(settings, service):
    to = invoice(service)
    pay(settings, to, marker=True)
    service.lose = ["before"]
    push(settings)
    service._pay("77", change(settings, 1).sent_body)
    assert push(settings).exit_code == 0
    assert change(settings, 1).id == "77"


@pytest.mark.parametrize(("fault", "state"), [("before", "in_doubt"), ("after", "done")])
def test_an_instalment_paid_before_is_not_taken_for_ours(settings, service, fault, state):
    """Nor where an invoice's detail shows no payments and only their list does."""
    to = invoice(service)
    service._pay("70", payment(to))
    read = service._read

    def bare(path, query):
        status, found = read(path, query)
        if path.startswith("ticketInvoices"):
            found = {name: value for name, value in found.items() if name != "payments"}
        return status, found

    service._read = bare
    pay(settings, to, marker=True)
    service.lose = [fault]
    push(settings)
    assert states(settings) == [state]
    assert change(settings, 1).id != "70"


def test_a_payment_of_another_amount_is_not_taken_for_ours(settings, service):
    to = invoice(service)
    pay(settings, to)
    service.lose = ["before"]

    push(settings, hook=at("intent", lambda: service._pay("77", payment(to, 4))))
    assert states(settings) == ["in_doubt"]
    assert "other amounts" in change(settings, 1).reason


@pytest.mark.parametrize(("fault", "state"), [("before", "in_doubt"), ("after", "done")])
def test_a_payment_of_another_note_is_not_taken_for_ours(settings, service, fault, state):
    to = invoice(service)
    pay(settings, to, paymentNote="deposit")
    service.lose = [fault]
    till = payment(to, paymentNote="cash")
    push(settings, hook=at("intent", lambda: fault == "after" or service._pay("77", till)))
    assert states(settings) == [state]
    assert service.count("create", "payments") == (fault == "after")


@pytest.mark.parametrize("state", ["done", "in_doubt"])
def test_a_file_that_may_be_in_its_place_is_sent_there_again_if_it_is_still_there(
    settings, service, tmp_path, state
):
    ticket = service.put("tickets", shortInfo="Screen")
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"pixels")
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    service.lose = ["ok", "after"]
    assert push(settings, max_requests=2).exit_code == 4
    assert states(settings) == ["in_doubt"]
    if state == "in_doubt":
        photo.unlink()
    push(settings)
    assert states(settings) == [state]
    assert service.count("upload", "tickets") == 1


def test_after_three_sends_without_an_answer_a_person_is_asked(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["before"] * 9
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert change(settings, 1).attempts == 3


def test_a_list_that_does_not_go_on_is_no_proof_of_absence(settings, service):
    for number in range(60):
        service.put("brands", name=f"brand {number}")
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["before"]
    real = service._read

    def first_page_only(path, query):
        query = {name: value for name, value in query.items() if name not in ("page", "offset")}
        return real(path, query)

    service._read = first_page_only
    push(settings)
    assert states(settings) == ["in_doubt"]
    assert service.count("create", "brands") == 0


def test_offset_paging_is_followed_where_page_two_is_empty(settings, service):
    for number in range(60):
        service.put("brands", name=f"brand {number}")
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["after"]
    real = service._read

    def by_offset(path, query):
        offset = int(query.get("offset", ["0"])[0])
        if "page" in query:
            return 200, []
        return real(path, {**query, "page": [str(offset // 50 + 1)]})

    service._read = by_offset
    assert push(settings).exit_code == 0
    assert service.count("create", "brands") == 1


def test_sending_a_merged_request_again_keeps_each_basis_and_revives_nothing(tmp_path, service):
    # No look is due before the test is over, on the slowest machine.
    settings = settings_for(tmp_path, service.base_url, minute_seconds=60.0)
    record = service.put("customers", name="Ann", city="A", company="B")
    for fields, seen in (({"city": "C"}, {"city": "A"}), ({"company": "D"}, {"company": "B"})):
        enqueue("customers", "update", fields, record_id=record, based_on=seen, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    assert states(settings) == ["in_doubt", "in_doubt"]
    bases = [change(settings, number).base for number in (1, 2)]
    discard(settings.home, 2, by="ann")
    retry(settings.home, 1, by="ann")
    assert states(settings) == ["queued", "rejected"]
    assert [change(settings, number).base for number in (1, 2)] == bases


def test_what_is_discarded_after_it_was_sent_along_is_not_sent_again(settings, service):
    record = service.put("customers", name="Ann", city="A", company="B")
    for fields in ({"city": "C"}, {"company": "D"}):
        enqueue("customers", "update", fields, record_id=record, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    discard(settings.home, 2, by="ann")
    push(settings)
    assert states(settings) == ["done", "rejected"]
    assert service.writes == [("update", "customers", {"city": "C"})]
