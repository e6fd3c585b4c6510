"""Backup and restore, as a person runs them; kills and full disks in between."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from shopmirror.main import main

KEY = "key-of-the-shop-0123456789"


@pytest.fixture
def shop(tmp_path, monkeypatch, chain):
    """A folder with settings and a home: a published warehouse, a ledger, a change that waits."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "data"))
    folder = tmp_path / ".dlt"
    folder.mkdir()
    (folder / "config.toml").write_text(
        '[sources.repair_shop]\nbase_url = "http://127.0.0.1:9/v1"\ntimezone = "UTC"\n'
    )
    (folder / "secrets.toml").write_text(
        f'# once {KEY}\n[sources.repair_shop]\napi_key = "{KEY}"\n[mail]\nsmtp_user = "a@b"\n'
        'smtp_password = "mail-word"\n[destination.postgres]\ncredentials = "postgresql://u:p@h/d"\n'
    )
    (folder / "secrets.toml").chmod(0o600)
    assert main(["queue", "add", "customers", "--op", "create", "--json", '{"name": "Ana"}']) == 0
    home = tmp_path / "data"
    shutil.copy(chain / "warehouse.duckdb", home / "warehouse.duckdb")
    with closing(sqlite3.connect(home / "mirror.sqlite")) as ledger:
        ledger.execute("pragma journal_mode = wal")
        ledger.execute("create table a (n integer)")
        ledger.execute("create table b (n integer)")
        ledger.execute("create table filling (x blob)")
        ledger.executemany("insert into filling values (randomblob(4000))", [()] * 2000)
        ledger.commit()
    return tmp_path


@pytest.fixture
def kept(shop):
    """A backup of it."""
    assert main(["backup", "--to", str(shop / "kept.backup")]) == 0
    return shop / "kept.backup"


def test_a_folder_is_no_backup_and_takes_none(shop, capsys):
    (shop / "folder").mkdir()
    for command in (["backup", "--to", "folder"], ["restore", "folder"]):
        assert main(command) == 2
        assert "folder" in (err := capsys.readouterr().err) and "unexpected" not in err


@pytest.mark.parametrize("command", [["backup", "--to"], ["dictionary", "--out"]], ids=" ".join)
def test_a_file_of_the_home_is_not_replaced_by_what_a_command_writes(shop, command, capsys):
    queue = (shop / "data" / "outbox.sqlite").read_bytes()
    assert main([*command, "data/outbox.sqlite"]) == 2
    assert "outbox.sqlite" in capsys.readouterr().err
    assert (shop / "data" / "outbox.sqlite").read_bytes() == queue


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_workbook_is_not_replaced_by_a_backup(shop, capsys, is_damaged):
    with zipfile.ZipFile(shop / "closing.xlsx", "w") as file:
        file.writestr("xl/ñ.xml", "<workbook/>")
    whole = (shop / "closing.xlsx").read_bytes()
    there = whole.replace("ñ".encode(), b"\xff\xff") if is_damaged else whole
    (shop / "closing.xlsx").write_bytes(there)
    assert main(["backup", "--to", "closing.xlsx"]) == 2
    assert "no backup" in capsys.readouterr().err
    assert (shop / "closing.xlsx").read_bytes() == there
    assert main(["restore", "closing.xlsx"]) == 2


def queued(capsys) -> list[dict]:
    capsys.readouterr()
    assert main(["queue", "list", "--json"]) in (0, 1)
    return json.loads(capsys.readouterr().out)


def test_what_a_killed_process_began_to_write_is_not_in_a_backup(shop, capsys):
    before, file = queued(capsys), shop / "data" / "outbox.sqlite"
    journal = file.with_name(f"{file.name}-journal")
    with closing(sqlite3.connect(file, isolation_level=None)) as queue:
        queue.execute("pragma cache_size = 2")
        queue.execute("begin immediate")
        queue.execute("update changes set reason = 'half'")
        queue.execute("create table filling as select randomblob(400000) as x")
        half = [(one, one.read_bytes()) for one in (file, journal)]
    for one, content in half:
        one.write_bytes(content)
    assert main(["backup", "--to", str(shop / "kept.backup")]) == 0
    shutil.rmtree(file.parent)
    assert main(["restore", str(shop / "kept.backup")]) == 0
    assert [one["reason"] for one in queued(capsys)] == [one["reason"] for one in before]


def test_a_restored_home_has_everything_and_no_key(shop, capsys, monkeypatch):
    home, file = shop / "data", shop / "kept.backup"
    before = queued(capsys)
    assert main(["backup", "--to", str(file)]) == 0
    assert file.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(file) as packed:
        everything = b"".join(packed.read(name) for name in packed.namelist() if "toml" in name)
        assert b"timezone" in everything and b"smtp_user" in everything
        for secret in (KEY, "mail-word", "postgresql://"):
            assert secret.encode() not in everything
    figures = (home / "warehouse.duckdb").read_bytes()
    shutil.rmtree(home)
    assert main(["restore", str(file)]) == 0
    assert (home / "warehouse.duckdb").read_bytes() == figures
    assert [(each["number"], each["state"]) for each in queued(capsys)] == [
        (each["number"], each["state"]) for each in before
    ]
    for path in home.rglob("*"):
        if path.is_file() and path.name != ".gitignore":
            assert path.stat().st_mode & 0o077 == 0, path
    assert (shop / ".dlt" / "restored-config.toml").exists()
    assert KEY in (shop / ".dlt" / "secrets.toml").read_text(), "settings that are there stay"


def test_a_queue_restored_elsewhere_sends_nothing_until_it_is_adopted(
    shop, kept, monkeypatch, capsys
):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(shop / "elsewhere"))
    assert main(["restore", str(kept)]) == 0
    capsys.readouterr()
    assert main(["push"]) != 0
    assert "adopt" in capsys.readouterr().err


def test_what_is_queued_after_a_restore_is_not_taken_for_sent(shop, kept, capsys):
    shutil.rmtree(shop / "data")
    assert main(["restore", str(kept)]) == 0
    assert main(["queue", "add", "brands", "--op", "create", "--json", '{"name": "New"}']) == 0
    assert [each["next"] for each in queued(capsys)] == [
        "may have been sent: the next push looks for it first",
        "the next push sends it",
    ]


def test_a_backup_beside_a_writer_is_of_one_moment(shop):
    stop = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(shop / "data" / "mirror.sqlite", timeout=30)) as ledger:
            while not stop.is_set():
                ledger.execute("insert into a values (1)")
                ledger.execute("insert into b values (1)")
                ledger.commit()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert main(["backup", "--to", str(shop / "kept.backup")]) == 0
    finally:
        stop.set()
        writer.join()
    with zipfile.ZipFile(shop / "kept.backup") as packed:
        (shop / "ledger").write_bytes(packed.read("mirror.sqlite"))
    with closing(sqlite3.connect(shop / "ledger")) as ledger:
        assert ledger.execute("pragma integrity_check").fetchone() == ("ok",)
        ((one, other),) = ledger.execute(
            "select (select count(*) from a), (select count(*) from b)"
        )
        assert one == other


def test_a_restore_replaces_nothing_of_what_was_done_since_one_that_failed(shop, kept, capsys):
    taken = shop / ".dlt" / "restored-config.toml"
    shutil.rmtree(shop / "data")
    taken.mkdir()
    assert main(["restore", str(kept)]) == 2
    assert main(["queue", "add", "brands", "--op", "create", "--json", '{"name": "New"}']) == 0
    taken.rmdir()
    assert main(["restore", str(kept)]) == 2
    assert "replaces nothing" in capsys.readouterr().err
    assert "brands" in {each["resource"] for each in queued(capsys)}


@pytest.mark.parametrize("harm", ["cut", "changed", "empty", "absent", "other"])
def test_a_damaged_backup_puts_nothing_in_place(shop, kept, capsys, harm):
    whole = kept.read_bytes()
    if harm == "cut":
        kept.write_bytes(whole[: len(whole) // 2])
    elif harm == "changed":
        with zipfile.ZipFile(kept) as packed:
            at = packed.getinfo("outbox.sqlite").header_offset + 200
        kept.write_bytes(whole[:at] + bytes(64) + whole[at + 64 :])
    elif harm == "empty":
        kept.write_bytes(b"")
    elif harm == "absent":
        kept.unlink()
    else:
        with zipfile.ZipFile(kept, "w") as packed:
            packed.writestr("../../evil", "x")
    shutil.rmtree(shop / "data")
    assert main(["restore", str(kept)]) == 2
    home = shop / "data"
    names = {path.name for path in home.iterdir()} if home.exists() else set()
    assert not names & {"outbox.sqlite", "mirror.sqlite", "warehouse.duckdb"}
    assert not (shop.parent / "evil").exists()


def killed(*words: str) -> Iterator[None]:
    """A command, killed after a while, a little later each time."""
    for tenth in range(1, 9, 2):
        made = subprocess.Popen([sys.executable, "-m", "shopmirror", *words])
        time.sleep(tenth / 10)
        made.send_signal(signal.SIGKILL)
        made.wait(timeout=30)
        yield


def test_killed_backups_leave_the_last_one_whole(shop, kept):
    another = shop / f".{kept.name}.zip.k3j2h1g0.tmp"  # of a file that is being written, too
    another.touch()
    for _ in killed("backup", "--to", str(kept)):
        with zipfile.ZipFile(kept) as packed:
            assert packed.testzip() is None
    assert main(["backup", "--to", str(kept)]) == 0
    assert [path for path in shop.iterdir() if ".tmp" in path.name] == [another]


def test_killed_restores_are_begun_anew(shop, kept):
    shutil.rmtree(shop / "data")
    list(killed("restore", str(kept)))
    # 2: one of them was through before it was killed.
    assert main(["restore", str(kept)]) in (0, 2)
    with closing(sqlite3.connect(shop / "data" / "mirror.sqlite")) as ledger:
        assert ledger.execute("select count(*) from filling").fetchone() == (2000,)
    assert (shop / "data" / "outbox.sqlite").exists()


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_full_disk_is_told_and_leaves_nothing_half(shop, command):
    file, home = shop / "kept.backup", shop / "data"
    words = ["backup", "--to", str(file)]
    if command == "restore":
        assert main(words) == 0
        shutil.rmtree(home)
        words = ["restore", str(file)]

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run(
        [sys.executable, "-m", "shopmirror", *words],
        capture_output=True, text=True, timeout=120, preexec_fn=small, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    if command == "backup":
        assert not file.exists()
        assert not [path for path in Path(shop).iterdir() if ".tmp" in path.name]
    else:
        assert not (home / "outbox.sqlite").exists()


def test_nothing_to_back_up_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "data"))
    assert main(["backup"]) == 2
    assert "nothing to back up" in capsys.readouterr().err
