"""The files beside the code name what is there."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from shopmirror.main import app
from tests.app.test_guides import check_command

pytestmark = pytest.mark.core

ROOT = Path(__file__).parents[2]


def test_the_image_copies_what_is_there_and_runs_commands_that_exist():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    copied = [words.split()[:-1] for words in re.findall(r"^COPY (?!--)(.+)$", text, re.M)]
    names = {name for words in copied for name in words}
    assert all((ROOT / name).exists() for name in names)
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench"}
    assert packages <= names
    runs = [json.loads(found) for found in re.findall(r"(?:CMD|ENTRYPOINT) (\[.+\])", text)]
    health, entry, default = runs
    assert entry == ["shopmirror"]
    for words in (health[1:], default):
        check_command(get_command(app), words)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (python,) = set(re.findall(r"library/python:([\d.]+)", text))
    assert f"Programming Language :: Python :: {python}" in wanted["classifiers"]


def test_hooks_run_the_tools_of_this_project():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for hook in hooks[0]["hooks"]:
        tool = Path(hook["entry"].split()[0]).name
        assert f"$(BIN)/{tool}" in makefile
