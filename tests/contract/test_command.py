"""``shopmirror sandbox`` as a process, and its keys."""

import signal
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest

from shopmirror.main import main


@contextmanager
def sandbox(ending, *arguments):
    """The lines that the command prints at first; it ends well with the signal."""
    command = [sys.executable, "-m", "shopmirror", "sandbox", "--port", "0", "--size", "tiny"]
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield [process.stdout.readline() for _ in range(7)]
    finally:
        process.send_signal(ending)
    assert process.wait(20) == 0


def ask(base, path, key):
    # The port is bound before the address is printed, so this waits for the first answer.
    return httpx.get(f"{base}{path}", headers={"Authorization": key}, timeout=20).json()


def test_serves_until_a_signal_and_keeps_its_file(tmp_path):
    file = tmp_path / "shop.sqlite"
    arguments = ["--db", str(file), "--quirk", "amounts=text"]
    arguments += ["--quirk", "definition.tax=net", "--until", "2026-03-31"]
    with sandbox(signal.SIGINT, *arguments) as told:
        key = told[1].split()[-1]
        payment = ask(told[0].split()[-1], "/payments", key)[0]
    assert isinstance(payment["amount"], str)
    assert payment["date"] < "2026-03-31"

    with sandbox(signal.SIGINT, "--db", str(file)) as told:
        assert key not in told[1] and "--new-keys" in told[1], "a file keeps only their hashes"
        assert isinstance(ask(told[0].split()[-1], "/payments", key), list)
    with sandbox(signal.SIGINT, "--db", str(file), "--new-keys") as told:
        new = told[1].split()[-1]
        assert isinstance(ask(told[0].split()[-1], "/payments", new), list)
        assert isinstance(ask(told[0].split()[-1], "/payments", key), dict), (
            "the old one is refused"
        )


def test_it_prints_the_settings_of_a_sync_and_its_data_reach_to_yesterday():
    with sandbox(signal.SIGTERM, "--minute-seconds", "2", "--timezone", "Asia/Tokyo") as told:
        settings = tomllib.loads("".join(told[3:]))["sources"]["repair_shop"]
        clocked = ask(settings["base_url"], "/timeClock", told[1].split()[-1])[0]
    assert (settings["timezone"], settings["minute_seconds"]) == ("Asia/Tokyo", 2.0)
    today = datetime.now(ZoneInfo("Asia/Tokyo")).date()
    last = date.fromisoformat(clocked["created_date"][:10])
    assert timedelta(0) < today - last < timedelta(days=60)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--size", "huge"],
        ["--timezone", "Mars/Base"],
        ["--quirk", "amounts"],
        ["--quirk", "amounts=words"],
        ["--quirk", "definition.tax=some"],
        ["--until", "31.3.2026"],
        ["--until", "0001-01-02"],
        ["--port", "0", "--db", "damaged"],
        ["--port", "0", "--db", "no-such-folder/shop.sqlite"],
        ["--port", "0", "--db", "newer"],
    ],
)
def test_wrong_input_is_exit_code_two(arguments, tmp_path, monkeypatch, capfd):
    (tmp_path / "damaged").write_bytes(b"this is no database, and long enough to be looked at" * 9)
    with sqlite3.connect(tmp_path / "newer") as connection:
        connection.execute("PRAGMA user_version = 99")
    monkeypatch.chdir(tmp_path)
    assert main(["sandbox", *arguments]) == 2
    assert "Traceback" not in capfd.readouterr().err


def test_a_port_in_use_is_said(capfd):
    from sandbox.server import SandboxServer

    with SandboxServer() as server:
        assert main(["sandbox", "--port", str(server.port), "--size", "tiny"]) == 2
    assert "choose another with --port" in capfd.readouterr().err
