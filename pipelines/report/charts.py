"""The chart of the last months: one Vega-Lite specification -> SVG for a page, PNG for paper.

Drawn by ``vl-convert``, which carries its own Vega: no browser and no network. Colours are
placeholders that become CSS variables in the SVG, so one drawing serves light, dark and print.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import vl_convert

from pipelines.language import _, current
from pipelines.report.figures import MonthBar

Spec = dict[str, Any]
"""A Vega-Lite specification; written out, since loading Altair takes longer than a report."""
_VL_VERSION = "6.4"

# Placeholders: valid colours that nothing else uses, told apart by their last digit.
INK, RULE, REPAIRS, COUNTER = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
CSS_NAMES = {INK: "--soft", RULE: "--rule", REPAIRS: "--repairs", COUNTER: "--counter"}
ON_PAPER = {INK: "#55606b", RULE: "#dcdfe3", REPAIRS: "#2f5d8a", COUNTER: "#d09a4a"}

# Room for labels that the reader's font makes wider than the one they were measured in.
_PADDING = {"left": 8, "right": 2, "top": 5, "bottom": 2}


def number_label() -> str:
    """Vega expression for an axis label as :mod:`~pipelines.report.formats` writes numbers."""
    return f"replace(format(datum.value, ',.0f'), /,/g, {current().group!r})"


def months_chart(
    bars: Sequence[MonthBar],
    *,
    width: int | str = 640,
    height: int = 150,
    colours: Mapping[str, str] | None = None,
    pick: str | None = None,
) -> Spec:
    """Sales by month, repairs below and counter above; a month not over yet is paler.

    ``colours`` maps the placeholders to colours; None leaves them in. ``pick`` names a selection
    of months made by clicking on their bars.
    """
    ink = colours or {name: name for name in CSS_NAMES}
    repairs, counter = _("Repairs"), _("Counter")
    rows = [
        {
            "month": f"{bar.month:%Y-%m}",
            "part": part,
            "order": order,
            "amount": float(amount),
            "shown": current().number(amount, 2),
            "whole": bar.is_whole,
        }
        for bar in bars
        for order, (part, amount) in enumerate(((repairs, bar.repairs), (counter, bar.counter)))
    ]
    axis = {"ticks": False, "labelPadding": 6}
    spec: Spec = {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{_VL_VERSION}.json",
        "width": width,
        "height": height,
        "background": "transparent",
        "padding": _PADDING,
        "config": {
            "view": {"stroke": None},
            "axis": {"gridWidth": 1, "labelColor": ink[INK], "labelFontSize": 11},
        },
        "data": {"values": rows},
        "mark": {"type": "bar", "cornerRadius": 1},
        "encoding": {
            "x": {
                "field": "month",
                "type": "ordinal",
                "title": None,
                "sort": None,
                # In order, whatever becomes of the rows on their way.
                "scale": {
                    "paddingInner": 0.35,
                    "paddingOuter": 0.15,
                    "domain": [f"{bar.month:%Y-%m}" for bar in bars],
                },
                # The year once, under the first bar and each January.
                "axis": axis
                | {
                    "labelAngle": 0,
                    "domainColor": ink[RULE],
                    "labelExpr": "datum.index == 0 || slice(datum.value, 5) == '01'"
                    " ? [slice(datum.value, 5), slice(datum.value, 0, 4)] : slice(datum.value, 5)",
                },
            },
            "y": {
                "field": "amount",
                "type": "quantitative",
                "title": None,
                "stack": "zero",
                "axis": axis
                | {
                    "domain": False,
                    "tickCount": 4,
                    "gridColor": ink[RULE],
                    "labelExpr": number_label(),
                },
            },
            "color": {
                "field": "part",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": [repairs, counter], "range": [ink[REPAIRS], ink[COUNTER]]},
            },
            "order": {"field": "order", "type": "quantitative"},
            "opacity": {"condition": {"test": "datum.whole", "value": 1}, "value": 0.55},
            "tooltip": [
                {"field": "month", "type": "ordinal", "title": _("Month")},
                {"field": "part", "type": "nominal", "title": _("Part")},
                {"field": "shown", "type": "nominal", "title": _("Sales")},
            ],
        },
    }
    if pick is not None:
        spec["params"] = [{"name": pick, "select": {"type": "point", "encodings": ["x"]}}]
    return spec


def svg(chart: Spec, *, prefix: str = "") -> str:
    """An inline ``<svg>`` that takes its colours and fonts from the page around it.

    ``prefix`` keeps the ids of several drawings on one page apart.
    """
    drawn: str = vl_convert.vegalite_to_svg(chart, vl_version=_VL_VERSION)
    for placeholder, variable in CSS_NAMES.items():
        drawn = re.sub(rf'="{placeholder}"', f'="var({variable})"', drawn, flags=re.IGNORECASE)
    drawn = re.sub(r'font-family="[^"]*"', 'font-family="inherit"', drawn)
    drawn = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', drawn)
    drawn = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", drawn)
    # The size on the page is the page's business; the view box keeps the shape.
    return re.sub(r'^<svg([^>]*?) width="[^"]*" height="[^"]*"', r"<svg\1", drawn, count=1)


def png(chart: Spec, *, scale: float = 4.0) -> bytes:
    """The drawing as pixels, for paper; the chart must carry real colours."""
    drawn: bytes = vl_convert.vegalite_to_png(chart, vl_version=_VL_VERSION, scale=scale)
    return drawn
