"""The reference as the code writes it, and as it is committed."""

import importlib.util
from pathlib import Path

import pytest
from typer.main import get_command

from pipelines.settings import ShopSettings
from pipelines.transform.dictionary import page, tables
from shopmirror.commands.config import sections
from shopmirror.main import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("build", ROOT / "docs" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_whole(build):
    pages = build.reference()
    for name in get_command(app).commands:
        assert f"## `shopmirror {name}`" in pages["reference/commands.md"]
    for kind in (ShopSettings, *sections().values()):
        for name, field in kind.model_fields.items():
            if (kind, name) != (ShopSettings, "name"):
                assert field.description, f"{kind.__name__}.{name} has no description"
                assert f"| `{name}` |" in pages["reference/settings.md"]
    assert "## `history.tickets`" in pages["reference/tables.md"]
    assert "{{" not in pages["reference/tables.md"]


def test_every_guide_is_named_on_the_first_page():
    folder = ROOT / "docs"
    said = (folder / "index.md").read_text(encoding="utf-8")
    for path in folder.rglob("*.md"):
        assert path.name == "index.md" or f"({path.relative_to(folder)})" in said


def test_the_committed_reference_is_what_the_code_says(build):
    for name, text in build.reference().items():
        committed = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert committed == text, f"docs/{name} is old: python docs/build.py writes it"


def test_the_dictionary_reads_on_a_phone():
    found = tables()
    made = page(found)
    assert 'name="viewport"' in made and "<script" not in made
    assert made.count("<details") == len(found) > 40
