"""Structured logs: one JSON object a line in ``$SHOPMIRROR_HOME/logs/shopmirror-<day>.jsonl``.

Standard logging below; what is ours is its handler. Several processes (a scheduler, a sync, a push)
write at once, so nothing is ever renamed: the day (UTC) is in the name, and each line is one
appending write. Housekeeping deletes old days.

No secret and no customer data: a field is written only if it is one of :data:`FIELDS`, texts are
scrubbed, and what a library logs loses everything it quotes. ::

    with logs.to_files(home, "sync", secrets):
        logs.Logger("sync").info("list done", resource="tickets", rows=120)
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.masking import scrub

FIELDS = frozenset(
    "at level event logger command pid job due shop resource expected_requests rows seconds "
    "exit_code outcome proven detail message error where state count".split()
)
"""Every field a line may have. What is none of these is left out, and named in ``left_out``."""

UNEXPECTED = "Something unexpected went wrong"
"""How a command begins to tell of a fault of its own, in whatever exit code."""
_OURS = logging.getLogger("shopmirror")
_OURS.setLevel(logging.INFO)
# Without files our lines go nowhere, a terminal least of all.
_OURS.addHandler(logging.NullHandler())


class Logger(logging.LoggerAdapter[logging.Logger]):
    """Writes lines under a name; without :func:`to_files` around it they go nowhere."""

    def __init__(self, name: str) -> None:
        super().__init__(_OURS.getChild(name))

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        """What is said by name are the line's fields."""
        return msg, {"extra": {"fields": kwargs}}


class _Lines(logging.Handler):
    """Appends a line for each record of ours, and for each warning of a library."""

    def __init__(
        self, folder: Path, command: str, secrets: Iterable[str], now: Callable[[], datetime]
    ) -> None:
        super().__init__()
        self._folder, self._command, self._now = folder, command, now
        self._secrets = tuple(secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        """Libraries know nothing of our rules: only their warnings are of use."""
        return hasattr(record, "fields") or record.levelno >= logging.WARNING

    def emit(self, record: logging.LogRecord) -> None:
        """Append one line. A full disk must not end a sync: what cannot be written is lost."""
        now = self._now().astimezone(UTC)
        line = json.dumps(self._line(record, now), ensure_ascii=False) + "\n"
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            descriptor = os.open(self._folder / f"shopmirror-{now:%Y-%m-%d}.jsonl", flags, 0o600)
            try:
                os.write(descriptor, line.encode(errors="replace"))
            finally:
                os.close(descriptor)

    def _line(self, record: logging.LogRecord, now: datetime) -> dict[str, Any]:
        given: dict[str, Any] | None = getattr(record, "fields", None)
        event = record.getMessage()
        if given is None:
            given = {"message": event[:500], "where": f"{record.module}:{record.lineno}"}
            if record.exc_info and record.exc_info[0]:
                given["error"] = record.exc_info[0].__name__
            event = "a library says"
        kept: dict[str, Any] = {
            "at": now.isoformat(timespec="milliseconds"),
            "command": self._command,
            "pid": os.getpid(),
            "level": record.levelname.lower(),
            "event": event,
            "logger": record.name.removeprefix("shopmirror."),
        }
        for key, value in given.items():
            if isinstance(value, datetime):
                value = value.isoformat()
            if key in FIELDS and value is not None:
                is_number = isinstance(value, int | float)
                kept[key] = value if is_number else scrub(str(value), self._secrets)
        if left_out := sorted(given.keys() - FIELDS):
            kept["left_out"] = left_out
        return kept


@contextmanager
def to_files(
    folder: Path,
    command: str,
    secrets: Iterable[str] = (),
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[None]:
    """Write the lines of every logger, and the warnings of libraries, to files in ``folder``.

    ``secrets`` are masked wherever they appear.
    """
    root, mine = logging.getLogger(), _Lines(folder, command, secrets, now)
    root.addHandler(mine)
    try:
        yield
    finally:
        root.removeHandler(mine)
