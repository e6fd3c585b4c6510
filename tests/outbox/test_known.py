"""Ids and labels are looked up in the mirror before anything is queued."""

import re

import duckdb
import pytest

from pipelines.outbox import InputRefused, Outbox, discard, enqueue
from pipelines.outbox.order import waits_for

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


TICKET = {"customerId": "c1", "shortInfo": "x"}
VISIT = {"subject": "x", "dateandtime": "2026-03-05 10:00"}


@pytest.mark.parametrize(
    ("resource", "op", "body", "told"),
    [
        *(("customers", "update", [{"id": "c1", "city": "A"}, {"id": one, "city": "B"}],
           f"row 2: customers id: '{one}' is no id among the customers")
          for one in ("nobody", "gone", "theirs")),
        ("tickets", "create", TICKET | {"customerId": "Ann, Bob"},
         "'Ann, Bob' is no id or name among the customers"),
        ("tickets", "create", TICKET | {"status": "in progress"}, "did you mean 'In Progress'?"),
        ("tickets", "create", TICKET | {"status": "in progress"},
         "The mirror has: In Progress, New."),
        ("tickets", "create", TICKET | {"status": "Sent"},
         "no id or exact label of statuses of type 'repair'"),
        ("appointments", "create", VISIT | {"attendees": "u1, u9"}, "appointments attendees: 'u9'"),
        ("payments", "create", {"invoiceId": "i-1", "lines": "50"}, "lines: must be a list, not"),
        ("tickets", "create", TICKET | {"lines": "A, 2"}, "lines: must be a list, not"),
    ],
)  # fmt: skip
def test_what_is_not_in_the_mirror_is_told_and_nothing_queued(mirror, resource, op, body, told):
    with pytest.raises(InputRefused, match=re.escape(told)):
        enqueue(resource, op, body, settings=mirror)
    with Outbox(mirror.home) as outbox:
        assert outbox.changes() == []


@pytest.mark.parametrize(
    "given",
    [{}, {"customerId": "Bob"}, *({"status": one} for one in ("In Progress", "2", 2))],
    ids=str,
)
def test_what_the_mirror_has_is_named_by_its_id_its_name_or_its_label(mirror, given):
    assert enqueue("tickets", "create", TICKET | given, settings=mirror) == [1]


def test_a_reference_in_a_row_with_another_fault_is_no_fault(mirror):
    [number] = enqueue("customers", "create", {"name": "Eve"}, settings=mirror)
    body = {"customerId": f"@{number}", "shortInfo": "x", "priority": "sometimes"}
    with pytest.raises(InputRefused) as caught:
        enqueue("tickets", "create", body, settings=mirror)
    assert len(caught.value.faults) == 1


def test_a_change_that_was_rejected_gives_no_id(mirror):
    [number] = enqueue("customers", "create", {"name": "Eve"}, settings=mirror)
    discard(mirror.home, number, by="ann")
    body = {"customerId": f"@{number}", "shortInfo": "x"}
    with pytest.raises(InputRefused, match="change 1 was rejected"):
        enqueue("tickets", "create", body, settings=mirror)


def test_a_change_that_makes_no_record_gives_no_id(mirror, tmp_path):
    """The id of a file is that of its place."""
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    for op, more in (("upload", {"file": photo}), ("delete", {})):
        enqueue("tickets", op, record_id="t1", settings=mirror, check=False, **more)
    body = {"ticket": "@1", "comment": "x", "type": "Public", "status": "Update"}
    with pytest.raises(InputRefused, match="ticket: @1 is upload, which makes no record"):
        enqueue("ticketComments", "create", body, settings=mirror, check=False)
    with pytest.raises(InputRefused, match="id: @2 is delete, which makes no record"):
        enqueue("tickets", "update", {"priority": "Low"}, record_id="@2", settings=mirror)
    rows = [{"id": "t1"}, {"id": "@row:1"}]
    with pytest.raises(InputRefused, match="row 2: id: @row:1 is delete, which makes no record"):
        enqueue("tickets", "delete", rows, settings=mirror, check=False)


def test_what_a_change_waits_for_is_found_without_reading_all_the_others(mirror):
    steps = []
    for rows in (20, 400):
        names = [{"name": f"Ann {rows} {number}"} for number in range(rows)]
        [*_, last] = enqueue("customers", "create", names, settings=mirror)
        with Outbox(mirror.home) as outbox:
            change, met = outbox.get(last), list[int]()
            outbox._db.set_progress_handler(lambda met=met: met.append(1), 1)
            assert waits_for(outbox, change) == ""
            steps.append(len(met))
    assert steps[1] < 2 * steps[0]


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
