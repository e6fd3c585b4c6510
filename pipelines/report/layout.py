"""What a closing report shows, as one list of tables that every format is drawn of."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
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

    def cells(self, unit: str, most: int = 0) -> list[list[str]]:
        """The cells as texts, amounts in the currency ``unit``; of at most as many rows."""
        return [
            [
                written(value, self.row_kinds[place] if kind == "figure" else kind, unit)
                for value, kind in zip(row, self.kinds, strict=True)
            ]
            for place, row in enumerate(self.rows[: most or None])
        ]


# -- tables ---------------------------------------------------------------------------------------


def tables(report: Report, page: Page) -> list[Table]:
    """All tables of a page, in their order; those without rows and words are left out."""
    has_before = any(line["before"] is not None for line in page.methods)
    week_before = _to(_("A week before"), page.before.so_far if page.before else "")
    found = [
        _differences(page),
        _figures(report, page),
        # Which pages draw.
        Table(
            "months", _("Sales by month"), (_("Month"), _("Repairs"), _("Counter"), _("Sold")),
            ("month", "money", "money", "money"),
            [_of(bar, "month repairs counter total") for bar in page.months],
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
            tuple(line.seal.value for line in page.lines), has_totals=True,
        ),
        _technicians(page),
        # Beside the same weekday of the week before.
        Table(
            "methods", _("Paid with"),
            (
                *(_("Paid with"), _("Payments"), _("Taken")),
                *((week_before,) if has_before else ()),
            ),
            ("name", "minor", "money", *(("money",) if has_before else ())),
            [
                _of(line, "name payments amount" + " before" * has_before) for line in page.methods
            ],
            place="right", shown=_SHOWN_METHODS, none=_("No payments."), has_totals=True,
        ),
        Table(
            "ages", _("Still due, by age in days"), (_("Days"), _("Still due")),
            ("text", "money"), ages(page.now.figures), place="right", has_totals=True,
        ),
    ]  # fmt: skip
    return [table for table in found if table.rows or table.none]


def _figures(report: Report, page: Page) -> Table:
    """The periods side by side."""
    columns = [column for column in (page.now, page.before, page.earlier) if column is not None]
    before, earlier = _HEADS[page.now.period.kind]
    names = {id(page.now): "", id(page.before): shown(before), id(page.earlier): shown(earlier)}
    has_change = page.before is not None
    rows: list[tuple[Any, ...]] = []
    kinds, styles = [], []
    for label, name, style, kind, asked in _FIGURES:
        values = [getattr(column.figures, name) for column in columns]
        if (asked and asked not in report.extras) or (name in _ONLY_IF_ANY and not any(values)):
            continue
        change = formats.change(*values[:2]) if has_change and kind != "hours" else None
        rows.append((shown(label), *values, *([change] if has_change else [])))
        styles.append(style)
        kinds.append(kind)
    heads = [f"{names[id(column)]}\n{_when(column)}".strip() for column in columns]
    changed = (_("Change"),) if has_change else ()
    return Table(
        "figures", _("Figures"), ("", *heads, *changed),
        ("text", *["figure"] * len(heads), *["change"] * len(changed)),
        rows, tuple(styles), tuple(kinds),
    )  # fmt: skip


def _when(column: Column) -> str:
    ends = "" if column.period.is_whole else current().day(column.period.last)
    return _to(column.period.shown, f"{ends} {column.so_far}".strip())


def _differences(page: Page) -> Table:
    """The newest periods that differ."""
    rows = []
    for line in page.seal.differences:
        shop = f"{line['shop']} " if len(page.shops) > 1 else ""
        period = report_period(line["report"], line["period"])
        label = f"{shop}{shown(report_name(line['report']))} {period}"
        rows.append((label, *_of(line, "ours theirs"), line["ours"] - line["theirs"]))
    return Table(
        "differences", _("Where the books differ"),
        (_("Report and period"), _("Ours"), _("Service"), _("Difference")),
        ("text", "money", "money", "money"), rows, more=page.seal.differing - len(rows),
    )  # fmt: skip


def _technicians(page: Page) -> Table:
    """Who opened and closed what; of a page's few lines always that of nobody's tickets."""
    nobody = [line for line in page.technicians if line["name"] is None]
    named = [line for line in page.technicians if line["name"] is not None]
    first = _SHOWN_PEOPLE - len(nobody)
    return Table(
        "technicians", _("Tickets by technician"),
        (_("Technician"), _("Opened"), _("Closed"), _("Median"), _("Open")),
        ("name", "count", "count", "hours", "count"),
        [
            _of(
                line | {"name": line["name"] or _("no technician")},
                "name opened closed median_hours open_at_end",
            )
            for line in (*named[:first], *nobody, *named[first:])
        ],
        place="left", shown=_SHOWN_PEOPLE, none=_("No tickets."), has_totals=True,
    )  # fmt: skip


def _of(row: dict[str, Any], names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names.split())


# -- words ----------------------------------------------------------------------------------------


def in_words(report: Report, page: Page) -> dict[str, Any]:
    """A page as texts and plain values: all that HTML, mail, PDF and plain text draw.

    ``unit`` is the currency's code beside large amounts; empty where a sign stands before each.
    """
    unit, figures, period = page.currency, page.now.figures, page.now.period
    look = LOOKS[page.seal.state]
    code = "" if current().sign_of(unit) else unit
    money = partial(formats.money, unit=unit)
    taken = taken_as(figures, period.kind)
    whole = sum((abs(amount) for _label, amount in taken), Decimal(0))
    shares = [abs(amount) / whole if whole else Decimal(0) for _label, amount in taken]
    of_tickets = _(
        "{opened} opened, {closed} closed, {nobody} with no technician",
        opened=figures.tickets_opened,
        closed=figures.tickets_closed,
        nobody=figures.tickets_without_technician,
    )
    days = "" if period.kind == "range" else period.days
    return {
        "period": period.shown,
        "weekday": current().weekday(period.first) if period.length == 1 else days,
        "shop": shown(page.title),
        "amounts": _("amounts in {currency}", currency=unit) if unit else "",
        "seal": {
            "title": shown(look.title), "detail": shown(page.seal.detail),
            "colour": look.colour, "state": page.seal.state.value,
        },
        "taken": money(figures.taken),
        "unit": code,
        "parts": [
            {
                "label": label, "amount": money(amount), "colour": place,
                "share": float(share) if share >= _MIN_SHARE else 0.0,
            }
            for place, ((label, amount), share) in enumerate(zip(taken, shares, strict=True), 1)
        ],
        "cautions": [
            {"text": line.shown, "severity": line.severity.name.lower()} for line in page.cautions
        ],
        "notes": [shown(note) for note in page.notes],
        "tables": [
            {
                "key": table.key, "title": table.title, "place": table.place,
                "heads": table.heads, "kinds": table.kinds, "none": table.none,
                "rows": table.cells(unit, table.shown), "more": _more(table),
                "styles": table.styles or [""] * len(table.rows),
            }
            for table in tables(report, page)
        ],
        "footnote": _footnote(report, page),
        "summary": [
            (_("Money taken"), f"{money(figures.taken)} {code}".rstrip()),
            ("", ", ".join(f"{label} {money(amount)}" for label, amount in taken)),
            (_("Sold"), f"{money(figures.sold)} {code}".rstrip()),
            (_("Still due"), f"{money(figures.due)} {code}".rstrip()),
            (_("Tickets"), of_tickets),
            (_("Books"), f"{shown(look.word)} {shown(page.seal.detail)}"),
        ],
    }  # fmt: skip


def _footnote(report: Report, page: Page) -> str:
    """What the figures are as of, and what they mean."""
    zone = report.made_at.tzinfo
    assert zone is not None
    lines = [
        *formats.as_of(page, zone),
        _("Made {moment}.", moment=formats.moment(report.made_at, zone)),
        _(
            "Money taken is what was paid; sold is what the service\u2019s own reports count: "
            "unless calibrated otherwise, what was invoiced or rung up less returns, tax "
            "included. Median is the time from opening to closing a ticket, in opening hours."
        ),
    ]
    if page.before is not None:
        lines.append(_("Change is against {days}.", days=page.before.period.said))
    return " ".join(lines)


def _more(table: Table) -> str:
    """A line on the rows that are not shown; empty when all are."""
    if table.more:
        return _("and {n} more; 'shopmirror reconcile' lists them", n=table.more)
    hidden = len(table.rows) - table.shown if table.shown else 0
    return _("and {n} more", n=hidden) if hidden > 0 else ""


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
