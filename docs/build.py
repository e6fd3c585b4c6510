"""The documentation as a site, and its reference, which the code writes.

Data flow: commands, settings and tables as the code has them -> ``docs/reference/`` (committed; a
test compares); then ``docs/`` and the pages beside the code -> ``build/docs`` -> the site builder
-> ``build/site``. ``python docs/build.py`` writes the reference; ``make docs`` does all.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from typer.main import get_command

from pipelines.settings import SECTION, ShopSettings
from pipelines.transform.dictionary import tables
from shopmirror.commands.config import sections
from shopmirror.main import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BESIDE = {
    "bench/RESULTS.md": "measured.md",
    "DECISIONS.md": "decisions.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "sandbox/README.md": "sandbox.md",
    "sources/repair_shop/README.md": "source.md",
    "transforms/README.md": "transforms.md",
}
"""Pages that stay beside what they tell of -> their name on the site."""
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def reference() -> dict[str, str]:
    """The pages that the code writes: path below ``docs`` -> text."""
    return {
        "reference/commands.md": commands(),
        "reference/settings.md": settings(),
        "reference/tables.md": table_reference(),
    }


def pages() -> dict[str, str]:
    """Every page of the site: its path -> its text."""
    sources = {path: str(path.relative_to(DOCS)) for path in sorted(DOCS.rglob("*.md"))}
    sources |= {ROOT / beside: name for beside, name in BESIDE.items()}
    return {
        name: _relinked(path.read_text(encoding="utf-8"), path, name)
        for path, name in sources.items()
    }


def _relinked(text: str, source: Path, name: str) -> str:
    """Links of a page, as they must read on the site; what the site lacks is named only."""

    def change(found: re.Match[str]) -> str:
        target = (source.parent / found[1]).resolve()
        inside = str(target.relative_to(ROOT)) if target.is_relative_to(ROOT) else ""
        if target.is_relative_to(DOCS):
            place = str(target.relative_to(DOCS))
        elif inside in BESIDE:
            place = BESIDE[inside]
        else:
            return f'](index.md "{inside} of the project\'s folder")'
        return f"]({os.path.relpath(place, Path(name).parent)}{found[2] or ''})"

    return _LINK.sub(change, text)


def commands() -> str:
    """Every command with its options."""
    lines = [
        "# Commands",
        "",
        "Exit codes: [error messages](errors.md). `--help` says the same.",
        "",
    ]
    for words, command in _commands(get_command(app), ()):
        lines += [f"## `shopmirror {' '.join(words)}`", "", _text(command.help), ""]
        rows = [
            (", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts)), _text(one.help))
            for one in command.params
            if getattr(one, "help", None) and "--help" not in one.opts
        ]
        if rows:
            lines += ["| option | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""]
    return "\n".join(lines)


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in getattr(command, "commands", ()):
        inner = command.get_command(None, name)
        yield (*words, name), inner
        yield from _commands(inner, (*words, name))


def settings() -> str:
    """Every setting of every section, with its default."""
    lines = [
        "# Settings",
        "",
        "In `.dlt/config.toml`, secrets in `.dlt/secrets.toml`, or as environment variables "
        "(`SOURCES__REPAIR_SHOP__API_KEY`, `MAIL__SMTP_HOST`). `SHOPMIRROR_HOME` (default `data`) "
        "holds every file that is written. `shopmirror config show` lists those that count. Each "
        "of several shops stands under `[sources.repair_shop.shops.<shop>]`, with its own key.",
        "",
    ]
    for name, kind in {".".join(SECTION): ShopSettings, **sections()}.items():
        lines += [f"## `[{name}]`", "", "| setting | default | |", "|---|---|---|"]
        lines += [*_rows(kind, skip="name" if kind is ShopSettings else ""), ""]
    return "\n".join(lines)


def _rows(kind: type[BaseModel], *, skip: str) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        if name != skip:
            default = "" if field.is_required() else field.get_default(call_default_factory=True)
            shown = ", ".join(default) if isinstance(default, tuple) else str(default)
            if hasattr(default, "get_secret_value"):
                shown = ""
            yield f"| `{name}` | {f'`{shown}`' if shown else ''} | {_text(field.description)} |"


def table_reference() -> str:
    """Every table of marts, history and ops, column by column."""
    lines = ["# Tables", ""]
    for table in tables():
        lines += [f"## `{table.schema}.{table.name}`", "", table.description, ""]
        lines += ["| column | |", "|---|---|"]
        lines += [f"| `{name}` | {_text(text)} |" for name, text in table.columns.items()]
        lines.append("")
    return "\n".join(lines)


def _text(said: str | None) -> str:
    return " ".join((said or "").split()).replace("|", "\\|").replace("\\[", "[")


def write(out: Path) -> None:
    """Write all pages and pictures into a folder, anew."""
    shutil.rmtree(out, ignore_errors=True)
    for name, text in pages().items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    for picture in (*DOCS.rglob("*.png"), *DOCS.rglob("*.svg")):
        target = out / picture.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)


if __name__ == "__main__":
    for name, text in reference().items():
        (DOCS / name).write_text(text, encoding="utf-8")
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
