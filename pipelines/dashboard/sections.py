"""The parts of the page below the figures, drawn from a :class:`Selection` and its view."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import altair as alt
import streamlit as st

from pipelines.dashboard import details
from pipelines.dashboard.found import Key
from pipelines.dashboard.table import Col, table
from pipelines.dashboard.view import View
from pipelines.language import Text, _, current, shown
from pipelines.language.words import report_name
from pipelines.report import charts, formats
from pipelines.report.closing import zone_of
from pipelines.report.sheet import STATES, ages, report_period

COLOURS = {
    charts.INK: "#808a94",
    charts.RULE: "#80808033",
    charts.REPAIRS: "#4a7fb5",
    charts.COUNTER: "#d09a4a",
}
BY = {
    "product": Text("Product"),
    "category": Text("Category"),
    "technician": Text("Technician"),
    "shop": Text("Shop"),
}
COLUMNS: Mapping[str, Col] = {
    "age": Col("age", Text("Days"), "number"),
    "amount": Col("amount", Text("Amount"), "money"),
    "before": Col("before", Text("Before"), "money"),
    "change": Col("change", Text("Change"), "ours"),
    "checked": Col("checked", Text("Checked"), "moment"),
    "closed": Col("closed", Text("Closed"), "number"),
    "code": Col("code", Text("Code"), "text"),
    "command": Col("command", Text("Command"), "text"),
    "customer": Col("customer", Text("Customer"), "text"),
    "day": Col("day", Text("Day"), "day"),
    "device": Col("device", Text("Device"), "text"),
    "difference": Col("difference", Text("Difference"), "money"),
    "discount": Col("discount", Text("Discount"), "money"),
    "doubted": Col("doubted", Text("In doubt"), "number"),
    "due": Col("due", Text("Still due"), "money"),
    "ended_at": Col("ended_at", Text("Ended"), "moment"),
    "gross": Col("gross", Text("Gross"), "money"),
    "is_late": Col("is_late", Text("Late"), "word"),
    "item": Col("item", Text("Item"), "text"),
    "kind": Col("kind", Text("Kind"), "word"),
    "list": Col("list", Text("List"), "text"),
    "matches": Col("matches", Text("Agree"), "word"),
    "median_hours": Col("median_hours", Text("Median"), "hours"),
    "message": Col("message", Text("Message"), "text"),
    "method": Col("method", Text("Paid with"), "text"),
    "name": Col("name", "", "text"),
    "note": Col("note", Text("Note"), "text"),
    "number": Col("number", Text("Number"), "text"),
    "open_at_end": Col("open_at_end", Text("Open"), "number"),
    "opened": Col("opened", Text("Opened"), "number"),
    "opened_on": Col("day", Text("Opened on"), "day"),
    "ours": Col("ours", Text("Ours"), "money"),
    "outcome": Col("outcome", Text("Outcome"), "word"),
    "paid": Col("paid", Text("Paid"), "money"),
    "part_sold": Col("amount", Text("Sold"), "money"),
    "period": Col("period", Text("Period"), "text"),
    "person": Col("name", Text("Technician"), "text"),
    "price": Col("price", Text("Price"), "money"),
    "promised": Col("promised", Text("Promised"), "day"),
    "proven": Col("proven", Text("Parts proven"), "number"),
    "quantity": Col("quantity", Text("Quantity"), "number"),
    "report": Col("report", Text("Report"), "text"),
    "requests": Col("requests", Text("Requests"), "number"),
    "rows": Col("rows", Text("Rows"), "number"),
    "share": Col("share", Text("Share"), "ours"),
    "shop": Col("shop", Text("Shop"), "text"),
    "sold": Col("sold", Text("Sold"), "money"),
    "started_at": Col("started_at", Text("Began"), "moment"),
    "state": Col("status", Text("Status"), "text"),
    "status": Col("status", Text("Status"), "word"),
    "tax": Col("tax", Text("Tax"), "money"),
    "technician": Col("technician", Text("Technician"), "text"),
    "theirs": Col("theirs", Text("Service"), "money"),
    "total": Col("total", Text("Total"), "money"),
}
"""Columns of the page's tables."""
_MOST_DAYS = 92
"""Days of which each gets a bar."""


@dataclass(frozen=True)
class Selection:
    """What is looked at."""

    home: Path
    names: tuple[str, ...]
    first: date
    last: date
    unit: str
    zone_name: str

    def table(
        self,
        rows: list[dict[str, Any]],
        columns: str,
        name: str = "",
        opens: Callable[[dict[str, Any]], object] | None = None,
        *,
        heading: str = "",
    ) -> None:
        """A table of these shops, with columns by their names in :data:`COLUMNS`; the shop's only
        where there are several. ``heading`` is that of the column ``name``."""
        wanted = [COLUMNS[one] for one in columns.split() if one != "shop" or len(self.names) > 1]
        told = [col._replace(heading=shown(col.heading) or heading) for col in wanted]
        table(rows, told, unit=self.unit, zone=zone_of(self.zone_name), name=name, opens=opens)


def document_key(row: dict[str, Any]) -> Key:
    """The document that a row names by ``shop, document_type, id``."""
    return Key(row["shop"], row["document_type"], row["id"])


def sales(selection: Selection, found: View) -> None:
    """By month, by day, and the documents."""
    st.subheader(_("Sales by month"))
    parts = {charts.REPAIRS: _("repairs"), charts.COUNTER: _("counter")}
    legend = "\u2002".join(
        f'<span style="color: {COLOURS[part]}">\u25a0</span> {name}' for part, name in parts.items()
    )
    hint = _("Click a bar to see its month.")
    st.caption(f"{legend}. {hint}", unsafe_allow_html=True)
    chart = charts.months_chart(
        found.bars, width="container", height=230, colours=COLOURS, pick="picked"
    )
    st.altair_chart(
        alt.Chart.from_dict(chart), width="stretch", on_select=_pick_month, key="months"
    )
    if timedelta(0) < selection.last - selection.first < timedelta(days=_MOST_DAYS):
        _days(selection)
    st.subheader(_("Documents"))
    st.caption(_("Choose a row to see its lines and payments."))
    selection.table(
        details.documents(selection.home, selection.names, selection.first, selection.last),
        "shop day kind number customer sold gross tax status",
        "documents",
        document_key,
    )


def _pick_month() -> None:
    picked = st.session_state["months"].get("selection", {}).get("picked", [])
    if picked:
        st.session_state["period"] = picked[0]["period"]


def _days(selection: Selection) -> None:
    first, last = selection.first, selection.last
    sold = {row["day"]: row for row in details.days(selection.home, selection.names, first, last)}
    nothing = {"repairs": Decimal(0), "counter": Decimal(0)}
    bars = [
        charts.Bar(day.isoformat(), formats.day(day), found["repairs"], found["counter"])
        for day in (first + timedelta(days=n) for n in range((last - first).days + 1))
        for found in (sold.get(day, nothing),)
    ]
    chart = charts.sales_chart(
        bars,
        _("Day"),
        label="slice(datum.value, 8)",
        width="container",
        height=140,
        colours=COLOURS,
        unit=selection.unit,
    )
    st.altair_chart(alt.Chart.from_dict(chart), width="stretch")


def breakdown(selection: Selection, found: View) -> None:
    """Sales by product, category, technician or shop, beside those of the period before."""
    chosen = st.segmented_control(
        _("By"), list(BY), format_func=lambda code: shown(BY[code]), key="by", required=True
    )
    by = chosen or "product"
    before = found.before.period if found.before else None
    rows = details.breakdown(
        selection.home,
        selection.names,
        by,
        (selection.first, selection.last),
        None if before is None else (before.first, before.last),
    )
    whole = sum((row["amount"] for row in rows), Decimal(0))
    nobody = {"technician": _("no technician"), "category": _("no category")}.get(by, "")
    shown_rows = [
        row
        | {
            "name": _("at the counter")
            if row["name"] == details.COUNTER
            else row["name"] or nobody or _("not named"),
            "change": formats.change(row["amount"], row["before"]),
            "share": f"{current().number(row['amount'] * 100 / whole, 1)} %" if whole > 0 else "",
        }
        for row in rows
    ]
    selection.table(shown_rows, "name part_sold share before change", heading=shown(BY[by]))
    if by in ("product", "category"):
        st.caption(_("By the lines of the documents, on the day of the document or return."))
    elif by == "technician":
        st.caption(_("By the technician of the ticket that a document belongs to."))


def tickets(selection: Selection, found: View) -> None:
    """How the workshop did, and what is open now."""
    work = found.now.workshop
    with st.container(horizontal=True):
        st.metric(_("Median time, opening hours"), formats.hours(work.median_hours), width=220)
        st.metric(_("With no technician"), formats.whole(work.unassigned_at_end), width=220)
    rows = [
        line.model_dump() | {"name": line.name or _("no technician")} for line in found.technicians
    ]
    selection.table(rows, "person opened closed median_hours open_at_end")
    st.subheader(_("Open tickets"))
    st.caption(_("Those that are open now, the oldest first. Choose a row to see all of it."))
    selection.table(
        details.open_tickets(selection.home, selection.names),
        "shop number opened_on age customer device state technician promised is_late due",
        "open-tickets",
        lambda row: Key(row["shop"], "ticket", row["id"]),
    )


def due(selection: Selection, found: View) -> None:
    """What customers owe, by age, and who."""
    with st.container(horizontal=True):
        for place, (label, amount) in enumerate(ages(found.now.due)):
            heading = label if place else _("{ages} days", ages=label)
            st.metric(heading, formats.money(amount, selection.unit), width=167)
    st.caption(_("At the end of the period. Below: what is due now, the largest first."))
    selection.table(
        details.debtors(selection.home, selection.names),
        "shop customer number day age due",
        "debtors",
        document_key,
    )


def books(selection: Selection, found: View) -> None:
    """Our reports beside the service's own."""
    seal = found.seal
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
        for row in details.reconciliation(selection.home, selection.names)
    ]
    selection.table(rows, "shop report period ours theirs difference matches")
