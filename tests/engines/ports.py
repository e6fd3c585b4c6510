"""Ports on loopback for servers that a test starts."""

from __future__ import annotations

import socket
import time


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_answered(port: int, seconds: float) -> None:
    """Wait until somebody answers there; TimeoutError when nobody does."""
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise TimeoutError(f"nobody answers at port {port}") from None
            time.sleep(0.1)
        else:
            return
