"""The sandbox as a running HTTP server, for tests and for the command line.

with SandboxServer([ShopSpec("main", limit=None)]) as server:
    httpx.get(f"{server.base_url}/tickets", headers={"Authorization": server.keys["main"]})
"""

import contextlib
import logging
import os
import signal
import socket
import socketserver
import struct
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import unquote

from sandbox.inside import HOST, Sandbox
from sandbox.service import MOST_BODY, Ask, Reply, refused
from specification import LIMITS

log = logging.getLogger(__name__)
PATIENCE_SECONDS = 20.0
"""A connection whose request's head is not whole by then is closed."""
_TICK_SECONDS = 0.02
"""How soon a server notices that it should stop: a test suite stops hundreds of them."""
_PIECE = 65_536


class SandboxServer(Sandbox):
    """Serves shops on loopback from a thread of its own, until it is stopped.

    Args:
        served, how: as of :class:`sandbox.service.Service`.
        port: 0 takes any free one.
        patience_seconds: for a request's head; its body may take three times as long.
    """

    def __init__(
        self, *served: Any, port: int = 0, patience_seconds: float = PATIENCE_SECONDS, **how: Any
    ) -> None:
        super().__init__(*served, **how)
        self._server = _Server(self, port, patience_seconds)
        self.port: int = self._server.server_address[1]
        self.base_url = f"http://{HOST}:{self.port}{LIMITS.prefix}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_TICK_SECONDS,), daemon=True
        )

    def start(self) -> Self:
        """Serve from a background thread; returns when requests are answered."""
        self._thread.start()
        return self

    def serve(self) -> None:
        """Serve in the foreground until SIGINT or SIGTERM comes."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            self._server.serve_forever()
        self.close()

    def stop(self) -> None:
        """Stop serving and let go of the port and the file."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(timeout=10)
        self.close()

    def close(self) -> None:
        """Close the socket, its connections and the database."""
        self._server.server_close()
        super().close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()


class _Server(socketserver.ThreadingTCPServer):
    """Accepts connections, each with a thread of its own, and closes those that keep it waiting."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, sandbox: Sandbox, port: int, patience_seconds: float) -> None:
        self.sandbox, self.patience_seconds = sandbox, patience_seconds
        self.connections: dict[threading.Thread, _Connection] = {}
        super().__init__((HOST, port), _Connection)

    def service_actions(self) -> None:
        """Close the connections whose time is over."""
        for one in list(self.connections.values()):
            if time.monotonic() > one.due:
                one.hear_no_more()

    def server_close(self) -> None:
        """Close the socket and all connections; what is being worked on comes to its end."""
        super().server_close()
        for thread, one in list(self.connections.items()):
            one.hear_no_more()
            thread.join(timeout=2)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left; what the service itself does wrong is its own to say."""
        log.debug("the connection of %s broke", client_address, exc_info=True)


class _Connection(BaseHTTPRequestHandler):
    """One connection: requests read, handed to the service, and answered as its replies say."""

    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    due: float
    """When whoever still sends has had time enough."""

    def setup(self) -> None:
        super().setup()
        # Before others see it: one without time left is shut unanswered.
        self.due = time.monotonic() + self.server.patience_seconds
        self.server.connections[threading.current_thread()] = self

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            del self.server.connections[threading.current_thread()]

    def hear_no_more(self) -> None:
        """Read no further, as if the client had ended; what is being answered still is."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def handle_one_request(self) -> None:
        self.due = time.monotonic() + self.server.patience_seconds
        super().handle_one_request()

    def log_message(self, *_words: object) -> None:
        """Say nothing: the service keeps its own list of requests."""

    def do_GET(self) -> None:
        """Answer a request, of any method, whose head is read."""
        if time.monotonic() > self.due:  # only half of the head came
            self.close_connection = True
            return
        self.due += 2 * self.server.patience_seconds
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        head = Ask(self.command, unquote(path), query, headers, address=self.client_address[0])
        service = self.server.sandbox
        body = service.early(head) or self._body(head)
        if isinstance(body, bytes):
            self._send(service.answer(replace(head, body=body)))
            return
        self.close_connection = True
        self._send(body)
        # What is still on its way is read, for it would turn the close into a reset.
        self.connection.shutdown(socket.SHUT_WR)
        while self.rfile.read(_PIECE):
            pass

    do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_GET  # noqa: N815 - http.server's

    def _body(self, head: Ask) -> bytes | Reply:
        """The whole body, or why it is not taken."""
        length = head.headers.get("content-length", "0")
        if "transfer-encoding" in head.headers or not length.isdecimal():
            return refused(head, "A body needs its Content-Length.", 411)
        if int(length) > MOST_BODY:
            return refused(head, "The body is too large.", 413)
        content = self.rfile.read(int(length))
        if len(content) < int(length):
            return refused(head, "The body took too long.", 408)
        return content

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.seconds)
        if reply.cut != "all":
            self.send_response_only(reply.status)
            for name, value in reply.head(self.server.sandbox.now()).items():
                self.send_header(name, value)
            if self.close_connection:
                self.send_header("connection", "close")
            self.end_headers()
            content = b"" if self.command == "HEAD" else reply.content
            self.wfile.write(content[: len(content) // 2] if reply.cut else content)
            self.wfile.flush()
        if reply.cut:
            self.close_connection = True
            # Lingering for no time at all makes the close a reset.
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            os.close(self.connection.detach())
