"""What a long run tells while it works. The command line draws it; everything else may ignore it.

Methods are called from several threads at a time.
"""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Listens to a run."""

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """A scan is about to be made; None: its size is not known yet."""

    def page(self, shop: str, resource: str, rows: int) -> None:
        """A page of a scan was answered."""

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """A scan ended; ``detail`` is its proof, or what is in doubt."""

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """Requests left this minute, and how long the next one has to wait."""

    def say(self, text: str) -> None:
        """Something a person should know, in one line."""


class Silent:
    """An observer that listens to nothing."""

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """See :class:`Observer`."""

    def page(self, shop: str, resource: str, rows: int) -> None:
        """See :class:`Observer`."""

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """See :class:`Observer`."""

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """See :class:`Observer`."""

    def say(self, text: str) -> None:
        """See :class:`Observer`."""
