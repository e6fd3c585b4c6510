"""``schedule --install``: the account's own service, whatever the machine has of it."""

import configparser
import os
import plistlib
from pathlib import Path

import pytest

from schedules.runner import STOP_SECONDS
from shopmirror.main import main


def settle(folder: Path) -> Path:
    """Make a folder with a shop's settings."""
    (folder / ".dlt").mkdir(parents=True)
    url = 'base_url = "http://127.0.0.1:9/v1"'
    (folder / ".dlt" / "config.toml").write_text(f"[sources.repair_shop]\n{url}\n")
    key = 'api_key = "key-0123456789"'
    (folder / ".dlt" / "secrets.toml").write_text(f"[sources.repair_shop]\n{key}\n")
    return folder


@pytest.fixture
def account(tmp_path, monkeypatch):
    """An account with a systemctl that notes what it is told."""
    folder = settle(tmp_path / "shop")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("systemctl", "launchctl"):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/told\n')
        tool.chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(folder / "data"))
    return tmp_path


def told(account: Path) -> list[str]:
    path = account / "told"
    return path.read_text().splitlines() if path.exists() else []


def test_a_user_unit_is_written_started_and_removed(account, monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "linux")
    assert main(["schedule", "--install"]) == 0
    unit = account / ".config" / "systemd" / "user" / "shopmirror.service"
    parsed = configparser.ConfigParser(interpolation=None, strict=False)
    parsed.optionxform = str
    parsed.read_string(unit.read_text())
    service = parsed["Service"]
    assert service["ExecStart"].endswith("shopmirror schedule")
    assert service["WorkingDirectory"] == str(account / "shop")
    assert service["Environment"] == f"SHOPMIRROR_HOME={account / 'shop' / 'data'}"
    assert (int(service["TimeoutStopSec"]) > 40, service["SuccessExitStatus"]) == (True, "4")
    assert "User" not in service and "PrivateDevices" not in service
    assert parsed["Install"]["WantedBy"] == "default.target"
    assert told(account)[-1] == "systemctl --user enable --now shopmirror"
    said = capsys.readouterr().out
    assert f"Written: {unit}" in said and "Done: systemctl --user enable" in said
    assert main(["schedule", "--install"]) == 0, "twice is once"
    assert main(["schedule", "--uninstall"]) == 0
    assert not unit.exists()
    assert "systemctl --user disable --now shopmirror" in told(account)
    assert main(["schedule", "--uninstall"]) == 0
    assert "nothing was done" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        ("linux", ["disable --now", "daemon-reload", "daemon-reload", "enable --now"]),
        ("darwin", ["bootout", "bootstrap"]),
    ],
)
def test_a_service_that_runs_is_started_anew_by_its_new_file(account, monkeypatch, platform, words):
    """Also that of a folder with an odd name."""
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.chdir(settle(account / "50% & more"))
    assert main(["schedule", "--install"]) == 0
    before = len(told(account))
    assert main(["schedule", "--install"]) == 0
    again = told(account)[before:]
    assert len(again) == len(words)
    assert all(word in line for word, line in zip(words, again, strict=True))


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("name", ["other", "sho"])
def test_a_service_of_another_folder_stays(account, monkeypatch, capsys, platform, name):
    monkeypatch.setattr("sys.platform", platform)
    assert main(["schedule", "--install"]) == 0
    monkeypatch.chdir(settle(account / name))
    assert main(["schedule", "--install"]) == 2
    assert "serves another folder" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["--install"], ["--print", "crontab"]], ids=" ".join)
def test_what_a_service_does_not_get_of_this_shell_is_left_to_do(
    account, monkeypatch, capsys, command
):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "key-0123456789")
    monkeypatch.setenv("DESTINATION__OFFICE__CREDENTIALS", "key-0123456789")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:key-0123456789@proxy:3128")
    assert main(["schedule", *command]) == (command == ["--install"])
    said = capsys.readouterr()
    told = (said.out + said.err).replace("\n", " ")
    for section in ("sources.repair_shop", "destination"):
        assert f"say of [{section}] into .dlt/" in told
    assert "may not get this shell's HTTPS_PROXY" in told
    assert "key-0123456789" not in told


def test_launchd_gets_a_property_list(account, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert main(["schedule", "--install"]) == 0
    path = account / "Library" / "LaunchAgents" / "shopmirror.schedule.plist"
    described = plistlib.loads(path.read_bytes())
    assert described["ProgramArguments"][1:] == ["schedule"]
    assert described["ExitTimeOut"] > STOP_SECONDS, "launchd kills after 20 by itself"
    assert described["EnvironmentVariables"]["SHOPMIRROR_HOME"] == os.environ["SHOPMIRROR_HOME"]
    assert told(account)[-1].startswith("launchctl bootstrap gui/")
    assert main(["schedule", "--uninstall"]) == 0
    assert not path.exists()


def test_a_machine_without_systemd_is_told_what_is_left(account, monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(account / "nothing"))
    assert main(["schedule", "--install"]) == 1
    assert "To do: systemctl --user enable --now shopmirror" in capsys.readouterr().out
