"""Progress of a run on standard error: live bars on a terminal, plain lines elsewhere.

::

    with watching() as observer:
        sync(settings, observer=observer)
"""

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
    name: str
    pages: int = 0
    rows: int = 0
    expected: int | None = None
    task: TaskID | None = None


class _Watching(Observer):
    """What is in work, and how long it will take at the pace so far."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._scans: dict[tuple[str, str], _Scan] = {}
        self._left: dict[str, int] = {}
        self._waiting = 0.0
        self._answered = 0
        self._rows = 0
        self._began = time.monotonic()

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        with self._lock:
            self._begin(shop, resource, expected_requests)

    def page(self, shop: str, resource: str, rows: int) -> None:
        with self._lock:
            scan = self._scans.get((shop, resource)) or self._begin(shop, resource, None)
            scan.pages, scan.rows = scan.pages + 1, scan.rows + rows
            # An estimate that turned out too low must not show a full bar.
            scan.expected = None if scan.expected is None else max(scan.expected, scan.pages)
            self._answered += 1
            self._rows += rows
            line = self._counted(scan)
        if line:
            self._print(line)

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        with self._lock:
            scan = self._scans.pop((shop, resource), None)
            if scan is not None:
                self._ended(scan)
        line = f"{_name(shop, resource)}: {rows:,} rows, {'complete' if proven else 'NOT PROVEN'}"
        self._print(line + (f" ({detail})" if detail else ""), "green" if proven else "yellow")

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        with self._lock:
            self._left[shop], self._waiting = left, waiting_seconds

    def say(self, text: str) -> None:
        self._print(text)

    def _begin(self, shop: str, resource: str, expected: int | None) -> _Scan:
        scan = _Scan(_name(shop, resource), expected=expected or None)
        self._scans[shop, resource] = scan
        return scan

    def _counted(self, scan: _Scan) -> str:
        """Take down that a page was answered; a line to print, if any."""
        raise NotImplementedError

    def _ended(self, scan: _Scan) -> None:
        """Take down that a scan is over."""

    def _print(self, text: str, style: str = "") -> None:
        raise NotImplementedError

    def _line(self) -> str:
        """Requests left this minute, what is to come, time to go."""
        parts = [f"{self._answered:,} requests, {self._rows:,} rows"]
        if self._left:
            left = ", ".join(
                f"{count}" if shop == "main" else f"{shop} {count}"
                for shop, count in sorted(self._left.items())
            )
            parts.append(f"{left} left this minute")
        if self._waiting >= 1:
            parts.append(f"waiting {duration(self._waiting)}")
        to_go = sum(max(0, (s.expected or 0) - s.pages) for s in self._scans.values())
        seconds = time.monotonic() - self._began
        if to_go and self._answered >= 5:
            parts.append(f"{to_go:,} to go, about {duration(seconds / self._answered * to_go)}")
        elif to_go:
            parts.append(f"{to_go:,} to go")
        return " · ".join(parts)


def _name(shop: str, resource: str) -> str:
    return resource if shop == "main" else f"{shop} {resource}"


class PlainLines(_Watching):
    """An observer for logs and pipes: a line when a resource is done, and one now and then."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._spoke = time.monotonic()

    def _counted(self, scan: _Scan) -> str:
        if time.monotonic() - self._spoke < _PLAIN_EVERY:
            return ""
        self._spoke = time.monotonic()
        return f"{scan.name}: {scan.rows:,} rows so far; {self._line()}"

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(visible(text, one_line=True), markup=False, soft_wrap=True)


class LiveBars(_Watching):
    """An observer for people: a bar for each resource in work, requests left, time to go."""

    def __init__(self, console: Console) -> None:
        super().__init__()
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
        with self._lock:
            return Group(self._progress, Text(self._line(), style="dim"))

    def _begin(self, shop: str, resource: str, expected: int | None) -> _Scan:
        if old := self._scans.get((shop, resource)):
            self._ended(old)
        scan = super()._begin(shop, resource, expected)
        scan.task = self._progress.add_task(
            escape(scan.name), total=scan.expected, pages="", rows=0
        )
        return scan

    def _counted(self, scan: _Scan) -> str:
        if scan.task is not None:
            pages = f"{scan.pages}/{scan.expected}" if scan.expected else f"{scan.pages}"
            self._progress.update(
                scan.task, completed=scan.pages, total=scan.expected, pages=pages, rows=scan.rows
            )
        return ""

    def _ended(self, scan: _Scan) -> None:
        if scan.task is not None:
            self._progress.remove_task(scan.task)

    def _print(self, text: str, style: str = "") -> None:
        self.live.console.print(visible(text, one_line=True), style=style, markup=False)


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
