"""Records that a push wrote, as the next syncs look for them."""

import shutil
from functools import partial

import pytest

from pipelines.outbox import Outbox, history_rows, mark_mirrored, not_shown, touched_since
from pipelines.outbox.change import NewChange, State
from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from tests.fakes.loopback import Reply
from tests.fakes.shop import ServedShop
from tests.few_models import build_few


def done(outbox: Outbox, number: int, record: str) -> None:
    """A push wrote a record by this change, and no sync read it back yet."""
    change = outbox.get(number)
    change = outbox.move(change, State.SENDING, sent_body=change.body)
    now = outbox.clock.wall()
    outbox.move(change, State.DONE, "done", id=record, pushed_at=now)
    written = {"shop": change.shop, "resource": change.resource, "id": record}
    outbox.ask("wrote", number=number, now=now, **written)


def test_a_record_made_and_deleted_between_two_syncs_is_looked_for_once(stranger):
    stranger.lists["/categories"] = [{"id": 1, "name": "Parts"}]
    stranger.missing = lambda: Reply(404, {"error": "Not found."})
    stranger.sync("categories")
    with Outbox(stranger.home) as outbox:
        outbox.add([NewChange("main", "categories", "create", None, {"name": "A"})], by="ann")
        done(outbox, 1, "148")
    for _ in range(2):
        assert stranger.sync("categories").exit_code == 0
    asked = [seen.path for seen in stranger.loopback.seen]
    assert asked.count("/v1/categories/148") == 1
    assert touched_since(stranger.home) == []


def test_what_a_push_deleted_has_not_vanished(stranger):
    rows = [{"id": number, "name": f"Part {number}"} for number in range(10)]
    stranger.lists["/categories"] = rows
    stranger.missing = lambda: Reply(404, {"error": "Not found."})
    stranger.sync("categories")
    stranger.lists["/categories"] = rows[6:]
    with Outbox(stranger.home) as outbox:
        gone = [NewChange("main", "categories", "delete", str(n), {}) for n in range(6)]
        numbers = outbox.add(gone, by="ann")
        for number in numbers:
            done(outbox, number, str(number - numbers[0]))
    report = stranger.sync("categories")
    assert (report.exit_code, report.details) == (0, [])
    assert touched_since(stranger.home) == []


def test_a_record_is_read_back_for_its_own_shop_list_and_push(tmp_path):
    with Outbox(tmp_path) as outbox:

        def wrote(shop, resource, record, at):
            [number] = outbox.add([NewChange(shop, resource, "update", record, {})], by="ann")
            done(outbox, number, record)
            written = {"shop": shop, "resource": resource, "id": record}
            outbox.ask("wrote", number=number, now=at, **written)
            return written

        first = wrote("main", "brands", "1", 100)
        others = [wrote("north", "brands", "1", 100), wrote("main", "categories", "1", 100)]
        others += [wrote("main", "brands", "2", 100), wrote("main", "brands", "3", 300)]
        read = [("brands", "1"), ("brands", "3")]
        mark_mirrored(tmp_path, "main", read, read_at=200)
        left = [
            {"shop": t.shop, "resource": t.resource, "id": t.id} for t in touched_since(tmp_path)
        ]
        assert sorted(left, key=str) == sorted(others, key=str)
        assert {one.shop for one in touched_since(tmp_path, "main")} == {"main"}
        assert [row["is_mirrored"] for row in history_rows(tmp_path)] == [True, *[False] * 4]
        wrote("main", "brands", "1", 150)
        assert len(touched_since(tmp_path)) == len(left) + 1
        mark_mirrored(tmp_path, "main", read, read_at=200)
        assert len(touched_since(tmp_path)) == len(left)
        outbox.ask("compared", number=1, shown="", **first)
        assert [row["number"] for row in outbox.ask("uncompared")] == [6], "it was pushed again"


@pytest.fixture
def customer(tmp_path, empty, monkeypatch):
    """``customer(op, body)``: as the service holds one whose change is called done, and a sync of
    it."""
    build_few(monkeypatch)
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    with ServedShop() as served:

        def changed(op, body, marker=None, booked=None):
            resource = "payments" if booked else "customers"
            if booked:
                record = served.shop.take(served.shop.invoice(), booked)
            else:
                record = served.shop.put("customers", name="Ann", city="A")
            with Outbox(tmp_path) as outbox:
                change = NewChange("main", resource, op, record, body, marker=marker)
                outbox.add([change], by="ann")
                done(outbox, 1, record)
            one = {"base_url": served.base_url, "api_key": "key", "requests_per_minute": 100_000}
            shop = ShopSettings(name="main", minute_seconds=0.5, **one)
            settings = Settings(home=tmp_path, shops=(shop,))
            row = served.shop.tables[resource][record]
            return row, partial(sync, settings, resources=[resource])

        changed.shop = served.shop
        yield changed


def test_a_sync_says_what_is_done_and_does_not_show(customer):
    row, sync_it = customer("update", {"city": "Xela"})
    report = sync_it()
    assert (report.exit_code, report.shops[0].is_complete) == (1, True)
    assert "does not show at the service" in report.message
    assert "change 1 (update customers" in report.details[0]
    assert "city was set to 'Xela' and is 'A'" in report.details[0]
    row["city"] = "Xela"
    assert sync_it(full=True).exit_code == 0


def test_a_sync_says_what_is_done_and_shows_as_empty(customer):
    row, sync_it = customer("update", {"company": "Glass Ltd", "email": "a@example.org"})
    row["company"] = ""  # the email is not shown at all, which says nothing
    assert "company was set to 'Glass Ltd' and is ''" in sync_it().details[0]
    row["company"] = "Glass Ltd"
    assert sync_it(full=True).exit_code == 0


@pytest.mark.parametrize("mark", [{"deleted": True}, {"status": "Deleted"}])
def test_a_sync_knows_a_deleted_record_that_stays_with_a_mark(customer, mark):
    row, sync_it = customer("delete", {})
    assert "the record is still there" in sync_it().details[0]
    row |= mark
    assert sync_it(full=True).exit_code == 0


def test_a_sync_tells_a_create_that_was_done_twice_on_its_way(customer, tmp_path):
    """A proxy that sends a request again makes two records of one answer."""
    row, sync_it = customer("create", {"name": "Ann"}, marker="sm-0123456789")
    other = customer.shop.put("customers", name="Ann", comments="[sm-0123456789]")
    row["comments"] = "[sm-0123456789]"
    nested = {"payments": [{"note": "[sm-0123456789]"}]}
    customer.shop.put("customers", name="Bob", invoice=nested)  # another record that embeds it
    report = sync_it()
    assert report.exit_code == 1
    assert f"2 records hold its marker: {row['id']}, {other}" in report.details[0]
    for _ in range(2):
        assert "2 records hold its marker" in not_shown(tmp_path)[0][1], "until a sync says else"
    del customer.shop.tables["customers"][other]
    assert sync_it(full=True).exit_code == 0
    assert not_shown(tmp_path) == []


@pytest.mark.parametrize(("sent", "code"), [(12.5, 1), (12, 0), (12.004, 0)])
def test_a_sync_tells_a_payment_that_was_booked_with_another_amount(customer, sent, code):
    lines = [{"amount": sent, "paymentMethod": "1"}]
    _, sync_it = customer("create", {"invoiceId": "1002", "lines": lines}, booked=12)
    report = sync_it()
    assert report.exit_code == code
    assert code == 0 or "amount was set to '12.5' and is '12" in report.details[0]
