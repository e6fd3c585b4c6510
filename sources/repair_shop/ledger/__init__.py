"""The ledger: every answer on disk with its place in a scan, before anything uses it."""

from .records import Page, Row, Scan, StoredPage, now_text, page_of
from .store import FORMAT, Ledger, LedgerError, ReportTotal, ScanState

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
]
