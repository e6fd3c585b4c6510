"""Progress of a run on standard error: live bars on a terminal, plain lines elsewhere.

::

    with watching() as observer:
        sync(settings, observer=observer)
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from shopmirror.consoles import duration, err, visible
from sources.repair_shop.observer import Observer, Silent

_PLAIN_EVERY = 10.0
"""Seconds between two lines about the same run when no terminal shows bars."""


@dataclass
class _Scan:
    pages: int = 0
    rows: int = 0
    expected: int | None = None
    task: TaskID | None = None


class _Tally:
    """What is in work, and how long it will take at the pace so far."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.scans: dict[tuple[str, str], _Scan] = {}
        self.left: dict[str, int] = {}
        self.waiting = 0.0
        self.answered = 0
        self.rows = 0
        self.began = time.monotonic()

    def name(self, shop: str, resource: str) -> str:
        return resource if shop == "main" else f"{shop} {resource}"

    def line(self) -> str:
        """Requests left this minute, what is to come, time to go."""
        parts = [f"{self.answered:,} requests, {self.rows:,} rows"]
        if self.left:
            left = ", ".join(
                f"{count}" if shop == "main" else f"{shop} {count}"
                for shop, count in sorted(self.left.items())
            )
            parts.append(f"{left} left this minute")
        if self.waiting >= 1:
            parts.append(f"waiting {duration(self.waiting)}")
        to_go = sum(max(0, (s.expected or 0) - s.pages) for s in self.scans.values())
        seconds = time.monotonic() - self.began
        if to_go and self.answered >= 5:
            parts.append(f"{to_go:,} to go, about {duration(seconds / self.answered * to_go)}")
        elif to_go:
            parts.append(f"{to_go:,} to go")
        return " · ".join(parts)


class PlainLines:
    """An observer for logs and pipes: a line when a resource is done, and one now and then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tally = _Tally()
        self._spoke = time.monotonic()

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            self._tally.scans[shop, resource] = _Scan(expected=expected_requests)

    def page(self, shop: str, resource: str, rows: int) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            scan = self._tally.scans.setdefault((shop, resource), _Scan())
            scan.pages, scan.rows = scan.pages + 1, scan.rows + rows
            self._tally.answered += 1
            self._tally.rows += rows
            if time.monotonic() - self._spoke < _PLAIN_EVERY:
                return
            self._spoke = time.monotonic()
            name, line = self._tally.name(shop, resource), self._tally.line()
        self._print(f"{name}: {scan.rows:,} rows so far; {line}")

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            self._tally.scans.pop((shop, resource), None)
        self._print(_done(self._tally.name(shop, resource), proven, rows, detail))

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            self._tally.left[shop], self._tally.waiting = left, waiting_seconds

    def say(self, text: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        self._print(text)

    def _print(self, text: str) -> None:
        self._console.print(visible(text, one_line=True), markup=False, soft_wrap=True)


class LiveBars:
    """An observer for people: a bar for each resource in work, requests left, time to go."""

    def __init__(self, console: Console) -> None:
        self._tally = _Tally()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[pages]}"),
            TextColumn("[dim]{task.fields[rows]:,} rows"),
            console=console,
        )
        self.live = Live(
            console=console, get_renderable=self._draw, refresh_per_second=4, transient=True
        )

    def _draw(self) -> Group:
        with self._tally.lock:
            return Group(self._progress, Text(self._tally.line(), style="dim"))

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            self._begin(shop, resource, expected_requests)

    def page(self, shop: str, resource: str, rows: int) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            scan = self._tally.scans.get((shop, resource)) or self._begin(shop, resource, None)
            scan.pages, scan.rows = scan.pages + 1, scan.rows + rows
            self._tally.answered += 1
            self._tally.rows += rows
            # An estimate that turned out too low must not show a full bar.
            scan.expected = None if scan.expected is None else max(scan.expected, scan.pages)
            self._show(scan)

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            scan = self._tally.scans.pop((shop, resource), None)
            if scan is not None and scan.task is not None:
                self._progress.remove_task(scan.task)
            name = self._tally.name(shop, resource)
        colour = "green" if proven else "yellow"
        line = visible(_done(name, proven, rows, detail), one_line=True)
        self.live.console.print(line, style=colour, markup=False)

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        with self._tally.lock:
            self._tally.left[shop], self._tally.waiting = left, waiting_seconds

    def say(self, text: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        self.live.console.print(visible(text, one_line=True), markup=False)

    def _begin(self, shop: str, resource: str, expected: int | None) -> _Scan:
        old = self._tally.scans.get((shop, resource))
        if old is not None and old.task is not None:
            self._progress.remove_task(old.task)
        name = escape(self._tally.name(shop, resource))
        scan = _Scan(expected=expected or None)
        scan.task = self._progress.add_task(name, total=scan.expected, pages="", rows=0)
        self._tally.scans[shop, resource] = scan
        return scan

    def _show(self, scan: _Scan) -> None:
        if scan.task is None:
            return
        pages = f"{scan.pages}/{scan.expected}" if scan.expected else f"{scan.pages}"
        self._progress.update(
            scan.task, completed=scan.pages, total=scan.expected, pages=pages, rows=scan.rows
        )


def _done(name: str, proven: bool, rows: int, detail: str) -> str:
    mark = "complete" if proven else "NOT PROVEN"
    return f"{name}: {rows:,} rows, {mark}" + (f" ({detail})" if detail else "")


@contextmanager
def watching(*, quiet: bool = False) -> Iterator[Observer]:
    """The observer that fits standard error; ``quiet`` shows nothing."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        bars = LiveBars(err())
        with bars.live:
            yield bars
    else:
        yield PlainLines(err())
