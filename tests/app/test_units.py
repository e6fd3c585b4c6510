"""The service unit and the crontab line, as far as a machine without them allows."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schedules.units import Place, UnitError, crontab_line, systemd_unit
from shopmirror.main import main

pytestmark = pytest.mark.core
ROOT = Path(__file__).parents[2]


def _place(folder: Path, program: str = "shopmirror") -> Place:
    path = folder / program
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return Place(path, folder, folder / "data", "daemon")


def _parsed(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


@pytest.mark.parametrize("name", ["plain", "with space", "per%cent", "dol$lar", "semi;colon"])
def test_the_unit_is_one_systemd_takes(tmp_path, name):
    place = _place(tmp_path / name)
    text = systemd_unit(place)
    assert _parsed(text).sections() == ["Unit", "Service", "Install"]
    verify = shutil.which("systemd-analyze")
    if verify is None:
        return  # parsed above: all a machine without systemd allows
    unit = tmp_path / "shopmirror.service"
    unit.write_text(text)
    done = subprocess.run([verify, "verify", str(unit)], capture_output=True, text=True, timeout=60)
    said = [line for line in done.stderr.splitlines() if "shopmirror.service" in line]
    assert said == []


def test_the_crontab_line_runs_in_a_shell(tmp_path):
    folder = tmp_path / "a folder with 100% 'everything'"
    place = _place(folder)
    place.program.write_text('#!/bin/sh\necho "$PWD|$SHOPMIRROR_HOME|$*" > ran\n')
    (line,) = [line for line in crontab_line(place).splitlines() if not line.startswith("#")]
    minute, *rest, command = line.split(" ", 5)
    assert (minute, rest) == ("*/5", ["*"] * 4)
    assert not re.search(r"(?<!\\)%", command)  # cron would cut the line there
    shell = command.replace("\\%", "%")  # as cron does before the shell sees it
    subprocess.run(["/bin/sh", "-c", shell], check=True, timeout=60)
    assert (folder / "ran").read_text() == f"{folder}|{place.home}|schedule --once\n"


def test_a_path_that_cannot_be_said_is_refused(tmp_path):
    with pytest.raises(UnitError):
        systemd_unit(Place(tmp_path / 'a"b', tmp_path, tmp_path, "nobody"))
    with pytest.raises(UnitError):
        crontab_line(Place(tmp_path / "a\nb", tmp_path, tmp_path, "nobody"))


def test_the_command_prints_them(plain_folder, capsys):
    assert main(["schedule", "--print", "crontab"]) == 0
    assert str(plain_folder) in capsys.readouterr().out
    assert main(["schedule", "--print", "systemd"]) == 0
    printed = capsys.readouterr().out
    assert str(Path(sys.executable).parent / "shopmirror") in printed
    assert main(["schedule", "--print", "systemd", "--once"]) == 2


def test_a_line_for_cron_names_its_folder_whatever_letters_the_terminal_has(tmp_path):
    (folder := tmp_path / "josé").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "shopmirror", "schedule", "--print", "crontab"], cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
        capture_output=True, check=True,
    )  # fmt: skip
    assert f"cd '{folder}'" in done.stdout.decode()
