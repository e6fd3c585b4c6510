"""A closing report as tables of numbers: a workbook with a sheet each, or one long CSV."""

import csv
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import Any

from pipelines.language import _, shown
from pipelines.report.figures import Page, Report
from pipelines.report.formats import cell
from pipelines.report.sheet import STATES, Sheet, Table
from pipelines.report.workbook import Tab, write_workbook

CSV_COLUMNS = ("page", "part", "line", "column", "value")


def as_workbook(report: Report) -> bytes:
    """The report as ``.xlsx``: figures, methods, technicians, what is due, months, shops."""
    made = BytesIO()
    tabs = []
    for page in report.pages:
        for tab in _tables(report, page):
            # Of several pages each name begins with its page's.
            name = tab.name if len(report.pages) == 1 else f"{page.title} {tab.name}"
            tabs.append(Tab(name, tab.columns, tab.rows, tab.totals))
    write_workbook(made, tabs)
    return made.getvalue()


def as_csv(report: Report) -> bytes:
    """The report as UTF-8 CSV, a line for each figure: ``page, part, line, column, value``."""
    made = StringIO()
    writer = csv.writer(made)
    writer.writerow(CSV_COLUMNS)
    for page in report.pages:
        for tab in _tables(report, page):
            for line, *values in tab.rows:
                for column, value in zip(tab.columns[1:], values, strict=True):
                    told = (page.title, tab.name, line, column, value)
                    writer.writerow(map(cell, told))
    return made.getvalue().encode("utf-8-sig")


def _tables(report: Report, page: Page) -> Iterator[Tab]:
    sheet = Sheet(report, page)
    yield _figures(sheet)
    for table in (sheet.methods, sheet.technicians(), sheet.ages, sheet.months):
        yield _totalled(sheet, table)
    if page.lines:
        yield _totalled(sheet, sheet.shops)


def _figures(sheet: Sheet) -> Tab:
    """The table of figures, with the split of the money taken below its sum."""
    heads = [" ".join(filter(None, head)) for head in sheet.heads]
    beside = [None] * (len(heads) - 1)
    rows: list[list[Any]] = [[row.label, *row.values] for row in sheet.rows]
    rows[1:1] = [[part.label, part.amount, *beside] for part in sheet.parts]
    rows.append([_("Books"), shown(STATES[sheet.page.seal.state]), *beside])
    return Tab(_("Figures"), [sheet.title, *heads], rows)


def _totalled(sheet: Sheet, table: Table) -> Tab:
    """Numbers and days as they are, names and states in words; below them a line of totals."""
    rows = [
        [text if kind in ("name", "text", "state") else value for kind, value, text in cells]
        for cells in (
            zip(table.kinds, row, texts, strict=True)
            for row, texts in zip(table.rows, sheet.written(table), strict=True)
        )
    ]
    if not rows:
        return Tab(table.title, table.heads, rows)
    totals: list[Any] = [_("Total")]
    for place, kind in enumerate(table.kinds[1:], 1):
        values = [row[place] for row in rows if row[place] is not None]
        totals.append(sum(values) if values and kind in ("money", "count", "minor") else None)
    return Tab(table.title, table.heads, [*rows, totals], totals=1)
