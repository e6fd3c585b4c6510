"""A queue that was copied, moved, or is for another service than the settings name."""

import shutil

import pytest

from pipelines.outbox import QueueForeign, ServiceChanged, origin
from tests.fakes.shop import FakeShop
from tests.outbox.desk import HOUR, ONCE, Desk, some, writes
from tests.promises import promise

pytestmark = pytest.mark.core


def test_a_copy_sends_nothing_until_it_is_adopted(desk):
    desk.begin()
    some(desk)
    there = desk.copy_to("there")
    there.queue("brands", "create", {"name": "X"})
    for dry_run in (True, False):
        with pytest.raises(QueueForeign, match="is a copy"):
            there.push(dry_run=dry_run)
    assert desk.shop.writes == []
    desk.push()
    assert "is the queue from now on" in there.adopt()[0]
    there.later(HOUR, 3)
    assert writes(desk) == ONCE


def test_a_moved_folder_is_the_same_queue(desk):
    desk.begin()
    some(desk)
    desk.home = desk.home.rename(desk.home.with_name("moved"))
    assert desk.push().exit_code == 0
    assert writes(desk) == ONCE


def test_a_copy_in_the_folder_from_which_a_queue_was_moved_sends_nothing(desk):
    desk.begin()
    old = desk.home
    desk.home = old.rename(old.with_name("moved"))
    desk.push()
    there = desk.copy_to(old.name)
    there.queue("brands", "create", {"name": "X"})
    with pytest.raises(QueueForeign):
        there.push()
    assert desk.made("brands") == 0


@pytest.mark.parametrize("machines", [("", ""), ("one", "other"), ("one", "one")])
def test_a_copied_volume_of_a_container_pays_nothing_twice(desk, tmp_path, monkeypatch, machines):
    """Two containers of one image: both homes have the same path."""

    def on(machine):
        file = tmp_path / "machine-id"
        file.write_text(machine)
        monkeypatch.setattr(origin, "MACHINE_IDS", (str(file),))
        mounts = tmp_path / "mountinfo"
        root = f"/volumes/{volume[0]}"
        mounts.write_text(f"1 1 8:1 {root} {tmp_path} rw - ext4 /dev/sda1 rw\n")
        monkeypatch.setattr(origin, "MOUNTS", str(mounts))

    volume = ["a"]
    on(machines[0])
    desk.push()
    desk.pay(desk.shop.invoice())
    desk.back_up()
    first = desk.home.rename(desk.home.with_name("first"))
    desk.home.with_name("spare").rename(desk.home)
    volume[0] = "b"
    on(machines[1])
    with pytest.raises(QueueForeign):
        desk.push()
    shutil.rmtree(desk.home)
    first.rename(desk.home)
    volume[0] = "a"
    on(machines[0])
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["done"], 1)


def test_one_shop_is_adopted_and_no_other(tmp_path):
    desk = Desk(tmp_path / "home", FakeShop(), "north", "south")
    desk.begin()
    for name in desk.names:
        desk.queue("brands", "create", {"name": name}, shop=name)
    there = desk.copy_to("there")
    there.adopt("north")
    report = there.push()
    assert isinstance(report.errors["south"], QueueForeign)
    desk.push(shop="south")
    assert sorted(row.get("name") for row in desk.shop.tables["brands"].values()) == [
        "First",
        "First",
        "Old",
        "north",
        "south",
    ]
    there.adopt("south")
    there.later(HOUR, 2)
    assert (there.states(), desk.made("brands")) == (["done", "done"], 2)


def test_a_push_of_one_shop_leaves_the_others_of_a_queue_put_back(tmp_path):
    desk = Desk(tmp_path / "home", FakeShop(), "north", "south")
    desk.begin()
    for name in desk.names:
        desk.queue("brands", "create", {"name": name}, shop=name)
    desk.back_up()
    desk.push()
    desk.put_back()
    desk.push(shop="north")
    assert desk.change(2).state == "queued"
    desk.later(HOUR, 2)
    assert (desk.states(), desk.made("brands")) == (["done", "done"], 2)


# -- services ---------------------------------------------------------------------------------


@promise("a queue is sent to no other service than its own")
def test_a_change_is_sent_to_no_other_address_and_bound_to_it_by_its_name_alone(desk):
    desk.queue("brands", "create", {"name": "A"})
    desk.more = {"base_url": "http://127.0.0.2:9/v1"}
    error = desk.push().errors["main"]
    assert isinstance(error, ServiceChanged)
    assert "queue adopt --shop main --from http://127.0.0.1:9/v1" in str(error)
    assert "stay so" in desk.adopt()[0]
    assert isinstance(desk.push().errors["main"], ServiceChanged)
    assert desk.made("brands") == 0
    desk.adopt(from_address="http://127.0.0.1:9/v1/")
    assert desk.push().exit_code == 0


def test_a_replaced_key_is_adopted_without_more_words(desk):
    desk.queue("brands", "create", {"name": "A"})
    desk.more = {"api_key": "another"}
    assert "under another API key" in str(desk.push().errors["main"])
    desk.adopt()
    assert desk.push().done == 1
    assert b"another" not in (desk.home / "outbox.sqlite").read_bytes()
