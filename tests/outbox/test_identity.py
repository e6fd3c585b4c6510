"""Whose queue it is, and for which service: copies elsewhere, backups put back, other keys."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from pydantic import SecretStr

from pipelines.outbox import (
    Outbox,
    QueueBroken,
    QueueForeign,
    ServiceChanged,
    adopt,
    enqueue,
    identity,
    push,
    queue_file,
)
from pipelines.outbox.identity import Standing, find
from shopmirror.main import main
from tests.outbox.conftest import change, history, settings_for, states
from tests.promises import promise

FIXTURES = Path(__file__).parent / "fixtures"


def standing(settings):
    with Outbox(settings.home) as outbox:
        return find(outbox).standing


def brand(settings, name="Acme"):
    return enqueue("brands", "create", {"name": name}, settings=settings)


@pytest.fixture
def elsewhere(settings, service, tmp_path_factory):
    """Copies the home to another folder; its settings."""

    def copy():
        home = tmp_path_factory.mktemp("copy") / "data"
        shutil.copytree(settings.home, home)
        return settings_for(home, service.base_url)

    return copy


def test_a_copied_home_sends_nothing_until_it_is_adopted(settings, service, elsewhere):
    brand(settings)
    copy = elsewhere()
    assert push(settings).done == 1
    for dry_run in (False, True):
        with pytest.raises(QueueForeign, match="queue adopt"):
            push(copy, dry_run=dry_run)
    assert states(copy) == ["queued"]
    assert len(service.writes) == 1
    told = adopt(copy, by="ann")
    assert "is the queue from now on" in told[0]
    assert "1 waiting change(s) will be looked up" in told[1]
    push(copy)
    assert adopt(copy, by="ann") == [
        "Nothing was to be adopted: the queue and its changes belong here."
    ]


def test_a_copy_on_another_machine_is_foreign(settings, service, monkeypatch):
    brand(settings)
    monkeypatch.setattr(queue_file, "machine", lambda: "another")
    with pytest.raises(QueueForeign, match="another machine"):
        push(settings)
    assert service.requests == []
    adopt(settings, by="ann")
    assert push(settings).done == 1


def test_a_machine_without_an_id_is_no_other_machine(settings, monkeypatch):
    brand(settings)
    monkeypatch.setattr(queue_file, "machine", lambda: "")
    assert standing(settings) is Standing.OURS


def test_a_home_that_was_moved_is_no_copy(settings, service, tmp_path_factory):
    brand(settings)
    home = tmp_path_factory.mktemp("moved") / "data"
    settings.home.rename(home)
    moved = settings_for(home, service.base_url)
    assert push(moved).done == 1
    settings.home.mkdir()


def test_ordinary_pushes_find_nothing_amiss(settings):
    for number in range(3):
        brand(settings, f"b{number}")
        assert standing(settings) is Standing.OURS
        push(settings)
    assert standing(settings) is Standing.OURS
    assert all(change(settings, n).doubted_since is None for n in (1, 2, 3))


@pytest.mark.parametrize("what", ["queue alone", "whole home", "whole home in place"])
def test_a_backup_put_back_is_older(settings, tmp_path_factory, what):
    push(settings)
    brand(settings)
    backup = tmp_path_factory.mktemp("backup") / "data"
    shutil.copytree(settings.home, backup)
    push(settings)
    if what == "queue alone":
        shutil.copy2(backup / "outbox.sqlite", settings.home / "outbox.sqlite")
    elif what == "whole home":
        shutil.rmtree(settings.home)
        shutil.copytree(backup, settings.home)
    else:
        shutil.copytree(backup, settings.home, dirs_exist_ok=True)
    assert standing(settings) is Standing.OLDER


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("boot", "another boot", "started anew"),
        ("ticks", -1e9, "for a while"),
        ("pushing", 1, "cut off"),
    ],
)
def test_what_an_older_state_of_the_machine_would_look_like_is_uncertain(
    settings, service, column, value, why
):
    brand(settings)
    with sqlite3.connect(settings.home / "outbox.sqlite") as db:
        db.execute(f"update identity set {column} = ?", (value,))
    with Outbox(settings.home) as outbox:
        found = find(outbox)
    assert found.standing is Standing.UNCERTAIN
    assert why in found.why
    # Nobody is needed for it, and it is over with this push.
    assert push(settings).exit_code == 0
    assert states(settings) == ["done"]
    assert standing(settings) is Standing.OURS


def test_numbers_given_out_since_a_backup_are_not_given_out_again(settings, tmp_path):
    brand(settings)
    push(settings)
    backup = (settings.home / "outbox.sqlite").read_bytes()
    brand(settings, "two")
    push(settings)
    (settings.home / "outbox.sqlite").write_bytes(backup)
    push(settings)
    assert brand(settings, "three") == [3]


@pytest.mark.parametrize("lost", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_queue_that_is_gone_is_not_an_empty_one(settings, lost):
    brand(settings)
    push(settings)
    brand(settings, "Bob")
    lost(settings.home / "outbox.sqlite")
    for use in (push, brand):
        with pytest.raises(QueueBroken, match="Put a copy back; or remove"):
            use(settings)
    (settings.home / queue_file.WATERMARK).unlink()
    assert push(settings).exit_code == 0


def test_a_watermark_that_is_gone_or_broken_is_noticed(settings):
    brand(settings)
    watermark = settings.home / queue_file.WATERMARK
    watermark.write_text("{")
    assert standing(settings) is Standing.OLDER
    watermark.unlink()
    assert standing(settings) is Standing.OLDER
    push(settings)
    assert standing(settings) is Standing.OURS
    assert watermark.stat().st_mode & 0o077 == 0


# -- which service -------------------------------------------------------------------------------


def with_key(settings, key):
    shop = settings.shops[0].model_copy(update={"api_key": SecretStr(key)})
    return settings.model_copy(update={"shops": (shop,)})


@promise("a queue is sent to no other service than its own")
def test_a_change_is_not_sent_to_another_address(settings, service):
    brand(settings)
    with type(service)() as other:
        report = push(settings_for(settings.home, other.base_url))
        assert other.requests == []
    [error] = report.errors.values()
    assert isinstance(error, ServiceChanged)
    assert service.base_url in str(error)
    assert "queue adopt --shop main" in str(error)
    assert (report.exit_code, states(settings)) == (2, ["queued"])
    assert push(settings).done == 1


def test_a_replaced_key_is_taken_on_a_persons_word(settings, service):
    brand(settings)
    new = with_key(settings, "the new key")
    report = push(new)
    assert "under another API key" in str(report.errors["main"])
    assert service.requests == []
    [told] = adopt(new, "main", by="ann")
    assert told.startswith("1 change(s) of shop 'main' are for http://127.0.0.1")
    assert push(new).done == 1
    assert change(settings, 1).doubted_since is None


def test_what_is_in_doubt_is_not_looked_for_at_another_service(settings, service):
    brand(settings)
    service.lose = ["after"]
    push(settings, wait=False)
    with Outbox(settings.home) as outbox:
        outbox.connection.execute(
            "update changes set state = 'in_doubt', id = null, pushed_at = null where number = 1"
        )
    with type(service)() as other:
        assert push(settings_for(settings.home, other.base_url)).exit_code == 2
        assert other.requests == []


def test_the_key_is_nowhere_in_the_file(settings):
    brand(settings)
    push(settings)
    home = settings.home
    held = b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())
    assert b"key-of-main" not in held


def test_an_address_is_shown_without_its_user(settings, tmp_path):
    from pipelines.outbox.identity import shown_address

    assert shown_address("https://me:secret@shop.example/v1") == "https://shop.example/v1"


def test_one_shop_of_another_key_does_not_stop_the_others(tmp_path, service):
    with type(service)() as other:
        first = settings_for(tmp_path, service.base_url, name="north")
        second = settings_for(tmp_path, other.base_url, name="south")
        both = first.model_copy(update={"shops": (*first.shops, *second.shops)})
        enqueue("brands", "create", {"name": "N"}, shop="north", settings=both)
        enqueue("brands", "create", {"name": "S"}, shop="south", settings=both)
        changed = both.model_copy(
            update={"shops": (with_key(first, "new key").shops[0], *second.shops)}
        )
        report = push(changed)
        assert list(report.errors) == ["north"]
        assert states(both) == ["queued", "done"]


# -- files of older versions ---------------------------------------------------------------------


@pytest.fixture
def old_file(settings, service):
    """A queue as the version before the first migration left it."""
    with sqlite3.connect(settings.home / "outbox.sqlite") as db:
        db.executescript((FIXTURES / "outbox-1.sql").read_text(encoding="utf-8"))
    return settings


def test_a_file_of_version_one_is_opened_and_goes_on(old_file, service):
    assert states(old_file) == ["done", "done", "done", "queued", "rejected"]
    assert change(old_file, 3).marker == "sm-2108f65bdb"
    with Outbox(old_file.home) as outbox:
        assert outbox.connection.execute("pragma user_version").fetchone()[0] >= 2
    assert history(old_file) == ["queued", "sending", "done"]
    assert push(old_file).done == 1
    assert [one["name"] for one in service.records["customers"].values()] == ["Bea"]
    assert brand(old_file) == [6]


def test_a_file_of_version_two_is_as_the_last_push_left_it(settings):
    """Lookups and the watermark have other names there."""
    with sqlite3.connect(settings.home / "outbox.sqlite") as db:
        db.executescript((FIXTURES / "outbox-2.sql").read_text(encoding="utf-8"))
        [(queue,)] = db.execute("select queue from identity").fetchall()
        here = queue_file.place_of(settings.home / "outbox.sqlite")
        known = queue_file.write_watermark(settings.home, {"queue": queue, "last": 3})
        db.execute(
            "update identity set machine = ?, path = ?, boot = ?, ticks = ?, mark = ?",
            (here.machine, here.path, here.boot, here.ticks, known),
        )
    assert standing(settings) is Standing.OURS
    assert states(settings) == ["done", "in_doubt", "queued"]
    assert change(settings, 2).lookups == 3
    assert history(settings, 2)[2:] == ["in doubt", "looked up", "looked up", "left for a person"]


def test_a_file_of_version_one_put_back_over_a_newer_one_is_older(old_file, settings):
    push(settings)
    for path in settings.home.glob("outbox.sqlite*"):
        path.unlink()
    with sqlite3.connect(settings.home / "outbox.sqlite") as db:
        db.executescript((FIXTURES / "outbox-1.sql").read_text(encoding="utf-8"))
    assert standing(settings) is Standing.OLDER


def test_adopt_as_people_type_it(settings, service, elsewhere, monkeypatch, capsys):
    brand(settings)
    copy = elsewhere()
    monkeypatch.chdir(copy.home)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(copy.home))
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", service.base_url)
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "key-of-main")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__MINUTE_SECONDS", "0.2")
    assert main(["push"]) == 2
    assert "'shopmirror queue adopt'" in capsys.readouterr().err.replace("\n", " ")
    assert main(["status", "--check"]) == 1
    assert "is a copy: it was last used as" in " ".join(capsys.readouterr().out.split())
    assert main(["queue", "adopt"]) == 0
    assert main(["push"]) == 0


def test_the_time_at_the_service_is_kept_with_the_queue(settings, service):
    from datetime import timedelta

    service.date_ahead = timedelta(days=3)
    brand(settings)
    push(settings)
    brand(settings, "two")
    with Outbox(settings.home) as outbox:
        identity._doubt(
            outbox,
            identity.Finding(Standing.UNCERTAIN),
            queue_file.place_of(outbox.path),
            {},
        )
        change_two = outbox.get(2)
    assert change_two.doubted_since is not None
    ahead = change_two.doubted_since - change_two.queued_at
    assert ahead == pytest.approx(3 * 86400, abs=10)
