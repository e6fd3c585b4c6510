"""The closing report: the published warehouse -> one page a person looks at every evening.

::

    report = closing_report(Path("data"), shop="main", day=date(2026, 11, 20))
    report.pages[0].now.taken.total      # Decimal
    write(report, Path("closing.html"))  # or .pdf
    send(report, load_post())            # by e-mail or webhook, as [report] is configured
"""

from pipelines.report.closing import closing_report
from pipelines.report.figures import Report, ReportError, SealState
from pipelines.report.files import default_path, write
from pipelines.report.post import PostSettings, load_post, send

__all__ = [
    "PostSettings",
    "Report",
    "ReportError",
    "SealState",
    "closing_report",
    "default_path",
    "load_post",
    "send",
    "write",
]
