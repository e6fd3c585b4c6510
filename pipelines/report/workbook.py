"""Tables -> an Excel workbook: numbers stay numbers, days days, texts texts and never formulas."""

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import xlsxwriter

from pipelines.report.figures import ReportError

ROWS = 1_048_575
"""What Excel holds below a heading."""
_WIDEST = 48
_LONGEST = 32_767
"""Characters that a cell holds."""
_SHAPES = {
    "money": "#,##0.00##", "time": "yyyy-mm-dd hh:mm", "day": "yyyy-mm-dd", "": "General",
    "change": "+0 %;-0 %;0 %",
}  # fmt: skip
_LARGEST = 10**15
"""From here on a number in Excel loses its last digits, so it is written as text."""


@dataclass(frozen=True)
class Tab:
    """A worksheet: its name, headings, rows, and how many of the last rows are totals.

    ``shares`` are places of columns that are written as percent.
    """

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    totals: int = 0
    shares: Collection[int] = ()


def write_workbook(target: Path | BytesIO, tabs: Sequence[Tab]) -> None:
    """Write ``tabs`` to ``target``: headings fixed and filtered, money with two places, days as
    days, times in UTC. :class:`~pipelines.report.figures.ReportError` for more rows than Excel has.
    """
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
    }
    with xlsxwriter.Workbook(
        target if isinstance(target, BytesIO) else str(target), options
    ) as book:
        for tab in tabs:
            _write(book, tab, _name(tab.name, {page.name.lower() for page in book.worksheets()}))


def _write(book: xlsxwriter.Workbook, tab: Tab, name: str) -> None:
    if len(tab.rows) > ROWS:
        raise ReportError(
            f"{tab.name} has {len(tab.rows):,} rows, and Excel holds {ROWS:,}: export it as "
            "csv or parquet."
        )
    page = book.add_worksheet(name)
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True})
    plain, total = _formats(book), _formats(book, bold=True, top=1)
    for place, name in enumerate(tab.columns):
        longest = max((len(str(row[place] or "")) for row in tab.rows[:200]), default=0)
        page.set_column(place, place, min(max(longest, len(name)) + 2, _WIDEST))
        page.write_string(0, place, name, head)
    page.freeze_panes(1, 0)
    page.fit_to_pages(1, 0)
    page.repeat_rows(0)
    body = len(tab.rows) - tab.totals
    if body:
        page.autofilter(0, 0, body, len(tab.columns) - 1)
    for number, row in enumerate(tab.rows, start=1):
        formats = plain if number <= body else total
        for place, value in enumerate(row):
            if value is not None:
                told, kind = _told(value)
                page.write(number, place, told, formats["change" if place in tab.shares else kind])


def _formats(book: xlsxwriter.Workbook, **how: Any) -> dict[str, Any]:
    return {kind: book.add_format({"num_format": shape, **how}) for kind, shape in _SHAPES.items()}


def _told(value: Any) -> tuple[Any, str]:
    """A value as Excel takes it, and which of the shapes it is written in."""
    if isinstance(value, bool):
        return value, ""
    if isinstance(value, int | float | Decimal) and abs(float(value)) < _LARGEST:
        return float(value), "" if isinstance(value, int) else "money"
    # Excel's calendar begins in 1900.
    if isinstance(value, date) and value.year >= 1900:
        if not isinstance(value, datetime):
            return value, "day"
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value, "time"
    return str(value)[:_LONGEST], ""


def _name(text: str, taken: Collection[str]) -> str:
    """A worksheet's name: up to 31 characters, none of those that Excel refuses, each once."""
    plain = "".join("-" if sign in "[]:*?/\\" else sign for sign in text).strip("'") or "sheet"
    numbered = (f"{plain[:27]} {number}" for number in itertools.count(2))
    names = itertools.chain([plain[:31]], numbered)
    return next(name for name in names if name.lower() not in taken)
