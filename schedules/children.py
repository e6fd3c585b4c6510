"""Running one command of ``shopmirror`` in a child process, with an end to it.

The child is in a session of its own, so that Ctrl-C at the terminal reaches it once, through us:
SIGTERM asks it to finish the request in flight and keep what was fetched; what does not end within
the grace is killed, its own children too.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

from schedules.jobs import Command

STOP_SECONDS = 40
"""A run that is asked to stop has so long for its request in flight."""
PROGRAM: tuple[str, ...] = (sys.executable, "-P", "-c", "from shopmirror.main import run; run()")
"""The command line of ``shopmirror`` wherever it is installed, without a look at PATH or (``-P``)
at what the current folder calls like a package of ours."""

_LINES = 200_000
"""More than any ``--json`` document of ours has; of a child that says more the last ones count."""
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: ``ended`` by itself, ``stopped`` by us, ``overdue``, ``killed``."""

    exit_code: int
    outcome: str
    message: str


def run_child(
    command: Command,
    *,
    limit_seconds: float,
    grace_seconds: float,
    stop: threading.Event,
    tell: Callable[[str], None],
    program: Sequence[str] = PROGRAM,
) -> Ended:
    """Run a command to its end, to ``stop``, or to its time limit (seconds), whichever is first.

    ``tell`` gets each line of its standard error. The message is what its ``--json`` document
    says, else its last line (of standard error, if it used it).
    """
    process = subprocess.Popen(  # noqa: S603 - our own program with arguments from our own table
        [*program, *command.arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **command.environment},
        start_new_session=True,
        text=True,
        errors="replace",
    )
    said, told = deque[str](maxlen=_LINES), deque[str](maxlen=_LINES)
    readers = [
        threading.Thread(target=_follow, args=each, daemon=True)
        for each in ((process.stdout, said, lambda line: None), (process.stderr, told, tell))
    ]
    for reader in readers:
        reader.start()
    outcome = _wait(process, limit_seconds, grace_seconds, stop)
    for reader in readers:
        reader.join(5)
    code = process.returncode
    if outcome == "overdue":
        return Ended(3, outcome, "Took too long and was ended.")
    if outcome == "stopped":
        return Ended(4, outcome, "Stopped; what was fetched is kept.")
    if code < 0:
        name = signal.Signals(-code).name if -code in list(signal.Signals) else str(-code)
        return Ended(1, "killed", f"Was killed from outside ({name}).")
    return Ended(code, outcome, _message(list(said), list(told), code))


def _wait(process: subprocess.Popen[str], limit: float, grace: float, stop: threading.Event) -> str:
    ends = time.monotonic() + limit
    outcome = "ended"
    while process.poll() is None:
        if stop.wait(_POLL):
            outcome = "stopped"
        elif time.monotonic() > ends:
            outcome = "overdue"
        if outcome != "ended":
            _end(process, grace)
    return outcome


def _end(process: subprocess.Popen[str], grace: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _follow(stream: IO[str], lines: deque[str], tell: Callable[[str], None]) -> None:
    """Read to the end, though only the last lines are kept: the child would wait for ever."""
    with stream:
        for line in stream:
            if text := line.strip():
                lines.append(text)
                tell(text)


def _message(said: Sequence[str], told: Sequence[str], code: int) -> str:
    try:
        document = json.loads("\n".join(said))
    except ValueError:
        document = None
    if isinstance(document, dict):
        if isinstance(document.get("message"), str):
            return str(document["message"])
        if code == 0:
            return ""  # the last line would be some step of its progress
    lines = told or (() if isinstance(document, dict) else said)
    return lines[-1] if lines else ""
