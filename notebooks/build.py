"""Runs every notebook top to bottom and keeps what it showed in the file.

Data flow: a sandbox shop (always the same: size, seed, last day) -> a warehouse of the real sync in
a throwaway folder -> the notebooks, each in a kernel of its own -> ``notebooks/*.ipynb`` with
outputs. From the project's folder: ``python -m notebooks.build [NAME...]``.

Nothing of the machine stays in the files: no times of execution, no versions, no folders.
"""

import base64
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Literal

import nbformat
from nbclient import NotebookClient
from PIL import Image

from pipelines.settings import Settings, ShopSettings
from pipelines.sync.run import sync
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec

FOLDER = Path(__file__).parent
TIMEZONE, CURRENCY = "America/Guatemala", "GTQ"
_CELL_SECONDS = 180
_COLOURS = 96
_MINUTE_SECONDS = 1.0
"""The sandbox's minute; nothing waits for it, since the sandbox sets this build no limit."""


def notebooks() -> list[Path]:
    """The notebooks, in reading order."""
    return sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))


def mirror_sandbox(home: Path, *, size: Literal["tiny", "small"]) -> None:
    """Sync a sandbox shop into ``home``; nothing is to be shown of one that does not go well."""
    shop = ShopSpec("main", limit=None, timezone=TIMEZONE)
    with SandboxServer([shop], size=size, minute_seconds=_MINUTE_SECONDS) as server:
        settings = ShopSettings(
            name="main",
            base_url=server.base_url,
            api_key=server.keys["main"],
            timezone=TIMEZONE,
            currency=CURRENCY,
            requests_per_minute=100_000,
            minute_seconds=_MINUTE_SECONDS,
        )
        report = sync(Settings(home=home, shops=(settings,)))
    assert report.exit_code == 0, report.message


def run(path: Path, home: Path) -> nbformat.NotebookNode:
    """Execute a notebook over the warehouse in ``home``; gives it with outputs, the file untouched.

    Raises :class:`nbclient.exceptions.CellExecutionError` when a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as scratch:
        # IPython keeps a history; neither the user's own is touched nor any left behind.
        environment = {
            **os.environ,
            "SHOPMIRROR_HOME": str(home.resolve()),
            "IPYTHONDIR": scratch,
            "PYTHONHASHSEED": "0",
        }
        client = NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            startup_timeout=_CELL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(FOLDER)}},
            record_timing=False,
        )
        client.execute(env=environment)
    return notebook


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Take out what differs from machine to machine; gives the same notebook."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()
        for output in cell.get("outputs", []):
            # The picture says it all; its stand-in in text is a memory address or the like.
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = _smaller(output["data"]["image/png"])
                output["data"]["text/plain"] = "a chart"
                output["metadata"] = nbformat.NotebookNode()
    return notebook


def _smaller(png: str) -> str:
    """The same picture with a palette: a fifth of the size, which a repository keeps for ever."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    packed = io.BytesIO()
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    return base64.b64encode(packed.getvalue()).decode("ascii")


def main() -> None:
    """Run the notebooks whose names hold a word of the command line (none: all), keep outputs."""
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        mirror_sandbox(Path(scratch), size="small")
        for path in notebooks():
            if not words or any(word in path.stem for word in words):
                nbformat.write(tidy(run(path, Path(scratch))), path)
                sys.stderr.write(f"{path.name}: done\n")


if __name__ == "__main__":
    main()
