"""A mail server and a webhook on loopback, just large enough to receive."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Smtp(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline():
            word = line.split(maxsplit=1)[0].upper() if line.strip() else b""
            if self.server.refuses:
                self._say("421 not now")
                return
            if word == b"DATA":
                self._say("354 go on")
                body = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    body += part.removeprefix(b".") if part.startswith(b"..") else part
                message = message_from_bytes(body, policy=policy.default)
                assert isinstance(message, EmailMessage)
                self.server.mails.append(message)
                self._say("250 kept")
            elif word == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Smtp)
        self.mails: list[EmailMessage] = []
        self.refuses = False

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Hook(BaseHTTPRequestHandler):
    server: HookServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append(json.loads(body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Silent."""


class HookServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.posts: list[dict[str, Any]] = []
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?token=hush-hush"


@contextmanager
def served(server: Any) -> Iterator[Any]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
