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
) -> int:
    r"""Write the notebooks in the language of \[display]; they read what is in SHOPMIRROR_HOME."""
    from notebooks.prose import FOLDER, translated, words
    from pipelines.language.display import load_language

    said = words(load_language())
    files = sorted([*FOLDER.glob("*.ipynb"), FOLDER / "house_style.py", FOLDER / "rehearsal.py"])
    there = [file.name for file in files if (to / file.name).exists()]
    if there and not replace:
        raise CommandError(f"{to} has {', '.join(there)} already; --replace overwrites them.")
    to.mkdir(parents=True, exist_ok=True)
    for file in files:
        if said and file.suffix == ".ipynb":
            (to / file.name).write_text(translated(file, said), encoding="utf-8")
        else:
            shutil.copyfile(file, to / file.name)
    say(f"{len(files)} files are in {to}; JupyterLab (the extra 'notebooks') opens them.")
    return 0
