"""Lost answers: looked up, adopted, sent again or left for a person, and never doubled."""

import pytest

from pipelines.outbox import Outbox, discard, enqueue, lookup, push, retry
from tests.outbox.conftest import MINUTE, settings_for
from tests.outbox.test_push import change, states

LOST = ("after", "500 after")
NOT_APPLIED = ("before", "500 before")


def history(settings, number):
    with Outbox(settings.home) as outbox:
        return [entry["event"] for entry in outbox.history(number)]


@pytest.mark.parametrize("fault", LOST)
def test_a_create_that_was_applied_is_adopted(settings, service, fault):
    enqueue("customers", "create", {"name": "Ann", "mobile": "1"}, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    [record] = service.records["customers"]
    assert change(settings, 1).id == record
    assert "adopted" in history(settings, 1)


@pytest.mark.parametrize("fault", NOT_APPLIED)
def test_a_create_that_was_not_applied_is_sent_again_after_two_lookups(settings, service, fault):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert len(service.records["customers"]) == 1
    assert history(settings, 1).count("looked up") >= 1
    assert change(settings, 1).attempts == 2


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


CREATES = {
    "customers": {"name": "Ann", "email": "ann@example.org"},
    "payments": {"invoiceId": "7", "lines": [{"amount": 5, "paymentMethod": "1"}]},
}


@pytest.mark.parametrize("resource", CREATES)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("status", [429, 409])
def test_one_refused_though_it_was_applied_is_there_once(settings, service, status, when, resource):
    service.records |= {"ticketInvoices": {"7": {"id": "7", "payments": []}}, "payments": {}}
    body = CREATES[resource]
    enqueue(resource, "create", body, marker=True, check=False, settings=settings)
    service.lose = [f"{status} {when}"]
    applied = when == "after" or status == 429
    assert push(settings).exit_code == (0 if applied else 1)
    assert states(settings) == ["done" if applied else "rejected"]
    assert service.count("create", resource) == applied
    assert len(history(settings, 1)) <= 6  # no wait for a list that shows new records late


@pytest.mark.parametrize("when", ["before", "after"])
def test_added_stock_refused_for_the_rate_is_added_once(settings, service, when):
    record = service.put("products", name="Glass", stock=5)
    enqueue("products", "update", {"stockQuantity": 2}, record_id=record, settings=settings)
    service.lose = [f"429 {when}"]
    assert push(settings).exit_code == 0
    assert service.records["products"][record]["stock"] == 7


def test_one_refused_in_a_push_that_stopped_is_looked_for_by_the_next(settings, service):
    enqueue("brands", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["429 after"]
    assert push(settings, stop=lambda: bool(service.writes)).exit_code == 4
    assert states(settings) == ["queued"]
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


def test_a_refused_one_whose_second_answer_is_lost_is_in_doubt_as_any(settings, service):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["429 before", "after"]
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

    def staff(step, number):
        if step == "intent":
            service.put("customers", name="Ann", mobile="2")

    report = push(settings, hook=staff)
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

    def staff(step, number):
        if step == "intent":
            service.put("customers", name="Ann")

    assert push(settings, hook=staff).exit_code == 0
    record = service.records["customers"][change(settings, 1).id]
    assert change(settings, 1).marker in record["comments"]


def test_what_is_deleted_as_a_double_by_a_person_is_not_made_again(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["after"]
    extra = []

    def staff(step, number):
        if step == "intent":
            extra.append(service.put("brands", name="Acme"))

    push(settings, hook=staff)
    assert states(settings) == ["in_doubt"]
    service.records["brands"].clear()
    push(settings)
    assert states(settings) == ["in_doubt"]
    assert service.count("create", "brands") == 1


@pytest.mark.parametrize("fault", LOST + NOT_APPLIED)
def test_an_update_ends_applied_once(settings, service, fault):
    record = service.put("customers", name="Ann", mobile="1")
    enqueue("customers", "update", {"mobile": "2"}, record_id=record, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert service.records["customers"][record]["mobile"] == "2"
    assert service.count("update", "customers") == 1


@pytest.mark.parametrize("fault", LOST + NOT_APPLIED)
def test_stock_is_added_once(settings, service, fault):
    record = service.put("products", name="Screen", stock=4)
    enqueue("products", "update", {"stockQuantity": 3}, record_id=record, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert service.records["products"][record]["stock"] == 7


def test_stock_whose_effect_cannot_be_seen_is_left_to_a_person(settings, service):
    record = service.put("products", name="Screen", stock=4)
    enqueue("products", "update", {"stockQuantity": 3}, record_id=record, settings=settings)
    service.lose = ["before"]

    def sale(step, number):
        if step == "intent":
            service.records["products"][record]["stock"] = 2

    assert push(settings, hook=sale).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert "stockQuantity" in change(settings, 1).reason


def test_an_update_whose_record_somebody_changed_meanwhile_is_left(settings, service):
    record = service.put("customers", name="Ann", mobile="1")
    enqueue("customers", "update", {"mobile": "2"}, record_id=record, settings=settings)
    service.lose = ["before"]

    def staff(step, number):
        if step == "intent":
            service.records["customers"][record]["mobile"] = "9"

    push(settings, hook=staff)
    assert states(settings) == ["in_doubt"]
    assert service.records["customers"][record]["mobile"] == "9"


@pytest.mark.parametrize("fault", LOST + NOT_APPLIED)
def test_a_delete_ends_deleted(settings, service, fault):
    record = service.put("customers", name="Ann")
    enqueue("customers", "delete", record_id=record, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert service.records["customers"] == {}


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


def test_a_payment_that_was_booked_is_adopted(settings, service):
    invoice = service.put("ticketInvoices", number="1", payments=[{"id": "1", "amount": 10}])
    payment = {"invoiceId": invoice, "lines": [{"amount": 10, "paymentMethod": "1"}]}
    enqueue("payments", "create", payment, marker=True, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 0
    assert change(settings, 1).id in service.records["payments"]


def test_a_payment_is_never_sent_again_by_itself(settings, service):
    invoice = service.put("ticketInvoices", number="1", payments=[{"id": "1", "amount": 10}])
    payment = {"invoiceId": invoice, "lines": [{"amount": 10, "paymentMethod": "1"}]}
    enqueue("payments", "create", payment, settings=settings)
    enqueue("payments", "create", payment, settings=settings)
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
    invoice = service.put("ticketInvoices", number="1")
    payment = {"invoiceId": invoice, "lines": [{"amount": 10, "paymentMethod": "1"}]}
    enqueue("payments", "create", payment, marker=True, settings=settings)
    service.lose = ["before"]
    push(settings)
    service.records.setdefault("payments", {})
    service._pay("77", change(settings, 1).sent_body)
    assert push(settings).exit_code == 0
    assert change(settings, 1).id == "77"


@pytest.mark.parametrize(("fault", "state"), [("before", "in_doubt"), ("after", "done")])
def test_an_instalment_paid_before_is_not_taken_for_ours(settings, service, fault, state):
    """Nor where an invoice's detail shows no payments and only their list does."""
    invoice = service.put("ticketInvoices", number="1")
    payment = {"invoiceId": invoice, "lines": [{"amount": 10, "paymentMethod": "1"}]}
    service.records["payments"] = {}
    service._pay("70", payment)
    read = service._read

    def bare(path, query):
        status, found = read(path, query)
        if path.startswith("ticketInvoices"):
            found = {name: value for name, value in found.items() if name != "payments"}
        return status, found

    service._read = bare
    enqueue("payments", "create", payment, marker=True, settings=settings)
    service.lose = [fault]
    push(settings)
    assert states(settings) == [state]
    assert change(settings, 1).id != "70"


def test_a_payment_of_another_amount_is_not_taken_for_ours(settings, service):
    invoice = service.put("ticketInvoices", number="1")
    payment = {"invoiceId": invoice, "lines": [{"amount": 10, "paymentMethod": "1"}]}
    enqueue("payments", "create", payment, settings=settings)
    service.lose = ["before"]
    service.records.setdefault("payments", {})

    def till(step, number):
        if step == "intent":
            service._pay("77", {**payment, "lines": [{"amount": 4}]})

    push(settings, hook=till)
    assert states(settings) == ["in_doubt"]
    assert "other amounts" in change(settings, 1).reason


@pytest.mark.parametrize(("fault", "state"), [("before", "in_doubt"), ("after", "done")])
def test_a_payment_of_another_note_is_not_taken_for_ours(settings, service, fault, state):
    invoice = service.put("ticketInvoices", number="1")
    line = {"amount": 10, "paymentMethod": "1"}
    ours = {"invoiceId": invoice, "lines": [{**line, "paymentNote": "deposit"}]}
    enqueue("payments", "create", ours, settings=settings)
    service.lose = [fault]
    service.records.setdefault("payments", {})

    def till(step, number):
        if step == "intent" and fault == "before":
            service._pay("77", {"invoiceId": invoice, "lines": [{**line, "paymentNote": "cash"}]})

    push(settings, hook=till)
    assert states(settings) == [state]
    assert service.count("create", "payments") == (fault == "after")


@pytest.mark.parametrize("faults", [["before"], ["after"], ["ok", "before"], ["ok", "after"]])
def test_an_upload_ends_with_one_file(settings, service, tmp_path, faults):
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    ticket = service.put("tickets", short_info="x")
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    service.lose = list(faults)
    assert push(settings).exit_code == 0
    assert service.count("upload", "tickets") == 1


def test_a_file_whose_second_sending_was_stopped_keeps_its_place(settings, service, tmp_path):
    ticket = service.put("tickets", shortInfo="Screen")
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"pixels")
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    service.lose = ["ok", "after"]
    assert push(settings, max_requests=2).exit_code == 4
    assert states(settings) == ["in_doubt"]
    assert push(settings).exit_code == 0
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


def test_without_waiting_a_doubt_is_left_to_the_next_push(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["before"]
    assert push(settings, wait=False).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert push(settings).exit_code == 0


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
