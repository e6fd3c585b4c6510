"""``shopmirror export``: marts and lists as CSV, Parquet or Excel files in a folder."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.report.export import export as write
from pipelines.report.trust import doubts
from pipelines.settings import home_folder
from shopmirror.consoles import fault, say
from shopmirror.signals import end_with_reader


def export(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE]...",
            help="Marts (payments), lists (ticketInvoices), schema.table; none: every mart.",
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--to", metavar="FOLDER", help="Made if it is not there.")
    ] = Path("export"),
    form: Annotated[str, typer.Option("--format", help="csv, parquet or xlsx.")] = "csv",
    lists: Annotated[bool, typer.Option("--lists", help="Every list of the service too.")] = False,
    shop: Annotated[str | None, typer.Option(help="Only this shop's rows.")] = None,
) -> None:
    """Write tables to files, one each, readable by you only."""
    end_with_reader()

    for file in write(
        home_folder(), folder, form=form, tables=tables or (), lists=lists, shop=shop
    ):
        say(f"{file.path}  {file.rows:,} rows")
    for doubt in doubts(home_folder()):
        fault(doubt)
