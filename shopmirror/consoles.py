"""Where words go: results to standard output, progress and troubles to standard error.

Texts of the service's customers come along in errors, names and reasons. None of them can speak to
the terminal: what would move its cursor, colour it, open a link or turn the order of letters is
shown as a sign of its own. JSON for programs is exempt, and escapes them all the same.
"""

import io
import json
import math
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

_WIDTH_OF_A_FILE = 1_000_000
"""Characters a line when nobody looks: no cell is cut, none broken."""
_UNSAFE = (
    *range(0x09), *range(0x0B, 0x20), 0x7F,  # C0 but tab and line feed, and DEL
    *range(0x80, 0xA0),  # C1: one of them is an escape sequence's beginning by itself
    0x2028, 0x2029,  # line ends that are none to us
    *range(0x202A, 0x202F), *range(0x2066, 0x206A),  # direction: embeddings, overrides, isolates
    *range(0xD800, 0xE000),  # halves of characters, which no terminal can be sent
)  # fmt: skip
_SIGNS = {c: 0x2400 + c if c < 0x20 else 0x2421 if c == 0x7F else 0xFFFD for c in _UNSAFE}
_ESCAPES = {c: f"\\u{c:04x}" for c in _UNSAFE}


class CommandError(Exception):
    """What was asked for cannot be done as things are; the message says why, and how it could.
    Exit code 2."""

    exit_code = 2


def visible(text: str, *, one_line: bool = False) -> str:
    """``text`` with each sign that a terminal would obey replaced by one that it shows.

    ``one_line`` replaces line feeds and tabs too: nobody's name begins a line of ours.
    """
    if one_line:
        text = text.replace("\n", "\u240a").replace("\t", " ")
    return text.translate(_SIGNS)


class Screen(Console):
    """A console through which no text reaches the terminal as anything but text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments as Rich makes them; its own controls pass, a text's do not."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def out() -> Console:
    """The console of results."""
    wide = None if sys.stdout.isatty() else _WIDTH_OF_A_FILE
    return Screen(width=wide)


def err() -> Console:
    """The console of progress, logs and errors."""
    wide = None if sys.stderr.isatty() else _WIDTH_OF_A_FILE
    return Screen(stderr=True, width=wide)


def say(text: str, style: str = "") -> None:
    """One line of a result, never broken, whatever the text holds."""
    shown = visible(text, one_line=True)
    out().print(shown, style=style, markup=False, soft_wrap=True)


def tell(text: str) -> None:
    """A line of progress on standard error, never broken."""
    err().print(text, markup=False, soft_wrap=True)


def fault(text: str) -> None:
    """An error in red on standard error; lines are never broken, so they can be searched for."""
    err().print(text, style="red", markup=False, soft_wrap=True)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    text = json.dumps(_in_json(document), indent=2, ensure_ascii=False, default=str)
    # What JSON leaves as it is and a terminal would obey; inside texts it means the same.
    for_programs().write(text.translate(_ESCAPES) + "\n")


def for_programs() -> TextIO:
    """Standard output in UTF-8, whatever letters the terminal has: an escaped one is an error in
    JSON, and another name in CSV."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    return sys.stdout


def _in_json(value: Any) -> Any:
    """A value as JSON has it: no figure that is none, and texts for keys."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _in_json(one) for key, one in value.items()}
    return [_in_json(one) for one in value] if isinstance(value, list | tuple) else value


def table(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Table:
    """A table of texts; a column whose name begins with '#' stands to the right."""
    made = Table(title=escape(title), title_justify="left", title_style="bold", show_edge=False)
    for column in columns:
        name = column.removeprefix("#")
        made.add_column(escape(name), justify="right" if name != column else "left")
    for row in rows:
        cells = ("" if cell is None else visible(str(cell), one_line=True) for cell in row)
        made.add_row(*(escape(cell) for cell in cells))
    return made


def moment(told: str | datetime, zone: tzinfo | None = None) -> str:
    """A moment as the clock on the wall shows it: the zone's, by default this machine's.

    A text is ISO 8601 with an offset. ``2026-11-21 22:40 CST``.
    """
    at = datetime.fromisoformat(told) if isinstance(told, str) else told
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M %Z}"


def agreement(compared: int, differing: int) -> str:
    """How many periods of the reports agree, of those that were compared."""
    if differing:
        return f"{differing} of {compared} periods differ"
    return f"{compared} of {compared} periods" if compared else "not compared"


def duration(seconds: float) -> str:
    """Seconds as people say them: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < 90:
        return f"{max(0, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
