"""A loopback server that answers as it is told."""

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Reply:
    """One answer. ``act`` breaks the wire: reset, drop (close unanswered), cut, hang, drip."""

    status: int = 200
    body: Any = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    act: str = ""


@dataclass
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes
    at: float


class Loopback:
    """An HTTP server on a free port; replies come from ``replies``, then from ``otherwise``."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.otherwise: Callable[[Seen], Reply] = lambda _: Reply()
        self.seen: list[Seen] = []
        self.released = threading.Event()
        self.date_ahead = timedelta()
        """How far the header ``Date`` is ahead of this machine's clock."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else a body waits 40 ms behind its headers

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return lambda: outer._serve(self)
                raise AttributeError(name)

            def log_message(self, *_: Any) -> None:
                pass

            def date_time_string(self, timestamp: float | None = None) -> str:
                return format_datetime(datetime.now(UTC) + outer.date_ahead, usegmt=True)

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        size = int(handler.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        seen = Seen(
            handler.command,
            parts.path,
            parse_qsl(parts.query),
            headers,
            handler.rfile.read(size),
            time.monotonic(),
        )
        self.seen.append(seen)
        reply = self.replies.popleft() if self.replies else self.otherwise(seen)
        self._reply(handler, reply)

    def _reply(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.act == "reset":
            linger = struct.pack("ii", 1, 0)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if reply.act == "hang":
            self.released.wait(20)
        if reply.act in ("reset", "drop", "hang"):
            handler.close_connection = True
            handler.connection.close()
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in {**headers, **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.act == "cut":
            handler.wfile.write(body[: len(body) // 2])
            handler.close_connection = True
            return
        if reply.act == "drip":
            for byte in body:
                if self.released.wait(0.05):
                    break
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
            handler.close_connection = True
            return
        handler.wfile.write(body)
