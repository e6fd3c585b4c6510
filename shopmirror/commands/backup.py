"""``shopmirror backup`` and ``restore``: what nothing else holds, in one file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.backup import backup as write
from pipelines.settings import home_folder
from shopmirror.consoles import say


def backup(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="By default shopmirror-<time>.backup here."),
    ] = None,
) -> None:
    """Write ledger, queue, history and settings without keys into one file, also during a sync."""
    now = datetime.now(UTC)
    file = to or Path(f"shopmirror-{now:%Y%m%d-%H%M%S}.backup")
    held = write(home_folder(), file)
    say(f"{file}: {', '.join(held)}. Keys and passwords are not in it.")
