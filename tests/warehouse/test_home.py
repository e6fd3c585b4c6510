"""The home folder: what users see when it cannot be used, and one sync at a time."""

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from pipelines.home import Home, HomeError, SyncRunning, storage_trouble
from pipelines.json_file import write_atomically
from pipelines.load.loader import Loader
from pipelines.settings import Settings
from pipelines.sync.run import Run, sync
from pipelines.sync.session import open_session
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.ledger.file import LedgerError
from tests.homes import shop_of
from tests.promises import promise

HOLD = """
import sys
from pipelines.home import Home
with Home(sys.argv[1]).sync_lock():
    print("held", flush=True)
    sys.stdin.read()
"""


@promise("what is written is readable by its owner alone")
def test_everything_lies_under_the_folder_and_is_private(home):
    for path in (
        home.warehouse,
        home.build_warehouse,
        home.ledger,
        home.budget,
        home.outbox,
        home.logs,
        home.dlt_dir,
    ):
        assert path.is_relative_to(home.path)
    assert home.path.stat().st_mode & 0o077 == 0
    assert list(home.path.glob(".probe*")) == []


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(HomeError, match=r"taken.*SHOPMIRROR_HOME") as caught:
        Home(tmp_path / "taken")
    assert caught.value.exit_code == 2
    with pytest.raises(HomeError, match="part of the path is a file"):
        Home(tmp_path / "taken" / "below")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, number):
    def refuse(dir):
        raise OSError(number, os.strerror(number), str(dir))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(HomeError, match="cannot be used"):
        Home(tmp_path / "home")


def test_a_second_sync_says_who_is_at_work_and_leaves(home):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(SyncRunning, match=rf"process {other.pid}, since 20") as caught,
            home.sync_lock(),
        ):
            pass
        assert caught.value.exit_code == 4
        other.kill()
    with home.sync_lock():
        pass
    assert not (home.path / "sync.running").exists()


def test_a_full_disk_is_told_however_deep_it_lies(home):
    def write():
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise RuntimeError("step failed") from error

    with pytest.raises(HomeError, match=r"disk is full.*What was fetched is kept"), home.guard():
        write()
    with pytest.raises(HomeError, match="disk is full"), home.guard():
        raise duckdb.IOException("Could not write file: No space left on device")
    with pytest.raises(ValueError, match="other"), home.guard():
        raise ValueError("other")
    with pytest.raises(HomeError, match="disk reports an error"), home.guard():
        raise sqlite3.OperationalError("disk I/O error")
    with pytest.raises(HomeError, match="may not grow further"), home.guard():
        raise duckdb.FatalException('FATAL Error: Could not write file "w": File too large')
    assert storage_trouble(ValueError("x")) is None


def test_room_is_kept_for_noting_that_the_disk_was_full(home):
    with home.sync_lock():
        assert (home.path / "sync.running").stat().st_blocks * 512 >= 2**20
        with pytest.raises(HomeError), home.guard():
            raise OSError(errno.ENOSPC, "No space left on device")
        assert not (home.path / "sync.running").exists()


def test_a_run_that_the_disk_ended_is_noted_in_words(tmp_path, monkeypatch):
    def fetch_and_load(run):
        raise duckdb.IOException("Could not write file: No space left on device")

    monkeypatch.setattr(Run, "fetch_and_load", fetch_and_load)
    with pytest.raises(HomeError):
        sync(Settings(home=tmp_path, shops=(shop_of(),)))
    with closing(Ledger(tmp_path / "mirror.sqlite")) as ledger:
        (run,) = ledger.last_runs(1)
    assert (run["outcome"], run["exit_code"]) == ("failed", 2)
    assert "the disk is full; make room" in run["message"]


def test_a_file_that_may_not_be_opened_is_not_to_be_moved_away(home, monkeypatch):
    home.ledger.mkdir()  # as a lack of rights looks to SQLite
    with pytest.raises(LedgerError, match="this user may write it") as told:
        Ledger(home.ledger)
    assert "away" not in str(told.value)

    def refused(*_, **__):
        raise duckdb.IOException('Cannot open file "w": Permission denied')

    monkeypatch.setattr(duckdb, "connect", refused)
    with pytest.raises(HomeError, match="this user may not write there"), home.open_build():
        pass


def test_damage_inside_the_ledger_names_the_file(home):
    """It may open all the same: what is broken shows when its pages are read."""
    with closing(Ledger(home.ledger)) as ledger:
        for n in range(500):
            ledger.set_value("main", f"n{n}", "x" * 400)
    size = home.ledger.stat().st_size
    with closing(Ledger(home.ledger)) as ledger:
        with home.ledger.open("r+b") as file:
            file.seek(size // 2)
            file.write(b"\xff" * (size - size // 2))
        with pytest.raises(LedgerError, match=r"mirror\.sqlite cannot be used .* Move it away"):
            for n in range(500):
                ledger.value("main", f"n{n}")


def test_a_ledger_that_another_program_writes_is_told_and_kept(home):
    with closing(Ledger(home.ledger)) as ledger, closing(sqlite3.connect(home.ledger)) as other:
        ledger.query("PRAGMA busy_timeout = 10")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match=r"is locked\)\. .* keep the file"):
            ledger.set_value("main", "name", "value")


def test_a_database_that_this_process_has_open_is_in_use_and_not_damaged(home):
    with home.open_build():
        pass
    with (
        duckdb.connect(str(home.build_warehouse), read_only=True),
        pytest.raises(HomeError, match="in use"),
        home.open_build(),
    ):
        pass


def test_drafts_follow_no_link_and_the_working_database_is_ours_alone(tmp_path):
    home, theirs = Home(tmp_path / "home"), tmp_path / "theirs"
    theirs.write_text("untouched", encoding="utf-8")
    for name in (f".note.json.{os.getpid()}.tmp", f".probe-{os.getpid()}"):
        (home.path / name).symlink_to(theirs)
    write_atomically(home.path / "note.json", "ours")
    Home(home.path)
    assert theirs.read_text(encoding="utf-8") == "untouched"
    assert (home.path / "note.json").read_text(encoding="utf-8") == "ours"
    before = os.umask(0o000)
    try:
        with home.open_build() as build:
            build.execute("CREATE TABLE t (x INT)")
            assert home.build_warehouse.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_a_damaged_database_is_named_and_one_that_another_process_uses(home):
    with home.open_build():
        pass
    script = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    command = [sys.executable, "-c", script, str(home.build_warehouse)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(HomeError, match="in use by another process"), home.open_build():
            pass
        other.communicate(b"\n")
    home.build_warehouse.write_bytes(b"not a database" * 1000)
    with pytest.raises(HomeError, match="damaged"), home.open_build():
        pass


def test_a_session_that_cannot_begin_leaves_no_file_open(tmp_path, monkeypatch):
    def prepare(self):
        raise HomeError("damaged")

    monkeypatch.setattr(Loader, "prepare", prepare)
    with (
        pytest.raises(HomeError) as refused,
        open_session(Settings(home=tmp_path, shops=(shop_of(),))) as session,
        session.run("sync"),
    ):
        pass
    held = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.exists()]
    assert not [path for path in held if path.startswith(str(tmp_path))], refused
