"""What a closing report shows, as one list of tables that every format is drawn of."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from pipelines.language import Text, _, current, shown
from pipelines.language.words import report_name
from pipelines.report import formats
from pipelines.report.closing import Column, Page, Report
from pipelines.report.figures import Figures
from pipelines.report.formats import written
from pipelines.report.trust import LOOKS

_SHOWN_PEOPLE, _SHOWN_METHODS = 9, 8
"""Lines that fit beside the other tables on one A4 page."""
_HEADS = {
    "day": (Text("open day before"), Text("four weeks before")),
    "week": (Text("week before"), Text("year before")),
    "month": (Text("month before"), Text("year before")),
    "quarter": (Text("quarter before"), Text("year before")),
    "year": (Text("year before"), Text("two years before")),
    "range": (Text("as many days before"), Text("year before")),
}
_MIN_SHARE = Decimal("0.004")
_FIGURES = (
    (Text("Money taken"), "taken", "sum", "money", ""),
    (Text("for repairs"), "taken_repairs", "part", "money", ""),
    (Text("at the counter"), "taken_counter", "part", "money", ""),
    (Text("for no known document"), "taken_unassigned", "part", "money", ""),
    (Text("Sold"), "sold", "sum gap", "money", ""),
    (Text("repairs"), "sold_repairs", "part", "money", ""),
    (Text("counter"), "sold_counter", "part", "money", ""),
    (Text("of which returns"), "returned", "part", "money", ""),
    (Text("of which tax"), "tax", "part", "money", "tax"),
    (Text("Margin"), "margin", "sum gap", "money", "margin"),
    (Text("cost of goods"), "cost", "part", "money", "margin"),
    (Text("sold at a cost not known"), "uncosted", "part", "money", "margin"),
    (Text("Expenses"), "expenses", "sum", "money", "expenses"),
    (Text("Still due"), "due", "sum gap", "money", ""),
    (Text("Tickets opened"), "tickets_opened", "sum gap", "count", ""),
    (Text("Tickets closed"), "tickets_closed", "sum", "count", ""),
    (Text("median time, hours"), "median_hours", "part", "hours", ""),
    (Text("Open at the end"), "tickets_open", "sum", "count", ""),
    (Text("with no technician"), "tickets_without_technician", "part", "count", ""),
)
"""The lines of figures: label, field, style, kind, and the extra that asks for it."""
_ONLY_IF_ANY = ("taken_unassigned", "uncosted")
"""Lines that are left out where all their figures are zero."""


class Table(NamedTuple):
    """A table of plain values.

    A column's kind is ``name`` (what the shop calls it), ``text`` (ours), ``money``, ``count``,
    ``minor`` (a count that narrow screens leave out), ``hours``, ``change``, ``month`` or
    ``state``. ``styles`` are of the rows (``sum``, ``part``); ``row_kinds`` says of a row's figures
    what they are where that differs from row to row.
    """

    key: str
    title: str
    heads: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    styles: tuple[str, ...] = ()
    row_kinds: tuple[str, ...] = ()
    place: str = "wide"
    """Where it stands: ``wide``, ``left`` or ``right``; ``chart`` is drawn as bars."""
    shown: int = 0
    """Rows that a page has room for; 0: all."""
    none: str = ""
    """What is said of a table without rows; without words it is left out."""
    more: int = 0
    """Further rows that are not in it."""
    has_totals: bool = False

    def kind(self, row: int, column: int) -> str:
        """What a cell holds."""
        kind = self.kinds[column]
        return self.row_kinds[row] if kind == "figure" else kind


class Part(NamedTuple):
    """A part of the money taken: its colour (1 to 4) and its share of the bar."""

    label: str
    amount: Decimal
    colour: int
    share: Decimal


@dataclass(frozen=True)
class Sheet:
    """One page, in words."""

    report: Report
    page: Page

    @property
    def title(self) -> str:
        """The shop, or how many there are."""
        return shown(self.page.title)

    @property
    def unit(self) -> str:
        """The currency's code beside large amounts; empty where a sign stands before each."""
        return "" if current().sign_of(self.page.currency) else self.page.currency

    def money(self, amount: Decimal | None) -> str:
        """An amount in the page's currency."""
        return formats.money(amount, self.page.currency)

    @property
    def weekday(self) -> str:
        """Of a day its weekday, of another period its days, unless those are its name."""
        period = self.page.now.period
        if period.length == 1:
            return current().weekday(period.first)
        return "" if period.kind == "range" else period.days

    @property
    def seal(self) -> tuple[str, str]:
        """The seal in two or three words, and how much was compared."""
        return shown(LOOKS[self.page.seal.state].title), shown(self.page.seal.detail)

    @property
    def notes(self) -> list[str]:
        """What a reader must know before trusting the figures."""
        return [shown(note) for note in self.page.notes]

    @property
    def footnote(self) -> str:
        """What the figures are as of, and what they mean."""
        zone = self.report.made_at.tzinfo
        assert zone is not None
        lines = [
            _("Mirror as of {moment}.", moment=formats.moment(self.page.as_of, zone)),
            *formats.source(self.report.source, self.page.given, zone),
            _("Made {moment}.", moment=formats.moment(self.report.made_at, zone)),
            _(
                "Money taken is what was paid; sold is what the service\u2019s own reports count: "
                "unless calibrated otherwise, what was invoiced or rung up less returns, tax "
                "included. Median is the time from opening to closing a ticket, in opening hours."
            ),
        ]
        if self.page.before is not None:
            lines.append(_("Change is against {days}.", days=self.page.before.period.said))
        return " ".join(lines)

    @property
    def parts(self) -> list[Part]:
        """The split of the money taken."""
        amounts = taken_as(self.page.now.figures, self.page.now.period.kind)
        whole = sum((abs(amount) for _label, amount in amounts), Decimal(0))
        shares = [abs(amount) / whole if whole else Decimal(0) for _label, amount in amounts]
        return [
            Part(label, amount, place, share if share >= _MIN_SHARE else Decimal(0))
            for place, ((label, amount), share) in enumerate(zip(amounts, shares, strict=True), 1)
        ]

    @property
    def columns(self) -> list[Column]:
        """The periods side by side."""
        page = self.page
        return [column for column in (page.now, page.before, page.earlier) if column is not None]

    def _head(self, column: Column) -> str:
        if column is self.page.now:
            return ""
        before, earlier = _HEADS[self.page.now.period.kind]
        return shown(before if column is self.page.before else earlier)

    def _when(self, column: Column) -> str:
        period = column.period
        ends = "" if period.is_whole else current().day(period.last)
        return _to(period.shown, f"{ends} {column.so_far}".strip())

    def tables(self) -> list[Table]:
        """All tables of the page, in their order; those without rows and words are left out."""
        page = self.page
        has_before = any(line.before is not None for line in page.methods)
        week_before = _to(_("A week before"), page.before.so_far if page.before else "")
        found = [
            self.differences(),
            self.figures(),
            # Which pages draw.
            Table(
                "months", _("Sales by month"), (_("Month"), _("Repairs"), _("Counter"), _("Sold")),
                ("month", "money", "money", "money"),
                [(bar.month, bar.repairs, bar.counter, bar.total) for bar in page.months],
                place="chart", has_totals=True,
            ),
            Table(
                "shops", _("By shop"),
                (
                    *(_("Shop"), _("Taken"), _("Sold"), _("Still due")),
                    *(_("Opened"), _("Closed"), _("Books")),
                ),
                ("name", "money", "money", "money", "minor", "minor", "state"),
                [
                    (
                        line.shop, line.figures.taken, line.figures.sold, line.figures.due,
                        line.figures.tickets_opened, line.figures.tickets_closed, line.seal,
                    )
                    for line in page.lines
                ],
                has_totals=True,
            ),
            self.technicians(),
            # Beside the same weekday of the week before.
            Table(
                "methods", _("Paid with"),
                (
                    *(_("Paid with"), _("Payments"), _("Taken")),
                    *((week_before,) if has_before else ()),
                ),
                ("name", "minor", "money", *(("money",) if has_before else ())),
                [
                    (line.name, line.payments, line.amount, *((line.before,) * has_before))
                    for line in page.methods
                ],
                place="right", shown=_SHOWN_METHODS, none=_("No payments."), has_totals=True,
            ),
            Table(
                "ages", _("Still due, by age in days"), (_("Days"), _("Still due")),
                ("text", "money"), ages(page.now.figures), place="right", has_totals=True,
            ),
        ]  # fmt: skip
        return [table for table in found if table.rows or table.none]

    def cells(self, table: Table, most: int = 0) -> list[list[str]]:
        """The cells of a table as texts, of at most as many rows."""
        return [
            [
                written(value, table.kind(place, column), self.page.currency)
                for column, value in enumerate(row)
            ]
            for place, row in enumerate(table.rows[: most or None])
        ]

    def figures(self) -> Table:
        """The table of figures."""
        columns, extras = self.columns, self.report.extras
        has_change = self.page.before is not None
        rows: list[tuple[Any, ...]] = []
        kinds, styles = [], []
        for label, name, style, kind, asked in _FIGURES:
            values = [getattr(column.figures, name) for column in columns]
            if (asked and asked not in extras) or (name in _ONLY_IF_ANY and not any(values)):
                continue
            change = formats.change(*values[:2]) if has_change and kind != "hours" else None
            rows.append((shown(label), *values, *([change] if has_change else [])))
            styles.append(style)
            kinds.append(kind)
        heads = [f"{self._head(column)}\n{self._when(column)}".strip() for column in columns]
        changed = (_("Change"),) if has_change else ()
        return Table(
            "figures", _("Figures"), ("", *heads, *changed),
            ("text", *["figure"] * len(heads), *["change"] * len(changed)),
            rows, tuple(styles), tuple(kinds),
        )  # fmt: skip

    def differences(self) -> Table:
        """The newest periods that differ."""
        seal, rows = self.page.seal, []
        for line in seal.differences:
            shop = f"{line.shop} " if len(self.page.shops) > 1 else ""
            period = report_period(line.report, line.period)
            label = f"{shop}{shown(report_name(line.report))} {period}"
            rows.append((label, line.ours, line.theirs, line.ours - line.theirs))
        return Table(
            "differences", _("Where the books differ"),
            (_("Report and period"), _("Ours"), _("Service"), _("Difference")),
            ("text", "money", "money", "money"), rows, more=seal.differing - len(rows),
        )  # fmt: skip

    def technicians(self) -> Table:
        """Who opened and closed what; of a page's few lines always that of nobody's tickets."""
        lines = self.page.technicians
        nobody = tuple(line for line in lines if line.name is None)
        named = tuple(line for line in lines if line.name is not None)
        first = named[: _SHOWN_PEOPLE - len(nobody)]
        ordered = (*first, *nobody, *named[len(first) :])
        return Table(
            "technicians", _("Tickets by technician"),
            (_("Technician"), _("Opened"), _("Closed"), _("Median"), _("Open")),
            ("name", "count", "count", "hours", "count"),
            [
                (
                    line.name or _("no technician"), line.opened, line.closed, line.median_hours,
                    line.open_at_end,
                )
                for line in ordered
            ],
            place="left", shown=_SHOWN_PEOPLE, none=_("No tickets."), has_totals=True,
        )  # fmt: skip

    def summary(self) -> list[tuple[str, str]]:
        """The figures in a few lines, for a phone's notification or a mail without HTML."""
        now = self.page.now.figures
        tickets = _(
            "{opened} opened, {closed} closed, {nobody} with no technician",
            opened=now.tickets_opened,
            closed=now.tickets_closed,
            nobody=now.tickets_without_technician,
        )
        unit = f" {self.unit}".rstrip()
        parts = ", ".join(f"{part.label} {self.money(part.amount)}" for part in self.parts)
        return [
            (_("Money taken"), self.money(now.taken) + unit),
            ("", parts),
            (_("Sold"), self.money(now.sold) + unit),
            (_("Still due"), self.money(now.due) + unit),
            (_("Tickets"), tickets),
            (_("Books"), f"{shown(LOOKS[self.page.seal.state].word)} {self.seal[1]}"),
        ]


def _to(head: str, end: str) -> str:
    """A heading, and below it where the figures under it end, if that has to be said."""
    return "\n".join([head, _("to {day}", day=end)] if end else [head])


def taken_as(figures: Figures, kind: str) -> list[tuple[str, Decimal]]:
    """The money taken in a period of a kind, by what it was paid for."""
    same_day = _("Sales of the day") if kind == "day" else _("Same-day sales")
    labels = (same_day, _("Receivables"), _("Advances"), _("Refunds"))
    amounts = (figures.sales, figures.receivables, figures.advances, figures.refunds)
    return list(zip(labels, amounts, strict=True))


def ages(figures: Figures) -> list[tuple[str, Decimal]]:
    """What is due, by the days since."""
    amounts = (figures.due_to_30, figures.due_31_to_60, figures.due_61_to_90, figures.due_over_90)
    return list(zip(("0\u201330", "31\u201360", "61\u201390", _("over 90")), amounts, strict=True))


def report_period(report: str, period: Any) -> str:
    """A period of one of the service's reports, as the reader writes days and months."""
    return (current().month if report.startswith("monthly") else current().day)(period)
