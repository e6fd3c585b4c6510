"""The ledger: every answer on disk with its place in a scan, before anything uses it."""

from .file import FORMAT, LedgerError, refuse_newer
from .records import Page, Row, Scan, StoredPage, now_text, page_of
from .scans import ScanState
from .store import Ledger
from .values import ReportTotal

__all__ = [
    "FORMAT",
    "Ledger",
    "LedgerError",
    "Page",
    "ReportTotal",
    "Row",
    "Scan",
    "ScanState",
    "StoredPage",
    "now_text",
    "page_of",
    "refuse_newer",
]
