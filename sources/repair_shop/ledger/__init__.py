"""The ledger: what was answered, on disk before anything uses it. See :mod:`.ledger`."""

from .file import FORMAT, LedgerError, refuse_newer
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
from .state import ListState

__all__ = [
    "FORMAT",
    "KEPT",
    "UNLISTED",
    "Change",
    "Ledger",
    "LedgerError",
    "ListState",
    "Page",
    "Row",
    "Scan",
    "ScanState",
    "day_of_text",
    "now_text",
    "refuse_newer",
]
