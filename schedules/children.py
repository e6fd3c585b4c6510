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

_TAIL = 20
_MOST = 1 << 20
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
    lines: deque[str] = deque(maxlen=_TAIL)
    said: list[str] = []
    assert process.stdout is not None and process.stderr is not None
    readers = [
        threading.Thread(target=_follow, args=(process.stderr, lines, tell), daemon=True),
        threading.Thread(target=_collect, args=(process.stdout, said), daemon=True),
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
    return Ended(code, outcome, _message("".join(said), list(lines), code))


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
    with stream:
        for line in stream:
            if text := line.strip():
                lines.append(text)
                tell(text)


def _collect(stream: IO[str], said: list[str]) -> None:
    size = 0
    with stream:
        while chunk := stream.read(1 << 16):
            size += len(chunk)
            if size <= _MOST:  # the rest is read too, or the child would wait for ever
                said.append(chunk)


def _message(output: str, lines: Sequence[str], code: int) -> str:
    try:
        document = json.loads(output)
    except ValueError:
        document = None
    if isinstance(document, dict):
        if isinstance(document.get("message"), str):
            return str(document["message"])
        if code == 0:
            return ""  # the last line would be some step of its progress
    elif not lines:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""
