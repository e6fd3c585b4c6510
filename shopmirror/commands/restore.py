"""``shopmirror restore``: a backup back into an empty home."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.backup import restore as put
from pipelines.outbox import mark_restored
from pipelines.settings import home_folder
from shopmirror.consoles import say


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'backup' wrote.")],
) -> None:
    """Put a backup into a home that holds no mirror; the queue is checked before it sends."""
    home = home_folder()
    names = put(home, file)
    mark_restored(home)
    say(f"Restored into {home}: {', '.join(names)}.")
    say(
        "Set the keys again (.dlt/secrets.toml or 'shopmirror init'), then run 'shopmirror sync'. "
        "Changes that waited may have been sent since the backup: each is looked up at the service "
        "before it is sent. On another machine 'shopmirror queue adopt' comes first."
    )
