"""Scans that know whether they missed something: which are made, and how each reads its list."""

from .outcome import PAGE_ROWS, NeverEnds, Outcome, PageSource, PagingBroken
from .proven import read_list
from .upwards import read_head, read_window

__all__ = [
    "PAGE_ROWS",
    "NeverEnds",
    "Outcome",
    "PageSource",
    "PagingBroken",
    "read_head",
    "read_list",
    "read_window",
]
