"""The documentation's pages as the site builder gets them."""

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def pages(build):
    return build.pages()


def named(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            (below,) = entry.values()
            yield from named(below)


def test_the_reference_is_whole(pages):
    for name in get_command(app).commands:
        assert f"## `shopmirror {name}`" in pages["reference/commands.md"]
    for kind in (ShopSettings, *sections().values()):
        for name, field in kind.model_fields.items():
            if (kind, name) != (ShopSettings, "name"):
                assert field.description, f"{kind.__name__}.{name} has no description"
                assert f"| `{name}` |" in pages["reference/settings.md"]
    assert "## `history.tickets`" in pages["reference/tables.md"]
    assert "{{" not in pages["reference/tables.md"]


def test_every_page_is_in_the_menu_and_every_link_leads_somewhere(pages):
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(named(site["nav"])) == sorted(pages)
    pictures = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.[ps][nv]g")}
    for name, text in pages.items():
        for target in re.findall(r"\]\((?!https:)([^)#\s]+)", text):
            path = (Path("/") / Path(name).parent / target).resolve().relative_to("/")
            assert str(path) in pages or str(path) in pictures, f"{name}: {target}"


def test_the_committed_reference_is_what_the_code_says(build):
    for name, text in build.reference().items():
        committed = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert committed == text, f"docs/{name} is old: python docs/build.py writes it"


def test_the_dictionary_reads_on_a_phone():
    found = tables()
    made = page(found)
    assert 'name="viewport"' in made and "<script" not in made
    assert made.count("<details") == len(found) > 40
