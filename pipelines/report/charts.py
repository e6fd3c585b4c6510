"""The chart of the last months: one Altair specification -> SVG for a page, PNG for paper.

Drawn by ``vl-convert``, which carries its own Vega: no browser and no network. Colours are
placeholders that become CSS variables in the SVG, so one drawing serves light, dark and print.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert

from pipelines.report.figures import MonthBar

_VL_VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])

# Placeholders: valid colours that nothing else uses, told apart by their last digit.
INK, RULE, REPAIRS, COUNTER = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
CSS_NAMES = {INK: "--soft", RULE: "--rule", REPAIRS: "--repairs", COUNTER: "--counter"}
ON_PAPER = {INK: "#55606b", RULE: "#dcdfe3", REPAIRS: "#2f5d8a", COUNTER: "#d09a4a"}

# Room for labels that the reader's font makes wider than the one they were measured in.
_PADDING = {"left": 8, "right": 2, "top": 5, "bottom": 2}
SPACED = "replace(format(datum.value, ',.0f'), /,/g, '\u202f')"
"""Vega expression for an axis label as :mod:`~pipelines.report.formats` writes numbers."""


def months_chart(
    bars: Sequence[MonthBar],
    *,
    width: int | str = 640,
    height: int = 150,
    colours: Mapping[str, str] | None = None,
    pick: str | None = None,
) -> alt.Chart:
    """Sales by month, repairs below and counter above; a month not over yet is paler.

    ``colours`` maps the placeholders to colours; None leaves them in. ``pick`` names a selection
    of months made by clicking on their bars.
    """
    ink = colours or {name: name for name in CSS_NAMES}
    rows = [
        {
            "month": f"{bar.month:%Y-%m}",
            "part": part,
            "order": order,
            "amount": float(amount),
            "whole": bar.is_whole,
        }
        for bar in bars
        for order, (part, amount) in enumerate((("Repairs", bar.repairs), ("Counter", bar.counter)))
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    stacks = base.mark_bar(cornerRadius=1).encode(
        x=alt.X(
            "month:O",
            title=None,
            sort=None,
            scale=alt.Scale(paddingInner=0.35, paddingOuter=0.15),
            axis=alt.Axis(
                labelAngle=0,
                ticks=False,
                domainColor=ink[RULE],
                labelPadding=6,
                # The year once, under the first bar and each January.
                labelExpr="datum.index == 0 || slice(datum.value, 5) == '01'"
                " ? [slice(datum.value, 5), slice(datum.value, 0, 4)] : slice(datum.value, 5)",
            ),
        ),
        y=alt.Y(
            "amount:Q",
            title=None,
            stack="zero",
            axis=alt.Axis(
                domain=False,
                ticks=False,
                tickCount=4,
                gridColor=ink[RULE],
                labelPadding=6,
                labelExpr=SPACED,
            ),
        ),
        color=alt.Color(
            "part:N",
            legend=None,
            scale=alt.Scale(domain=["Repairs", "Counter"], range=[ink[REPAIRS], ink[COUNTER]]),
        ),
        order=alt.Order("order:Q"),
        opacity=alt.condition("datum.whole", alt.value(1), alt.value(0.55)),
        tooltip=[
            alt.Tooltip("month:O", title="Month"),
            alt.Tooltip("part:N", title="Part"),
            alt.Tooltip("amount:Q", title="Sales", format=",.2f"),
        ],
    )
    chart: alt.Chart = (
        stacks.properties(width=width, height=height, background="transparent", padding=_PADDING)
        .configure_view(stroke=None)
        .configure_axis(labelColor=ink[INK], labelFontSize=11, gridWidth=1)
    )
    if pick is not None:
        chart = chart.add_params(alt.selection_point(name=pick, encodings=["x"]))
    return chart


def svg(chart: alt.Chart, *, prefix: str = "") -> str:
    """An inline ``<svg>`` that takes its colours and fonts from the page around it.

    ``prefix`` keeps the ids of several drawings on one page apart.
    """
    drawn: str = vl_convert.vegalite_to_svg(chart.to_json(), vl_version=_VL_VERSION)
    for placeholder, variable in CSS_NAMES.items():
        drawn = re.sub(rf'="{placeholder}"', f'="var({variable})"', drawn, flags=re.IGNORECASE)
    drawn = re.sub(r'font-family="[^"]*"', 'font-family="inherit"', drawn)
    drawn = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', drawn)
    drawn = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", drawn)
    # The size on the page is the page's business; the view box keeps the shape.
    return re.sub(r'^<svg([^>]*?) width="[^"]*" height="[^"]*"', r"<svg\1", drawn, count=1)


def png(chart: alt.Chart, *, scale: float = 4.0) -> bytes:
    """The drawing as pixels, for paper; the chart must carry real colours."""
    spec: dict[str, Any] = chart.to_dict()
    drawn: bytes = vl_convert.vegalite_to_png(spec, vl_version=_VL_VERSION, scale=scale)
    return drawn
