"""How the notebooks look: one chart style, charts kept in the file as pictures, wide tables.

``house_style.use()`` in a notebook's first cell is all. Charts are drawn as PNG on this machine
and kept in the notebook, so that they show wherever it is read, also without running anything; for
charts that answer to the mouse, run ``alt.renderers.enable("mimetype")`` in JupyterLab.
"""

from __future__ import annotations

import contextlib
from decimal import Decimal
from pathlib import Path

import altair as alt
import pandas as pd

from pipelines.language import switch
from pipelines.language.display import load_language

INK, GRID = "#1f2933", "#e4e7eb"
BLUE, ORANGE, GREEN, RED, GREY, PURPLE = (
    "#2f6db5",
    "#e08a1e",
    "#2e8b6f",
    "#c8453b",
    "#9aa5b1",
    "#7b5ea7",
)
CENT = Decimal("0.005")
"""Two amounts closer than this are the same to the cent."""
SERIES = [BLUE, ORANGE, GREEN, PURPLE, RED, GREY]
"""Told apart by people who see few colours, on paper too; in this order."""


@alt.theme.register("shopmirror", enable=True)
def _theme() -> alt.theme.ThemeConfig:
    return {
        "config": {
            "background": "white",
            "font": "sans-serif",
            "view": {
                "continuousWidth": 620,
                "discreteWidth": 620,
                "continuousHeight": 260,
                "stroke": None,
            },
            "title": {"anchor": "start", "fontSize": 15, "color": INK, "subtitleColor": "#52606d"},
            "axis": {
                "labelColor": INK,
                "titleColor": INK,
                "gridColor": GRID,
                "domainColor": GREY,
                "tickColor": GREY,
                "titleFontWeight": "normal",
            },
            "axisY": {"domain": False, "ticks": False},
            "legend": {"orient": "top", "title": None, "labelColor": INK},
            "range": {"category": SERIES},
            "mark": {"color": BLUE},
        }
    }


def use() -> None:
    """Switch on the style for every chart and table of this notebook, and the settings' formats."""
    here = Path.cwd()
    # Settings stand in the project's folder, and a notebook runs in its own.
    with contextlib.chdir(next((f for f in (here, *here.parents) if (f / ".dlt").is_dir()), here)):
        switch(load_language())
    alt.renderers.enable("png", scale_factor=1.5)
    pd.set_option("display.max_columns", 40)
    pd.set_option("display.max_rows", 60)
    pd.set_option("display.max_colwidth", 90)
