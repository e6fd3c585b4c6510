"""A report as one self-contained HTML page: no script, no font, no picture from elsewhere."""

from pathlib import Path

import jinja2
from markupsafe import Markup

from pipelines.language import _, current
from pipelines.language.display import load_display
from pipelines.report import charts
from pipelines.report.figures import Report
from pipelines.report.sheet import METHODS, TECHNICIANS, Sheet

_FOLDER = Path(__file__).parent


class _Drawn(Sheet):
    """A sheet with its chart as inline SVG, for wide and narrow screens.

    ``number`` tells the pages' drawings apart.
    """

    def __init__(self, report: Report, number: int) -> None:
        super().__init__(report, report.pages[number])
        wide = charts.svg(charts.months_chart(self.page.months), prefix=f"w{number}-")
        narrow = charts.svg(
            charts.months_chart(self.page.months, width=330, height=130), prefix=f"n{number}-"
        )
        # Our own drawings: the one thing on the page that is markup.
        self.chart, self.narrow_chart = Markup(wide), Markup(narrow)  # noqa: S704 - our own SVG
        self.seal = Markup(charts.seal(self.page.seal.state))  # noqa: S704 - as above


def render(report: Report) -> str:
    """The page; names of people and shops are escaped and isolated from its writing direction."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
    )
    return environment.get_template("page.html").render(
        report=report,
        sheets=[_Drawn(report, number) for number in range(len(report.pages))],
        css=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our file
        logo=load_display().picture_url,
        lang=current().code,
        _=_,
        most_technicians=TECHNICIANS,
        most_methods=METHODS,
    )
