"""The closing report: the published warehouse -> one page a person looks at every evening.

::

    report = closing_report(Path("data"), shop="main", period=Period.read("2026-11-20"))
    report.pages[0].now.figures.taken     # Decimal
    write(report, Path("closing.html"))   # or .pdf, .xlsx

:mod:`pipelines.report.post` sends it by e-mail or webhook, as ``[report]`` is configured.
"""

from pipelines.report.closing import Report, closing_report
from pipelines.report.figures import ReportError
from pipelines.report.periods import Period
from pipelines.report.render import default_path, write
from pipelines.report.trust import SealState

__all__ = [
    "Period",
    "Report",
    "ReportError",
    "SealState",
    "closing_report",
    "default_path",
    "write",
]
