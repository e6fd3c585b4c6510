"""Pushing over real HTTP: what is sent, in which order, and what the queue says afterwards."""

import threading

import duckdb
import pandas as pd
import pytest

from pipelines.outbox import (
    Outbox,
    PushBusy,
    discard,
    enqueue,
    history_rows,
    mark_mirrored,
    push,
    retry,
    touched_since,
)
from tests.outbox.conftest import at, change, history, invoice, pay, payment, settings_for, states


def test_a_chain_of_references_is_pushed_in_order(settings, service, tmp_path):
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    [ann] = enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    [ticket] = enqueue(
        "tickets", "create", {"customerId": f"@{ann}", "shortInfo": "Screen"}, settings=settings
    )
    comment = {"ticket": {"$queued": ticket}, "type": "Public", "comment": "Arrived"}
    enqueue("ticketComments", "create", comment, settings=settings)
    enqueue("tickets", "upload", record_id=f"@{ticket}", file=photo, settings=settings)
    report = push(settings)
    assert (report.exit_code, report.done) == (0, 4)
    [customer_id] = service.records["customers"]
    [ticket_id] = service.records["tickets"]
    assert service.records["tickets"][ticket_id]["customer"] == {"id": customer_id}
    [sent] = [body for _, name, body in service.writes if name == "ticketComments"]
    assert sent == {
        "ticket": ticket_id,
        "type": "Public",
        "comment": "Arrived",
        "status": "Update",
    }
    [(path, [content])] = service.files.items()
    assert path.startswith(f"tickets/{ticket_id}/upload/")
    assert b"picture" in content
    assert b'name="file"' in content


@pytest.mark.parametrize("op", ["update", "delete"])
def test_a_change_queued_for_one_that_is_done_finds_its_record(settings, service, op):
    [ann] = enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    push(settings)
    body = {"city": "A"} if op == "update" else None
    enqueue("customers", op, body, record_id=f"@{ann}", settings=settings)
    push(settings)
    assert states(settings) == ["done", "done"]
    assert change(settings, 2).record_id == change(settings, 1).id


def test_one_rejected_for_its_number_is_sent_to_the_record_when_retried(settings, service):
    [ann] = enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    [later] = enqueue("customers", "delete", record_id=f"@{ann}", settings=settings)
    discard(settings.home, later, by="ann")
    push(settings)
    with Outbox(settings.home) as outbox:
        outbox.set([later], "as an older version left it", record_id=f"@{ann}")
    retry(settings.home, later, by="ann")
    push(settings)
    assert states(settings) == ["done", "done"]
    assert service.records["customers"] == {}


def test_updates_of_one_record_leave_as_one_request(settings, service):
    record = service.put("customers", name="Ann")
    for fields in ({"city": "Antigua"}, {"company": "A"}, {"city": "Cobán"}):
        enqueue("customers", "update", fields, record_id=record, settings=settings)
    assert push(settings).done == 3
    assert service.writes == [("update", "customers", {"city": "Cobán", "company": "A"})]


def test_updates_that_act_are_not_merged(settings, service):
    record = service.put("products", name="Screen", stock=1)
    for _ in range(2):
        enqueue("products", "update", {"stockQuantity": 2}, record_id=record, settings=settings)
    push(settings)
    assert service.records["products"][record]["stock"] == 5


def test_a_price_is_not_merged_with_a_later_tax_alone(settings, service):
    record = service.put("products", name="Screen")
    enqueue("products", "update", {"price": 5}, record_id=record, settings=settings)
    enqueue("products", "update", {"tax": 1}, record_id=record, settings=settings)
    push(settings)
    assert service.count("update", "products") == 2


def test_a_merged_request_that_is_refused_is_sent_apart(settings, service):
    record = service.put("customers", name="Ann")
    enqueue("customers", "update", {"city": "A"}, record_id=record, settings=settings)
    enqueue("customers", "update", {"company": "B"}, record_id=record, settings=settings)
    service.lose = ["refuse", "refuse"]
    report = push(settings)
    assert states(settings) == ["rejected", "done"]
    assert report.exit_code == 1
    assert "Try another value" in change(settings, 1).reason


def test_a_rejected_change_stops_those_that_refer_to_it_and_no_others(settings, service):
    [bad] = enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    enqueue("tickets", "create", {"customerId": f"@{bad}", "shortInfo": "x"}, settings=settings)
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    service.lose = ["refuse"]
    report = push(settings)
    assert states(settings) == ["rejected", "queued", "done"]
    assert report.exit_code == 1
    assert "waits for change 1" in change(settings, 2).reason
    retry(settings.home, bad, by="ann")
    assert push(settings).exit_code == 0
    assert states(settings) == ["done", "done", "done"]


@pytest.fixture
def moved(settings, service):
    """A customer whose number moved on from what a queued change is based on."""
    record = service.put("customers", name="Ann", mobile="2")
    body = {"mobile": "3", "company": "C"}
    based_on = {"mobile": "1"}
    enqueue("customers", "update", body, record_id=record, based_on=based_on, settings=settings)
    return service.records["customers"][record]


def test_a_change_made_meanwhile_is_a_conflict_with_three_values(settings, service, moved):
    report = push(settings)
    assert states(settings) == ["conflict"]
    assert report.exit_code == 1
    reason = change(settings, 1).reason
    assert all(value in reason for value in ("'1'", "'2'", "'3'"))
    assert not service.writes
    assert "over the value" in retry(settings.home, 1, by="ann")
    assert push(settings).exit_code == 0
    assert moved["mobile"] == "3"


def test_a_retried_conflict_conflicts_again_when_the_record_moves_on(settings, moved):
    push(settings)
    moved["mobile"] = "4"
    retry(settings.home, 1, by="ann")
    push(settings)
    assert states(settings) == ["conflict"]
    assert "'4'" in change(settings, 1).reason


@pytest.mark.parametrize(("who", "mobile"), [("ours", "3"), ("theirs", "2")])
def test_conflicts_settled_by_option(settings, moved, who, mobile):
    assert push(settings, on_conflict=who).exit_code == 0
    assert (moved["mobile"], moved["company"]) == (mobile, "C")


def test_the_basis_is_what_the_warehouse_showed(settings, service):
    record = service.put("customers", name="Ann", mobile="2", city="B")
    settings.home.mkdir(exist_ok=True)
    with duckdb.connect(str(settings.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.customers as select 'main' as shop_id, ? as id, '1' as mobile,"
            " 'B' as fulladdress__city",
            [record],
        )
    enqueue("customers", "update", {"mobile": "3"}, record_id=record, settings=settings)
    enqueue("customers", "update", {"city": "C"}, record_id=record, settings=settings)
    push(settings)
    assert "was '1' when queued, is now '2'" in change(settings, 1).reason


def test_our_own_earlier_change_is_no_conflict(settings, service):
    record = service.put("products", name="Screen", stock=1)
    based_on = {"name": "Screen"}
    first = {"name": "Screen A", "stockQuantity": 1}
    for body in (first, {"name": "Screen B"}):
        enqueue("products", "update", body, record_id=record, based_on=based_on, settings=settings)
    assert push(settings).exit_code == 0
    assert service.records["products"][record]["name"] == "Screen B"


def test_ids_that_do_not_exist(settings, service):
    enqueue("customers", "update", {"name": "x"}, record_id="nobody", settings=settings)
    enqueue("customers", "delete", record_id="nobody-2", settings=settings)
    pay(settings, "none")
    assert push(settings).exit_code == 1
    assert states(settings) == ["rejected"] * 3
    assert not service.writes


def test_a_file_that_changed_since_is_not_sent(settings, service, tmp_path):
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"one")
    ticket = service.put("tickets", short_info="x")
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    photo.write_bytes(b"two")
    push(settings)
    assert states(settings) == ["rejected"]
    assert "changed since it was queued" in change(settings, 1).reason
    assert not service.files


def test_a_parked_update_is_not_passed_by_a_later_one(settings, service):
    record = service.put("products", name="Now", stock=1)
    parked = {"name": "B", "stockQuantity": 1, "_based_on": {"name": "Then"}}
    for body in ({"name": "A"}, parked, {"name": "C"}):
        enqueue("products", "update", body, record_id=record, settings=settings)
    discard(settings.home, 1, by="ann")
    push(settings)
    assert states(settings) == ["rejected", "conflict", "queued"]
    retry(settings.home, 1, by="ann")
    push(settings)
    assert service.records["products"][record]["name"] == "A"
    assert states(settings) == ["done", "conflict", "queued"]


def test_one_push_at_a_time(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    reached, go_on = threading.Event(), threading.Event()

    def hold(step, number):
        if step == "intent":
            reached.set()
            go_on.wait(20)

    first = threading.Thread(target=push, args=(settings,), kwargs={"hook": hold})
    first.start()
    assert reached.wait(20)
    with pytest.raises(PushBusy, match="Another push"):
        push(settings)
    numbers = enqueue("brands", "create", {"name": "Zenith"}, settings=settings)
    assert numbers == [2], "queueing goes on while a push runs"
    go_on.set()
    first.join(20)
    assert states(settings) == ["done", "done"]


def test_a_service_that_is_away_leaves_the_queue_as_it_is(tmp_path):
    settings = settings_for(tmp_path, "http://127.0.0.1:9/v1", timeout_seconds=1.0)
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    report = push(settings)
    assert report.exit_code == 3
    assert states(settings) == ["queued"]


def test_stopping_keeps_the_rest_queued(settings, service):
    for name in ("a", "b", "c"):
        enqueue("brands", "create", {"name": name}, settings=settings)
    seen = []

    report = push(
        settings,
        stop=lambda: len(seen) > 0,
        hook=lambda step, number: seen.append(step) if step == "outcome" else None,
    )
    assert report.exit_code == 4
    assert states(settings) == ["done", "queued", "queued"]


def test_what_was_pushed_is_named_until_the_mirror_shows_it(settings, service):
    to = invoice(service)
    [number] = enqueue("payments", "create", payment(to), by="ann", settings=settings)
    assert touched_since(settings.home) == []
    push(settings)
    records = {(row.resource, row.id) for row in touched_since(settings.home, "main")}
    [payment_id] = service.records["payments"]
    assert records == {("payments", payment_id), ("ticket_invoices", to)}
    [row] = history_rows(settings.home)
    assert (row["queued_by"], row["state"], row["is_mirrored"]) == ("ann", "done", False)
    assert '"amount": 10' in row["body"]
    assert row["answer"].startswith("201")
    assert mark_mirrored(settings.home, "main", records, read_at=0.0) == 0
    assert mark_mirrored(settings.home, "main", records) == 2
    assert touched_since(settings.home) == []
    assert history_rows(settings.home)[0]["is_mirrored"]
    assert history_rows(settings.home)[0]["number"] == number


def test_a_data_frame_from_a_notebook(settings, service):
    frame = pd.DataFrame({"name": ["Ann", "Bob"], "mobile": ["1", None], "tax": [1.0, None]})
    assert enqueue("customers", "create", frame, settings=settings) == [1, 2]
    push(settings)
    sent = [body for _, _, body in service.writes]
    assert sent == [{"name": "Ann", "mobile": "1", "tax": 1}, {"name": "Bob"}]


def test_discarding_keeps_the_history(settings, service):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    discard(settings.home, 1, by="ann")
    assert push(settings).requests == 0
    assert change(settings, 1).reason == "discarded by ann"
    assert history(settings) == ["queued", "discarded"]


@pytest.mark.parametrize("op", ["create", "update", "delete"])
def test_what_is_discarded_while_it_is_checked_is_not_sent(settings, service, op):
    record = None if op == "create" else service.put("brands", name="Acme")
    body = None if op == "delete" else {"name": "Zenith"}
    enqueue("brands", op, body, record_id=record, settings=settings)

    report = push(settings, hook=at("checked", lambda: discard(settings.home, 1, by="ann")))
    assert service.writes == []
    assert (states(settings), report.waiting) == (["rejected"], 0)


def test_of_merged_updates_one_discarded_while_they_are_checked_leaves_the_other(settings, service):
    record = service.put("customers", name="Ann")
    for body in ({"city": "A"}, {"mobile": "1"}):
        enqueue("customers", "update", body, record_id=record, settings=settings)

    def forget(step, number):
        if step == "checked" and states(settings) == ["queued", "queued"]:
            discard(settings.home, 2, by="ann")

    push(settings, hook=forget)
    assert [body for _, _, body in service.writes] == [{"city": "A"}]
    assert states(settings) == ["done", "rejected"]


def test_several_shops_are_pushed_side_by_side_and_one_that_fails_leaves_the_other(
    settings, service
):
    away = settings.shops[0].model_copy(
        update={"name": "away", "base_url": "http://127.0.0.1:9/v1", "timeout_seconds": 1.0}
    )
    both = settings.model_copy(update={"shops": (away, settings.shops[0])})
    for shop in ("away", "main"):
        enqueue("brands", "create", {"name": shop}, shop=shop, settings=both)
    report = push(both)
    assert report.exit_code == 3
    assert list(report.errors) == ["away"]
    assert states(settings) == ["queued", "done"]


def test_a_slow_service_gets_several_changes_at_once(settings, service, monkeypatch):
    monkeypatch.setattr("pipelines.outbox.pushing.SLOW_SECONDS", 0.02)
    service.delay = 0.2
    enqueue("brands", "create", [{"name": f"brand {n}"} for n in range(12)], settings=settings)
    assert push(settings).done == 12
    assert 1 < service.most_in_flight <= 4
    assert service.count("create", "brands") == 12


def test_comments_of_one_ticket_keep_their_order_at_a_slow_service(settings, service, monkeypatch):
    monkeypatch.setattr("pipelines.outbox.pushing.SLOW_SECONDS", -1.0)
    service.delay = 0.05
    tickets = [service.put("tickets", short_info=name) for name in ("a", "b")]
    rows = [
        {"ticket": tickets[number % 2], "type": "Public", "comment": str(number)}
        for number in range(10)
    ]
    enqueue("ticketComments", "create", rows, settings=settings)
    assert push(settings).done == 10
    assert service.most_in_flight > 1
    for ticket in tickets:
        words = [body["comment"] for _, _, body in service.writes if body["ticket"] == ticket]
        assert words == sorted(words)
