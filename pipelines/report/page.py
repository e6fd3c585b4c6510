"""A report as one self-contained HTML page: no script, no font, no picture from elsewhere."""

from collections.abc import Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup

from pipelines.language import _, current
from pipelines.language.display import load_display
from pipelines.report import charts
from pipelines.report.figures import MonthBar, Report
from pipelines.report.sheet import METHODS, TECHNICIANS, Sheet

_FOLDER = Path(__file__).parent


def _chart(months: Sequence[MonthBar], prefix: str, **size: int) -> Markup:
    """Sales by month as inline SVG; ``prefix`` tells the drawings of a page apart."""
    return Markup(charts.svg(charts.months_chart(months, **size), prefix=prefix))  # noqa: S704 - our own SVG


def render(report: Report) -> str:
    """The page; names of people and shops are escaped and isolated from its writing direction."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("page.html").render(
        report=report,
        sheets=[Sheet(report, page) for page in report.pages],
        chart=_chart,
        seal=charts.seal,
        css=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our file
        logo=load_display().picture_url,
        lang=current().code,
        _=_,
        most_technicians=TECHNICIANS,
        most_methods=METHODS,
    )
