"""The page itself; Streamlit runs this file from top to bottom for every visitor and click."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pipelines.dashboard import view as data
from pipelines.dashboard.access import load_access
from pipelines.monitor.severity import Severity
from pipelines.report import charts, formats, queries
from pipelines.report.figures import ReportError, SealState
from pipelines.report.sheet import STATES, TITLES, compared

_COLOURS = {
    charts.INK: "#808a94",
    charts.RULE: "#80808033",
    charts.REPAIRS: "#4a7fb5",
    charts.COUNTER: "#d09a4a",
}
_LOOK_AGAIN_SECONDS = 5
_SEAL_COLOURS = {
    SealState.AGREES: "green",
    SealState.DIFFERS: "red",
    SealState.IN_DOUBT: "orange",
    SealState.UNKNOWN: "gray",
}


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="shopmirror", layout="wide")
    if not _may_see():
        return
    home = Path(os.environ.get("SHOPMIRROR_HOME") or "data")
    _watch(home)
    try:
        _page(home)
    except ReportError as error:
        st.title("shopmirror")
        st.info(str(error))
        st.caption("This page looks again by itself.")


def _may_see() -> bool:
    """Whether the visitor gave the password, if one is set; asks for it."""
    access = load_access()
    if st.session_state.get("token", "") == access.token:
        return True
    st.title("shopmirror")
    with st.form("password"):
        given = st.text_input("Password", type="password")
        is_sent = st.form_submit_button("Show the page")
    if is_sent and access.opens(given):
        st.session_state["token"] = access.token
        st.rerun()
    if is_sent:
        st.error("That is not the password.")
    return False


def _watch(home: Path) -> None:
    """Draw the page anew once a sync has published."""
    shown = data.signature(home)

    @st.fragment(run_every=_LOOK_AGAIN_SECONDS)
    def look_again() -> None:
        if data.signature(home) != shown:
            st.rerun()

    look_again()


def _page(home: Path) -> None:
    known = data.shops(home)
    if not known.names:
        raise ReportError("The warehouse holds no shop yet: run 'shopmirror sync' first.")
    names, (first, last) = _filters(known)
    currencies = {known.currencies[name] for name in names}
    if len(currencies) > 1:
        st.warning("These shops use several currencies, which do not add up: choose one shop.")
        return
    unit = currencies.pop()
    shown = data.view(home, names, first, last)
    _head(shown, names)
    for line in shown.cautions:
        tell = st.error if line.severity is Severity.FAULT else st.warning
        tell(line.shown)
    _numbers(shown, unit)
    sales, tickets, due, books, fresh = st.tabs(
        ["Sales", "Tickets", "Still due", "Books", "Freshness"]
    )
    with sales:
        _sales(home, shown, names)
    with tickets:
        _tickets(shown)
    with due:
        _due(shown)
    with books:
        _books(shown)
    with fresh:
        _fresh(shown)


def _filters(known: data.Shops) -> tuple[list[str], tuple[date, date]]:
    every = "All shops"
    with st.sidebar:
        st.header("shopmirror")
        options = [every, *known.names] if len(known.names) > 1 else [*known.names]
        shop = st.selectbox("Shop", options, key="shop")
        newest = known.last_month or date.today().replace(day=1)
        oldest = known.first_month or newest
        periods: dict[str, tuple[date, date]] = {
            f"Last {data.MONTHS} months": (queries.month_earlier(newest, data.MONTHS - 1), newest),
            "Everything": (oldest, newest),
        }
        for year in range(newest.year, oldest.year - 1, -1):
            periods[str(year)] = (date(year, 1, 1), min(date(year, 12, 1), newest))
        period = st.selectbox("Period", list(periods), key="period")
    names = [*known.names] if shop == every else [str(shop)]
    return names, periods[str(period)]


def _head(shown: data.View, names: list[str]) -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    left.title(names[0] if len(names) == 1 else f"{len(names)} shops")
    seal = shown.seal
    with right:
        st.badge(
            f"{TITLES[seal.state]} {compared(seal)}",
            color=_SEAL_COLOURS[seal.state],  # type: ignore[arg-type]  # a literal of its stub
        )
        when = "an unknown time"
        if shown.as_of is not None and shown.as_of.tzinfo is not None:
            when = formats.moment(shown.as_of, shown.as_of.tzinfo)
        st.caption(f"Mirror as of {when}")


def _numbers(shown: data.View, unit: str) -> None:
    money = (
        ("Sold", shown.sold.total),
        ("Money taken", shown.taken.total),
        ("Still due", shown.due.total),
    )
    columns = st.columns(5)
    for column, (label, amount) in zip(columns, money, strict=False):
        column.metric(f"{label}, {unit}" if unit else label, formats.money(amount, places=0))
    work = shown.workshop
    columns[3].metric("Tickets opened", formats.whole(work.opened if work else None))
    columns[4].metric("Tickets closed", formats.whole(work.closed if work else None))


def _sales(home: Path, shown: data.View, names: list[str]) -> None:
    st.subheader("Sales by month")
    st.caption(":blue[\u25a0] repairs  :orange[\u25a0] counter. Click a bar to see its documents.")
    chart = charts.months_chart(
        shown.bars, width="container", height=260, colours=_COLOURS, pick="picked"
    )
    drawn = alt.Chart.from_dict(chart)
    event = st.altair_chart(drawn, width="stretch", on_select="rerun", key="months")
    months = [f"{bar.month:%Y-%m}" for bar in shown.bars]
    # A click on a bar chooses in the list below, which the keyboard reaches as well.
    picked = event.get("selection", {}).get("picked", [])
    if picked and picked[0].get("month") in months and st.session_state.get("bar") != picked:
        st.session_state["bar"] = picked
        st.session_state["month"] = picked[0]["month"]
    if st.session_state.get("month") not in months:
        st.session_state["month"] = months[-1]
    left, right, _ = st.columns([1, 1, 3])
    chosen = left.selectbox("Month", months[::-1], key="month")
    month = date.fromisoformat(f"{chosen}-01")
    days = [str(month.replace(day=n)) for n in range(1, queries.month_end(month).day + 1)]
    day = right.selectbox("Day", ["Whole month", *days], key=f"day-{chosen}")
    detail = data.month(
        home, names, month, None if day == "Whole month" else date.fromisoformat(str(day))
    )
    st.altair_chart(_days_chart(detail.days, days), width="stretch")
    more = (
        f", the newest {data.MOST_DOCUMENTS:,} shown"
        if detail.count > len(detail.documents)
        else ""
    )
    st.caption(f"{formats.whole(detail.count)} documents{more}")
    _table(detail.documents, {"sold", "gross", "tax"})


def _days_chart(sold: pd.DataFrame, days: list[str]) -> alt.Chart:
    tall = sold.melt(id_vars=["day"], value_vars=["repairs", "counter"], var_name="part")
    tall["day"] = tall["day"].astype(str)
    tall["order"] = (tall["part"] == "counter").astype(int)
    chart: alt.Chart = (
        alt.Chart(tall)
        .mark_bar(cornerRadius=1)
        .encode(
            x=alt.X(
                "day:O",
                title=None,
                scale=alt.Scale(domain=days),
                axis=alt.Axis(labelExpr="slice(datum.value, 8)", labelAngle=0, ticks=False),
            ),
            y=alt.Y(
                "value:Q",
                title=None,
                axis=alt.Axis(tickCount=3, domain=False, labelExpr=charts.number_label()),
            ),
            color=alt.Color(
                "part:N",
                legend=None,
                scale=alt.Scale(
                    domain=["repairs", "counter"],
                    range=[_COLOURS[charts.REPAIRS], _COLOURS[charts.COUNTER]],
                ),
            ),
            order=alt.Order("order:Q"),
            tooltip=["day:O", "part:N", alt.Tooltip("value:Q", format=",.2f", title="sales")],
        )
        .properties(height=140)
    )
    return chart


def _tickets(shown: data.View) -> None:
    if shown.workshop is None:
        st.info("The warehouse has no marts.tickets: run 'shopmirror sync' to build it.")
        return
    work = shown.workshop
    columns = st.columns(3)
    columns[0].metric("Median time, opening hours", formats.hours(work.median_hours))
    columns[1].metric("Open at the end", formats.whole(work.open_at_end))
    columns[2].metric("With no technician", formats.whole(work.unassigned_at_end))
    rows = [
        {
            "technician": line.name or "no technician",
            "opened": line.opened,
            "closed": line.closed,
            "median hours": line.median_hours,
            "open": line.open_at_end,
        }
        for line in shown.technicians
    ]
    _table(pd.DataFrame(rows), {"median hours"})


def _due(shown: data.View) -> None:
    due = shown.due
    columns = st.columns(4)
    ages = (("0\u201330 days", due.to_30), ("31\u201360", due.to_60), ("61\u201390", due.to_90))
    for column, (label, amount) in zip(columns, (*ages, ("over 90", due.over_90)), strict=True):
        column.metric(label, formats.money(amount))
    st.caption("At the end of the period. Below: what is due now, the largest first.")
    _table(shown.debtors, {"due"})


def _books(shown: data.View) -> None:
    seal = shown.seal
    st.write(f"Our reports and the service's own {STATES[seal.state]}." if seal.compared else "")
    if not seal.compared:
        st.info("Nothing was compared with the service's own reports yet.")
        return
    _table(shown.reconciliation, {"ours", "theirs", "difference"})


def _fresh(shown: data.View) -> None:
    st.subheader("Lists")
    _table(shown.completeness, set())
    st.subheader("Runs")
    _table(shown.runs, set())


def _table(frame: pd.DataFrame, money: set[str]) -> None:
    if frame.empty:
        st.caption("Nothing to show.")
        return
    # Every table can be downloaded as CSV.
    texts = frame.map(lambda value: formats.cell(value) if isinstance(value, str) else value)
    columns: dict[str, Any] = {name: st.column_config.NumberColumn(format="%.2f") for name in money}
    st.dataframe(texts, hide_index=True, width="stretch", column_config=columns)


main()
