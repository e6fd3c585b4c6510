"""The ledger: every answer on disk with its place in a scan, before anything uses it."""

from .records import Page, Row, Scan, StoredPage, now_text, page_of
from .store import FORMAT, Ledger, LedgerError

__all__ = [
    "FORMAT",
    "Ledger",
    "LedgerError",
    "Page",
    "Row",
    "Scan",
    "StoredPage",
    "now_text",
    "page_of",
]
