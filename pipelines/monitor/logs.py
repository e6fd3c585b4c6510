"""Structured logs: one JSON object a line in ``$SHOPMIRROR_HOME/logs/shopmirror-<day>.jsonl``.

Several processes (a scheduler, a sync, a push) write at once, so nothing is ever renamed: the day
(UTC) and, past a size, a part number are in the name, and each line is one appending write.
Housekeeping deletes old days.

No secret and no customer data: a field is written only if it is one of :data:`FIELDS`, texts are
scrubbed, and what a library logs loses everything it quotes. ::

    with logs.to_files(home, "sync", secrets):
        logs.Logger("sync").info("list done", resource="tickets", rows=120)
"""

import itertools
import json
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pipelines.masking import scrub
from sources.repair_shop.observer import Observer
from sources.repair_shop.sections import make_home

FIELDS = frozenset({
    "at", "level", "event", "logger", "command", "pid", "run", "job", "due", "version",
    "shop", "resource", "table", "kind", "method", "path", "status", "attempt",
    "requests", "expected_requests", "left", "waiting_seconds", "rows", "pages", "files", "bytes",
    "seconds", "exit_code", "outcome", "proven", "detail", "message", "error", "where",
    "next_at", "state", "number", "count", "until",
})  # fmt: skip
"""Every field a line may have. What is none of these is left out, and named in ``left_out``."""

PART_BYTES = 20 << 20
"""A day's file that grew past this gets a next part."""


class _Libraries(logging.Handler):
    """Warnings of the libraries below us, which know nothing of our rules."""

    def __init__(self, write: Callable[[Mapping[str, Any]], None]) -> None:
        super().__init__(logging.WARNING)
        self._write_fields = write

    def emit(self, record: logging.LogRecord) -> None:
        fields: dict[str, Any] = {
            "event": "a library says",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage()[:500],
            "where": f"{record.module}:{record.lineno}",
        }
        if record.exc_info and record.exc_info[0]:
            fields["error"] = record.exc_info[0].__name__
        self._write_fields(fields)


class _Sink:
    """Appends lines to the file of the day. Safe for several threads and processes."""

    def __init__(
        self, folder: Path, command: str, secrets: Iterable[str], now: Callable[[], datetime]
    ) -> None:
        self._folder, self._command, self._now = folder, command, now
        self._secrets = tuple(secrets)
        self._lock = threading.Lock()

    def write(self, fields: Mapping[str, Any]) -> None:
        """Append one line. A full disk must not end a sync: what cannot be written is lost."""
        now = self._now().astimezone(UTC)
        kept: dict[str, Any] = {
            "at": now.isoformat(timespec="milliseconds"),
            "command": self._command,
            "pid": os.getpid(),
        }
        left_out: list[str] = []
        for name, value in fields.items():
            if name not in FIELDS:
                left_out.append(name)
            elif value is not None:
                kept[name] = self._plain(value)
        if left_out:
            kept["left_out"] = sorted(left_out)
        line = json.dumps(kept, ensure_ascii=False) + "\n"
        with self._lock, suppress(OSError):
            make_home(self._folder.parent)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            descriptor = os.open(self._path(now.date()), flags, 0o600)
            try:
                os.write(descriptor, line.encode(errors="replace"))
            finally:
                os.close(descriptor)

    def _path(self, day: date) -> Path:
        for part in itertools.count(1):
            path = self._folder / f"shopmirror-{day}{'' if part == 1 else f'.{part}'}.jsonl"
            if not path.exists() or path.stat().st_size < PART_BYTES:
                break
        return path

    def _plain(self, value: Any) -> Any:
        if isinstance(value, bool | int | float):
            return value
        if isinstance(value, datetime):
            return value.isoformat()
        return scrub(str(value), self._secrets)


_sink: _Sink | None = None


class Logger:
    """Writes lines under a name; without :func:`to_files` around it they go nowhere."""

    def __init__(self, name: str) -> None:
        self.info, self.warning, self.error = (
            partial(self._write, name, level) for level in ("info", "warning", "error")
        )

    @staticmethod
    def _write(name: str, level: str, event: str, /, **fields: Any) -> None:
        if _sink is not None:
            _sink.write({"level": level, "event": event, "logger": name, **fields})


@contextmanager
def to_files(
    folder: Path,
    command: str,
    secrets: Iterable[str] = (),
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[None]:
    """Write the lines of every logger, and the warnings of libraries, to files in ``folder``.

    ``secrets`` are masked wherever they appear. Blocks may be nested; the inner one counts.
    """
    global _sink
    before = _sink
    sink = _Sink(folder, command, secrets, now)
    handler = _Libraries(sink.write)
    root = logging.getLogger()
    _sink = sink
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        _sink = before


def log_files(folder: Path) -> list[tuple[Path, datetime]]:
    """Every log file of a folder with the moment it was written last, oldest first."""
    found = [
        (path, datetime.fromtimestamp(path.stat().st_mtime, UTC))
        for pattern in ("shopmirror-*.jsonl", "error-*.log")
        for path in folder.glob(pattern)
    ]
    return sorted(found, key=lambda pair: pair[1])


class Logged(Observer):
    """Logs each scan and passes all on."""

    def __init__(self, inner: Observer) -> None:
        self._inner = inner
        self._log = Logger("sync")

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        self._log.info(
            "list begins", shop=shop, resource=resource, expected_requests=expected_requests
        )
        self._inner.plan(shop, resource, expected_requests)

    def page(self, shop: str, resource: str, rows: int) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`; pages are too many for a log."""
        self._inner.page(shop, resource, rows)

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        tell = self._log.info if proven else self._log.warning
        tell("list done", shop=shop, resource=resource, proven=proven, rows=rows, detail=detail)
        self._inner.done(shop, resource, proven, rows, detail)

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`; too often told to be logged."""
        self._inner.budget(shop, left, waiting_seconds)

    def say(self, text: str) -> None:
        """See :class:`~sources.repair_shop.observer.Observer`."""
        self._log.info("said", message=text)
        self._inner.say(text)
