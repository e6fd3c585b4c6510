"""What the code says: every message of ours that a catalogue has to translate."""

import functools
import io
import json
from pathlib import Path

from babel.messages.extract import extract, extract_from_dir

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
_WHERE = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]


@functools.cache
def messages() -> dict[str, str]:
    """English sentence -> where it stands."""
    found: dict[str, str] = {}
    for folder in ("pipelines", "notebooks", "shopmirror"):
        for name, line, message, _comments, _context in extract_from_dir(
            ROOT / folder, _WHERE, keywords={"_": None, "Text": None}
        ):
            assert isinstance(message, str)
            found.setdefault(message, f"{folder}/{name}:{line}")
    for name, code in notebooks().items():
        for _line, message, *_rest in extract("python", io.BytesIO(code.encode()), {"say": None}):
            assert isinstance(message, str)
            found.setdefault(message, name)
    return found


@functools.cache
def notebooks() -> dict[str, str]:
    """Name of a notebook -> the code of all its cells."""
    return {
        path.name: "\n\n".join(
            "".join(cell["source"])
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "code"
        )
        for path in sorted(FOLDER.glob("*.ipynb"))
    }
