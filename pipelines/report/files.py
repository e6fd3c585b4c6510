"""Writes a report to a file: whole or not at all."""

from pathlib import Path

from pipelines.json_file import write_atomically
from pipelines.language import use
from pipelines.language.display import load_language
from pipelines.report.figures import Report, ReportError

SUFFIXES = (".html", ".pdf", ".xlsx", ".csv")


def default_path(home: Path, report: Report) -> Path:
    """``<home>/reports/closing-<period>[-<shop>].html``."""
    names = sorted({name for page in report.pages for name in page.shops})
    shop = f"-{names[0]}" if len(names) == 1 else ""
    return Path(home) / "reports" / f"closing-{report.period.label}{shop}.html"


def write(report: Report, path: Path, *, make_folder: bool = False) -> Path:
    """Write ``report`` in the language of ``[display]`` to ``path``, and return that; its ending
    chooses HTML, PDF, Excel or CSV.

    An earlier file is replaced by a rename, so nobody ever opens half a report; only its owner can
    read it. ``make_folder`` makes the last folder of the path. Raises
    :class:`~pipelines.report.figures.ReportError` for another ending, a missing folder, and what
    the disk says.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ReportError(f"'{path.name}' must end in .html, .pdf, .xlsx or .csv.")
    try:
        if make_folder:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.parent.is_dir():
            told = f"The folder {path.parent} does not exist; make it or choose another."
            raise ReportError(told)
        with use(load_language()):
            write_atomically(path, content(report, path.suffix.lower()))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        told = f"{path} cannot be written: {reason}. An earlier report is as it was."
        raise ReportError(told) from error
    return path


def content(report: Report, suffix: str) -> bytes:
    """``report`` as a file with this ending."""
    # Each needs libraries that take a while to load, and the others do without.
    if suffix == ".pdf":
        from pipelines.report.paper import print_pdf

        return print_pdf(report)
    if suffix in {".xlsx", ".csv"}:
        from pipelines.report.figure_tables import as_csv, as_workbook

        return as_workbook(report) if suffix == ".xlsx" else as_csv(report)
    from pipelines.report.page import render

    return render(report).encode("utf-8")
