"""A closing report as tables of numbers: a workbook with a sheet each, or one long CSV."""

import csv
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from typing import Any

from pipelines.language import _, shown
from pipelines.report.figures import Page, Report
from pipelines.report.formats import cell
from pipelines.report.sheet import STATES, Sheet
from pipelines.report.workbook import Sheet as Tab
from pipelines.report.workbook import write_workbook

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
                    writer.writerow([cell(one) if isinstance(one, str) else one for one in told])
    return made.getvalue().encode("utf-8-sig")


def _tables(report: Report, page: Page) -> Iterator[Tab]:
    sheet = Sheet(report, page)
    yield _figures(sheet)
    yield _totalled(
        _("Paid with"),
        [_("Paid with"), _("payments"), _("Taken")],
        [[shown(line.name), line.payments, line.amount] for line in page.methods],
    )
    people = [
        [
            line.name or _("no technician"),
            line.opened,
            line.closed,
            line.open_at_end,
            line.median_hours,
        ]
        for line in page.technicians
    ]
    names = [_("Technician"), _("Opened"), _("Closed"), _("Open"), _("Median")]
    # A median of medians is none.
    yield _totalled(_("Tickets by technician"), names, people, sums=3)
    due = _("Still due")
    yield _totalled(_("Still due, by age in days"), [_("Part"), due], list(map(list, sheet.ages)))
    months = [[bar.month, bar.repairs, bar.counter, bar.total] for bar in page.months]
    titles = [_("Month"), _("Repairs"), _("Counter"), _("Sold")]
    yield _totalled(_("Sales by month"), titles, months)
    if page.lines:
        shops = [
            [line.shop, line.taken, line.sold, line.due, line.opened, line.closed]
            for line in page.lines
        ]
        titles = [_("Shop"), _("Taken"), _("Sold"), due, _("Opened"), _("Closed")]
        yield _totalled(_("By shop"), titles, shops)


def _figures(sheet: Sheet) -> Tab:
    """The table of figures, with the split of the money taken below its sum."""
    heads = [" ".join(filter(None, head)) for head in sheet.heads]
    beside = [None] * (len(heads) - 1)
    rows: list[list[Any]] = [[row.label, *row.values] for row in sheet.rows]
    rows[1:1] = [[part.label, part.amount, *beside] for part in sheet.parts]
    rows.append([_("Books"), shown(STATES[sheet.page.seal.state]), *beside])
    return Tab(_("Figures"), [sheet.title, *heads], rows)


def _totalled(
    name: str, columns: Sequence[str], rows: list[list[Any]], *, sums: int | None = None
) -> Tab:
    """A table with a line of totals: of the first ``sums`` columns of numbers, else of all."""
    if not rows:
        return Tab(name, columns, rows)
    last = len(columns) if sums is None else sums + 1
    totals: list[Any] = [_("Total")]
    for place in range(1, len(columns)):
        values = [row[place] for row in rows if row[place] is not None]
        totals.append(sum(values) if values and place < last else None)
    return Tab(name, columns, [*rows, totals], totals=1)
