"""The parts of the page below the figures; each gets what is looked at and its figures."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

import altair as alt
import pandas as pd
import streamlit as st

from pipelines.dashboard import asked
from pipelines.dashboard.asked import COUNTER, Rows
from pipelines.dashboard.plain import plain
from pipelines.dashboard.search import Key, document_key
from pipelines.dashboard.table import open_thing, table
from pipelines.dashboard.view import Selection, View
from pipelines.language import Text, _, current, shown
from pipelines.language.words import report_name
from pipelines.report import formats
from pipelines.report.layout import ages, report_period
from pipelines.report.trust import STATES, Seal

REPAIRS, COUNTERS, BEFORE = "#4a7fb5", "#d09a4a", "#9aa5b1"
BY = {
    "product": Text("Product"),
    "category": Text("Category"),
    "technician": Text("Technician"),
    "shop": Text("Shop"),
}
_MOST_DAYS = 92
"""Days of which each gets a place in a chart."""
_BARS = 12
PART_KEY = "part:"
"""How the drawer names a row of a breakdown: ``part:by:name``."""


def sales(selection: Selection, view: View) -> None:
    """By month, by day beside the period before, and the documents."""
    st.subheader(_("Sales by month"))
    _months(view)
    if timedelta(0) < selection.period.last - selection.period.first < timedelta(days=_MOST_DAYS):
        st.subheader(_("Sales by day"))
        _days(selection, view)
    st.subheader(_("Documents"))
    rows = asked.documents(selection.home, selection.names, **selection.dates)
    columns = "shop day kind number customer sold gross tax status"
    table(selection, rows, columns, "documents", document_key)


def _months(view: View) -> None:
    legend = [_("repairs"), _("counter")]
    frame = pd.DataFrame(
        [
            {
                "period": f"{bar.month:%Y-%m}", "shown": current().month(bar.month),
                "part": name, "amount": float(amount), "order": place, "whole": bar.is_whole,
            }
            for bar in view.bars
            for place, name, amount in ((0, legend[0], bar.repairs), (1, legend[1], bar.counter))
        ]
    )  # fmt: skip
    picked = alt.selection_point(name="picked", fields=["period"])
    chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X(
                "period:O", title=None, sort=None,
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            y=alt.Y("amount:Q", title=None, axis=alt.Axis(tickCount=4)),
            color=alt.Color(
                "part:N", title=None, sort=legend, legend=alt.Legend(orient="top"),
                scale=alt.Scale(domain=legend, range=[REPAIRS, COUNTERS]),
            ),
            order="order:Q",
            opacity=alt.condition("datum.whole", alt.value(1), alt.value(0.55)),
            tooltip=[alt.Tooltip("shown:N", title=_("Month")), alt.Tooltip("part:N", title=" "),
                     alt.Tooltip("amount:Q", title=_("Amount"), format=",.2f")],
        )
        .add_params(picked)
        .properties(height=220)
    )  # fmt: skip
    st.altair_chart(chart, width="stretch", on_select=_pick_month, key="months")
    st.caption(_("Click a bar to see its month."))


def _pick_month() -> None:
    picked = st.session_state["months"].get("selection", {}).get("picked", [])
    if picked:
        st.session_state["period"] = picked[0]["period"]


def _days(selection: Selection, view: View) -> None:
    """A line of this period, and one of the period it is compared with, day upon day."""
    pieces = [(_("this period"), selection.period)]
    if view.before is not None:
        pieces.append((_("compared with"), view.before.period))
    rows = []
    for name, period in pieces:
        found = asked.days(selection.home, selection.names, first=period.first, last=period.last)
        rows += [
            {
                "place": (row["day"] - period.first).days + 1, "what": name,
                "amount": float(row["sold"]), "shown": current().day(row["day"]),
            }
            for row in found
        ]  # fmt: skip
    names = [name for name, _period in pieces]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("place:Q", title=_("Day"), axis=alt.Axis(format="d", tickMinStep=1)),
            y=alt.Y("amount:Q", title=None, axis=alt.Axis(tickCount=4)),
            color=alt.Color(
                "what:N", title=None, sort=names, legend=alt.Legend(orient="top"),
                scale=alt.Scale(domain=names, range=[REPAIRS, BEFORE][: len(names)]),
            ),
            tooltip=[alt.Tooltip("shown:N", title=_("Day")),
                     alt.Tooltip("amount:Q", title=_("Sold"), format=",.2f")],
        )
        .properties(height=200)
    )  # fmt: skip
    st.altair_chart(chart, width="stretch")


def breakdown(selection: Selection, view: View) -> None:
    """Sales by product, category, technician or shop, beside those of the period before."""
    ways = [code for code in BY if code != "shop" or len(selection.names) > 1]
    chosen = st.segmented_control(
        _("By"), ways, format_func=lambda code: shown(BY[code]), key="by", required=True
    )
    by = chosen or "product"
    days = (selection.period.first, selection.period.last)
    before = (view.before.period.first, view.before.period.last) if view.before else None
    rows = asked.breakdown(selection.home, selection.names, by, days, before or days)
    whole = sum((row["amount"] for row in rows), Decimal(0))
    told = [
        row
        | {
            "what": row["name"],
            "name": part_name(by, row["name"]),
            "change": formats.change(row["amount"], row["before"]) if before else None,
            "before": row["before"] if before else None,
            "share": row["amount"] / whole if whole > 0 else None,
        }
        for row in rows
    ]
    _bars(told, view.before is not None)
    columns = "name amount share before change" + " margin" * selection.sees_margins
    table(
        selection, told, columns, f"by-{by}",
        lambda row: f"{PART_KEY}{by}:{'' if row['what'] is None else row['what']}",
        name=BY[by], amount=Text("Sold"),
    )  # fmt: skip
    st.caption(
        _("By the lines of the documents, on the day on which each document counts.")
        if by in ("product", "category")
        else _("By the technician of the ticket that a document belongs to.")
        if by == "technician"
        else ""
    )


def _bars(rows: Rows, has_before: bool) -> None:
    kinds = [(_("this period"), "amount")] + [(_("compared with"), "before")] * has_before
    frame = pd.DataFrame(
        [
            {"name": row["name"], "what": what, "amount": float(row[key] or 0)}
            for row in rows[:_BARS]
            for what, key in kinds
        ]
    )
    if frame.empty:
        return
    names = [what for what, _key in kinds]
    chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
            x=alt.X("amount:Q", title=None, axis=alt.Axis(tickCount=5)),
            yOffset=alt.YOffset("what:N", sort=names),
            color=alt.Color(
                "what:N", title=None, sort=names, legend=alt.Legend(orient="top"),
                scale=alt.Scale(domain=names, range=[REPAIRS, BEFORE][: len(names)]),
            ),
            tooltip=["name:N", "what:N", alt.Tooltip("amount:Q", format=",.2f")],
        )
    )  # fmt: skip
    st.altair_chart(chart, width="stretch")


def part_name(by: str, name: str | None) -> str:
    """What a row of a breakdown is called."""
    if name == COUNTER:
        return _("at the counter")
    nobody = {"technician": _("no technician"), "category": _("no category")}
    return name or nobody.get(by, _("not named"))


def part_drawer(selection: Selection, text: str) -> None:
    """The documents behind a row of a breakdown, in a window of their own."""
    by, _colon, said = text.removeprefix(PART_KEY).partition(":")
    if by not in BY:
        return
    days = (selection.period.first, selection.period.last)
    rows = asked.documents_of(selection.home, selection.names, by, said or None, days)

    @st.dialog(plain(part_name(by, said or None)), width="large", on_dismiss=lambda: open_thing(""))
    def window() -> None:
        table(selection, rows, "shop day kind number customer sold", "of-part", document_key)

    window()


def cash(selection: Selection, view: View) -> None:
    """Cash-up: what was taken by which way of paying, and what is left of what was sold."""
    now = view.now.figures
    st.subheader(_("Paid with"))
    lines = [
        line.model_dump()
        | {"method": shown(line.name), "change": formats.change(line.amount, line.before)}
        for line in view.methods
    ]
    before = ""
    if view.beside is not None:
        weekday = current().weekday(view.beside.first) if view.beside.kind == "day" else ""
        before = f"{weekday} {view.beside.shown}".strip()
    table(
        selection, lines, "method payments amount before change", "methods",
        amount=Text("Taken"), before=before or Text("Before"),
    )  # fmt: skip
    st.metric(_("Money taken"), formats.money(now.taken, selection.unit), width=220)
    parts = [
        (
            _("Sales of the day") if selection.period.kind == "day" else _("Same-day sales"),
            now.sales,
        ),
        (_("Receivables"), now.receivables),
        (_("Advances"), now.advances),
        (_("Refunds"), now.refunds),
    ]
    _amounts(selection, parts)
    st.subheader(_("What is left"))
    left = [(_("Sold"), now.sold), (_("of which tax"), now.tax), (_("Expenses"), now.expenses)]
    if selection.sees_margins:
        left[2:2] = [(_("cost of goods"), now.cost), (_("Margin"), now.margin)]
        if now.uncosted:
            left.insert(4, (_("sold at a cost not known"), now.uncosted))
    _amounts(selection, left)
    rows = asked.expenses(selection.home, selection.names, **selection.dates)
    if rows:
        st.caption(_("Expenses"))
        table(selection, rows, "shop day category number amount", "expenses")


def _amounts(selection: Selection, lines: Sequence[tuple[str, Decimal]]) -> None:
    with st.container(horizontal=True, gap="small"):
        for label, amount in lines:
            st.metric(label, formats.money(amount, selection.unit), width=170)


def tickets(selection: Selection, view: View) -> None:
    """How the workshop did, and what is open now."""
    work = view.now.figures
    with st.container(horizontal=True):
        st.metric(_("Median time, opening hours"), formats.hours(work.median_hours), width=220)
        without = formats.whole(work.tickets_without_technician)
        st.metric(_("With no technician"), without, width=220)
    rows = [
        line.model_dump() | {"technician": line.name or _("no technician")}
        for line in view.technicians
    ]
    table(selection, rows, "technician opened closed median_hours open_at_end")
    st.subheader(_("Open tickets"))
    st.caption(_("Those that are open now, the oldest first. Choose a row to see all of it."))
    table(
        selection, asked.open_tickets(selection.home, selection.names),
        "shop number day age customer device status technician promised is_late due",
        "open-tickets", Key.of("ticket"), day=Text("Opened on"),
    )  # fmt: skip


def due(selection: Selection, view: View) -> None:
    """What customers owe, by age, and who."""
    told = ages(view.now.figures)
    _amounts(
        selection,
        [(_("{ages} days", ages=label) if place < 3 else label, amount)
         for place, (label, amount) in enumerate(told)],
    )  # fmt: skip
    st.caption(_("At the end of the period. Below: what is due now, the largest first."))
    rows = [
        row | {"customer": row["customer"] or _("no customer")}
        for row in asked.debtors(selection.home, selection.names)
    ]
    table(selection, rows, "shop customer number day age due", "debtors", document_key)


def stock(selection: Selection, view: View) -> None:
    """What to order, and what has not moved. As it is now, whatever the period."""
    home, names = selection.home, selection.names
    st.subheader(_("To order"))
    st.caption(_("At or below the level at which the shop wants to be warned, as it is now."))
    columns = "shop code name supplier quantity alert on_order reorder sold_90 cover"
    table(selection, asked.to_reorder(home, names), columns, "to-order")
    st.subheader(_("Not moved for 180 days"))
    columns = "shop code name category quantity value last_sold"
    value = " value" if selection.sees_margins else ""
    table(selection, asked.dead_stock(home, names), columns.replace(" value", value), "dead-stock")


def people(selection: Selection, view: View) -> None:
    """Customers: who bought, who came back, who stayed away; appointments and leads."""
    home, names, dates = selection.home, selection.names, selection.dates
    st.subheader(_("Who bought most"))
    rows = asked.customers(home, names, **dates)
    columns = "shop number customer amount documents visits lifetime due day"
    table(
        selection, rows, columns, "customers", Key.of("customer"), day=Text("Last seen"),
        amount=Text("Bought"),
    )  # fmt: skip
    st.subheader(_("New and returning customers"))
    table(
        selection, asked.new_and_returning(home, names, last=dates["last"]), "month new returning"
    )
    st.subheader(_("Not seen for 180 days"))
    rows = asked.lost_customers(home, names, last=dates["last"])
    columns = "shop number customer lifetime visits day"
    table(selection, rows, columns, "lost", Key.of("customer"), day=Text("Last seen"))
    st.subheader(_("Appointments"))
    table(selection, asked.appointments(home, names, **dates), "outcome count")
    st.subheader(_("Leads"))
    leads = [
        row | {"source": row["source"] or _("not named")}
        for row in asked.leads(home, names, **dates)
    ]
    table(selection, leads, "source count won lost amount", amount=Text("Sold"))


def books(selection: Selection, view: View, seal: Seal) -> None:
    """Our reports beside the service's own."""
    if not seal.compared:
        st.info(_("Nothing was compared with the service's own reports yet."))
        return
    st.write(_("Our reports and the service's own: {state}.", state=STATES[seal.state]))
    rows = [
        row
        | {
            "report": shown(report_name(row["report"])),
            "period": report_period(row["report"], row["period"]),
        }
        for row in asked.reconciliation(selection.home, selection.names)
    ]
    table(selection, rows, "shop report period ours theirs difference matches", "books")


PARTS: Mapping[str, tuple[Text, Callable[[Selection, View], None]]] = {
    "sales": (Text("Sales"), sales),
    "breakdown": (Text("Breakdown"), breakdown),
    "cash": (Text("Cash-up"), cash),
    "tickets": (Text("Tickets"), tickets),
    "due": (Text("Still due"), due),
    "stock": (Text("Stock"), stock),
    "people": (Text("Customers"), people),
}
