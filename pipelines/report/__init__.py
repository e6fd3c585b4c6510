"""The closing report: the published warehouse -> one page a person looks at every evening.

::

    report = closing_report(Path("data"), shop="main", day=date(2026, 11, 20))
    report.pages[0].now.taken.total      # Decimal
    write(report, Path("closing.html"))  # or .pdf

:mod:`pipelines.report.post` sends it by e-mail or webhook, as ``[report]`` is configured.
"""

from pipelines.report.closing import closing_report
from pipelines.report.figures import Report, ReportError, SealState
from pipelines.report.files import default_path, write

__all__ = ["Report", "ReportError", "SealState", "closing_report", "default_path", "write"]
