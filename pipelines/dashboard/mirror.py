"""The part of the page about the mirror itself: its first load, its runs, its lists."""

from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pipelines.dashboard import standing
from pipelines.dashboard.sections import Selection
from pipelines.dashboard.table import clock
from pipelines.dashboard.view import View
from pipelines.dashboard.words import word
from pipelines.language import _, current, shown
from pipelines.language.words import list_name
from pipelines.report.closing import zone_of

_OUTCOMES = {
    "complete": "#4d9a75",
    "stopped": "#4a7fb5",
    "running": "#4a7fb5",
    "incomplete": "#d09a4a",
    "differs": "#c8553f",
    "failed": "#c8553f",
    "killed": "#c8553f",
}


def mirror(selection: Selection, found: View) -> None:
    """How far a first load is, what ran, and what each list holds."""
    left = standing.to_go(selection.home)
    if left is not None:
        text = _(
            "The first load is not over: at least {requests} requests to go, {minutes} minutes.",
            requests=sum(left.requests.values()),
            minutes=max(1, round(left.minutes)),
        )
        if unknown := sum(left.unknown.values()):
            text += " " + _("The size of {n} lists is not known yet.", n=unknown)
        st.info(text)
    st.subheader(_("Runs"))
    runs = standing.runs(selection.home)
    _timeline(selection, runs)
    selection.table(runs, "started_at ended_at command outcome requests rows message")
    st.subheader(_("Lists"))
    rows = [
        row | {"list": shown(list_name(row["list"]))}
        for row in standing.lists(selection.home, selection.names)
    ]
    selection.table(rows, "shop list rows proven doubted checked")


def _timeline(selection: Selection, runs: list[dict[str, Any]]) -> None:
    zone = zone_of(selection.zone_name)
    marks = [
        {
            "began": run["started_at"].astimezone(zone).replace(tzinfo=None),
            "shown": clock(run["started_at"], zone),
            "minutes": round(
                ((run["ended_at"] or run["started_at"]) - run["started_at"]).total_seconds() / 60, 1
            ),
            "outcome": word(run["outcome"] or "running"),
            "colour": _OUTCOMES.get(run["outcome"] or "running", "#808a94"),
            "command": run["command"],
            "requests": run["requests"] or 0,
            "rows": run["rows"] or 0,
        }
        for run in runs
    ]
    if not marks:
        return
    frame = pd.DataFrame(marks)
    days = "%d/%m" if current().dates.startswith("d") else "%m-%d"
    chart = (
        alt.Chart(frame)
        .mark_circle(opacity=0.85, stroke="#80808066")
        .encode(
            x=alt.X(
                "began:T", title=None, axis=alt.Axis(format=days, tickCount=8, labelOverlap=True)
            ),
            y=alt.Y("minutes:Q", title=_("Minutes"), axis=alt.Axis(tickCount=4)),
            size=alt.Size("requests:Q", legend=None, scale=alt.Scale(range=[60, 500])),
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("shown:N", title=_("Began")),
                alt.Tooltip("command:N", title=_("Command")),
                alt.Tooltip("outcome:N", title=_("Outcome")),
                alt.Tooltip("minutes:Q", title=_("Minutes")),
                alt.Tooltip("requests:Q", title=_("Requests")),
                alt.Tooltip("rows:Q", title=_("Rows")),
            ],
        )
        .properties(height=150)
    )
    st.altair_chart(chart, width="stretch")
