"""The notebooks' prose in the reader's language: what ``shopmirror notebooks --to`` writes.

A paragraph is a message of the catalogue (``es.po`` in this folder; one's own may have it too).
Labels of charts are said by the notebooks' code as it runs, from the catalogue of all the rest.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.language import Language
from pipelines.language.display import read_catalogue

FOLDER = Path(__file__).parent
_BETWEEN = re.compile(r"(\n*^```.*?^```$\n*|\n\n+)", re.M | re.S)


def words(language: Language) -> Mapping[str, str]:
    """English paragraph -> what ``language`` says; empty when it has no catalogue."""
    path = FOLDER / f"{language.code}.po"
    return {**(read_catalogue(path) if path.exists() else {}), **language.words}


def paragraphs(path: Path) -> Iterator[str]:
    """What a catalogue has to say of a notebook: headings, paragraphs and tables, no code."""
    for cell in _read(path)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from (text for text in _pieces(cell)[::2] if text.strip())


def translated(path: Path, said: Mapping[str, str]) -> str:
    """A notebook with its prose as ``said``, not yet run: its pictures would speak English."""
    notebook = _read(path)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = "".join(said.get(text, text) for text in _pieces(cell))
        else:
            cell.update(outputs=[], execution_count=None)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _pieces(cell: Any) -> list[str]:
    """A cell's text: paragraphs at even places, what stands between them (gaps, code) at odd."""
    return _BETWEEN.split("".join(cell["source"]))
