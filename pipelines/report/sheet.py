"""A page of figures -> what is printed on it, line by line, for HTML and for paper alike."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from pipelines.language import Text, _, current, shown
from pipelines.language.words import report_name
from pipelines.report import formats
from pipelines.report.figures import Column, Due, Page, Report, Seal, SealState

TECHNICIANS, METHODS = 9, 8
"""Lines that fit beside the other tables on one A4 page."""
_MIN_SHARE = Decimal("0.004")

STATES = {
    SealState.AGREES: Text("agree"),
    SealState.DIFFERS: Text("differ"),
    SealState.IN_DOUBT: Text("in doubt"),
    SealState.UNKNOWN: Text("not compared"),
}
TITLES = {
    SealState.AGREES: Text("Books agree"),
    SealState.DIFFERS: Text("Books differ"),
    SealState.IN_DOUBT: Text("Books in doubt"),
    SealState.UNKNOWN: Text("Not compared"),
}
"""The seal in two or three words."""


def compared(seal: Seal) -> str:
    """How many periods agree, or differ, in words that cannot be taken for the contrary."""
    if not seal.compared:
        return _("with the service's own reports")
    if seal.differing:
        return _("in {n} of {all} periods", n=seal.differing, all=seal.compared)
    if seal.state is SealState.UNKNOWN:
        return _("in every shop")
    if seal.state is SealState.IN_DOUBT:
        return _("though all {n} periods agreed", n=seal.compared)
    return _("in all {n} periods", n=seal.compared)


def report_period(report: str, period: date) -> str:
    """A period of one of the service's reports, as the reader writes days and months."""
    return (current().month if report.startswith("monthly") else current().day)(period)


def ages(due: Due) -> list[tuple[str, Decimal]]:
    """What is due, by the days since."""
    amounts = (due.to_30, due.to_60, due.to_90, due.over_90)
    return list(zip(("0\u201330", "31\u201360", "61\u201390", _("over 90")), amounts, strict=True))


class Row(NamedTuple):
    """A line of the table of figures: ``kind`` is its style, ``cells`` one text a period."""

    kind: str
    label: str
    cells: tuple[str, ...]
    change: str
    values: tuple[Decimal | float | None, ...]
    """The same as numbers, for a workbook."""


class Head(NamedTuple):
    """A column's heading: what it is compared with, and when that was."""

    what: str
    when: str


class Part(NamedTuple):
    """A part of the money taken, and the colour it is drawn in."""

    label: str
    amount: Decimal
    swatch: str


class Table(NamedTuple):
    """A table of plain values, written alike on the page and on paper.

    A column's kind is ``name`` (what the shop calls it), ``text`` (ours), ``money``, ``count``,
    ``minor`` (a count that narrow screens leave out), ``hours``, ``month`` or ``state``.
    """

    title: str
    heads: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: int = 0
    """Rows that are not shown."""


class Sheet:
    """Everything printed on one page, as text."""

    def __init__(self, report: Report, page: Page) -> None:
        self.report, self.page = report, page
        self.columns: list[Column] = [
            column for column in (page.now, page.before, page.earlier) if column is not None
        ]
        self.has_change = len(self.columns) > 1
        zone = report.made_at.tzinfo
        assert zone is not None
        self.as_of = (
            _("an unknown time") if report.as_of is None else formats.moment(report.as_of, zone)
        )
        self.source = formats.source(report.source, report.given, zone)
        self.made_at = formats.moment(report.made_at, zone)
        self.title = shown(page.title)
        """The shop, or how many there are."""
        self.unit = "" if current().sign_of(page.currency) else page.currency
        """The currency's code beside large amounts; empty where a sign stands before each."""
        self.notes = [shown(note) for note in page.notes]
        """What a reader must know before trusting the figures."""
        is_day = report.period.kind == "day"
        self.weekday = current().weekday(report.period.first) if is_day else ""
        self.seal_title, self.seal_detail = shown(TITLES[page.seal.state]), compared(page.seal)
        """The seal in two or three words, and how much was compared."""

    @property
    def footnote(self) -> str:
        """What the figures are as of, and what they mean."""
        lines = [
            _("Mirror as of {moment}.", moment=self.as_of),
            *self.source,
            _("Made {moment}.", moment=self.made_at),
            _(
                "Days are the shop\u2019s own. Money taken is what was paid; sold is what the "
                "service\u2019s own reports count: unless calibrated otherwise, what was invoiced "
                "or rung up less returns, tax included. Median is the time from opening to closing "
                "a ticket, in opening hours."
            ),
        ]
        if self.has_change:
            lines.append(_("Change is against the {period}.", period=self.heads[1].what))
        return " ".join(lines)

    def money(self, amount: Decimal | None) -> str:
        """An amount in the page's currency."""
        return formats.money(amount, self.page.currency)

    @property
    def heads(self) -> list[Head]:
        """Headings of the columns of figures."""
        before, earlier = _("last open day"), _("four weeks before")
        if self.report.period.kind == "month":
            before, earlier = _("month before"), _("year before")
        names = {id(self.page.before): before, id(self.page.earlier): earlier}
        return [Head(names.get(id(c), ""), c.period.shown) for c in self.columns]

    @property
    def parts(self) -> list[Part]:
        """The split of the money taken."""
        taken = self.page.now.taken
        is_day = self.report.period.kind == "day"
        return [
            Part(_("Sales of the day") if is_day else _("Same-day sales"), taken.sales, "s1"),
            Part(_("Receivables"), taken.receivables, "s2"),
            Part(_("Advances"), taken.advances, "s3"),
            Part(_("Refunds"), taken.refunds, "s4"),
        ]

    @property
    def shares(self) -> list[tuple[str, str]]:
        """Widths of the bar's pieces, refunds by their size; empty when nothing was taken."""
        whole = sum((abs(part.amount) for part in self.parts), Decimal(0))
        if not whole:
            return []
        return [
            (part.swatch, f"{abs(part.amount) / whole:.4f}")
            for part in self.parts
            if abs(part.amount) / whole >= _MIN_SHARE
        ]

    @property
    def rows(self) -> list[Row]:
        """The table of figures."""

        def money(kind: str, label: str, figure: Callable[[Column], Decimal]) -> Row:
            values = tuple(map(figure, self.columns))
            change = formats.change(*values[:2]) if self.has_change else ""
            cells = tuple(map(self.money, values))
            return Row(kind, label, cells, change, values)

        rows = [
            money("sum", _("Money taken"), lambda c: c.taken.total),
            money("part", _("for repairs"), lambda c: c.taken.repairs),
            money("part", _("at the counter"), lambda c: c.taken.counter),
        ]
        if any(column.taken.unassigned for column in self.columns):
            rows.append(money("part", _("for no known document"), lambda c: c.taken.unassigned))
        rows += [
            money("sum gap", _("Sold"), lambda c: c.sold.total),
            money("part", _("repairs"), lambda c: c.sold.repairs),
            money("part", _("counter"), lambda c: c.sold.counter),
            money("part", _("of it returns"), lambda c: c.sold.returns),
        ]
        if "tax" in self.report.extras:
            rows.append(money("part", _("of it tax"), lambda c: c.sold.tax))
        if "margin" in self.report.extras:
            rows.append(money("sum gap", _("Margin"), lambda c: c.sold.margin))
            rows.append(money("part", _("cost of goods"), lambda c: c.sold.cost))
            if any(column.sold.uncosted for column in self.columns):
                rows.append(money("part", _("sold at a cost not known"), lambda c: c.sold.uncosted))
        if "expenses" in self.report.extras:
            rows.append(money("sum", _("Expenses"), lambda c: c.expenses))
        rows.append(money("sum gap", _("Still due"), lambda c: c.due.total))
        return rows + self._ticket_rows()

    def _ticket_rows(self) -> list[Row]:
        def counted(
            kind: str, label: str, name: str, write: Callable[[Any], str] = formats.whole
        ) -> Row:
            values = tuple(getattr(column.workshop, name) for column in self.columns)
            return Row(kind, label, tuple(map(write, values)), "", values)

        return [
            counted("sum gap", _("Tickets opened"), "opened"),
            counted("sum", _("Tickets closed"), "closed"),
            counted("part", _("median time"), "median_hours", formats.hours),
            counted("sum", _("Open at the end"), "open_at_end"),
            counted("part", _("with no technician"), "unassigned_at_end"),
        ]

    def written(self, table: Table) -> list[tuple[str, ...]]:
        """The cells of a table as texts."""
        ways: dict[str, Callable[[Any], str]] = {
            "money": self.money,
            "count": formats.whole,
            "minor": formats.whole,
            "hours": formats.hours,
            "state": lambda state: shown(STATES[state]),
        }
        return [
            tuple(ways.get(kind, shown)(cell) for kind, cell in zip(table.kinds, row, strict=True))
            for row in table.rows
        ]

    def technicians(self, most: int = 0) -> Table:
        """Who opened and closed what; of ``most`` lines always that of nobody's tickets."""
        lines = self.page.technicians
        if most:
            nobody = tuple(line for line in lines if line.name is None)
            named = tuple(line for line in lines if line.name is not None)
            lines = named[: most - len(nobody)] + nobody
        return Table(
            _("Tickets by technician"),
            (_("Technician"), _("Opened"), _("Closed"), _("Median"), _("Open")),
            ("name", "count", "count", "hours", "count"),
            [
                (
                    line.name or _("no technician"),
                    line.opened,
                    line.closed,
                    line.median_hours,
                    line.open_at_end,
                )
                for line in lines
            ],
            len(self.page.technicians) - len(lines),
        )

    @property
    def methods(self) -> Table:
        """The money taken by how it was paid."""
        return Table(
            _("Paid with"),
            (_("Paid with"), _("payments"), _("Taken")),
            ("name", "count", "money"),
            [(line.name, line.payments, line.amount) for line in self.page.methods],
        )

    @property
    def ages(self) -> Table:
        """What is due, by age."""
        title, heads = _("Still due, by age in days"), (_("Part"), _("Still due"))
        return Table(title, heads, ("text", "money"), list(ages(self.page.now.due)))

    @property
    def months(self) -> Table:
        """Sales by month, as the chart has them."""
        return Table(
            _("Sales by month"),
            (_("Month"), _("Repairs"), _("Counter"), _("Sold")),
            ("month", "money", "money", "money"),
            [(bar.month, bar.repairs, bar.counter, bar.total) for bar in self.page.months],
        )

    @property
    def shops(self) -> Table:
        """A line for each shop of a chain."""
        names = ("shop", "taken", "sold", "due", "opened", "closed", "seal")
        return Table(
            _("By shop"),
            (
                *(_("Shop"), _("Taken"), _("Sold"), _("Still due")),
                *(_("Opened"), _("Closed"), _("Books")),
            ),
            ("name", "money", "money", "money", "minor", "minor", "state"),
            [tuple(getattr(line, name) for name in names) for line in self.page.lines],
        )

    @property
    def differences(self) -> Table:
        """The newest periods that differ."""
        seal, rows = self.page.seal, []
        for line in seal.differences:
            period = report_period(line.report, line.period)
            shop = f"{line.shop} " if len(self.page.shops) > 1 else ""
            label = f"{shop}{shown(report_name(line.report))} {period}"
            rows.append((label, line.ours, line.theirs, line.ours - line.theirs))
        return Table(
            _("Where the books differ"),
            (_("Report and period"), _("Ours"), _("Service"), _("Difference")),
            ("text", "money", "money", "money"),
            rows,
            seal.differing - len(rows),
        )
