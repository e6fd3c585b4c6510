"""``shopmirror notebooks``: the analysts' notebooks, to work in."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from shopmirror.consoles import say


class InTheWay(Exception):
    """A file that would be overwritten is there. Exit code 2."""

    exit_code = 2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("notebooks")(copy)


def copy(
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where they are to lie.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite notebooks of that name.")
    ] = False,
) -> int:
    """Copy the notebooks into a folder; they read the warehouse in SHOPMIRROR_HOME."""
    import notebooks

    source = Path(notebooks.__file__).parent
    files = sorted([*source.glob("*.ipynb"), source / "house_style.py", source / "rehearsal.py"])
    there = [file.name for file in files if (to / file.name).exists()]
    if there and not replace:
        raise InTheWay(f"{to} has {', '.join(there)} already; --replace overwrites them.")
    to.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, to / file.name)
    say(f"{len(files)} files are in {to}; JupyterLab (the extra 'notebooks') opens them.")
    return 0
