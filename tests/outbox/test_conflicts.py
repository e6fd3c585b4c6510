"""What a change is based on: an edit of staff's meanwhile is a conflict that a person decides."""

import time

import duckdb
import pytest

from pipelines.outbox import Outbox, mark_mirrored, next_step, problems
from pipelines.outbox.errors import InputRefused
from tests.outbox.desk import HOUR, Desk, at

pytestmark = pytest.mark.core


def test_what_another_copy_sent_is_nobodys_edit(desk, record):
    desk.begin()
    desk.queue("customers", "update", {"mobile": "2"}, record)
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.push()
    desk.queue("customers", "update", {"mobile": "3"}, record)
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.change().attempts) == (["done", "done"], 0)


def test_of_fields_that_their_author_names_no_basis_for_the_warehouse_tells(desk, record):
    body = {"mobile": "3", "city": "Flores"}
    with pytest.raises(InputRefused, match="based_on: there is no field City"):
        desk.queue("customers", "update", body, record, based_on={"City": "Cobán"})
    desk.queue("customers", "update", body, record, based_on={"city": "Cobán"})
    desk.shop.tables["customers"][record] |= {"mobile": "9", "city": "Cobán"}
    assert desk.push().exit_code == 1
    assert "mobile: was '1' when queued, is now '9'" in desk.change().reason


def test_a_field_that_the_service_does_not_show_is_nobodys_edit(desk, record):
    desk.queue("customers", "update", {"mobile": "3"}, record, based_on={"mobile": "1"})
    del desk.shop.tables["customers"][record]["mobile"]
    assert desk.push().exit_code == 0


@pytest.mark.parametrize(
    ("mirrored", "based_on", "now", "told"),
    [
        ("1", None, "9", "was '1' when queued, is now '9'"),
        (None, None, "9", "was '' when queued, is now '9'"),
        ("1", {"mobile": None}, "9", "was '' when queued, is now '9'"),
        ("2", {"mobile": "1"}, "", "was '1' when queued, is now ''"),
        ("2", {"mobile": "1"}, None, "was '1' when queued, is now ''"),
    ],
)
def test_an_edit_of_staff_is_a_conflict_and_a_retry_goes_over_it(
    desk, record, mirrored, based_on, now, told
):
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute(
            "insert into raw.customers select * replace ('another' as id) from raw.customers"
        )
        db.execute("update raw.customers set mobile = ? where id = ?", [mirrored, record])
    row = desk.shop.tables["customers"][record]
    desk.queue("customers", "update", {"mobile": "3"}, record, based_on=based_on)
    row["mobile"] = now
    assert desk.push().exit_code == 1
    assert f"mobile: {told}" in desk.change().reason
    desk.retry()
    row["mobile"] = "8"
    desk.push()
    assert desk.states() == ["conflict"], "it is not the value that was approved"
    desk.retry()
    assert desk.push().exit_code == 0
    assert row["mobile"] == "3"


@pytest.mark.parametrize("fault", ["429 before", "401 before"])
def test_an_edit_of_staff_in_the_minute_after_a_rate_error_is_not_overwritten(desk, record, fault):
    row, sleep = desk.shop.tables["customers"][record], desk.shop.clock.sleep
    desk.queue("customers", "update", {"mobile": "3"}, record, based_on={"mobile": "1"})

    def edit(seconds: float) -> None:
        row["mobile"] = "9"
        sleep(seconds)

    assert desk.push(fault, sleep=edit).exit_code == 1
    assert (desk.states(), row["mobile"]) == (["conflict"], "9")
    assert "is now '9'" in desk.change().reason


def test_what_could_not_be_checked_is_said_to_be_tried_again(desk, record):
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.shop.read_faults.append(400)
    desk.push()
    with Outbox(desk.home) as outbox:
        told = next_step(outbox, desk.change(), {})
    assert told.startswith("the next push tries again (could not be checked before sending")


def test_an_update_of_a_record_just_made_waits_until_the_service_shows_it(desk):
    desk.queue("customers", "create", {"name": "Cid"})
    desk.queue("customers", "update", {"mobile": "3"}, "@1")
    desk.shop.lag = 60.0
    desk.shop.refuses = lambda path, page: (
        (404, {"error": "No."}) if path.endswith(f"/{desk.change().id}") else None
    )
    assert desk.push().exit_code == 1
    assert "has no customers with id" in desk.change(2).reason
    desk.shop.refuses = lambda path, page: None
    assert desk.later(60).exit_code == 0
    assert desk.states() == ["done", "done"]


def test_a_record_whose_read_gets_no_answer_keeps_no_other_from_being_sent(desk):
    for _ in range(2):
        record = desk.shop.put("customers", name="Cid")
        desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.shop.read_faults.extend([-1] * 3)
    assert desk.push(wait=False).errors == {}
    assert desk.states() == ["queued", "done"]


def test_a_list_that_is_not_found_at_a_service_that_works_keeps_its_own_changes_alone(desk):
    for resource in ("brands", "customers", "categories"):
        desk.queue(resource, "create", {"name": "Acme"})
    desk.shop.read_faults.extend([0, 404])
    assert desk.push(wait=False).errors == {}
    assert desk.states() == ["done", "queued", "done"]


def test_a_retry_goes_over_an_edit_that_came_before_a_lost_update_was_sent_again(desk, record):
    row = desk.shop.tables["customers"][record]
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.push("lost before", hook=at("looked", lambda: row.update(mobile="9")))
    assert (desk.states(), desk.change().attempts) == (["conflict"], 1)
    desk.retry()
    assert desk.push().exit_code == 0
    assert (desk.states(), row["mobile"]) == (["done"], "3")


@pytest.mark.parametrize(("who", "mobile"), [("ours", "3"), ("theirs", "2")])
def test_a_parked_conflict_is_decided_by_a_later_push(desk, record, who, mobile):
    desk.shop.tables["customers"][record]["mobile"] = "2"
    desk.queue("customers", "update", {"mobile": "3"}, record)
    desk.push()
    desk.push(on_conflict=who)
    assert desk.shop.tables["customers"][record]["mobile"] == mobile
    assert desk.shop.count("PUT", "customers") == (who == "ours")
    assert "conflict" not in desk.states()
    assert problems(desk.home)[1] == [], "it is decided"
    with Outbox(desk.home) as outbox:
        assert "Mend it" not in next_step(outbox, desk.change(), {})


@pytest.mark.parametrize(
    "kept", [str.upper, lambda text: text.replace("ú", "u").replace("ñ", "n").replace("í", "i")]
)
def test_what_the_service_respells_is_ours(desk, record, kept):
    desk.shop.edit = lambda name, value: kept(value) if name == "company" else value
    for company in ("Núñez Co", "Núñez Cía"):
        desk.queue("customers", "update", {"company": company}, record)
    assert desk.push().exit_code == 0


@pytest.mark.parametrize("fault", ["", "lost before", "lost after", "401 before"])
def test_where_staff_wins_the_other_fields_are_sent_and_theirs_never(desk, record, fault):
    row = desk.shop.tables["customers"][record]
    desk.queue("customers", "update", {"mobile": "3", "company": "Glass"}, record)
    row["mobile"] = "2"
    desk.push(fault, on_conflict="theirs")
    desk.later(HOUR, 2)
    assert (desk.states(), row["mobile"], row["company"]) == (["done"], "2", "Glass")
    assert "theirs kept" in desk.events()


@pytest.mark.parametrize(("now", "is_new_start"), [("9", True), ("", False), (None, False)])
def test_a_retry_of_a_conflict_stands_after_a_new_start_too(desk, record, now, is_new_start):
    row = desk.shop.tables["customers"][record]
    desk.queue("customers", "update", {"mobile": "3"}, record)
    row["mobile"] = now
    desk.push()
    desk.retry()
    if is_new_start:
        desk.reboot()
    assert desk.push().exit_code == 0
    assert (desk.states(), row["mobile"]) == (["done"], "3")


@pytest.mark.parametrize("between", [Desk.push, Desk.reboot, Desk.states])
def test_two_updates_of_one_field_are_nobodys_edit(desk, record, between):
    for mobile in ("2", "3"):
        desk.queue("customers", "update", {"mobile": mobile}, record)
        between(desk)
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.shop.tables["customers"][record]["mobile"]) == (["done"] * 2, "3")


def test_what_ours_set_before_an_update_was_queued_is_not_its_basis(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.queue("customers", "update", {"mobile": "2"}, record)
    desk.push()
    desk.shop.tables["customers"][record]["mobile"] = "9"
    desk.queue("customers", "update", {"mobile": "3"}, record)
    with Outbox(desk.home) as outbox:
        outbox.note(1, "seen", "a person looked at it since")
    assert desk.push().exit_code == 0


def test_what_staff_sets_back_between_two_of_ours_is_a_conflict(desk, record):
    row = desk.shop.tables["customers"][record]
    for mobile in ("2", "3"):
        desk.queue("customers", "update", {"mobile": mobile}, record)
    desk.push(hook=at("outcome", lambda: row.update(mobile="1")))
    assert desk.states() == ["done", "conflict"]
    assert "was '2' when queued, is now '1'" in desk.change(2).reason


@pytest.mark.parametrize("is_read_back", [True, False])
def test_the_mirror_is_the_basis_of_what_it_read_back_since_ours(desk, record, is_read_back):
    desk.queue("customers", "update", {"mobile": "2"}, record)
    desk.push()
    desk.shop.tables["customers"][record]["mobile"] = "1"  # staff set it back
    if is_read_back:
        mark_mirrored(desk.home, "main", [("customers", record)], read_at=time.time() + 1)
        (desk.home / "warehouse.duckdb").touch()
    desk.queue("customers", "update", {"mobile": "2"}, record)
    desk.push()
    assert desk.states() == ["done", "done" if is_read_back else "conflict"]


def test_an_older_update_that_is_retried_asks_before_it_goes_over_a_newer_one(desk, record):
    for mobile in ("2", "3"):
        desk.queue("customers", "update", {"mobile": mobile}, record)
    desk.discard(1)
    desk.push()
    desk.retry(1)
    desk.push()
    assert desk.states() == ["conflict", "done"]


def test_many_updates_of_one_record_write_nothing_of_each_other(desk, record):
    for city in "ABC":
        desk.queue("customers", "update", {"city": city}, record)
    desk.push()
    assert [desk.events(number) for number in (1, 2, 3)] == [["queued", "sending", "done"]] * 3


def test_an_update_that_an_older_version_did_keeps_no_other_from_being_sent(desk, record):
    for mobile in ("2", "3"):
        desk.queue("customers", "update", {"mobile": mobile}, record)
    desk.push(max_requests=3)
    with Outbox(desk.home) as outbox, outbox.transaction() as db:
        db.execute("update changes set sent_body = null, basis = '{}'")
    assert desk.push().exit_code == 0
    assert desk.states() == ["done", "done"]


@pytest.mark.parametrize("op", ["update", "delete", "upload"])
def test_a_record_that_has_the_id_of_the_one_that_was_meant_is_left_alone(desk, tmp_path, op):
    resource = "products" if op == "upload" else "customers"
    record = desk.shop.put(resource, name="Ann", city="Cobán")
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    desk.home.mkdir()
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            f"create table raw.{resource} as select 'main' as shop_id, ? as id, ? as created_date,"
            " now() as _seen_at, null::timestamptz as _deleted_at",
            [record, desk.shop.tables[resource][record]["created_date"]],
        )
    desk.shop.clock.ticks += HOUR
    kept = {"file": photo} if op == "upload" else {}
    desk.queue(resource, op, {"city": "Xela"} if op == "update" else None, record, **kept)
    desk.shop.free_ids.append(record)
    del desk.shop.tables[resource][record]
    assert desk.shop.put(resource, name="Bob", city="Cobán") == record
    for _ in range(2):
        assert desk.push(on_conflict="ours").exit_code == 1
        assert (desk.states(), desk.shop.writes) == (["conflict"], [])
    assert "its id was given out again" in desk.change().reason
    desk.retry()
    assert desk.push().exit_code == 0
    assert desk.states() == ["done"]


@pytest.mark.parametrize(
    ("listed", "by_path", "state"),
    [
        ("2026-09-21T15:30:07+00:00", "2026-09-21T21:30:07", "done"),
        ("2026-09-21T15:30:07", "2026-09-21T16:30:07", "conflict"),
        ("2026-09-21T15:30:07+00:00", "2026-09-21T21:30:07+00:00", "conflict"),
        ("2026-09-21T15:30:07+00:00", "2026-09-21T21:30:09", "conflict"),
        ("2026-09-21T15:30:07", "2026-09-23T21:30:07", "conflict"),
    ],
)
def test_a_moment_of_another_zone_is_no_other_record(desk, listed, by_path, state):
    record = desk.shop.put("customers", name="Ann", city="Cobán", created_date=by_path)
    desk.mirror("customers", {"id": record, "created_date": listed})
    desk.queue("customers", "update", {"city": "Xela"}, record)
    desk.push()
    assert desk.states() == [state]


def test_a_payment_is_not_booked_on_another_invoice_that_got_the_id(desk):
    invoice = desk.shop.invoice(100)
    desk.mirror("ticket_invoices", {"id": invoice, "created_date": "2026-09-01T08:00:00+00:00"})
    desk.pay(invoice, 50)
    there = {"amount_total": 40, "created_date": "2026-09-21T15:30:07+00:00"}
    desk.shop.tables["ticketInvoices"][invoice] |= there
    assert desk.push().exit_code == 1
    assert (desk.states(), desk.shop.writes) == (["conflict"], [])
    assert "given out again" in desk.change().reason
    desk.retry()
    desk.push()
    assert "40.00 is due" in desk.change().reason
    desk.retry()
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


def test_a_record_that_got_the_id_after_an_update_was_lost_is_left_alone(desk):
    desk.begin()
    record = desk.shop.put("customers", name="Ann", city="Cobán")
    desk.queue("customers", "update", {"city": "Xela"}, record)
    desk.push("lost before", wait=False)
    desk.shop.clock.ticks += HOUR
    desk.shop.free_ids.append(record)
    del desk.shop.tables["customers"][record]
    assert desk.shop.put("customers", name="Bob", city="Cobán") == record
    desk.later()
    assert (desk.states(), desk.shop.writes) == (["conflict"], [])
    desk.retry()
    assert desk.push().exit_code == 0
