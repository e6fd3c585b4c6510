"""Records that a push wrote, as the next syncs look for them."""

import shutil

from pipelines.outbox import Outbox, history_rows, mark_mirrored, not_shown, touched_since
from pipelines.outbox.change import NewChange, State
from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from tests.fakes.shop import ServedShop
from tests.few_models import build_few
from tests.mirror.stranger import NOT_FOUND


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
    stranger.missing = NOT_FOUND
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
    stranger.missing = NOT_FOUND
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


def test_a_sync_says_what_is_done_and_does_not_show(tmp_path, empty, monkeypatch):
    """Changes of each kind in one night, and the night after, when the service shows them."""
    build_few(monkeypatch)
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    with ServedShop() as served:
        shop, marker = served.shop, "sm-0123456789"
        written = []

        def pushed(op, body, record=None, **more):
            record = record or shop.put("customers", name="Ann", city="A", **more)
            resource = "payments" if "lines" in body else "customers"
            named = marker if body == {"name": "Ann"} else None
            written.append((NewChange("main", resource, op, record, body, marker=named), record))
            return shop.tables[resource][record]

        moved = pushed("update", {"city": "Xela"})
        # The email is not shown at all, which says nothing.
        filled = pushed("update", {"company": "Glass Ltd", "email": "a@example.org"}, company="")
        deleted = [pushed("delete", {}) for _ in range(2)]
        # A proxy that sends a request again makes two records of one answer.
        made = pushed("create", {"name": "Ann"}, comments=f"[{marker}]")
        again = shop.put("customers", name="Ann", comments=f"[{marker}]")
        nested = {"payments": [{"note": f"[{marker}]"}]}
        shop.put("customers", name="Bob", invoice=nested)  # another record that embeds it
        for sent in (12.5, 12, 12.004):
            lines = [{"amount": sent, "paymentMethod": "1"}]
            pushed("create", {"lines": lines}, shop.take(shop.invoice(), 12))
        with Outbox(tmp_path) as outbox:
            for number, (change, record) in enumerate(written, start=1):
                outbox.add([change], by="ann")
                done(outbox, number, record)

        one = {"base_url": served.base_url, "api_key": "key", "requests_per_minute": 100_000}
        settings = Settings(
            home=tmp_path, shops=(ShopSettings(name="main", minute_seconds=0.5, **one),)
        )
        report = sync(settings, resources=["customers", "payments"])
        assert (report.exit_code, report.shops[0].is_complete) == (1, True)
        assert "does not show at the service" in report.message
        told = [
            "change 1 (update customers", "city was set to 'Xela' and is 'A'",
            "change 2 (update customers", "company was set to 'Glass Ltd' and is ''",
            "change 3 (delete customers", "the record is still there",
            "change 4 (delete customers", "the record is still there",
            "change 5 (create customers", f"2 records hold its marker: {made['id']}, {again}",
            "change 6 (create payments", "amount was set to '12.5' and is '12",
        ]  # fmt: skip
        for number, words in enumerate(told):
            assert words in report.details[number // 2]
        for _ in range(2):
            assert len(not_shown(tmp_path)) == len(report.details) == 6, "until a sync says else"
        # A record that the mirror knows may show it late; then it is told.
        at_once = settings.shops[0].model_copy(update={"settle_minutes": 0})
        change = NewChange("main", "customers", "update", moved["id"], {"name": "Bea"})
        with Outbox(tmp_path) as outbox:
            outbox.add([change], by="ann")
            done(outbox, len(written) + 1, moved["id"])
        assert "'Bea'" not in str(sync(settings, resources=["customers"]).details)
        assert moved["id"] in [one.id for one in touched_since(tmp_path)]
        report = sync(Settings(home=tmp_path, shops=(at_once,)), resources=["customers"])
        assert "name was set to 'Bea' and is 'Ann'" in str(report.details)
        moved["name"] = "Bea"
        moved["city"], filled["company"] = "Xela", "Glass Ltd"
        for row, mark in zip(deleted, ({"deleted": True}, {"status": "Deleted"}), strict=True):
            row |= mark
        del shop.tables["customers"][again]
        report = sync(settings, resources=["customers"], full=True)
        assert [words.split(" (")[0] for _, words in not_shown(tmp_path)] == ["change 6"]
        assert len(report.details) == 1


def test_a_record_without_a_path_is_in_its_whole_list_or_nowhere(tmp_path, empty, monkeypatch):
    """A payment may have been named by its other id; what has an id as its own goes first."""
    build_few(monkeypatch)
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    with ServedShop() as served:
        shop = served.shop
        paid = shop.take(shop.invoice(), 50)
        for number, other in ((paid, "9001"), (shop.take(shop.invoice(), 70), paid)):
            shop.tables["payments"][number]["payment_id"] = other
        shop.put("ticketComments", comment="Old")
        body = {"invoiceId": "1", "lines": [{"amount": 50, "paymentMethod": "1"}]}
        comment = {"ticket": "1", "comment": "Ready", "type": "Public", "status": "Update"}
        with Outbox(tmp_path) as outbox:
            for resource, sent, record in (
                ("payments", body, "9001"),
                ("payments", body, "777"),
                ("ticket_comments", comment, "778"),
                ("payments", body, paid),
            ):
                [number] = outbox.add([NewChange("main", resource, "create", None, sent)], by="ann")
                done(outbox, number, record)
        one = {"base_url": served.base_url, "api_key": "key", "requests_per_minute": 100_000}
        set_up = ShopSettings(name="main", minute_seconds=0.5, **one)
        at_once = set_up.model_copy(update={"settle_minutes": 0})
        report = sync(
            Settings(home=tmp_path, shops=(at_once,)),
            resources=["payments", "ticketComments"],
        )
        assert report.exit_code == 1
        told = [words.split(", but")[0] for _, words in not_shown(tmp_path)]
        assert told == [
            "change 2 (create payments 777) is done",
            "change 3 (create ticket_comments 778) is done",
        ]
        assert all("shows no such record" in words for _, words in not_shown(tmp_path))
        assert [row["is_mirrored"] for row in history_rows(tmp_path)] == [True] * 4
