"""What scans and the search for a list's end share: where pages come from, what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from ..ledger import Page

PAGE_ROWS = 50
"""Specification, Limits: records per request."""


class PagingBroken(Exception):
    """The service does not page as asked; another way of paging may work."""


class Reader(Protocol):
    """Where pages come from: the service, or the ledger if it was asked before."""

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """Page ``number`` (from 1) in an order; ``key`` is the request's name within the scan."""

    def lanes(self, last: int) -> int:
        """How many pages of this list to have in flight: 2 at a slow service, else 1."""

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """The same rows by offset and limit; None when that is how pages are asked already."""


@dataclass
class Outcome:
    """What a scan found, and how sure it is."""

    proof: str = ""
    reason: str = ""
    """Empty when proven; else what is in doubt."""
    pages: int = 0
    whole: bool = False
    """The whole list (or window) was read, so rows it did not show are gone."""
    ids: set[str] = field(default_factory=set)
    first_day: date | None = None
    last_day: date | None = None

    @property
    def proven(self) -> bool:
        """Nothing is in doubt."""
        return not self.reason

    def take(self, page: Page) -> None:
        """Count a page in."""
        self.pages += 1
        self.ids.update(page.ids)
        for day in page.days:
            self.span(day)

    def span(self, day: date | None) -> None:
        """Widen the range of days to hold ``day``."""
        if day is not None:
            self.first_day = day if self.first_day is None else min(self.first_day, day)
            self.last_day = day if self.last_day is None else max(self.last_day, day)
