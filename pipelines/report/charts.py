"""What is drawn: the seal, and the chart of months or days: SVG for a page, PNG for paper.

A chart is one Vega-Lite specification (``chart.json``), drawn by ``vl-convert``, which carries its
own Vega: no browser and no network. Colours are placeholders that become CSS variables in the SVG,
so one drawing serves light, dark and print. Its padding leaves room for labels that the reader's
font makes wider than the one they were measured in.
"""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import vl_convert

from pipelines.language import _, current
from pipelines.report import formats
from pipelines.report.figures import MonthBar, SealState

Spec = dict[str, Any]
"""A Vega-Lite specification; of a file, since loading Altair takes longer than a report."""
_TEMPLATE = Path(__file__).with_name("chart.json").read_text(encoding="utf-8")
_VL_VERSION: str = json.loads(_TEMPLATE)["$schema"].rpartition("/v")[2].removesuffix(".json")

# Placeholders: valid colours that nothing else uses, told apart by their last digit.
INK, RULE, REPAIRS, COUNTER = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
CSS_NAMES = {INK: "--soft", RULE: "--rule", REPAIRS: "--repairs", COUNTER: "--counter"}
ON_PAPER = {INK: "#55606b", RULE: "#dcdfe3", REPAIRS: "#2f5d8a", COUNTER: "#d09a4a"}

_YEAR_ONCE = (
    "datum.index == 0 || slice(datum.value, 5) == '01'"
    " ? [slice(datum.value, 5), slice(datum.value, 0, 4)] : slice(datum.value, 5)"
)
"""A month's label: the year once, under the first bar and each January."""


_MARKS = {
    SealState.AGREES: "M21.5 33 l7.5 7.5 l14 -16.5",
    SealState.DIFFERS: "M22 27 h20 M22 37 h20 M38 19.5 l-12 25",
}
"""What stands within the seal: a tick, an unequal sign, and three dots for all else."""


def seal(state: SealState, colour: str = "currentColor") -> str:
    """Whether the books agree, as an ``<svg>``."""
    mark = _MARKS.get(state, "M20 32 h.1 M32 32 h.1 M44 32 h.1")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" '
        f'stroke="{colour}" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">'
        '<circle cx="32" cy="32" r="29.5" stroke-width="2"/>'
        '<circle cx="32" cy="32" r="24.5" stroke-width="1" stroke-dasharray="1 2.85"/>'
        f'<path d="{mark}" stroke-width="4"/></svg>'
    )


class Bar(NamedTuple):
    """Sales of a month or a day: ``at`` is its ISO form, ``name`` what readers call it."""

    at: str
    name: str
    repairs: Decimal
    counter: Decimal
    is_whole: bool = True


def months_chart(bars: Sequence[MonthBar], **how: Any) -> Spec:
    """Sales by month; ``how`` as for :func:`sales_chart`."""
    named = [
        Bar(month, month, bar.repairs, bar.counter, bar.is_whole)
        for bar in bars
        for month in (f"{bar.month:%Y-%m}",)
    ]
    return sales_chart(named, _("Month"), label=_YEAR_ONCE, **how)


def sales_chart(
    bars: Sequence[Bar],
    title: str,
    *,
    label: str,
    width: int | str = 640,
    height: int = 150,
    colours: Mapping[str, str] | None = None,
    unit: str = "",
    pick: str | None = None,
) -> Spec:
    """Sales by period, repairs below and counter above; one not over yet is paler.

    ``title`` is what a period is called, ``label`` Vega's expression for the text below a bar.
    ``colours`` maps the placeholders to colours; None leaves them in. ``pick`` names a selection
    of periods made by clicking on their bars.
    """
    drawn = _TEMPLATE
    for placeholder, colour in (colours or {}).items():
        drawn = drawn.replace(placeholder, colour)
    repairs, counter = _("Repairs"), _("Counter")
    rows = [
        {
            "period": bar.at,
            "name": bar.name,
            "part": part,
            "order": order,
            "amount": float(amount),
            "shown": formats.money(amount, unit),
            "whole": bar.is_whole,
        }
        for bar in bars
        for order, (part, amount) in enumerate(((repairs, bar.repairs), (counter, bar.counter)))
    ]
    spec: Spec = json.loads(drawn)
    spec |= {"width": width, "height": height, "data": {"values": rows}}
    of = spec["encoding"]
    # In order, whatever becomes of the rows on their way.
    of["x"]["scale"]["domain"] = [bar.at for bar in bars]
    of["x"]["axis"]["labelExpr"] = label
    # As :mod:`~pipelines.report.formats` writes numbers.
    of["y"]["axis"]["labelExpr"] = (
        f"replace(format(datum.value, ',.0f'), /,/g, {current().group!r})"
    )
    of["color"]["scale"]["domain"] = [repairs, counter]
    for told, heading in zip(of["tooltip"], (title, _("Part"), _("Sales")), strict=True):
        told["title"] = heading
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


def png(chart: Spec) -> bytes:
    """The drawing as pixels, for paper; the chart must carry real colours."""
    drawn: bytes = vl_convert.vegalite_to_png(chart, vl_version=_VL_VERSION, scale=4.0)
    return drawn
