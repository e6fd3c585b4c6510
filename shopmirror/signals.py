"""Ctrl-C and SIGTERM: the first asks to stop, keeping what was fetched; the second ends at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from shopmirror.consoles import err

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
        signal.signal(number, ask)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell() -> None:
    err().print("Stopping: the request in flight is finished and kept. Once more ends at once.")
