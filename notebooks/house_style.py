"""How the notebooks look: one chart style, charts kept in the file as pictures, wide tables.

``house_style.use()`` in a notebook's first cell is all. Charts are drawn as PNG on this machine
and kept in the notebook, so that they show wherever it is read, also without running anything; for
charts that answer to the mouse, run ``alt.renderers.enable("mimetype")`` in JupyterLab.
"""

import contextlib
import warnings
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import altair as alt
import pandas as pd
from babel.dates import get_day_names, get_month_names

from pipelines.language import Language, _, current, switch
from pipelines.language.display import DisplaySettings
from pipelines.publish import reading
from pipelines.report.figures import calendar, shops

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
"""Two amounts no further apart than this are the same to the cent."""
SERIES = [BLUE, ORANGE, GREEN, PURPLE, RED, GREY]
"""Told apart by people who see few colours, on paper too; in this order."""
_WIDTHS = ("wide", "abbreviated")


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


def last_open_day() -> date:
    """The day that report and page open on: the last one on which there was business."""
    with reading.opened() as warehouse:
        return calendar(warehouse, list(shops(warehouse)), date.max).open_day


def currency() -> str:
    """What the shops' amounts are in; of several currencies all, since a sum adds them up."""
    named: str | None = reading.value(
        "select string_agg(distinct currency, ' + ' order by currency) from ops.shops "
        "where currency <> ''"
    )
    return named or _("money")


def use() -> None:
    """Switch on this notebook's style for charts and tables, and the language of the settings.

    Warns where shops of several currencies stand together, which no sum below may add up.
    """
    # Settings stand in the project's folder, and a notebook runs in its own.
    with contextlib.chdir(reading.settings_folder()):
        switch(DisplaySettings.load().to_language())
    alt.renderers.enable("png", scale_factor=1.5)
    alt.renderers.set_embed_options(**_locales(current()))
    alt.renderers.register("shopmirror", partial(_drawn, alt.renderers.get()))
    alt.renderers.enable("shopmirror", **alt.renderers.options)
    pd.set_option("display.max_columns", 40)
    pd.set_option("display.max_rows", 60)
    pd.set_option("display.max_colwidth", 90)
    with contextlib.suppress(reading.NothingPublished, reading.QueryFailed):
        if reading.value("select count(distinct nullif(currency, '')) from ops.shops") > 1:
            told = _(
                "These shops use several currencies, which do not add up: choose those of one."
            )
            warnings.warn(told, stacklevel=2)


def _drawn(draw: Any, chart: dict[str, Any], **options: Any) -> Any:
    """A chart as ``draw`` draws it; of one that shows no row, which has no size, the word of it."""
    try:
        return draw(chart, **options)
    except ValueError as error:
        if "invalid size" not in str(error):
            raise
        return {"text/plain": _("Nothing to show.")}, {}


def series(frame: pd.DataFrame, by: str, **names: str) -> pd.DataFrame:
    """Columns for one chart as rows of ``by, what, amount``; ``names`` says how each is called."""
    exact = reading.floats(frame).rename(columns=names)
    return exact.melt(by, list(names.values()), "what", "amount")


def months() -> str:
    """The expression of Vega that names a month by its number, 1 to 12."""
    return f"{_names(get_month_names)}[datum.value - 1]"


def weekdays() -> str:
    """The expression of Vega that names a weekday by its number, Monday being 1."""
    return f"{_names(get_day_names)}[datum.value - 1]"


def _names(given: Any, width: str = "abbreviated") -> list[str]:
    names = given(width, context="stand-alone", locale=current().locale)
    return [str(names[number]) for number in sorted(names)]


def _locales(said: Language) -> dict[str, Any]:
    """How the axes of charts write figures and days; nothing where the settings say nothing."""
    if said.locale == "en":
        return {}
    decimal, thousands = said.signs
    # Vega's weeks begin on Sunday.
    days, short = ([n[-1], *n[:-1]] for n in (_names(get_day_names, w) for w in _WIDTHS))
    return {
        "formatLocale": {
            "decimal": decimal,
            "thousands": thousands,
            "grouping": [3],
            "currency": ["", ""],
        },
        "timeFormatLocale": {
            "dateTime": "%x %X",
            "date": "%Y-%m-%d",
            "time": "%H:%M:%S",
            "periods": ["", ""],
            "days": days,
            "shortDays": short,
            "months": _names(get_month_names, "wide"),
            "shortMonths": _names(get_month_names),
        },
    }
