"""``shopmirror notebooks``: the analysts' notebooks, to work in."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from shopmirror.consoles import CommandError, say


def notebooks(
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where they are to lie.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite notebooks of that name.")
    ] = False,
) -> None:
    """Write the notebooks; they read what is in SHOPMIRROR_HOME."""
    import notebooks as package

    folder = Path(package.__path__[0])
    files = sorted(folder.glob("*.ipynb"))
    there = [file.name for file in files if (to / file.name).exists()]
    if there and not replace:
        raise CommandError(f"{to} has {', '.join(there)} already; --replace overwrites them.")
    to.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, to / file.name)
    say(f"{len(files)} notebooks are in {to}; JupyterLab (the extra 'notebooks') opens them.")
