"""Ids and labels are looked up in the mirror before anything is queued."""

import duckdb
import pytest

from pipelines.outbox import InputRefused, Outbox, discard, enqueue

pytestmark = pytest.mark.core

TABLES = {
    "customers": [("c1", "Ann"), ("c2", "Bob")],
    "statuses": [("1", "New"), ("2", "In Progress")],
    "users": [("u1", None), ("u2", None)],
}


@pytest.fixture
def mirror(settings):
    settings.home.mkdir(exist_ok=True)
    with duckdb.connect(str(settings.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        for table, rows in TABLES.items():
            word = "name" if table == "customers" else "label"
            db.execute(
                f"create table raw.{table} (shop_id varchar, id varchar, {word} varchar,"
                " type varchar, _deleted_at timestamp)"
            )
            for row in rows:
                db.execute(f"insert into raw.{table} values ('main', ?, ?, 'repair', null)", row)
        db.execute("insert into raw.statuses values ('main', '3', 'Sent', 'repair_notes', null)")
        db.execute("insert into raw.customers values ('main', 'gone', 'Cid', null, now())")
        db.execute("insert into raw.customers values ('other', 'theirs', 'Dan', null, null)")
        db.execute("create table raw.brands (shop_id varchar, id varchar, _deleted_at timestamp)")
    return settings


@pytest.mark.parametrize("record", ["nobody", "gone", "theirs"])
def test_a_record_that_is_not_in_the_mirror(mirror, record):
    with pytest.raises(InputRefused, match=f"'{record}' is no id among the customers"):
        enqueue("customers", "update", {"city": "A"}, record_id=record, settings=mirror)
    with Outbox(mirror.home) as outbox:
        assert outbox.changes() == []


def test_a_label_must_match_exactly(mirror):
    body = {"customerId": "c1", "shortInfo": "x", "status": "in progress"}
    with pytest.raises(InputRefused) as caught:
        enqueue("tickets", "create", body, settings=mirror)
    assert "did you mean 'In Progress'?" in str(caught.value)
    assert "The mirror has: In Progress, New." in str(caught.value)
    for status in ("In Progress", "2", 2):
        enqueue("tickets", "create", {**body, "status": status}, settings=mirror)


def test_a_label_is_of_its_own_kind(mirror):
    body = {"customerId": "c1", "shortInfo": "x", "status": "Sent"}
    with pytest.raises(InputRefused, match="no id or exact label of statuses of type 'repair'"):
        enqueue("tickets", "create", body, settings=mirror)


def test_a_name_with_a_comma_is_one_name(mirror):
    with pytest.raises(InputRefused, match="'Ann, Bob' is no id or name among the customers"):
        body = {"customerId": "Ann, Bob", "shortInfo": "x"}
        enqueue("tickets", "create", body, settings=mirror)


def test_a_customer_by_id_or_by_name(mirror):
    for customer in ("c2", "Bob"):
        body = {"customerId": customer, "shortInfo": "x"}
        enqueue("tickets", "create", body, settings=mirror)


def test_each_of_several_ids_is_looked_up(mirror):
    body = {"subject": "x", "dateandtime": "2026-03-05 10:00", "attendees": "u1, u9"}
    with pytest.raises(InputRefused, match="appointments attendees: 'u9'"):
        enqueue("appointments", "create", body, settings=mirror)


def test_rows_of_a_file_are_named(mirror):
    rows = [{"id": "c1", "city": "A"}, {"id": "c9", "city": "B"}]
    with pytest.raises(InputRefused, match="row 2: customers id: 'c9'"):
        enqueue("customers", "update", rows, settings=mirror)


def test_a_reference_in_a_row_with_another_fault_is_no_fault(mirror):
    [number] = enqueue("customers", "create", {"name": "Eve"}, settings=mirror)
    body = {"customerId": f"@{number}", "shortInfo": "x", "priority": "sometimes"}
    with pytest.raises(InputRefused) as caught:
        enqueue("tickets", "create", body, settings=mirror)
    assert len(caught.value.faults) == 1


def test_a_text_in_place_of_lines_is_a_fault_like_others(mirror):
    for resource, body in [
        ("payments", {"invoiceId": "i-1", "lines": "50"}),
        ("tickets", {"customerId": "c1", "shortInfo": "x", "lines": "A, 2"}),
    ]:
        with pytest.raises(InputRefused, match="lines: must be a list, not"):
            enqueue(resource, "create", body, settings=mirror)


def test_a_change_that_was_rejected_gives_no_id(mirror):
    [number] = enqueue("customers", "create", {"name": "Eve"}, settings=mirror)
    discard(mirror.home, number, by="ann")
    body = {"customerId": f"@{number}", "shortInfo": "x"}
    with pytest.raises(InputRefused, match="change 1 was rejected"):
        enqueue("tickets", "create", body, settings=mirror)


def test_what_was_pushed_since_the_sync_is_known(mirror, desk):
    [number] = enqueue("customers", "create", {"name": "Eve"}, settings=mirror)
    desk.push()
    with Outbox(mirror.home) as outbox:
        record = outbox.get(number).id
    assert enqueue("customers", "update", {"city": "A"}, record_id=record, settings=mirror)


def test_the_check_can_be_left_out_and_empty_lists_check_nothing(mirror):
    enqueue("customers", "delete", record_id="nobody", settings=mirror, check=False)
    enqueue("brands", "delete", record_id="any", settings=mirror)
    enqueue("categories", "delete", record_id="any", settings=mirror)
