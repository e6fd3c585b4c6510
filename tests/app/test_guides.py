"""The guides are true: every command in them exists, every setting in them is taken."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from typer.main import get_command

from pipelines.settings import ShopSettings
from pipelines.transform.dictionary import tables
from shopmirror.commands.config import sections
from shopmirror.main import app

pytestmark = pytest.mark.core

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs"
README = ROOT / "README.md"
GLOSSARY = (FOLDER / "reference" / "glossary.md").read_text(encoding="utf-8")
GUIDES = [README, ROOT / "CONTRIBUTING.md", *sorted(FOLDER.rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
_CHECKED = {"": "below", "toml": "below", "sql": "test_demo", "python": "test_demo"}
"""Language of a block -> where it is run or checked."""
_OTHERS = re.compile(
    r"(make \w+|sqlite3 data/\S+ .*|cp data/\S+ \S+|duckdb -ui|dbt (run-operation|build) .*"
    r"|python -m pipelines\.destinations\.spark \S+|export SPARK_LOCAL_IP=\S+"
    r"|spark-class org\.apache\.spark\.\S+ .*|spark\.\S+ \S.*)( +#.*)?"
)
"""Lines that are no command of ours: targets of make, and what other programs do."""


def blocks(path: Path) -> list[tuple[str, str]]:
    """Language and text of every block of code."""
    return _BLOCK.findall(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_block_is_checked_by_something(guide):
    text = guide.read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.M)) == 2 * len(blocks(guide))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for language, block in blocks(guide):
        assert language in _CHECKED, language
        for line in block.splitlines() if not language else ():
            line = line.removeprefix(".venv/bin/")
            if line and not line.startswith(("shopmirror ", "#")):
                assert _OTHERS.fullmatch(line), line
            for target in re.findall(r"^make (\w+)", line):
                assert f"\n{target}: " in makefile, target


def _commands(text: str) -> list[list[str]]:
    """Command lines of ``shopmirror``, from blocks and from the running text."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    lines = [line.split(" #")[0] for block in blocks for line in block.splitlines()]
    lines = [line.removeprefix(".venv/bin/") for line in lines]
    lines += re.findall(r"`(shopmirror [^`]+)`", text)
    return [shlex.split(line)[1:] for line in lines if line.startswith("shopmirror ")]


def check_command(command: Any, words: list[str]) -> None:
    while words and (isinstance(command, click.Group) or hasattr(command, "commands")):
        name = words[0]
        if name.startswith("--"):
            break
        assert name in command.commands, f"no command '{name}'"
        command, words = command.get_command(None, name), words[1:]
    options = {option for parameter in command.params for option in parameter.opts}
    options |= {option for parameter in command.params for option in parameter.secondary_opts}
    for word in words:
        if word.startswith("--"):
            assert word in options, f"'{command.name}' has no option {word}"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_of_a_guide_exists(guide):
    for words in _commands(guide.read_text(encoding="utf-8")):
        check_command(get_command(app), words)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_setting_of_a_guide_is_taken(guide):
    for block in re.findall(r"^```toml\n(.*?)^```", guide.read_text(encoding="utf-8"), re.M | re.S):
        settings = tomllib.loads(block)
        for name in ("schedule", "retention"):
            sections()[name].model_validate(settings.get(name, {}))
        for name, kind in sections().items():
            assert set(settings.pop(name, {})) <= set(kind.model_fields)
        shop = settings.pop("sources", {}).get("repair_shop", {})
        for values in (shop, *shop.pop("shops", {}).values()):
            assert set(values) <= set(ShopSettings.model_fields)
        assert settings == {}


@pytest.mark.parametrize(
    "guide", [*GUIDES, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"], ids=lambda path: path.stem
)
def test_links_lead_somewhere(guide):
    text = guide.read_text(encoding="utf-8")
    anchors = {one.lower().replace(" ", "-") for one in re.findall(r"^## (.+)$", GLOSSARY, re.M)}
    assert set(re.findall(r"glossary\.md#([\w-]+)", text)) <= anchors
    for target in re.findall(r"\]\(([^)#:]+)[)#]", text):
        assert (guide.parent / target).exists(), target


def test_every_notebook_and_every_table_of_the_questions_is_there():
    books = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    said = " ".join(guide.read_text(encoding="utf-8") for guide in GUIDES)
    assert set(re.findall(r"\b\d\d_[a-z_]+", said)) <= books
    questions = (FOLDER / "reference" / "questions.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+)`", " ".join(re.findall(r"^\|.*", questions, re.M)))
    assert set(named) <= {name for table in tables() for name in (table.name, *table.columns)}


def test_the_readme_is_one_screen():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 60


def test_every_reason_and_state_is_explained():
    from pipelines.outbox import STATES
    from pipelines.reconcile.explain import MEANING

    differs = (FOLDER / "how-to" / "when-something-differs.md").read_text(encoding="utf-8")
    for reason in MEANING:
        assert f"| {reason.replace('_', ' ')} |" in differs
    writing = (FOLDER / "how-to" / "write-back.md").read_text(encoding="utf-8")
    for state in STATES:
        assert f"| `{state}` |" in writing
