"""A queue put back from a backup: what it still has as waiting is looked up before it is sent."""

import shutil
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pipelines.outbox import enqueue, identity, push, retry
from pipelines.outbox.identity import Finding, Standing
from pipelines.outbox.verify import surely_before
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.outbox.conftest import MINUTE, change, invoice, pay, payment, settings_for, states
from tests.outbox.restoring import WAYS, World, killed_for_good
from tests.promises import promise


def put_back(settings, meanwhile=lambda: None):
    """The home as it was before ``meanwhile``: another inode, whatever is in it."""
    backup = settings.home.with_name("backup")
    shutil.copytree(settings.home, backup)
    meanwhile()
    shutil.rmtree(settings.home)
    backup.rename(settings.home)


@pytest.fixture
def restored(settings):
    """Pushes what is queued, then puts the queue back as it was before."""

    def again(between=lambda: None):
        def pushed():
            assert push(settings).exit_code == 0
            between()

        put_back(settings, pushed)
        return push(settings)

    return again


def test_creates_are_adopted_and_what_refers_to_them_goes_on(settings, service, restored):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    enqueue("tickets", "create", {"customerId": "@1", "shortInfo": "Screen"}, settings=settings)
    assert restored().exit_code == 0
    assert states(settings) == ["done", "done"]
    assert len(service.records["customers"]) == len(service.records["tickets"]) == 1
    assert change(settings, 1).id in service.records["customers"]
    assert change(settings, 1).attempts == 0


@pytest.mark.parametrize("resent", [False, True])
def test_what_was_sent_just_before_may_show_late(tmp_path, service, resent):
    """Sent by the push whose queue was lost; the first time, or again after its answer was."""
    settings = settings_for(tmp_path / "home", service.base_url, settle_minutes=2)
    service.put("customers", name="Bob")
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    if resent:
        service.lose = ["before"]
        push(settings, wait=False)
        assert states(settings) == ["in_doubt"]
    put_back(settings, lambda: push(settings) and setattr(service, "late", 60.0))
    if not resent:
        assert push(settings, wait=False).exit_code == 1
        assert "it may show late" in change(settings).reason
    service.late = 1.5 * MINUTE
    assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 1


def test_of_changes_all_alike_each_takes_one(settings, service, restored):
    for _ in range(3):
        enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    assert restored().exit_code == 0
    assert len(service.records["customers"]) == 3
    assert {change(settings, n).id for n in (1, 2, 3)} == set(service.records["customers"])


def test_more_alike_than_were_queued_are_for_a_person(settings, service, restored):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    restored(lambda: service.put("customers", name="Ann"))
    assert states(settings) == ["in_doubt"]
    assert "new records that may be it" in change(settings, 1).reason
    assert len(service.records["customers"]) == 2


def test_one_made_before_the_queue_was_last_used_is_another(settings, service, restored):
    service.put("customers", name="Ann", created_date="2026-01-02T10:00:00+0000")
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    assert restored().exit_code == 0
    assert len(service.records["customers"]) == 2


def test_comments_are_found_below_the_first_page(settings, service, restored):
    body = {"ticket": "t", "type": "Public", "comment": "Ready", "status": "Update"}
    enqueue("ticket_comments", "create", body, settings=settings, check=False)

    def busy():
        for number in range(120):
            service.put("ticketComments", comment=f"other {number}")

    restored(busy)
    assert service.count("create", "ticketComments") == 1


def test_a_payment_with_a_marker_is_adopted(settings, service, restored):
    to = invoice(service, payments=[])
    pay(settings, to, 50, marker=True)
    assert restored().exit_code == 0
    assert len(service.records["payments"]) == 1
    assert states(settings) == ["done"]


def test_a_payment_nobody_can_tell_apart_is_for_a_person(settings, service, restored):
    to = invoice(service, payments=[])
    pay(settings, to, 50)
    pay(settings, to, 20)
    report = restored()
    assert report.exit_code == 1
    assert states(settings) == ["in_doubt", "queued"]
    assert "may have been sent by another copy of this queue" in change(settings, 1).reason
    push(settings)
    assert states(settings) == ["in_doubt", "queued"]
    assert len(service.records["payments"]) == 2
    retry(settings.home, 1, by="ann")
    push(settings)
    assert len(service.records["payments"]) == 3, "sent on the word of a person who has looked"


def test_a_payment_that_was_not_sent_is_sent(settings, service):
    to = invoice(service, payments=[])
    pay(settings, to, 50)
    put_back(settings)
    assert service._pay("till-1", payment(to, 20)).status == 201
    assert push(settings).exit_code == 0
    assert states(settings) == ["done"]
    assert len(service.records["payments"]) == 2


def test_an_equal_payment_from_before_is_not_ours(settings, service):
    to = invoice(service, payments=[])
    service._pay("till-1", payment(to, 50))
    service.records["ticketInvoices"][to]["payments"][0]["date"] = "2026-01-02T10:00:00+0000"
    pay(settings, to, 50)
    put_back(settings)
    assert push(settings).exit_code == 0
    assert len(service.records["payments"]) == 2


def test_an_update_that_shows_is_done_and_one_undone_since_is_a_conflict(
    settings, service, restored
):
    ids = [service.put("customers", name="A", city="Old") for _ in range(2)]
    for one in ids:
        enqueue(
            "customers",
            "update",
            {"city": "New"},
            record_id=one,
            based_on={"city": "Old"},
            settings=settings,
        )

    def staff():
        service.records["customers"][ids[1]]["city"] = "Third"

    restored(staff)
    assert states(settings) == ["done", "conflict"]
    assert service.count("update", "customers") == 2


def test_stock_is_not_added_twice_but_a_machine_that_was_off_is_believed(
    settings, service, restored
):
    product = service.put("products", name="P", stock=4)
    enqueue("products", "update", {"stockQuantity": 2}, record_id=product, settings=settings)
    restored()
    assert states(settings) == ["in_doubt"]
    assert "stockQuantity must not be sent twice" in change(settings, 1).reason
    assert service.records["products"][product]["stock"] == 6
    enqueue("brands", "create", {"name": "x"}, settings=settings)
    other = service.put("products", name="Q", stock=4)
    enqueue("products", "update", {"stockQuantity": 2}, record_id=other, settings=settings)
    rebooted(settings)
    push(settings)
    assert states(settings) == ["in_doubt", "done", "done"]
    assert service.records["products"][other]["stock"] == 6


def rebooted(settings):
    """The machine is started anew."""
    from pipelines.outbox import Outbox

    with Outbox(settings.home) as outbox:
        outbox.connection.execute("update identity set boot = 'before'")


def test_a_weekend_off_needs_nobody(settings, service):
    to = invoice(service, payments=[])
    push(settings)
    pay(settings, to, 50)
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service._pay("till-1", payment(to, 20))
    rebooted(settings)
    assert push(settings).exit_code == 0
    assert states(settings) == ["done", "done"]


def test_a_delete_that_was_done_is_done(settings, service, restored):
    customer = service.put("customers", name="A")
    service.put("customers", name="B")
    enqueue("customers", "delete", record_id=customer, settings=settings)
    assert restored().exit_code == 0
    assert service.count("delete", "customers") == 1
    assert states(settings) == ["done"]


def test_what_was_queued_since_it_was_put_back_is_sent_without_a_look(settings, service, restored):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    restored()
    before = len(service.requests)
    enqueue(
        "customers", "update", {"city": "X"}, record_id=change(settings, 1).id, settings=settings
    )
    push(settings)
    assert len(service.requests) - before == 3
    assert change(settings, 2).doubted_since is None


@pytest.mark.parametrize("ahead", [timedelta(days=-3), timedelta(days=3)])
def test_a_clock_that_differs_hides_nothing(settings, service, restored, ahead):
    """What was sent is dated by the service's clock, three days before ours or after."""
    service.date_ahead = ahead
    enqueue("brands", "create", {"name": "first"}, settings=settings)
    push(settings)
    to = invoice(service, payments=[])
    pay(settings, to, 50)
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    restored()
    assert len(service.records["payments"]) == len(service.records["customers"]) == 1


def test_a_time_is_before_another_only_if_no_zone_could_make_it_later():
    zone, moment = ZoneInfo("America/Guatemala"), datetime(2026, 3, 5, 12, tzinfo=UTC)
    assert surely_before("2026-03-05T11:59:00+0000", moment, zone)
    assert not surely_before("2026-03-05T06:00:00-0600", moment, zone)
    assert not surely_before("2026-03-05T01:00:00", moment, zone)
    assert surely_before("2026-03-04T21:00:00", moment, zone)
    assert not surely_before("2026-03-04", moment, zone)
    assert surely_before("2026-03-03", moment, zone)
    assert not surely_before("", moment, zone)
    assert not surely_before("soon", moment, zone)


@pytest.fixture(scope="module")
def sandbox():
    with SandboxServer([ShopSpec("main", limit=None)], size="tiny") as server:
        yield server


@promise("a queue put back from a backup pays nothing twice")
@pytest.mark.seeds(1)
@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_doubled_or_lost_at_a_drawn_moment(sandbox, tmp_path, way, seed):
    with killed_for_good():
        found = World(sandbox, tmp_path, 100_000 * WAYS.index(way) + seed).run(way)
    assert (found.doubled, found.lost) == (0, 0), found
    assert (found.records_doubled, found.records_lost) == (0, 0), found


def test_the_trial_sees_what_it_is_for(sandbox, tmp_path, monkeypatch):
    """Believed to be what the last push left, the same backup pays again."""
    monkeypatch.setattr(identity, "find", lambda outbox: Finding(Standing.OURS))
    found = World(sandbox, tmp_path, 600_000).run("whole home")
    assert found.doubled > 0
    assert found.records_doubled > 0


@pytest.mark.parametrize("days", [-1, -400, 3])
def test_a_clock_that_is_set_makes_no_wait_longer_or_shorter(settings, service, monkeypatch, days):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    assert states(settings) == ["in_doubt"]
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + days * 86400)
    began = time.monotonic()
    report = push(settings, stop=lambda: time.monotonic() - began > 20)
    assert report.exit_code == 0
    assert states(settings) == ["done"]
    assert len(service.records["customers"]) == 1


def test_waits_of_a_version_that_counted_by_the_wall_clock_are_cut(settings, service):
    from pipelines.outbox import Outbox

    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    with Outbox(settings.home) as outbox:
        outbox.connection.execute(
            "update changes set sent_at = sent_at + 86400, next_lookup = next_lookup + 86400"
        )
    began = time.monotonic()
    assert push(settings, stop=lambda: time.monotonic() - began > 20).exit_code == 0
    assert states(settings) == ["done"]


def test_a_file_that_was_removed_since_may_have_been_sent(
    settings, service, restored, tmp_path_factory
):
    photo = tmp_path_factory.mktemp("photos") / "photo.png"
    photo.write_bytes(b"pixels")
    ticket = service.put("tickets", short_info="Screen")
    enqueue("tickets", "upload", record_id=ticket, file=photo, settings=settings)
    restored(photo.unlink)
    assert states(settings) == ["in_doubt"]


def test_of_two_values_of_a_field_the_later_is_shown(settings, service, restored):
    record = service.put("products", name="A")
    taxed = {"price": 5, "TaxIncludedInPrice": "Yes"}  # a later price must not take this along
    for body in ({"name": "B", **taxed}, {"name": "C", "price": 6}):
        enqueue("products", "update", body, record_id=record, settings=settings)
    assert restored().exit_code == 0
    assert service.count("update", "products") == 2
