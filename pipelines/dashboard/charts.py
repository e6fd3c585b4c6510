"""The page's charts: bars of the months, lines of days, bars of a breakdown."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from pipelines.dashboard import asked
from pipelines.dashboard.table import is_phone
from pipelines.dashboard.view import Selection
from pipelines.language import _, current
from pipelines.publish.published import Rows
from pipelines.report import formats

_REPAIRS, _COUNTER, _BEFORE = "#4a7fb5", "#d09a4a", "#9aa5b1"
_BARS = 12
_DAYS = """
    select day, sum(sold) as sold from marts.shop_days
    where list_contains($shops, shop_id) and day between $first and $last group by 1 order by 1
"""


def months(selection: Selection) -> None:
    """Sales by month; a click on a bar chooses its month."""
    repairs, counter = _("repairs"), _("counter")
    rows = [
        {
            "period": f"{bar['month']:%Y-%m}", "shown": current().month(bar["month"]),
            "what": name, "amount": float(amount), "order": place, "whole": bar["is_whole"],
        }
        for bar in selection.view.months
        for place, name, amount in ((0, repairs, bar["repairs"]), (1, counter, bar["counter"]))
    ]  # fmt: skip
    chart = _drawn(
        alt.Chart(pd.DataFrame(rows)).mark_bar(), selection.unit,
        {repairs: _REPAIRS, counter: _COUNTER},
        {"shown:N": _("Month"), "what:N": " ", "told:N": _("Amount")},
        x=alt.X(
            "period:O", title=None, sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True)
        ),
        y=alt.Y("amount:Q", title=None, axis=amounts(4)),
        order="order:Q",
        opacity=alt.condition("datum.whole", alt.value(1), alt.value(0.55)),
    )  # fmt: skip
    picked = alt.selection_point(name="picked", fields=["period"])
    st.altair_chart(
        chart.add_params(picked).properties(height=220),
        width="stretch", on_select=_pick_month, key="months",
    )  # fmt: skip
    st.caption(_("Click a bar to see its month."))


def _pick_month() -> None:
    picked = st.session_state["months"].get("selection", {}).get("picked", [])
    if picked:
        st.session_state["period"] = picked[0]["period"]


def days(selection: Selection) -> None:
    """A line of this period, and one of the period it is compared with, day upon day."""
    pieces = {_("this period"): selection.period}
    if (before := selection.view.before) is not None:
        pieces[_("compared with")] = before.period
    rows = [
        {
            "place": (row["day"] - period.first).days + 1, "what": name,
            "amount": float(row["sold"]), "shown": current().day(row["day"]),
        }
        for name, period in pieces.items()
        for row in asked.rows(
            selection.home, _DAYS, selection.names, {"first": period.first, "last": period.last}
        )
    ]  # fmt: skip
    chart = _drawn(
        alt.Chart(pd.DataFrame(rows)).mark_line(point=True),
        selection.unit,
        dict(zip(pieces, (_REPAIRS, _BEFORE), strict=False)),
        {"shown:N": _("Day"), "told:N": _("Sold")},
        x=alt.X("place:Q", title=_("Day"), axis=alt.Axis(format="d", tickMinStep=1)),
        y=alt.Y("amount:Q", title=None, axis=amounts(4)),
    )
    st.altair_chart(chart.properties(height=280), width="stretch")


def parts(rows: Rows, unit: str, *, has_before: bool) -> None:
    """The largest parts of a breakdown, each beside what it was before."""
    kinds = {"amount": _("this period")} | ({"before": _("compared with")} if has_before else {})
    told = [
        {"name": row["name"], "what": what, "amount": float(row[key])}
        for row in rows[:_BARS]
        for key, what in kinds.items()
    ]
    if not told:
        return
    chart = _drawn(
        alt.Chart(pd.DataFrame(told)).mark_bar(),
        unit,
        dict(zip(kinds.values(), (_REPAIRS, _BEFORE), strict=False)),
        {"name:N": " ", "what:N": " ", "told:N": _("Amount")},
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
        x=alt.X("amount:Q", title=None, axis=amounts(5)),
        yOffset=alt.YOffset("what:N", sort=list(kinds.values())),
    )
    st.altair_chart(chart, width="stretch")


def amounts(ticks: int) -> alt.Axis:
    """An axis of amounts, written as in the tables: Vega has the signs of English alone here."""
    decimal, thousands = map(json.dumps, current().signs)
    parted = "replace(datum.label, regexp(',', 'g'), ' ')"
    told = f"replace(replace({parted}, '.', {decimal}), regexp(' ', 'g'), {thousands})"
    return alt.Axis(tickCount=ticks, labelExpr=told)


def _drawn(
    chart: alt.Chart, unit: str, colours: Mapping[str, str], tips: Mapping[str, str],
    **encodings: Any,
) -> Any:  # fmt: skip
    """A chart whose series ``what`` have these colours; ``tips`` are fields and their titles,
    ``told`` is the ``amount`` in its currency."""
    amounts = chart.data.get("amount", ())
    chart.data["told"] = [formats.money(Decimal(str(amount)), unit) for amount in amounts]
    return chart.encode(
        color=alt.Color(
            "what:N", title=None, sort=list(colours),
            legend=alt.Legend(orient="top", columns=1 if is_phone() else 0),
            scale=alt.Scale(domain=list(colours), range=list(colours.values())),
        ),
        tooltip=[alt.Tooltip(field, title=title) for field, title in tips.items()],
        **encodings,
    )  # fmt: skip
