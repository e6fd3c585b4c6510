"""What is sent, in which order, over what basis, and what the queue and its people are told."""

import threading
from datetime import UTC, datetime

import duckdb
import pytest

from pipelines.outbox import (
    Outbox,
    PushBusy,
    enqueue,
    history_rows,
    mark_mirrored,
    next_step,
    not_shown,
    problems,
    push,
    touched_since,
)
from pipelines.outbox.errors import Moved, QueueBroken
from pipelines.publish.published import published_here
from pipelines.settings import Settings, ShopSettings
from tests.outbox.desk import HOUR, Desk, at

pytestmark = pytest.mark.core


def test_a_chain_of_references_is_pushed_in_order_and_in_one_pass(desk, photo):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.queue("brands", "create", {"name": "Acme"})
    desk.queue("tickets", "create", {"customerId": "@1", "shortInfo": "Screen"})
    comment = {"ticket": {"$queued": 3}, "type": "Public", "comment": "Arrived"}
    desk.queue("ticketComments", "create", comment)
    desk.queue("tickets", "upload", None, "@3", file=photo)
    desk.queue("customers", "update", {"city": "A"}, "@1")
    desk.queue("customers", "delete", None, "@1")
    report = desk.push()
    assert (report.exit_code, report.done) == (0, 7)
    sent = [(one.method, one.path.split("/")[0]) for one in desk.shop.writes]
    assert sent == [
        ("POST", "customers"),
        ("POST", "brands"),
        ("POST", "tickets"),
        ("POST", "ticketComments"),
        ("FILE", "tickets"),
        ("PUT", "customers"),
        ("DELETE", "customers"),
    ]
    assert desk.events(3) == ["queued", "sending", "done"]
    [(_, [content])] = desk.shop.files.items()
    assert b"picture" in content


def test_a_file_that_changed_is_not_to_be_mended_at_the_service(desk, photo):
    desk.queue("tickets", "upload", None, desk.shop.put("tickets"), file=photo)
    photo.write_bytes(b"another")
    desk.push()
    with Outbox(desk.home) as outbox:
        told = next_step(outbox, desk.change(), {})
    assert "queue it again. Mend it, then 'queue retry 1'" in told
    photo.write_bytes(b"picture")
    desk.retry()
    assert desk.push().exit_code == 0


def test_a_rejected_change_stops_those_that_refer_to_it_and_no_others(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.queue("tickets", "create", {"customerId": "@1", "shortInfo": "x"})
    desk.queue("brands", "create", {"name": "Acme"})
    assert desk.push("400 before").exit_code == 1
    assert desk.states() == ["rejected", "queued", "done"]
    with Outbox(desk.home) as outbox:
        assert "waits for change 1" in next_step(outbox, desk.change(2), {})
        assert "Mend it at the service, then 'queue retry 1'; or" in next_step(
            outbox, desk.change(1), {}
        )
    desk.discard(1)
    assert desk.push().exit_code == 1
    with Outbox(desk.home) as outbox:
        told = next_step(outbox, desk.change(2), {})
        assert "rejected: 'queue retry 1', or 'queue discard' what waits for it" in told
    assert "1 change(s) that wait for a rejected one" in problems(desk.home)[1][0]
    desk.retry(1)
    assert desk.push().exit_code == 0


@pytest.mark.parametrize("fault", ["lost before", "500 after"])
def test_a_change_waits_for_an_earlier_one_of_its_record(desk, fault):
    record = desk.shop.put("products", name="Screen", stock=1)
    desk.queue("products", "update", {"stockQuantity": 2}, record)
    desk.queue("products", "update", {"name": "Case"}, record)
    desk.push(fault)
    assert desk.states() == ["in_doubt", "queued"]
    desk.discard(1)
    desk.push()
    assert desk.states() == ["rejected", "done"]


def test_a_delete_waits_for_an_earlier_change_that_names_its_record(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.queue("tickets", "create", {"customerId": record, "shortInfo": "Screen"})
    desk.queue("customers", "delete", {}, record)
    desk.push("lost before", wait=False)
    assert desk.states() == ["in_doubt", "queued"]
    desk.push()
    assert desk.states() == ["done", "done"]
    assert [one.method for one in desk.shop.writes] == ["POST", "DELETE"]


def test_a_delete_does_not_wait_for_what_names_another_record_of_its_id(desk):
    desk.shop.free_ids = ["1"]
    desk.queue("stock", "create", {"product": "1", "quantity": 1})
    desk.queue("customers", "delete", {}, desk.shop.put("customers", name="Ann"))
    desk.push("lost after")
    assert desk.states() == ["in_doubt", "done"]


def test_updates_leave_one_by_one_in_their_order(desk):
    record = desk.shop.put("tickets", short_info="x")
    desk.queue("tickets", "update", {"priority": "High"}, record)
    desk.queue("ticketComments", "create", {"ticket": record, "type": "Public", "comment": "Ready"})
    desk.queue("tickets", "update", {"status": "Done"}, record)
    desk.push()
    assert [one.method for one in desk.shop.writes] == ["PUT", "POST", "PUT"]


def test_one_push_at_a_time(desk):
    desk.queue("brands", "create", {"name": "Acme"})
    met = []

    def again():
        with pytest.raises(PushBusy):
            desk.push()
        met.append(1)

    desk.push(hook=at("checked", again))
    assert met and desk.made("brands") == 1


def test_a_discard_in_the_midst_of_a_push_is_kept(desk):
    desk.queue("brands", "create", {"name": "Acme"})
    desk.push(hook=at("checked", desk.discard))
    assert (desk.states(), desk.made("brands")) == (["rejected"], 0)


@pytest.mark.parametrize(("deed", "state"), [(Desk.discard, "rejected"), (Desk.retry, "done")])
def test_a_decision_on_a_delete_while_it_is_read_back_stands(desk, deed, state):
    desk.queue("customers", "delete", None, desk.shop.put("customers", name="Ann"))
    report = desk.push(hook=at("looked", lambda: deed(desk)))
    assert (desk.states(), report.errors) == ([state], {})


def test_a_change_is_moved_only_as_it_was_read(desk):
    """A new basis leaves the state as it is: only the version tells that somebody was there."""
    desk.queue("brands", "create", {"name": "Acme"})
    with Outbox(desk.home, desk.shop.clock) as ours, Outbox(desk.home, desk.shop.clock) as theirs:
        read = ours.changes()[0]
        theirs.move(theirs.changes()[0], None, "new basis", basis={"values": {"name": "Other"}})
        with pytest.raises(Moved):
            ours.move(read, None, "new basis", basis={})
        assert ours.get(read.number).basis == {"values": {"name": "Other"}}


def test_a_file_goes_out_under_the_name_that_was_announced(desk, tmp_path):
    (photo := tmp_path / "IMG_1.png").write_bytes(b"picture")
    record, named = desk.shop.put("tickets", name="Old"), {"fileName": "screen.png"}
    desk.queue("tickets", "upload", named, record, file=photo)
    desk.push()
    [[sent]] = desk.shop.files.values()
    assert b'filename="screen.png"\r\nContent-Type: image/png' in sent


def test_a_record_whose_id_ends_as_the_number_of_a_change_is_no_reference_to_it(desk):
    desk.shop.next_id = 70
    record = desk.shop.put("brands", name="Old")
    assert record == "71"
    desk.queue("brands", "create", {"name": "Acme"})
    desk.queue("brands", "update", {"name": "Bolt"}, record)
    assert desk.push().exit_code == 0
    assert (desk.shop.writes[-1].method, desk.shop.writes[-1].id) == ("PUT", "71")


@pytest.mark.parametrize(
    ("field", "before", "new_start"),
    [("city", "A", ""), ("city", "A", "+"), ("company", "", ""), ("city", "", "")],
)
def test_an_update_that_is_ignored_is_not_called_done(desk, field, before, new_start):
    record = desk.shop.put("customers", name="Ann", **{field: before})
    desk.shop.ignores.add(record)
    desk.queue("customers", "update", {field: "Xela"}, record)
    desk.shop.clock.boot_id += new_start
    desk.later(HOUR, 5)
    assert desk.states() == ["in_doubt"]
    assert "as before" in desk.change().reason or desk.change().needs_person


def test_what_is_done_and_the_mirror_does_not_show_is_a_finding(desk):
    records = [desk.shop.put("customers", name="Ann", city="A") for _ in range(2)]
    desk.shop.ignores.add(records[1])
    for record in records:
        desk.queue("customers", "update", {"city": "Xela"}, record)
    desk.push()
    assert desk.states() == ["done", "done"]
    requests = len(desk.shop.requests)
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.customers (shop_id varchar, id varchar, city varchar,"
            " _seen_at timestamptz, _deleted_at timestamptz)"
        )
        seen = datetime.fromtimestamp(desk.shop.clock.wall() + HOUR, UTC)
        for record in records:
            city = desk.shop.tables["customers"][record]["city"]
            values = [record, city, seen]
            db.execute("insert into raw.customers values ('main', ?, ?, ?, null)", values)
    unread = [(one.resource, one.id) for one in touched_since(desk.home)]
    mark_mirrored(desk.home, "main", unread, read_at=desk.shop.clock.wall() + HOUR)
    assert not_shown(desk.home) == [], "no sync compared it yet"
    with published_here(desk.home) as built:
        assert not_shown(desk.home, built) == not_shown(desk.home)
    [(shop, line)] = not_shown(desk.home)
    assert (shop, "change 2 (update customers" in line) == ("main", True)
    assert "city was set to 'Xela' and is 'A'" in line
    assert len(desk.shop.requests) == requests
    assert "told no more" in desk.discard(2)
    assert not_shown(desk.home) == []
    assert [row["is_mirrored"] for row in history_rows(desk.home)] == [True, True]


def test_a_field_that_stays_empty_is_a_finding_where_the_record_had_shown_it(desk):
    """The service takes the first and not the second; the third one's field was never shown."""
    records = [desk.shop.put("customers", name="Ann", email=None) for _ in range(2)]
    records.append(desk.shop.put("customers", name="Bob"))
    desk.shop.ignores |= {*records[1:]}
    for record in records:
        desk.queue("customers", "update", {"email": "ann@example.org"}, record)
    desk.push()
    assert desk.states() == ["done"] * 3
    later = desk.shop.clock.wall() + HOUR
    emails = ["ann@example.org", None, None]
    rows = [{"id": one, "email": email} for one, email in zip(records, emails, strict=True)]
    desk.mirror("customers", *rows, seen=later)
    read = [("customers", record) for record in records]
    mark_mirrored(desk.home, "main", read, read_at=later)
    with published_here(desk.home) as built:
        [(_, line)] = not_shown(desk.home, built)
    assert "change 2 (update customers" in line
    assert "email was set to 'ann@example.org' and is ''" in line


@pytest.mark.parametrize("empty", ["", None])
def test_an_update_is_not_done_by_an_answer_where_the_field_stays_empty(desk, empty):
    record = desk.shop.put("customers", name="Ann", email=empty)
    desk.shop.ignores.add(record)
    desk.queue("customers", "update", {"email": "ann@example.org"}, record)
    desk.push(wait=False)
    assert desk.states() == ["in_doubt"]


def test_a_field_that_stays_null_is_not_done_though_no_other_record_shows_one(desk):
    record = desk.shop.put("customers", name="Ann", email=None)
    desk.shop.ignores.add(record)
    desk.mirror("customers", {"id": record, "email": None})
    desk.queue("customers", "update", {"email": "ann@example.org"}, record)
    desk.push(wait=False)
    assert desk.states() == ["in_doubt"]


@pytest.mark.parametrize(("others", "is_told"), [(("1", "2"), True), (("1", None, None), False)])
def test_a_field_that_a_record_was_made_without_is_a_finding_where_most_show_it(
    desk, others, is_told
):
    desk.queue("customers", "create", {"name": "Ann", "mobile": "5550"})
    desk.push()
    made, later = desk.change().id, desk.shop.clock.wall() + HOUR
    rows = [{"id": f"o-{place}", "mobile": mobile} for place, mobile in enumerate(others)]
    desk.mirror("customers", {"id": made, "name": "Ann"}, *rows, seen=later)
    mark_mirrored(desk.home, "main", [("customers", made)], read_at=later)
    with published_here(desk.home) as built:
        told = str(not_shown(desk.home, built))
    assert ("mobile was set to '5550' and is ''" in told) is is_told


def test_a_push_says_that_it_may_make_too_few_requests_for_a_change(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    for _ in range(2):
        report = desk.push(max_requests=1)
        assert (report.exit_code, desk.states()) == (4, ["queued"])
        assert "too few for a change" in str(report.errors["main"])
    assert desk.push(max_requests=2).exit_code == 0


def test_a_payment_that_another_copy_sent_is_held_against_the_mirror_too(desk):
    invoice = desk.shop.invoice()
    desk.begin()
    desk.pay(invoice)
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.push()
    assert (desk.states(), desk.change().attempts) == (["done"], 0)
    later = desk.shop.clock.wall() + HOUR
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.payments as select 'main' as shop_id, unnest([?, 'x']) as id,"
            " ? as note, to_timestamp(?) as _seen_at, null::timestamptz as _deleted_at",
            [desk.change().id, desk.change().marker, later],
        )
    mark_mirrored(desk.home, "main", [("payments", desk.change().id)], read_at=later)
    with published_here(desk.home) as built:
        [(_, line)] = not_shown(desk.home, built)
    assert f"2 records hold its marker: {desk.change().id}, x" in line


def test_an_edit_after_what_another_copy_sent_is_no_finding(desk, record):
    desk.begin()
    desk.queue("customers", "update", {"mobile": "2"}, record)
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.push()
    assert (desk.states(), desk.change().attempts) == (["done"], 0)
    later = desk.shop.clock.wall() + HOUR
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute("update raw.customers set mobile = '9', _seen_at = to_timestamp(?)", [later])
    mark_mirrored(desk.home, "main", [("customers", record)], read_at=later)
    with published_here(desk.home) as built:
        assert not_shown(desk.home, built) == []


# -- over HTTP, and beside others -------------------------------------------------------------


def test_over_http_with_answers_that_are_dropped(served, tmp_path):
    shop = ShopSettings(
        name="main",
        base_url=served.base_url,
        api_key="key",
        requests_per_minute=100_000,
        minute_seconds=0.2,
        settle_minutes=1,
    )
    settings = Settings(home=tmp_path / "home", shops=(shop,))
    served.shop.put("customers", name="Old")
    rows = [{"name": name * 5} for name in "abcd"]
    enqueue("customers", "create", rows, settings=settings)
    served.shop.faults.extend(["lost before", "", "lost after"])
    report = push(settings)
    assert (report.exit_code, report.done) == (0, 4)
    assert served.shop.count("POST", "customers") == 4


def test_people_who_queue_while_a_push_is_at_work_lose_nothing(served, tmp_path):
    one = {"base_url": served.base_url, "api_key": "key", "requests_per_minute": 100_000}
    settings = Settings(home=tmp_path / "home", shops=(ShopSettings(name="main", **one),))

    def queue():
        for number in range(10):
            enqueue("brands", "create", {"name": f"{number}-{number * 7919}"}, settings=settings)

    people = [threading.Thread(target=queue) for _ in range(2)]
    for person in people:
        person.start()
    push(settings)
    for person in people:
        person.join()
    report = push(settings)
    assert report.exit_code == 0
    assert served.shop.count("POST", "brands") == 20


@pytest.mark.parametrize(("step", "code"), [("checked", 2), ("outcome", 1)])
def test_a_push_that_a_full_disk_ends_says_whether_anything_was_sent(desk, step, code):
    for name in ("Acme", "Bolt"):
        desk.queue("brands", "create", {"name": name})

    def fill() -> None:
        raise QueueBroken("no space left")

    assert desk.push(hook=at(step, fill)).exit_code == code
    assert desk.made("brands") == (code == 1)


def test_a_shop_for_another_address_hides_no_push_of_the_others(tmp_path):
    desk = Desk(tmp_path / "home", None, "north", "south")
    desk.begin()
    for shop in desk.names:
        desk.queue("brands", "create", {"name": "Acme"}, shop=shop)
    north, south = desk.settings.shops
    shops = (north, south.model_copy(update={"base_url": "http://elsewhere/v1"}))
    moved = Settings(home=desk.home, shops=shops)
    more = {"clock": desk.shop.clock, "sleep": desk.shop.clock.sleep, "transport": desk.shop.of}
    assert push(moved, "south", **more).exit_code == 2
    report = push(moved, **more)
    assert (report.exit_code, report.done, list(report.errors)) == (1, 1, ["south"])
    assert push(moved, **more).exit_code == 2
