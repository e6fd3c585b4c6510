"""Tables -> an Excel workbook: numbers stay numbers, days days, texts texts and never formulas."""

from collections.abc import Iterable, Sequence
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
_LARGEST = 10**15
"""From here on a number in Excel loses its last digits, so it is written as text."""


@dataclass(frozen=True)
class Sheet:
    """A worksheet: its name, headings, rows, and how many of the last rows are totals."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]
    totals: int = 0


def write_workbook(target: Path | BytesIO, sheets: Sequence[Sheet]) -> None:
    """Write ``sheets`` to ``target``: headings fixed and filtered, money with two places, days as
    days, times in UTC. :class:`~pipelines.report.figures.ReportError` for more rows than Excel has.
    """
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
        "default_date_format": "yyyy-mm-dd",
    }
    with xlsxwriter.Workbook(
        target if isinstance(target, BytesIO) else str(target), options
    ) as book:
        for sheet in sheets:
            _Writer(book, sheet).write()


class _Writer:
    def __init__(self, book: xlsxwriter.Workbook, sheet: Sheet) -> None:
        self.sheet = sheet
        self.page = book.add_worksheet(_name(sheet.name))
        shapes = {"money": "#,##0.00", "time": "yyyy-mm-dd hh:mm", "day": "yyyy-mm-dd", "": ""}
        self.plain = {
            kind: book.add_format({"num_format": shape} if shape else {})
            for kind, shape in shapes.items()
        }
        self.total = {
            kind: book.add_format(
                {"bold": True, "top": 1, **({"num_format": shape} if shape else {})}
            )
            for kind, shape in shapes.items()
        }
        self.head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True})

    def write(self) -> None:
        rows = list(self.sheet.rows)
        if len(rows) > ROWS:
            raise ReportError(
                f"{self.sheet.name} has {len(rows):,} rows, and Excel holds {ROWS:,}: export it as "
                "csv or parquet."
            )
        for place, name in enumerate(self.sheet.columns):
            longest = max((len(str(row[place] or "")) for row in rows[:200]), default=0)
            self.page.set_column(place, place, min(max(longest, len(name)) + 2, _WIDEST))
            self.page.write_string(0, place, name, self.head)
        self.page.freeze_panes(1, 0)
        body = len(rows) - self.sheet.totals
        if body and self.sheet.columns:
            self.page.autofilter(0, 0, body, len(self.sheet.columns) - 1)
        for number, row in enumerate(rows, start=1):
            formats = self.plain if number <= body else self.total
            for place, value in enumerate(row):
                self._cell(number, place, value, formats)

    def _cell(self, row: int, place: int, value: Any, formats: dict[str, Any]) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            self.page.write_boolean(row, place, value, formats[""])
        elif isinstance(value, int | float | Decimal) and abs(float(value)) < _LARGEST:
            kind = "" if isinstance(value, int) else "money"
            self.page.write_number(row, place, float(value), formats[kind])
        elif isinstance(value, datetime):
            told = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            self._moment(row, place, told, formats["time"])
        elif isinstance(value, date):
            self._moment(row, place, value, formats["day"])
        else:
            self.page.write_string(row, place, str(value)[:_LONGEST], formats[""])

    def _moment(self, row: int, place: int, value: date, shape: Any) -> None:
        # Excel's calendar begins in 1900.
        if value.year < 1900:
            self.page.write_string(row, place, str(value))
        else:
            self.page.write_datetime(row, place, value, shape)


def _name(text: str) -> str:
    """A worksheet's name: up to 31 characters, none of those that Excel refuses."""
    return "".join("-" if sign in "[]:*?/\\" else sign for sign in text).strip("'")[:31] or "sheet"
