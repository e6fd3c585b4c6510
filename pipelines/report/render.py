"""A report as HTML, PDF, workbook, mail and text: each drawn of the same list of tables.

The PDF is set by Typst from ``report.typ``, in the fonts of :mod:`pipelines.report.fonts`.
"""

import json
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipelines.json_file import write_atomically
from pipelines.language import _, current, shown, use
from pipelines.language.display import DisplaySettings
from pipelines.report import charts, fonts
from pipelines.report.closing import Page, Report
from pipelines.report.figures import ReportError
from pipelines.report.layout import Table, in_words, tables, taken_as
from pipelines.report.trust import LOOKS

_LETTER = frozenset("BZ CA CL CO CR GT MX NI PA PH PR SV US VE".split())
"""Countries whose paper is letter, as Unicode's CLDR has them."""
SUFFIXES = (".html", ".pdf", ".xlsx")
_FOLDER = Path(__file__).parent


def default_path(home: Path, report: Report) -> Path:
    """``<home>/reports/closing-<period>[-<shop>].html``."""
    names = sorted({name for page in report.pages for name in page.shops})
    shop = f"-{names[0]}" if len(names) == 1 else ""
    return Path(home) / "reports" / f"closing-{report.period.label}{shop}.html"


def write(report: Report, path: Path, *, make_folder: bool = False) -> Path:
    """Write ``report`` in the language of ``[display]`` to ``path``, and return that; its ending
    chooses HTML, PDF or Excel.

    An earlier file is replaced by a rename, so nobody ever opens half a report; only its owner can
    read it. ``make_folder`` makes the last folder of the path. Raises
    :class:`~pipelines.report.figures.ReportError` for another ending, a missing folder, and what
    the disk says.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ReportError(f"'{path.name}' must end in .html, .pdf or .xlsx.")
    try:
        if make_folder:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.parent.is_dir():
            told = f"The folder {path.parent} does not exist; make it or choose another."
            raise ReportError(told)
        with use(DisplaySettings.load().to_language()):
            write_atomically(path, content(report, path.suffix.lower()))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        told = f"{path} cannot be written: {reason}. An earlier report is as it was."
        raise ReportError(told) from error
    return path


def content(report: Report, suffix: str) -> bytes:
    """``report`` as a file with this ending, in the language at work."""
    if suffix == ".html":
        return html(report).encode()
    return pdf(report) if suffix == ".pdf" else workbook(report)


def html(report: Report) -> str:
    """One self-contained page: no script, no font, no picture from elsewhere."""
    return _drawn(
        "page.html", report, logo=DisplaySettings.load().picture_url,
        chart=lambda *how: Markup(charts.months(*how)),  # noqa: S704 - our own drawing
        seal=lambda state: Markup(charts.seal(state)),  # noqa: S704 - our own drawing
    )  # fmt: skip


def mail_html(report: Report, chart: str) -> str:
    """The body of a mail: tables with their styles in each tag, as Gmail and Outlook draw them.

    ``chart`` is the address of the picture that :func:`chart_png` gives, such as ``cid:chart``.
    """
    import css_inline

    drawn = _drawn("mail.html", report, picture=chart, paper=charts.ON_PAPER)
    inlined: str = css_inline.CSSInliner(load_remote_stylesheets=False).inline(drawn)
    return inlined


def text(report: Report) -> str:
    """The figures in a few plain lines."""
    lines = [report.title, ""]
    for words in (in_words(report, page) for page in report.pages):
        width = max(len(label) for label, _text in words["summary"])
        lines.append(words["shop"])
        lines += [f"  {label:{width}}   {told}" for label, told in words["summary"]]
        lines += [
            f"  {told}" for told in (*(c["text"] for c in words["cautions"]), *words["notes"])
        ]
    return "\n".join(lines) + "\n"


def _drawn(template: str, report: Report, **extra: Any) -> str:
    """Names of people and shops are escaped, and isolated from the page's writing direction."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(template).render(
        title=report.title,
        pages=[(page, in_words(report, page)) for page in report.pages],
        css=Markup(Path(_FOLDER / template).with_suffix(".css").read_text(encoding="utf-8")),  # noqa: S704 - our file
        lang=current().code,
        _=_,
        **extra,
    )


# -- PDF ------------------------------------------------------------------------------------------


def pdf(report: Report) -> bytes:
    """The report on paper: a page for each page of the report unless a table is very long; on
    letter where the language's country uses it."""
    paper = "us-letter" if current().country in _LETTER else "a4"
    with tempfile.TemporaryDirectory() as folder:
        files: dict[str, bytes] = {}
        pages = [in_words(report, page) for page in report.pages]
        for place, (page, words) in enumerate(zip(report.pages, pages, strict=True)):
            files[f"seal{place}.svg"] = charts.seal(
                page.seal.state, words["seal"]["colour"]
            ).encode()
            files[f"chart{place}.svg"] = _paper_chart(page)
            cells = (cell for table in words["tables"] for row in table["rows"] for cell in row)
            if missing := fonts.lacking([words["shop"], *cells]):
                names = ", ".join(missing)
                note = _("Some names show as boxes here: install the font {names}.", names=names)
                words["notes"].append(note)
        logo = DisplaySettings.load().picture
        if logo is not None:
            files["logo.png"] = logo
        told = {
            "title": report.title, "lang": current().code, "paper": paper,
            "logo": logo is not None, "pages": pages,
            "words": {
                "kicker": _("Closing report"), "taken": _("Money taken"),
                "repairs": _("Repairs"), "counter": _("Counter"),
            },
        }  # fmt: skip
        files["report.json"] = json.dumps(told, ensure_ascii=False).encode()
        return _typeset(Path(folder), files, (_FOLDER / "report.typ").read_bytes(), "pdf")


def chart_png(report: Report) -> bytes:
    """The bars of the first page's months as a picture, for mail programs that draw no SVG."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"chart.svg": _paper_chart(report.pages[0])}
        source = (
            b'#set page(width: 640pt, height: 112pt, margin: 0pt)\n#image("chart.svg", width: 100%)'
        )
        return _typeset(Path(folder), files, source, "png")


def _paper_chart(page: Page) -> bytes:
    drawn = charts.months(page.months, page.currency, 700, 122, charts.ON_PAPER)
    return drawn.replace('font-family="inherit"', 'font-family="FiraGO"').encode()


def _typeset(folder: Path, files: dict[str, bytes], source: bytes, form: Any) -> bytes:
    import typst

    for name, file in {**files, "main.typ": source}.items():
        (folder / name).write_bytes(file)
    made = typst.compile(
        str(folder / "main.typ"),
        root=str(folder),
        font_paths=[str(fonts.folder())],
        format=form,
        ppi=144.0,
    )
    assert isinstance(made, bytes)
    return made


# -- workbook -------------------------------------------------------------------------------------


def workbook(report: Report) -> bytes:
    """The report as ``.xlsx``: a sheet for each table, numbers as numbers, totals below. What a
    reader must know before trusting the figures stands below them."""
    from pipelines.report.workbook import Tab, write_workbook

    tabs = []
    for page in report.pages:
        title = shown(page.title)
        for table in tables(report, page):
            rows = _numbers(page, table)
            totals = _totals(table, rows)
            # Of several pages each name begins with its page's.
            name = table.title if len(report.pages) == 1 else f"{title} {table.title}"
            # The table of figures has a head without words, and amounts beside counts.
            heads = [
                (head.replace("\n", " ") or title)
                + (f" ({page.currency})" if page.currency and (kind == "money" or not head) else "")
                for head, kind in zip(table.heads, table.kinds, strict=True)
            ]
            shares = [place for place, kind in enumerate(table.kinds) if kind == "change"]
            tabs.append(Tab(name, heads, [*rows, *totals], totals=len(totals), shares=shares))
    made = BytesIO()
    write_workbook(made, tabs)
    return made.getvalue()


def _numbers(page: Page, table: Table) -> list[list[Any]]:
    """Numbers and days as they are, names and states in words."""
    rows = [
        [words if kind in ("name", "text", "state") else value
         for value, words, kind in zip(row, texts, table.kinds, strict=True)]
        for row, texts in zip(table.rows, table.cells(page.currency), strict=True)
    ]  # fmt: skip
    if table.key == "figures":
        beside = [None] * (len(table.heads) - 2)
        rows[1:1] = [[*part, *beside] for part in taken_as(page.now.figures, page.now.period.kind)]
        seal = f"{shown(LOOKS[page.seal.state].title)} {shown(page.seal.detail)}"
        rows.append([_("Books"), seal, *beside])
        told = [*(line.shown for line in page.cautions), *map(shown, page.notes)]
        rows += [[line, None, *beside] for line in told]
    return rows


def _totals(table: Table, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    if not (table.has_totals and rows):
        return []
    sums: list[Any] = [_("Total")]
    for place, kind in enumerate(table.kinds[1:], 1):
        values = [row[place] for row in rows if row[place] is not None]
        sums.append(sum(values) if values and kind in ("money", "count", "minor") else None)
    return [sums]
