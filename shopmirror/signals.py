"""Signals and streams that go away: a run ends well, or goes on without a reader.

Ctrl-C, SIGTERM and a terminal that hangs up ask to stop, keeping what was fetched; the second time
ends at once.
"""

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from shopmirror.consoles import err

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that the first signal sets, for the main thread; handlers are put back after."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        stop.set()
        # Not from here: a console's lock may be held by the very code this interrupts.
        threading.Thread(target=_tell, daemon=True).start()

    for number in _SIGNALS:
        _handle(number, ask)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def interruptible() -> None:
    """Let what ends a process end it as Ctrl-C does: what was begun is cleared away."""
    for number in _SIGNALS:
        _handle(number, signal.default_int_handler)


def outlive_readers() -> None:
    """Make standard streams that take words also when nobody reads them any more.

    A pipe that was left (``| head``, a scheduler that was killed) or a terminal that hung up ends
    no sync. A result that the disk has no room for is an error all the same.
    """
    for number, name in enumerate(("stdout", "stderr"), start=1):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us: no file of ours may take its number
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            stream = os.fdopen(number, "w", closefd=False)
        setattr(sys, name, _Outliving(stream, loses_all=name == "stderr"))


def end_with_reader() -> None:
    """For a command that only answers: ``BrokenPipeError`` ends it once nobody reads."""
    if isinstance(sys.stdout, _Outliving):
        sys.stdout.ends_with_reader = True


class _Outliving(io.TextIOWrapper):
    ends_with_reader = False

    def __init__(self, stream: io.TextIOWrapper, *, loses_all: bool) -> None:
        is_terminal = stream.isatty()
        super().__init__(
            stream.detach(),
            encoding=stream.encoding,
            errors="backslashreplace",
            line_buffering=is_terminal or loses_all,
        )
        self._loses_all = loses_all
        self._lost = {errno.EPIPE, errno.EIO} if is_terminal else {errno.EPIPE}

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """What nobody takes goes nowhere from now on; any other error stays one."""
        is_lost = self._loses_all or error.errno in self._lost
        if is_lost or self.ends_with_reader:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
        if self.ends_with_reader or not is_lost:
            raise error


def _handle(number: int, handler: Callable[[int, FrameType | None], object]) -> None:
    if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
        return  # nohup: it is to outlive its terminal
    signal.signal(number, handler)


def _tell() -> None:
    err().print("Stopping: the request in flight is finished and kept. Once more ends at once.")
