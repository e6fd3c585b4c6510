"""A mail server and a webhook on loopback, just large enough to receive."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from tests.fakes.loopback import Loopback, Reply


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
            elif word == b"EHLO":
                self._say("250-fine")
                self._say("250 AUTH PLAIN")
            elif word == b"AUTH":
                self._say("235 welcome")
            elif word == b"RCPT" and any(who.encode() in line for who in self.server.unknown):
                self._say("550 nobody here of that name")
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
        self.unknown: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class HookServer(Loopback):
    """``posts`` is what came; it answers ``status``."""

    def __init__(self) -> None:
        super().__init__()
        self.status = 200
        self.otherwise = lambda _: Reply(self.status, b"")

    @property
    def posts(self) -> list[dict[str, Any]]:
        return [json.loads(seen.body) for seen in self.seen]

    @property
    def url(self) -> str:
        return f"{self.base_url}/hook?token=hush-hush"


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
