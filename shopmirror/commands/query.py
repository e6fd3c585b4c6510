"""``shopmirror query``: one question in SQL to the warehouse, answered on the screen or as data."""

import csv
import sys
from decimal import Decimal
from itertools import islice
from typing import Annotated

import typer

from pipelines.publish.asking import Answer, asked
from pipelines.report.formats import cell
from pipelines.report.trust import doubts
from pipelines.settings import home_folder
from shopmirror.consoles import err, fault, for_programs, out, print_json, table
from shopmirror.signals import end_with_reader

_SHOWN = 500
"""Rows of the table for people; for more, ask for data."""


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One statement; '-' reads it.")],
    as_json: Annotated[bool, typer.Option("--json", help="A list of objects.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated, with a header.")] = False,
) -> None:
    """Ask the warehouse a question in SQL; nothing can be changed by it.

    For example: shopmirror query "select day, total from marts.daily_sales order by day desc"
    """
    end_with_reader()
    if as_json and as_csv:
        raise typer.BadParameter("Ask for --json or for --csv, not for both.")
    with asked(home_folder(), sys.stdin.read() if sql == "-" else sql) as answer:
        if as_json:
            print_json([dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
        elif as_csv:
            _write_csv(answer)
        else:
            _show(answer)
    for doubt in doubts(home_folder()):
        fault(doubt)


def _write_csv(answer: Answer) -> None:
    writer = csv.writer(for_programs())
    writer.writerow(answer.columns)
    writer.writerows(map(cell, row) for row in answer.rows)


def _amount(value: object) -> object:
    """Money is kept to four places; people read two, unless there is more to see."""
    if isinstance(value, Decimal) and Decimal(shown := f"{value:.2f}") == value:
        return shown
    return value


def _show(answer: Answer) -> None:
    rows = list(islice(answer.rows, _SHOWN))
    # A column of numbers stands to the right, told by its first value.
    heads = []
    for place, name in enumerate(answer.columns):
        first = next((row[place] for row in rows if row[place] is not None), None)
        is_number = isinstance(first, int | float | Decimal) and not isinstance(first, bool)
        heads.append(f"#{name}" if is_number else name)
    out().print(table("", heads, ([_amount(value) for value in row] for row in rows)))
    if not rows:
        err().print("No rows.")
    if next(answer.rows, None) is not None:
        err().print(f"The first {_SHOWN} rows; --csv and --json give all of them.")
