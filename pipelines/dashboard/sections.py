"""The parts of the page below the figures, drawn from a :class:`Selection` and its view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pipelines.dashboard import details
from pipelines.dashboard.found import Key
from pipelines.dashboard.table import Col, table
from pipelines.dashboard.view import View
from pipelines.language import Text, _, current, shown
from pipelines.language.words import report_name
from pipelines.report import charts, formats
from pipelines.report.closing import NO_TICKETS, zone_of
from pipelines.report.sheet import STATES

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

    @property
    def shop(self) -> list[Col]:
        """The column that names the shop, where there are several."""
        return [Col("shop", _("Shop"))] if len(self.names) > 1 else []

    def table(
        self,
        rows: list[dict[str, Any]],
        columns: list[Col],
        name: str = "",
        opens: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        """A table of these shops."""
        zone = zone_of(self.zone_name)
        table(rows, columns, unit=self.unit, zone=zone, name=name, opens=opens)


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
        [
            *selection.shop,
            Col("day", _("Day"), "day"),
            Col("kind", _("Kind"), "word"),
            Col("number", _("Number")),
            Col("customer", _("Customer")),
            Col("sold", _("Sold"), "money"),
            Col("gross", _("Gross"), "money"),
            Col("tax", _("Tax"), "money"),
            Col("status", _("Status"), "word"),
        ],
        "documents",
        document_key,
    )


def _pick_month() -> None:
    picked = st.session_state["months"].get("selection", {}).get("picked", [])
    if picked:
        st.session_state["period"] = picked[0]["month"]


def _days(selection: Selection) -> None:
    sold = {
        row["day"]: row
        for row in details.days(selection.home, selection.names, selection.first, selection.last)
    }
    span = [
        selection.first + timedelta(days=n)
        for n in range((selection.last - selection.first).days + 1)
    ]
    parts = (("repairs", _("repairs")), ("counter", _("counter")))
    nothing = {"repairs": Decimal(0), "counter": Decimal(0)}
    bars = pd.DataFrame(
        {
            "day": day.isoformat(),
            "shown": formats.day(day),
            "order": order,
            "part": label,
            "amount": float(sold.get(day, nothing)[name]),
            "money": formats.money(sold.get(day, nothing)[name], selection.unit),
        }
        for day in span
        for order, (name, label) in enumerate(parts)
    )
    chart = (
        alt.Chart(bars)
        .mark_bar(cornerRadius=1)
        .encode(
            x=alt.X(
                "day:O",
                title=None,
                scale=alt.Scale(domain=[day.isoformat() for day in span]),
                axis=alt.Axis(
                    labelExpr="slice(datum.value, 8)",
                    labelAngle=0,
                    ticks=False,
                    labelOverlap=True,
                ),
            ),
            y=alt.Y(
                "amount:Q",
                title=None,
                axis=alt.Axis(tickCount=3, domain=False, labelExpr=charts.number_label()),
            ),
            color=alt.Color(
                "part:N",
                legend=None,
                scale=alt.Scale(
                    domain=[label for _name, label in parts],
                    range=[COLOURS[charts.REPAIRS], COLOURS[charts.COUNTER]],
                ),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("shown:N", title=_("Day")),
                alt.Tooltip("part:N", title=_("Part")),
                alt.Tooltip("money:N", title=_("Sales")),
            ],
        )
        .properties(height=140)
    )
    st.altair_chart(chart, width="stretch")


def breakdown(selection: Selection, found: View) -> None:
    """Sales by product, category, technician or shop, beside those of the period before."""
    by = (
        st.segmented_control(
            _("By"),
            list(BY),
            format_func=lambda code: shown(BY[code]),
            key="by",
            required=True,
        )
        or "product"
    )
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
    selection.table(
        shown_rows,
        [
            Col("name", shown(BY[by])),
            Col("amount", _("Sold"), "money"),
            Col("share", _("Share"), "ours"),
            Col("before", _("Before"), "money"),
            Col("change", _("Change"), "ours"),
        ],
    )
    if by in ("product", "category"):
        st.caption(_("By the lines of the documents, on the day of the document or return."))
    elif by == "technician":
        st.caption(_("By the technician of the ticket that a document belongs to."))


def tickets(selection: Selection, found: View) -> None:
    """How the workshop did, and what is open now."""
    if found.now.workshop is None:
        st.info(shown(NO_TICKETS))
        return
    work = found.now.workshop
    with st.container(horizontal=True):
        st.metric(_("Median time, opening hours"), formats.hours(work.median_hours), width=220)
        st.metric(_("With no technician"), formats.whole(work.unassigned_at_end), width=220)
    rows = [
        line.model_dump() | {"name": line.name or _("no technician")} for line in found.technicians
    ]
    selection.table(
        rows,
        [
            Col("name", _("Technician")),
            Col("opened", _("Opened"), "number"),
            Col("closed", _("Closed"), "number"),
            Col("median_hours", _("Median"), "hours"),
            Col("open_at_end", _("Open"), "number"),
        ],
    )
    st.subheader(_("Open tickets"))
    st.caption(_("Those that are open now, the oldest first. Choose a row to see all of it."))
    selection.table(
        details.open_tickets(selection.home, selection.names),
        [
            *selection.shop,
            Col("number", _("Number")),
            Col("day", _("Opened on"), "day"),
            Col("age", _("Days"), "number"),
            Col("customer", _("Customer")),
            Col("device", _("Device")),
            Col("status", _("Status")),
            Col("technician", _("Technician")),
            Col("promised", _("Promised"), "day"),
            Col("is_late", _("Late"), "word"),
            Col("due", _("Still due"), "money"),
        ],
        "open-tickets",
        lambda row: Key(row["shop"], "ticket", row["id"]),
    )


def due(selection: Selection, found: View) -> None:
    """What customers owe, by age, and who."""
    owed = found.now.due
    ages = (
        (_("{ages} days", ages="0\u201330"), owed.to_30),
        ("31\u201360", owed.to_60),
        ("61\u201390", owed.to_90),
        (_("over 90"), owed.over_90),
    )
    with st.container(horizontal=True):
        for label, amount in ages:
            st.metric(label, formats.money(amount, selection.unit), width=167)
    st.caption(_("At the end of the period. Below: what is due now, the largest first."))
    selection.table(
        details.debtors(selection.home, selection.names),
        [
            *selection.shop,
            Col("customer", _("Customer")),
            Col("number", _("Number")),
            Col("day", _("Day"), "day"),
            Col("age", _("Days"), "number"),
            Col("due", _("Still due"), "money"),
        ],
        "debtors",
        document_key,
    )


def books(selection: Selection, found: View) -> None:
    """Our reports beside the service's own."""
    seal = found.seal
    if not seal.compared:
        st.info(_("Nothing was compared with the service's own reports yet."))
        return
    st.write(
        _("Our reports and the service's own: {state}.", state=STATES[seal.state]),
    )
    rows = [
        row
        | {
            "report": shown(report_name(row["report"])),
            "period": current().month(row["period"])
            if row["report"].startswith("monthly")
            else formats.day(row["period"]),
        }
        for row in details.reconciliation(selection.home, selection.names)
    ]
    selection.table(
        rows,
        [
            *selection.shop,
            Col("report", _("Report")),
            Col("period", _("Period")),
            Col("ours", _("Ours"), "money"),
            Col("theirs", _("Service"), "money"),
            Col("difference", _("Difference"), "money"),
            Col("matches", _("Agree"), "word"),
        ],
    )
