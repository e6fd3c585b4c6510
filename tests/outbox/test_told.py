"""Services whose word is not what they did: what they took is not called done on it alone, nor sent
again."""

import time

import pytest

from pipelines.outbox import enqueue, push
from tests.fakes.loopback import Reply
from tests.outbox.conftest import MINUTE, change, history, settings_for, states


def test_stock_that_is_never_shown_is_added_once(settings, service):
    record = service.put("products", name="Screen", stock=0)
    enqueue("products", "update", {"stockQuantity": 3}, record_id=record, settings=settings)
    service.then = lambda body: service.records["products"][record].update(stock=0)
    service.lose = ["after"] * 3
    assert push(settings).exit_code == 1
    assert (states(settings), service.count("update", "products")) == (["in_doubt"], 1)


@pytest.mark.parametrize("fault", ["ignore", "202 before"])
def test_what_the_service_says_it_took_is_not_sent_again_by_itself(settings, service, fault):
    """It may be made of it at any time."""
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 1
    assert (states(settings), service.count("create", "brands")) == (["in_doubt"], 0)
    service.put("brands", name="Acme")
    assert push(settings).exit_code == 0


def test_a_record_that_an_answer_named_by_its_reference_is_not_taken_for_another(settings, service):
    write = service._write

    def named(*request):
        reply = write(*request)
        row = service.records["brands"][reply.body["id"]]
        row["ref"] = reply.body["id"] = "R-7"
        return reply

    service._write = named
    service.put("brands", name="Bob")
    enqueue("brands", "create", [{"name": "Acme"}] * 2, settings=settings)
    service.lose = ["ok", "before"]
    push(settings)
    assert (states(settings), service.count("create", "brands")) == (["done", "in_doubt"], 1)
    record = service.put("brands", name="Cid", ref="R-7")
    service._write = lambda *request: write(*request) and Reply(body={"id": "R-7"})
    enqueue("brands", "update", {"name": "Dan"}, record_id=record, settings=settings)
    push(settings)
    assert change(settings, 3).answer == '200 {"id": "R-7"}'


@pytest.mark.parametrize("left_out", ["priority", "lines"])
def test_an_update_that_was_saved_in_part_is_not_called_done(settings, service, left_out):
    old = [{"product_code": "A", "quantity": 1}]
    records = [service.put("tickets", priority="Low", lines=old) for _ in range(2)]
    bodies = {
        "priority": {"shortInfo": "y", "priority": "High"},
        "lines": {"lines": [{"productCode": code, "quantity": 2} for code in "AB"]},
    }
    rows = [{"id": record, **bodies[left_out]} for record in records]
    enqueue("tickets", "update", rows, settings=settings)

    def part(body):
        for row in service.records["tickets"].values():
            row |= {"priority": "Low", "lines": row["lines"][:1]}

    service.then = part
    push(settings, wait=False)
    assert states(settings) == ["in_doubt", "in_doubt"]


def test_what_was_so_before_in_other_words_is_done(settings, service):
    """Rounded, escaped, cut off, or said otherwise: it need not be ours that was left out."""
    told = {
        "price": 12.35,
        "name": "A &amp; B",
        "description": "One longer text",
        "condition": "Neu",
    }
    record = service.put("products", **told)
    body = {"price": 12.3456, "name": "A & B", "description": "One longer text more"}
    body |= {"condition": "New"}
    enqueue("products", "update", body, record_id=record, settings=settings)
    service.then = lambda body: service.records["products"][record].update(told)
    assert push(settings).exit_code == 0, change(settings).reason
    assert service.count("update", "products") == 1


def test_one_update_of_a_kind_is_read_back(settings, service):
    records = [service.put("customers", name="Ann", city="A") for _ in range(3)]
    rows = [{"id": record, "city": "B"} for record in records]
    enqueue("customers", "update", rows, settings=settings)
    assert push(settings, dry_run=True).requests == push(settings).requests == 7


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
    if not applied:
        time.sleep(MINUTE)
        push(settings)
        assert len(history(settings, 1)) <= 6  # no push waits for a "no"
    assert states(settings) == ["done" if applied else "rejected"]
    assert service.count("create", resource) == applied


@pytest.mark.parametrize(
    ("faults", "state"), [(["ok", "409 after"], "in_doubt"), (["409 before"], "rejected")]
)
def test_a_file_refused_though_it_is_there_is_for_a_person(
    settings, service, tmp_path, faults, state
):
    """Nothing lists files; before its place is known, none was sent."""
    (tmp_path / "photo.jpg").write_bytes(b"pixels")
    ticket = service.put("tickets", shortInfo="Screen")
    photo = tmp_path / "photo.jpg"
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    service.lose = faults
    assert push(settings).exit_code == 1
    assert states(settings) == [state]
    assert change(settings).for_person is (state == "in_doubt")


def test_one_refused_is_not_told_rejected_by_a_list_that_may_be_late(tmp_path, service):
    settings = settings_for(tmp_path, service.base_url, settle_minutes=300)
    service.put("customers", name="Bob")
    service.late = 60.0
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["409 after"]
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]
    service.late = 0.0
    assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 1


def test_an_update_refused_is_not_told_rejected_by_a_record_that_may_be_late(
    tmp_path, service, monkeypatch
):
    settings = settings_for(tmp_path, service.base_url, minute_seconds=60.0)
    record = service.put("customers", name="Bob", city="A")
    enqueue("customers", "update", {"city": "B"}, record_id=record, settings=settings)
    old = dict(service.records["customers"][record])
    service.lose = ["409 after"]
    with monkeypatch.context() as late:
        late.setattr(service, "_read", lambda *_: (200, old))
        assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert push(settings).exit_code == 0
