"""A report as a PDF: the sheet of :mod:`~pipelines.report.sheet` drawn on A4.

Always the light colours, whatever the reader's screen; lengths are millimetres, sizes points.
"""

import logging
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from fpdf.enums import XPos, YPos

from pipelines.language import _, current, shown
from pipelines.language.display import load_display
from pipelines.monitor.severity import Severity
from pipelines.report import charts, fonts
from pipelines.report.canvas import INK, LEFT, LINE, SOFT, WIDTH, Canvas
from pipelines.report.figures import Page, Report, SealState
from pipelines.report.sheet import METHODS, TECHNICIANS, Sheet, Table

_SWATCHES = {"s1": "#2f5d8a", "s2": "#d09a4a", "s3": "#7a9e87", "s4": "#b3574b"}
_GOOD, _BAD, _OPEN = "#2e7050", "#a83a2c", "#7a6a35"
_SEALS = {
    SealState.AGREES: _GOOD,
    SealState.DIFFERS: _BAD,
    SealState.IN_DOUBT: _OPEN,
    SealState.UNKNOWN: _OPEN,
}


def print_pdf(report: Report) -> bytes:
    """The PDF's bytes; one A4 page for each page of the report unless a table is very long."""
    # The subsetter tells of every table it drops from a font.
    logging.getLogger("fontTools.subset").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        paper = _Paper(report, Path(folder))
        for page in report.pages:
            paper.print_page(page)
        return bytes(paper.output())


class _Paper(Canvas):
    def __init__(self, report: Report, folder: Path) -> None:
        super().__init__(folder, _names(report))
        self.report = report
        self.set_title(report.title)
        self.set_creator("shopmirror")
        self.set_lang(current().code)
        self.set_creation_date(report.made_at)

    def print_page(self, page: Page) -> None:
        """Draw one page of the report."""
        sheet = Sheet(self.report, page)
        self._missing = False
        self.add_page()
        self._header(sheet)
        self._hero(sheet)
        self._cautions(page)
        self._notes(sheet)
        self._differences(sheet)
        self._figures(sheet)
        self._chart(sheet)
        self._shops(sheet)
        self._people_and_payments(sheet)
        self._footer(sheet)

    def _header(self, sheet: Sheet) -> None:
        top = self.get_y()
        self._logo()
        self._heading(_("Closing report"))
        self._style(22, bold=True)
        period = self._plain(sheet.report.period.shown)
        self._say(period, self.get_string_width(period) + 3, 9)
        self._style(10.5, colour=SOFT)
        self._say(self._plain(sheet.weekday), 60, 10.4, ends=True)
        self._style(10.5, bold=True)
        title = self._fit(sheet.title, 100)
        self._say(title, self.get_string_width(title) + 2, 6)
        self._style(10.5, colour=SOFT)
        unit = sheet.page.currency
        amounts = self._plain("\u00b7 " + _("amounts in {currency}", currency=unit)) if unit else ""
        self._say(amounts, 60, 6, ends=True)
        self._seal(sheet, top)
        self.set_y(self.get_y() + 4)
        self._rule(WIDTH, colour=INK, weight=0.5)
        self.set_y(self.get_y() + 3.5)

    def _logo(self) -> None:
        """The shop's own, in the middle of the head: name and seal keep their places."""
        picture = load_display().picture
        if picture is not None:
            box = (LEFT + 72, self.get_y(), 32, 18)
            self.image(BytesIO(picture), *box, keep_aspect_ratio=True, alt_text="")

    def _seal(self, sheet: Sheet, top: float) -> None:
        state = sheet.page.seal.state
        colour = _SEALS[state]
        below = self.get_y()
        self.set_xy(LEFT + WIDTH - 80, top + 4.5)
        self._style(11, bold=True, colour=colour)
        self.cell(63, 5, self._plain(sheet.seal_title), align="R", new_x=XPos.LEFT, new_y=YPos.NEXT)
        self._style(8.5, colour=SOFT)
        self.cell(63, 4.5, self._plain(sheet.seal_detail), align="R")
        drawing = BytesIO(charts.seal(state, colour).encode())
        self.image(drawing, x=LEFT + WIDTH - 14.8, y=top + 1.4, w=15.2, alt_text="")
        self.set_xy(LEFT, below)

    def _hero(self, sheet: Sheet) -> None:
        top = self.get_y()
        self._heading(_("Money taken"))
        self._style(27, bold=True)
        figure = self._plain(sheet.money(sheet.page.now.taken.total))
        self._say(figure, self.get_string_width(figure) + 2.5, 11)
        self._style(10.5, colour=SOFT)
        self._say(self._plain(sheet.unit), 20, 13)
        width = 27.5
        left = LEFT + WIDTH - width * len(sheet.parts)
        for position, part in enumerate(sheet.parts):
            self.set_xy(left + position * width, top + 6)
            self.set_fill_color(_SWATCHES[part.swatch])
            self.rect(self.get_x(), self.get_y() + 1.3, 2, 2, style="F")
            self.set_x(self.get_x() + 2.6)
            self._style(7.8, colour=SOFT)
            self.cell(width, 4.5, self._fit(part.label, width - 3))
            self.set_xy(left + position * width, top + 10.6)
            self._style(9.6, bold=True)
            self.cell(width, 4.5, self._plain(sheet.money(part.amount)))
        self.set_xy(LEFT, top + 17.5)
        at = LEFT
        for swatch, share in sheet.shares:
            piece = float(share) * WIDTH
            self.set_fill_color(_SWATCHES[swatch])
            self.rect(at, self.get_y(), max(piece - 0.5, 0.4), 2, style="F")
            at += piece
        self.set_y(self.get_y() + (5 if sheet.shares else 0))

    def _cautions(self, page: Page) -> None:
        for line in page.cautions:
            colour = _BAD if line.severity is Severity.FAULT else _OPEN
            top = self.get_y()
            self.set_xy(LEFT + 3.5, top + 0.8)
            self._style(8.8, bold=True, colour=colour)
            self.multi_cell(
                WIDTH - 7, 4.4, self._plain(line.shown), new_x=XPos.LMARGIN, new_y=YPos.NEXT
            )
            self.set_draw_color(colour)
            self.set_line_width(0.3)
            self.rect(LEFT, top, WIDTH, self.get_y() - top + 0.8)
            self.set_y(self.get_y() + 2.4)

    def _notes(self, sheet: Sheet) -> None:
        if not sheet.notes:
            return
        self._style(8.4)
        top = self.get_y()
        self.set_y(top + 0.8)
        for note in sheet.notes:
            self.set_x(LEFT + 3.5)
            self.multi_cell(WIDTH - 4, 4.2, self._plain(note), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.set_fill_color(_SWATCHES["s2"])
        self.rect(LEFT, top, 0.9, self.get_y() - top + 0.8, style="F")
        self.set_y(self.get_y() + 3)

    def _drawn(
        self, sheet: Sheet, table: Table, widths: Sequence[float], more: str = "", title: float = 0
    ) -> None:
        """A table below its title; under it ``more`` if there are rows that are not shown."""
        self._heading(table.title, title)
        self._table(table.heads, sheet.written(table), widths)
        if table.more:
            self._style(8, colour=SOFT)
            self._say(self._plain(more), ends=True)

    def _differences(self, sheet: Sheet) -> None:
        table = sheet.differences
        if table.rows:
            more = _("and {n} more; 'shopmirror reconcile' lists them", n=table.more)
            self._drawn(sheet, table, (76, 34, 34, 34), more)
            self.set_y(self.get_y() + 2.5)

    def _figures(self, sheet: Sheet) -> None:
        count = len(sheet.columns)
        widths = [WIDTH - 34 * count - (18 if sheet.has_change else 0), *[34.0] * count]
        if sheet.has_change:
            widths.append(18)
        self._style(7.6, colour=SOFT)
        for line in ("what", "when"):
            texts = [getattr(head, line) for head in sheet.heads]
            texts += [_("Change") if line == "when" else ""] * sheet.has_change
            self._say("", widths[0], 3.6)
            for text, width in zip(texts, widths[1:], strict=True):
                self._say(self._fit(text, width), width, 3.6, align="R")
            self.ln(3.6)
        self._rule(WIDTH)
        for row in sheet.rows:
            if "gap" in row.kind:
                self.set_y(self.get_y() + 1.3)
            strong = "sum" in row.kind
            self._style(9, bold=strong, colour=INK if strong else SOFT)
            self._say(self._fit(row.label if strong else f"     {row.label}", widths[0]), widths[0])
            self._style(9, bold=strong)
            for text, width in zip(row.cells, widths[1:], strict=False):
                self._say(self._plain(text), width, align="R")
            if sheet.has_change:
                self._style(8.6, colour=SOFT)
                self._say(self._plain(row.change), widths[-1], align="R")
            self.ln(LINE)
            self._rule(WIDTH)
        self.set_y(self.get_y() + 4)

    def _chart(self, sheet: Sheet) -> None:
        height = 36.0
        if self.will_page_break(height + 6):
            self.add_page()
        self._heading(_("Sales by month"))
        self.set_xy(LEFT + WIDTH - 40, self.get_y() - 5)
        self._style(7.8, colour=SOFT)
        for swatch, label in (("s1", _("Repairs")), ("s2", _("Counter"))):
            self.set_fill_color(_SWATCHES[swatch])
            self.rect(self.get_x(), self.get_y() + 1.5, 2, 2, style="F")
            self.set_x(self.get_x() + 2.6)
            self._say(self._fit(label, 17), 18.4, 5)
        self.set_xy(LEFT, self.get_y() + 6)
        chart = charts.months_chart(
            sheet.page.months, width=700, height=112, colours=charts.ON_PAPER
        )
        self.image(BytesIO(charts.png(chart)), x=LEFT, w=WIDTH, alt_text=_("Sales by month"))
        self.set_y(self.get_y() + 3)

    def _shops(self, sheet: Sheet) -> None:
        if sheet.page.lines:
            self._drawn(sheet, sheet.shops, (40, 28, 28, 28, 16, 17.5, 20.5))
            self.set_y(self.get_y() + 3.5)

    def _people_and_payments(self, sheet: Sheet) -> None:
        people, ages = sheet.technicians(TECHNICIANS), sheet.ages
        methods = [(name, amount) for name, _n, amount in sheet.written(sheet.methods)[:METHODS]]
        needed = LINE * max(len(people.rows) + 2, len(methods) + len(ages.rows) + 4)
        if self.will_page_break(needed):
            self.add_page()
        top = self.get_y()
        self._drawn(
            sheet, people, (40, 15.5, 17.5, 15, 14), _("and {n} more", n=people.more), title=90
        )
        left_end = self.get_y()
        right = LEFT + 114
        self.set_xy(right, top)
        self._heading(_("Paid with"), 60)
        self._table((), methods, (38, 26), left=right)
        self.set_xy(right, self.get_y() + 2.5)
        self._heading(ages.title, 60)
        self._table((), sheet.written(ages), (38, 26), left=right)
        self.set_xy(LEFT, max(left_end, self.get_y()) + 4)

    def _footer(self, sheet: Sheet) -> None:
        self._rule(WIDTH)
        self.set_y(self.get_y() + 1.5)
        self._style(7.2, colour=SOFT)
        text = sheet.footnote
        if self._missing:
            text += " " + _(
                "A {mark} inside a name is a character that no font of this machine shows; the "
                "HTML page has it.",
                mark=fonts.MISSING,
            )
        self.multi_cell(WIDTH, 3.5, self._plain(text))


def _names(report: Report) -> str:
    """Every text of the report that comes from the shop."""
    texts: list[str] = []
    for page in report.pages:
        texts += [shown(page.title), page.currency, *page.shops]
        texts += [line.name or "" for line in page.technicians]
        texts += [line.name for line in page.methods]
    return "".join(texts)
