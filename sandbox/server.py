"""The sandbox as a running HTTP server, for tests and for the command line.

with SandboxServer([ShopSpec("main", limit=None)]) as server:
    httpx.get(f"{server.base_url}/tickets", headers={"Authorization": server.keys["main"]})
"""

import asyncio
import contextlib
import signal
import socket
import struct
import threading
import time
from collections.abc import Sequence
from typing import Any, Self

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sandbox.app import SandboxApp
from sandbox.inside import HOST, Sandbox
from sandbox.shops import ShopSpec
from specification import LIMITS

PATIENCE_SECONDS = 20.0
"""A connection whose request's head is not whole by then is closed."""


class SandboxServer(Sandbox):
    """Serves shops on loopback from a thread of its own, until it is stopped.

    Args:
        shops: what to serve; None is one plain shop ``main``.
        port: 0 takes any free one.
        patience_seconds: for a request's head; its body may take three times as long.
        options: of :class:`Sandbox`.
    """

    def __init__(
        self,
        shops: Sequence[ShopSpec] | None = None,
        *,
        port: int = 0,
        patience_seconds: float = PATIENCE_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(shops, **options)
        self._connections: dict[tuple[str, int], Any] = {}
        self._app = SandboxApp(self.service, self._reset, 3 * patience_seconds)
        self._socket = socket.create_server((HOST, port))
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://{HOST}:{self.port}{LIMITS.prefix}"
        config = uvicorn.Config(
            self._app,
            http=_protocol(self._connections, patience_seconds),
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = _Server(config)
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Serve from a background thread; returns when requests are answered."""
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the sandbox server did not start")
            time.sleep(0.002)
        return self

    def serve(self) -> None:
        """Serve in the foreground until SIGINT or SIGTERM comes."""
        # uvicorn hands the signal on to the handler that was there before it.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])
        self.close()

    def stop(self) -> None:
        """Stop serving and let go of the port and the file."""
        self._server.should_exit = True
        if self._thread is not None:
            self._server.force_exit = True
            self._thread.join(timeout=10)
            self._thread = None
        self.close()

    def close(self) -> None:
        """Close the socket and the database."""
        self._socket.close()
        self._app.close()
        super().close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _reset(self, client: tuple[str, int]) -> None:
        transport = self._connections.get((client[0], client[1]))
        if transport is None:
            return
        raw = transport.get_extra_info("socket")
        # Lingering for no time at all makes the close a reset.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()


class _Server(uvicorn.Server):
    """uvicorn's server, noticing within 20 instead of 100 ms that it should stop.

    A test suite stops hundreds of them.
    """

    async def main_loop(self) -> None:
        ticks = 0
        while not self.should_exit:
            ticks += 1
            await asyncio.sleep(0.02)
            self.should_exit = await self.on_tick(ticks) or self.should_exit


def _protocol(
    connections: dict[tuple[str, int], Any], patience_seconds: float
) -> type[H11Protocol]:
    """Make uvicorn's protocol remember its connections, so that faults can cut them, and close
    those that send no whole head in time."""

    class Remembering(H11Protocol):
        _due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait_for_head()
            # asyncio sets this only for sockets made with the protocol named; without it an
            # answer's body waits 40 ms for the acknowledgement of its head.
            raw = transport.get_extra_info("socket")
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connections[tuple(transport.get_extra_info("peername"))] = transport

        def data_received(self, data: bytes) -> None:
            if self._due is None and self._is_between_requests():
                self._wait_for_head()
            super().data_received(data)
            if self._due is not None and not self._is_between_requests():
                self._due.cancel()
                self._due = None

        def _is_between_requests(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _wait_for_head(self) -> None:
            self._due = self.loop.call_later(patience_seconds, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._due is not None:
                self._due.cancel()
            connections.pop(tuple(self.transport.get_extra_info("peername")), None)
            super().connection_lost(exc)

    return Remembering
