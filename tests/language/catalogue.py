"""What the code says: every message of ours that a catalogue has to translate."""

from __future__ import annotations

import functools
from pathlib import Path

from babel.messages.extract import extract_from_dir

ROOT = Path(__file__).parents[2]
_WHERE = [("**.py", "python"), ("report/page.html", "jinja2.ext:babel_extract")]


@functools.cache
def messages() -> dict[str, str]:
    """English sentence -> where it stands."""
    found: dict[str, str] = {}
    for folder in ("pipelines", "notebooks"):
        for name, line, message, _comments, _context in extract_from_dir(
            ROOT / folder, _WHERE, keywords={"_": None, "Text": None}
        ):
            assert isinstance(message, str)
            found.setdefault(message, f"{folder}/{name}:{line}")
    return found
