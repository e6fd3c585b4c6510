"""``shopmirror dictionary``: every table and column explained, and where each comes from."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.home import Home, HomeError
from pipelines.json_file import write_atomically
from pipelines.settings import home_folder
from pipelines.transform import dbt
from pipelines.transform.dictionary import page as plain
from pipelines.transform.dictionary import tables
from pipelines.transform.models import docs
from shopmirror.consoles import CommandError, say, tell


def dictionary(
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Ends in .html; by default in the home folder.")
    ] = None,
) -> None:
    """Write every table and column, explained, as pages that open offline.

    ``dictionary.html`` shows where each comes from; ``tables.html`` fits a phone.
    """
    home = Home(home_folder())
    page = out_file or home.path / "docs" / "dictionary.html"
    if page.suffix != ".html":
        raise CommandError(f"'{page}' must end in .html.")
    if not home.build_warehouse.exists():
        raise HomeError("There is no warehouse to describe yet: run 'shopmirror sync' first.")
    plain_page = page.with_name("tables.html")
    with home.sync_lock(), home.guard():
        page.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(plain_page, plain(tables()))
        say(str(plain_page))
        if dbt.is_there():
            docs(home.build_warehouse, home=home.path, out=page)
            say(str(page))
        else:
            tell("Where each comes from is shown with dbt: pip install 'shopmirror[dbt]'.")
