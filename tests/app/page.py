"""The page in a process of its own, and a client that speaks to it as a stranger would."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect


@contextmanager
def page(
    home: Path, folder: Path | None = None, port: int | None = None, **environment: str
) -> Iterator[str]:
    """The page of ``home``, run in ``folder``; the address that it prints."""
    command = [sys.executable, "-m", "shopmirror", "dashboard", "--port", str(port or 0)]
    names = os.environ | {"SHOPMIRROR_HOME": str(home)} | environment
    with subprocess.Popen(
        command, env=names, cwd=folder or home, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        said = Said(process.stderr)
        try:
            told = process.stdout.readline()
            found = re.search(r"http://\S+", told)
            assert found, f"the page's process ended: {said.text()}"
            last_said.append(said)
            yield found.group()
        finally:
            process.terminate()
            process.wait(timeout=30)


class Said(threading.Thread):
    """What a process says on standard error, read as it comes."""

    def __init__(self, stream) -> None:
        super().__init__(daemon=True)
        self._stream, self._lines = stream, []
        self.start()

    def run(self) -> None:
        self._lines.extend(iter(self._stream.readline, ""))

    def text(self) -> str:
        self.join(0.2)
        return "".join(self._lines)


last_said: list[Said] = []


def base_of(address: str) -> str:
    """``http://127.0.0.1:8501``, without path and key."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def visitor(address: str) -> httpx.Client:
    """A client with a jar of cookies that goes by no proxy."""
    return httpx.Client(
        base_url=base_of(address), trust_env=False, follow_redirects=True, timeout=60
    )


def sign_in(client: httpx.Client, secret: str) -> httpx.Response:
    """Give a password by the form."""
    return client.post("/login", data={"secret": secret, "next": "/"})


def cookies_of(client: httpx.Client) -> str:
    """What a browser would send along with a WebSocket."""
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def open_socket(
    address: str, *, host: str = "", origin: str | None = "", cookies: str = ""
) -> ClientConnection:
    """A WebSocket as a browser opens it; by default of the page itself."""
    parts = urlsplit(address)
    host = host or parts.netloc
    return connect(
        f"ws://{host}/_stcore/stream",
        sock=_connected(parts.hostname, parts.port),
        origin=f"http://{host}" if origin == "" else origin,
        subprotocols=["streamlit"],
        additional_headers={"Cookie": cookies} if cookies else {},
        proxy=None,
        max_size=None,
        open_timeout=30,
    )


def handshake(address: str, **how: str | None) -> int:
    """The status that answers a WebSocket's handshake."""
    try:
        with open_socket(address, **how) as socket:
            return socket.response.status_code
    except InvalidStatus as refused:
        return refused.response.status_code


def ask(socket: ClientConnection, query: str = "", seconds: float = 60) -> list[tuple[str, str]]:
    """Kind and text of what the page shows; empty when the socket is closed instead."""
    asked = BackMsg()
    asked.rerun_script.query_string = query
    shown: list[tuple[str, str]] = []
    try:
        socket.send(asked.SerializeToString())
        while True:
            message = ForwardMsg()
            message.ParseFromString(socket.recv(timeout=seconds))
            if message.WhichOneof("type") == "script_finished":
                return shown
            if message.WhichOneof("type") == "delta":
                if title := message.delta.add_block.dialog.title:
                    shown.append(("dialog", title))
                element = message.delta.new_element
                kind = element.WhichOneof("type")
                if kind:
                    body = getattr(element, kind)
                    shown.append((kind, getattr(body, "body", "") or getattr(body, "label", "")))
    except ConnectionClosed:
        return []


def _connected(host: str | None, port: int | None):
    import socket

    return socket.create_connection((host or "127.0.0.1", port or 80), timeout=30)
