"""The reference, which the code writes: commands, settings and tables -> ``docs/reference/``.

It is committed, and a test compares. ``make docs`` writes it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from typer.main import get_command

from pipelines.settings import SECTION, ShopSettings
from pipelines.transform.dictionary import tables
from shopmirror.commands.config import sections
from shopmirror.main import app

DOCS = Path(__file__).resolve().parent


def reference() -> dict[str, str]:
    """The pages that the code writes: path below ``docs`` -> text."""
    return {
        "reference/commands.md": commands(),
        "reference/settings.md": settings(),
        "reference/tables.md": table_reference(),
    }


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


if __name__ == "__main__":
    for name, text in reference().items():
        (DOCS / name).write_text(text, encoding="utf-8")
