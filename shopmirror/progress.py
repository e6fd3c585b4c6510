"""Progress of a run: live bars on a terminal, else plain lines on standard error, and the log.

::

    with watching() as observer:
        sync(settings, observer=observer)
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, Task, TextColumn
from rich.text import Text

from pipelines.monitor.logs import Logger
from shopmirror.consoles import duration, err, visible
from sources.repair_shop.observer import Observer

_log = Logger("sync")
_PLAIN_EVERY = 10.0
"""Seconds between two lines about the same run when no terminal shows bars."""
_NAMED_SHOPS = 15
"""Of more shops than these a line does not name each."""


class _Watcher(Observer):
    """What is in work, and how long it will take at the pace so far. ``bars``: for people, a bar
    for each list in work; else a line when one is done, and one now and then."""

    def __init__(self, console: Console, *, bars: bool) -> None:
        self._lock = threading.RLock()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[pages]}"),
            TextColumn("[dim]{task.fields[rows]:,} rows"),
            console=console,
        )
        self._bars = bars
        self._scans: dict[str, Task] = {}
        self._left: dict[str, int] = {}
        self._waiting = 0.0
        self._answered = self._rows = 0
        self._began = self._spoke = time.monotonic()
        self.live = Live(
            console=console, get_renderable=self._draw, refresh_per_second=4, transient=True
        )

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        _log.info("list begins", shop=shop, resource=resource, expected_requests=expected_requests)
        with self._lock:
            self._begin(_name(shop, resource), expected_requests)

    def page(self, shop: str, resource: str, rows: int) -> None:
        name = _name(shop, resource)
        with self._lock:
            scan = self._scans.get(name) or self._begin(name, None)
            pages, seen = int(scan.completed) + 1, scan.fields["rows"] + rows
            # An estimate that turned out too low must not show a full bar.
            total = None if scan.total is None else max(scan.total, pages)
            shown = f"{pages}/{total:.0f}" if total else f"{pages}"
            self._progress.update(scan.id, completed=pages, total=total, pages=shown, rows=seen)
            self._answered += 1
            self._rows += rows
            due = not self._bars and time.monotonic() - self._spoke >= _PLAIN_EVERY
            line = f"{name}: {seen:,} rows so far; {self._line()}" if due else ""
        if line:
            self._spoke = time.monotonic()
            self._print(line)

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        write = _log.info if proven else _log.warning
        write("list done", shop=shop, resource=resource, proven=proven, rows=rows, detail=detail)
        name = _name(shop, resource)
        with self._lock:
            self._end(name)
        line = f"{name}: {rows:,} rows, {'complete' if proven else 'NOT PROVEN'}"
        self._print(line + (f" ({detail})" if detail else ""), "green" if proven else "yellow")

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        with self._lock:
            self._left[shop], self._waiting = left, waiting_seconds

    def say(self, text: str) -> None:
        _log.info("said", message=text)
        self._print(text)

    def _begin(self, name: str, expected: int | None) -> Task:
        self._end(name)
        made = self._progress.add_task(escape(name), total=expected or None, pages="", rows=0)
        self._scans[name] = next(task for task in self._progress.tasks if task.id == made)
        return self._scans[name]

    def _end(self, name: str) -> None:
        if (scan := self._scans.pop(name, None)) is not None:
            self._progress.remove_task(scan.id)

    def _print(self, text: str, style: str = "") -> None:
        shown = visible(text, one_line=True)
        style = style if self._bars else ""
        self.live.console.print(shown, style=style, markup=False, soft_wrap=not self._bars)

    def _draw(self) -> Group:
        with self._lock:
            return Group(self._progress, Text(self._line(), style="dim"))

    def _line(self) -> str:
        """Requests left this minute, what is to come, time to go."""
        parts = [f"{self._answered:,} requests, {self._rows:,} rows"]
        if counts := self._left.values():
            left = ", ".join(
                f"{count}" if shop == "main" else f"{shop} {count}"
                for shop, count in sorted(self._left.items())
            )
            if len(counts) > _NAMED_SHOPS:
                left = f"each of {len(counts)} shops has {min(counts)} to {max(counts)}"
            parts.append(f"{left} left this minute")
        if self._waiting >= 1:
            parts.append(f"waiting {duration(self._waiting)}")
        to_go = sum(int(max(0, (s.total or 0) - s.completed)) for s in self._scans.values())
        seconds = time.monotonic() - self._began
        if to_go and self._answered >= 5:
            parts.append(f"{to_go:,} to go, about {duration(seconds / self._answered * to_go)}")
        elif to_go:
            parts.append(f"{to_go:,} to go")
        return " · ".join(parts)


def _name(shop: str, resource: str) -> str:
    return resource if shop == "main" else f"{shop} {resource}"


@contextmanager
def watching(console: Console | None = None) -> Iterator[Observer]:
    """The observer that fits a console, by default standard error."""
    bars = sys.stderr.isatty() if console is None else console.is_terminal
    watcher = _Watcher(console or err(), bars=bars)
    with watcher.live if bars else nullcontext():
        yield watcher
