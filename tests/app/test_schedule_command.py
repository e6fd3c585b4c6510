"""``shopmirror schedule`` as a process of its own, against the sandbox."""

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.json_file import write_atomically
from pipelines.monitor.schedule_state import ScheduleState
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from schedules import clock as clockwork
from shopmirror.main import main
from tests.app.command_line import point_at
from tests.app.nights import home as home

PROGRAM = [sys.executable, "-c", "from shopmirror.main import run; run()"]


@pytest.fixture(scope="module")
def server():
    # A minute of 20 seconds: a sync of the tiny shop would take longer than this test allows it.
    with SandboxServer([ShopSpec("main")], size="tiny", minute_seconds=20) as running:
        yield running


@pytest.fixture
def configured(server, home, monkeypatch):
    point_at(server, monkeypatch, home, MINUTE_SECONDS=20, TIMEZONE="UTC")


def _far() -> str:
    moment = datetime.now(UTC) + timedelta(hours=12)
    return f"{moment:%H:%M}"


def test_sigterm_in_the_middle_of_a_sync(home, configured, server, monkeypatch):
    monkeypatch.setenv("SCHEDULE__SYNC_AT", _far())
    monkeypatch.setenv("SCHEDULE__PUSH_EVERY_MINUTES", "0")
    state = ScheduleState(home)
    long_ago = datetime.now(UTC) - timedelta(days=3)
    state.started("sync", "warehouse", long_ago, long_ago)  # cut off: it begins at once
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        PROGRAM + ["schedule"],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stderr or ()))
    reader.start()
    try:
        until = time.monotonic() + 120
        while len(server.requests("main")) < 3:
            assert time.monotonic() < until and process.poll() is None, lines
            time.sleep(0.05)
        second = subprocess.run(
            PROGRAM + ["schedule"], capture_output=True, text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": str(root)},
        )  # fmt: skip
        assert second.returncode == 4 and "this one ends" in second.stderr
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 4, lines
    finally:
        if process.poll() is None:
            process.kill()
        reader.join(30)
    assert state.jobs()["sync"].outcome == "stopped"
    assert state.jobs()["report"].started_at is None
    answered = [r for r in server.requests("main") if r.status == 200]
    assert answered, "nothing was fetched"
    logged = "".join(path.read_text() for path in (home / "logs").glob("*.jsonl"))
    assert server.keys["main"] not in logged + "".join(lines)
    events = [json.loads(line)["event"] for line in logged.splitlines()]
    assert "scheduler begins" in events and "scheduler ends" in events


def test_a_scheduler_waits_for_room_on_the_disk(home, configured, monkeypatch, capsys):
    monkeypatch.setattr("shopmirror.commands.schedule._LOOKS_AGAIN", 0.01)
    probe, tries = tempfile.TemporaryFile, []

    def full_at_first(dir):
        tries.append(dir)
        if len(tries) < 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGTERM]).start()
        return probe(dir=dir)

    monkeypatch.setattr("tempfile.TemporaryFile", full_at_first)
    assert main(["schedule"]) == 0
    told = capsys.readouterr().err
    assert told.count("the disk is full") == 1
    assert "sync: nightly sync" in told


def test_wrong_settings_leave_at_once(home, capsys):
    assert main(["schedule"]) == 2
    assert "base_url" in capsys.readouterr().err


def test_an_unknown_job_is_named(home, configured, capsys):
    assert main(["schedule", "--run", "backup"]) == 2
    assert "sync, push" in capsys.readouterr().err


def test_once_begins_with_remembering(home, configured, server):
    before = len(server.requests("main"))
    assert main(["schedule", "--once"]) == 0
    assert len(server.requests("main")) == before
    assert set(ScheduleState(home).jobs()) >= {"sync", "push", "report", "audit", "housekeeping"}


def test_a_job_can_be_run_by_hand(home, configured):
    assert main(["schedule", "--run", "housekeeping"]) == 0
    state = ScheduleState(home).jobs()["housekeeping"]
    assert state.exit_code == 0 and "Deleted" in state.message


def test_a_home_that_cannot_be_written_is_named(plain_folder, configured, monkeypatch, capsys):
    (plain_folder / "blocked").write_text("a file where the folder should be")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(plain_folder / "blocked"))
    assert main(["schedule", "--once"]) == 2
    assert "blocked" in capsys.readouterr().err


def test_a_running_scheduler_takes_changed_settings(home, configured, monkeypatch, capfd):
    monkeypatch.setattr(clockwork, "EVERY", timedelta(seconds=0.05))
    monkeypatch.setenv("SCHEDULE__PUSH_EVERY_MINUTES", "0")
    config, now = Path(".dlt/config.toml"), datetime.now(UTC)
    config.parent.mkdir()

    def set_to(at: str) -> None:
        write_atomically(config, f'[schedule]\nsync_at = "{at}"\nhousekeeping_at = "{at}"\n')

    def is_planned(hours: int) -> bool:
        jobs = ScheduleState(home).jobs()
        planned = jobs["sync"].next_at if "sync" in jobs else None
        return planned is not None and planned.hour == (now + timedelta(hours=hours)).hour

    def wait(hours: int) -> None:
        until = time.monotonic() + 60
        while not is_planned(hours):
            assert time.monotonic() < until, hours
            time.sleep(0.01)

    def change() -> None:
        try:
            wait(10)
            set_to("25:00")
            time.sleep(0.5)
            assert is_planned(10)
            set_to(f"{now + timedelta(hours=12):%H:00}")
            wait(12)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    set_to(f"{now + timedelta(hours=10):%H:00}")
    changing = threading.Thread(target=change)
    changing.start()
    assert main(["schedule"]) == 0
    changing.join()
    told = capfd.readouterr().err
    assert "the old times stay: Settings under [schedule] are wrong: sync_at" in told
    assert "planned anew" in told and is_planned(12)
