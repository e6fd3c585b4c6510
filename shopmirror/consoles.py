"""Where words go: results to standard output, progress and troubles to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WIDTH_OF_A_FILE = 160
"""Characters a line when nobody looks: wide enough that no table is cut."""


def out() -> Console:
    """The console of results."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH_OF_A_FILE, highlight=False)


def err() -> Console:
    """The console of progress, logs and errors."""
    wide = None if sys.stderr.isatty() else _WIDTH_OF_A_FILE
    return Console(stderr=True, width=wide, highlight=False)


def fault(text: str) -> None:
    """An error in red on standard error; lines are never broken, so they can be searched for."""
    err().print(f"[red]{escape(text)}[/red]", soft_wrap=True)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table of texts; a column whose name begins with '#' stands to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", show_edge=False)
    for column in columns:
        name = column.removeprefix("#")
        made.add_column(name, justify="right" if name != column else "left")
    for row in rows:
        made.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    return made


def duration(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
