"""The ledger: what was answered, on disk before anything uses it. See :mod:`.ledger`."""

from .file import LedgerError, refuse_newer
from .ledger import Ledger
from .records import (
    KEPT,
    UNLISTED,
    Change,
    Page,
    Row,
    Scan,
    ScanState,
    day_of_text,
    now_text,
)

__all__ = [
    "KEPT",
    "UNLISTED",
    "Change",
    "Ledger",
    "LedgerError",
    "Page",
    "Row",
    "Scan",
    "ScanState",
    "day_of_text",
    "now_text",
    "refuse_newer",
]
