"""A queue that was put back, copied, moved, or whose machine was started anew."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from pipelines.outbox import (
    Outbox,
    QueueBroken,
    mark_restored,
)
from tests.fakes.shop import FakeShop
from tests.outbox.desk import (
    HOUR,
    ONCE,
    Desk,
    as_if_the_disk_was_put_back,
    at,
    kill,
    killed,
    some,
    torn,
    writes,
)
from tests.promises import promise

pytestmark = pytest.mark.core


def file_alone(desk: Desk) -> None:
    for old in desk.home.glob("outbox.sqlite*"):
        old.unlink()
    shutil.copy2(desk.home.with_name("spare") / "outbox.sqlite", desk.home)


def by_command(desk: Desk) -> None:
    desk.put_back()
    as_if_the_disk_was_put_back(desk.home)
    mark_restored(desk.home)


WAYS = [Desk.put_back, file_alone, Desk.put_back_disk, by_command]
"""The whole folder, the file alone, a snapshot of the disk, and what ``restore`` says."""


@promise("a queue put back from a backup pays nothing twice")
@pytest.mark.parametrize("way", [*WAYS, Desk.put_back_machine])
@pytest.mark.parametrize("queued_since", [False, True])
def test_a_backup_put_back_after_a_push_does_nothing_twice(desk, way, queued_since):
    desk.begin()
    some(desk)
    desk.back_up()
    desk.shop.clock.ticks += HOUR
    assert desk.push().exit_code == 0
    desk.shop.clock.ticks += HOUR
    way(desk)
    if queued_since:
        desk.queue("brands", "create", {"name": "X"})
    desk.later(HOUR, 3)
    assert writes(desk) == ONCE
    # The payment is known by its marker, the customer by its content; of stock nothing can be told.
    told = ["done", "done", "done", "in_doubt", "in_doubt", "done"]
    assert desk.states() == told + ["done"] * queued_since


@pytest.mark.parametrize("deed", ["delete", "pay", "pay in full", "pay while reads fail"])
def test_what_a_machine_put_back_reads_first_is_no_outcome(desk, deed):
    desk.begin()
    record, invoice = desk.shop.put("customers", name="Cid"), desk.shop.invoice(100)
    if deed == "delete":
        desk.queue("customers", "delete", None, record)
    else:
        desk.pay(invoice, 100 if deed == "pay in full" else 10)
    desk.back_up()
    desk.shop.clock.ticks += HOUR
    assert desk.push().exit_code == 0
    desk.shop.clock.ticks += HOUR
    desk.put_back_machine()
    if deed == "pay while reads fail":
        desk.shop.read_faults.extend([400] * 2)
    desk.later(HOUR, 3)
    assert (desk.states(), len(desk.shop.writes)) == (["done"], 1)


def test_a_push_of_a_machine_put_back_sends_what_is_not_there_and_ends(desk):
    desk.begin()
    record = desk.shop.put("customers", name="Cid", city="x")
    desk.queue("customers", "update", {"city": "A"}, record)
    desk.back_up()
    desk.shop.clock.ticks += HOUR
    desk.put_back_machine()
    began = desk.shop.clock.ticks
    desk.push()
    assert (desk.states(), desk.shop.count("PUT", "customers")) == (["done"], 1)
    assert desk.shop.clock.ticks - began < HOUR


def test_a_clock_that_is_set_is_no_machine_put_back(desk):
    desk.begin()
    product = desk.shop.put("products", name="Screen", stock=4)
    for hours in (48, -96):
        desk.shop.clock.wall_offset += hours * HOUR
        desk.queue("products", "update", {"stockQuantity": 3}, product)
        assert desk.push().exit_code == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_backup_put_back_before_a_push_is_sent_as_far_as_can_be_seen(desk, way):
    desk.begin()
    some(desk)
    desk.back_up()
    desk.shop.clock.ticks += HOUR
    way(desk)
    desk.later(HOUR, 3)
    asked = way is not file_alone  # its stamp tells that nothing was sent since
    assert desk.states() == ["done"] * 4 + ["in_doubt" if asked else "done", "done"]
    if asked:  # never known to be sent, and nothing could show it
        assert desk.change(5).needs_person
        desk.retry(5)
        desk.push()
    assert writes(desk) == ONCE


def test_a_change_queued_since_the_backup_was_put_back_is_surely_not_sent(desk):
    desk.begin()
    desk.back_up()
    desk.queue("brands", "create", {"name": "A"})
    desk.push()
    file_alone(desk)
    product = desk.shop.put("products", name="Screen", stock=4)
    assert desk.queue("products", "update", {"stockQuantity": 3}, product) == 2, "1 is given out"
    desk.push()
    assert desk.states() == ["done"]


@pytest.mark.parametrize("shown", [{"amount": 10.01}, {"amount": 10.005}, {}])
def test_a_marker_is_believed_whatever_amount_or_id_is_shown(desk, shown):
    desk.begin()
    invoice = desk.shop.invoice()
    desk.pay(invoice, 10.005)
    desk.back_up()
    desk.push()
    [payment] = desk.shop.tables["payments"].values()
    payment |= shown
    if not shown:
        desk.shop.take(invoice, 20)
        desk.shop.hidden |= {("payments", "id"), ("payments", "payment_id")}
    desk.put_back()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


def test_a_ticket_dated_by_its_author_is_not_made_twice(desk):
    desk.begin()
    body = {"customerId": "7", "shortInfo": "Screen", "createdDate": "02-Jan-2026"}
    desk.queue("tickets", "create", body)
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.later(HOUR, 2)
    assert desk.made("tickets") == 1


def test_a_till_payment_alike_is_not_adopted_by_a_queue_put_back(desk):
    desk.begin()
    invoice = desk.shop.invoice()
    desk.pay(invoice, 50, "cash", marker=False)
    desk.back_up()
    desk.shop.clock.ticks += HOUR
    desk.shop.take(invoice, 50, "cash")
    desk.put_back()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("payments")) == (["in_doubt"], 0)


def test_a_record_made_a_moment_before_the_last_push_is_not_taken_for_ours(desk):
    desk.shop.put("brands", name="Ann")
    desk.shop.clock.ticks += 60
    desk.begin()
    desk.shop.clock.ticks += 60
    desk.queue("brands", "create", {"name": "Ann"})
    desk.reboot()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.change().needs_person) == (["in_doubt"], True)


@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize("hours", [0, -48])
def test_a_record_made_before_ours_was_queued_is_not_ours(desk, is_moved, hours):
    desk.begin()
    desk.shop.clock.wall_offset += hours * HOUR
    desk.shop.clock.ticks += HOUR
    desk.shop.put("brands", name="Bob")
    desk.shop.clock.ticks += 60
    if is_moved:
        desk = desk.copy_to("there")
        desk.adopt()
        desk.queue("brands", "create", {"name": "Bob"})
    else:
        desk.queue("brands", "create", {"name": "Bob"})
        mark_restored(desk.home)
    desk.later(HOUR, 2)
    assert desk.states() == ["in_doubt"]
    desk.retry()
    desk.push()
    assert (desk.states(), desk.made("brands")) == (["done"], 1)


def test_a_hidden_field_makes_no_update_done(desk):
    desk.begin()
    record = desk.shop.put("customers", name="Ann")
    desk.shop.hidden.add(("customers", "tax"))
    desk.queue("customers", "update", {"name": "Ann", "tax": 3}, record)
    desk.reboot()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.shop.count("PUT", "customers")) == (["done"], 1)


def test_a_discarded_change_of_a_queue_put_back_is_looked_for_when_retried(desk):
    desk.begin()
    desk.pay(desk.shop.invoice())
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.push(wait=False)
    if desk.states() == ["in_doubt"]:
        desk.discard()
        desk.retry()
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


@pytest.mark.parametrize("step", ["checked", "intent"])
def test_a_crash_around_the_stamp_is_no_backup_put_back(desk, step):
    product = desk.shop.put("products", name="Screen", stock=4)
    other = desk.shop.put("products", name="Case", stock=4)
    desk.queue("products", "update", {"stockQuantity": 3}, product)
    desk.queue("products", "update", {"stockQuantity": 1}, other)
    with killed(), torn(step == "intent"):
        desk.push(hook=at("checked", kill) if step == "checked" else None)
    desk.later(HOUR, 2)
    assert desk.states() == [("done", "in_doubt")[step == "intent"], "done"]


def test_a_push_of_one_shop_leaves_what_a_crash_left_of_another(tmp_path):
    desk = Desk(tmp_path / "home", FakeShop(), "north", "south")
    desk.begin()
    product = desk.shop.put("products", name="Screen", stock=4)
    for name in desk.names:
        desk.queue("products", "update", {"stockQuantity": 3}, product, shop=name)
    with killed(), torn(True):
        desk.push(shop="south")
    told = {one.number: one.waits for one in desk.push(dry_run=True).planned}
    assert told == {3: "", 4: "in doubt, looked up first"}
    desk.push(shop="north")
    assert desk.states() == ["done", "queued"]
    desk.push(shop="south")
    assert desk.states() == ["done", "in_doubt"]


def test_another_program_cannot_break_a_row(desk):
    desk.queue("brands", "create", {"name": "A"})
    desk.push()
    edits = ["state = 'queued'", "state = 'sent'", "body = '{'", "state = 'in_doubt'"]
    with sqlite3.connect(desk.home / "outbox.sqlite") as db:
        for edit in edits:
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(f"update changes set {edit}")


@pytest.mark.parametrize("kind", ["update", "payment"])
@pytest.mark.parametrize("put_back", [True, False])
def test_a_conflict_asks_a_person_still_after_a_new_start_or_a_backup(desk, kind, put_back):
    customer, invoice = desk.shop.put("customers", name="Cid", city="B"), desk.shop.invoice(100)
    if kind == "update":
        desk.queue("customers", "update", {"city": "A"}, customer, based_on={"city": "x"})
    else:
        desk.shop.take(invoice, 60)
        desk.pay(invoice, 60)
    desk.push()
    assert desk.states() == ["conflict"]
    desk.later(10 * HOUR, 3)
    desk.back_up()
    desk.queue("brands", "create", {"name": "Acme"})
    desk.push()
    desk.put_back() if put_back else desk.reboot()
    desk.later()
    assert (desk.change().needs_person, len(desk.shop.writes)) == (True, 1)
    assert kind == "payment" or desk.states()[0] == "conflict"
    for _ in range(3):
        if desk.states()[0] != "done":
            desk.retry()
            desk.later()
    assert (desk.states()[0], len(desk.shop.writes)) == ("done", 2)


@pytest.mark.parametrize("put_back", [True, False])
def test_what_a_person_was_asked_is_not_sent_unasked_after_a_new_start_or_a_backup(desk, put_back):
    desk.queue("customers", "create", {"name": "Ana"})
    desk.push("lost before", "400 before")
    desk.later(10 * HOUR, 3)
    assert (desk.states(), desk.change().needs_person) == (["in_doubt"], True)
    told = desk.change().reason
    desk.back_up()
    desk.queue("brands", "create", {"name": "Acme"})
    desk.push()
    desk.put_back() if put_back else desk.reboot()
    desk.later(HOUR, 3)
    assert desk.shop.count("POST", "customers") == 0
    assert (desk.change().needs_person, desk.change().reason) == (True, told)
    desk.retry()
    desk.later()
    assert (desk.states()[0], desk.shop.count("POST", "customers")) == ("done", 1)


def test_a_queue_that_is_gone_is_not_begun_anew(desk):
    desk.queue("brands", "create", {"name": "A"})
    desk.push()
    (desk.home / "outbox.sqlite").unlink()
    with pytest.raises(QueueBroken, match="gone"):
        desk.push()


@pytest.mark.parametrize(("version", "said"), [(99, "newer version"), (2, "before 0.1.0")])
def test_a_file_of_another_version(desk, version, said):
    Outbox(desk.home).close()
    with sqlite3.connect(desk.home / "outbox.sqlite") as db:
        db.execute(f"pragma user_version = {version}")
    with pytest.raises(QueueBroken, match=said):
        Outbox(desk.home)


def test_a_queue_of_the_layout_before_is_brought_over(desk):
    desk.begin()
    with sqlite3.connect(desk.home / "outbox.sqlite") as db:
        db.execute("alter table unsettled drop column number")
        db.execute("alter table changes drop column queued_there")
        db.execute("pragma user_version = 5")
    desk.pay(desk.shop.invoice())
    assert desk.push().exit_code == 0


def test_a_push_at_work_has_all_that_it_committed_in_the_one_file(desk):
    """Beside a log that a killed push left, an older file that is put back would be half new."""
    desk.queue("brands", "create", {"name": "A"})
    file, copy = desk.home / "outbox.sqlite", desk.home.with_name("copy.sqlite")
    with closing(sqlite3.connect(file)) as db:
        db.execute("pragma journal_mode = wal")  # as older versions left it
        desk.queue("brands", "create", {"name": "B"})
    desk.push(hook=at("intent", lambda: shutil.copy2(file, copy)))
    with closing(sqlite3.connect(copy)) as db:
        states = db.execute("select state from changes order by number").fetchall()
    assert states == [("sending",), ("queued",)]


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("kind", ["customers", "ticketComments", "payments", "hidden marker"])
def test_records_that_a_clock_of_long_ago_dates_are_not_made_again(
    desk, monkeypatch, kind, is_there
):
    """What our own record, made before, tells of that clock; it may be gone, and tell nothing."""
    monkeypatch.setattr(desk.shop, "shown", lambda *_: "2026-07-16T18:22:05-0600")
    desk.begin()
    invoice = desk.shop.invoice(100)
    desk.shop.put("ticketComments", comment="Old")
    path = kind
    if kind == "customers":
        desk.queue(kind, "create", {"name": "Ann", "mobile": "5550"})
    elif kind == "ticketComments":
        comment = {"ticket": "7", "comment": "Ready", "type": "Public", "status": "Update"}
        desk.queue(kind, "create", comment)
    else:
        path = "payments"
        desk.pay(invoice, 40, marker=kind != "payments")
    desk.back_up()
    desk.push()
    for row in desk.shop.tables["payments"].values():
        row.pop("payment_note", None)
    desk.put_back()
    if not is_there:
        desk.shop.tables["brands"] = {
            key: row for key, row in desk.shop.tables["brands"].items() if row["name"] != "First"
        }
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made(path)) == (["in_doubt"], 1)


def test_a_file_that_was_being_sent_as_the_backup_was_made_is_attached_once(desk, photo):
    desk.queue("tickets", "upload", None, desk.shop.put("tickets"), file=photo)
    assert desk.push(hook=at("intent", desk.back_up)).exit_code == 0
    desk.put_back()
    assert desk.push().exit_code == 1
    assert (desk.states(), len(desk.shop.files)) == (["in_doubt"], 1)
