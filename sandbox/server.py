"""The sandbox as a running HTTP server, for tests and for the command line.

with SandboxServer([ShopSpec("main", limit=None)]) as server:
    httpx.get(f"{server.base_url}/tickets", headers={"Authorization": server.keys["main"]})
"""

import asyncio
import contextlib
import logging
import signal
import socket
import struct
import threading
from dataclasses import replace
from email import message_from_string
from http.client import responses
from typing import Any, Self
from urllib.parse import unquote

from sandbox.service import HOST, MOST_BODY, Ask, Reply, Sandbox, refused
from specification import LIMITS

log = logging.getLogger(__name__)
PATIENCE_SECONDS = 20.0
"""A connection whose request's head is not whole by then is closed."""
_MOST_HEAD = 131_072


class SandboxServer(Sandbox):
    """Serves shops on loopback from a thread of its own, until it is stopped.

    Args:
        served, how: as of :class:`sandbox.service.Sandbox`.
        port: 0 takes any free one.
        patience_seconds: for a request's head; its body may take three times as long.
    """

    def __init__(
        self, *served: Any, port: int = 0, patience_seconds: float = PATIENCE_SECONDS, **how: Any
    ) -> None:
        super().__init__(*served, **how)
        self._patience = patience_seconds
        self._socket = socket.create_server((HOST, port), backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://{HOST}:{self.port}{LIMITS.prefix}"
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> Self:
        """Serve from a background thread."""
        self._thread.start()
        return self

    def serve(self) -> None:
        """Serve in the foreground until SIGINT or SIGTERM comes."""
        for one in (signal.SIGINT, signal.SIGTERM):
            self._loop.add_signal_handler(one, self._stopping.set)
        self._run()
        self.close()

    def stop(self) -> None:
        """Stop serving and let go of the port and the file."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(timeout=10)
        self.close()

    def close(self) -> None:
        """Close the socket and the database."""
        self._socket.close()
        self._loop.close()
        super().close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        """Accept connections until it should stop; what is being answered comes to its end."""
        server = await asyncio.start_server(self._connected, sock=self._socket, limit=_MOST_HEAD)
        await self._stopping.wait()
        server.close()
        for writer in self._writers:
            with contextlib.suppress(OSError):
                writer.get_extra_info("socket").shutdown(socket.SHUT_RD)
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        tasks = asyncio.gather(*connections, return_exceptions=True)
        await asyncio.wait([tasks], timeout=2)
        tasks.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of a connection after the other."""
        self._writers.add(writer)
        try:
            while await self._answered(reader, writer):
                pass
        except (EOFError, OSError, ValueError, TimeoutError, asyncio.LimitOverrunError):
            log.debug("a connection broke", exc_info=True)
        finally:
            self._writers.remove(writer)
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; whether another one may follow it."""
        try:
            async with asyncio.timeout(self._patience):
                head = await reader.readuntil(b"\r\n\r\n")
            line, _, fields = head.decode("latin-1").partition("\r\n")
            method, target, version = line.split(" ")
        except (ValueError, asyncio.LimitOverrunError):
            ask, stays = Ask("", ""), False
            body: bytes | Reply = refused(ask, "The request's head cannot be read.", 400)
        else:
            path, _, query = target.partition("?")
            headers = {name.lower(): value for name, value in message_from_string(fields).items()}
            ask = Ask(method, unquote(path), query, headers)
            stays = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
            body = self.early(ask) or await self._body(ask, reader, writer)
        if isinstance(body, bytes):
            reply = await asyncio.to_thread(self.answer, replace(ask, body=body))
            return await self._sent(reply, ask, writer, stays=stays)
        await self._sent(body, ask, writer, stays=False)
        # What is still on its way is read, for it would turn the close into a reset.
        writer.write_eof()
        async with asyncio.timeout(2 * self._patience):
            while await reader.read(_MOST_HEAD):
                pass
        return False

    async def _body(
        self, ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes | Reply:
        """The whole body, or why it is not taken."""
        length = ask.headers.get("content-length", "0")
        if "transfer-encoding" in ask.headers or not length.isdecimal():
            return refused(ask, "A body needs its Content-Length.", 411)
        if int(length) > MOST_BODY:
            return refused(ask, "The body is too large.", 413)
        if ask.headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            async with asyncio.timeout(3 * self._patience):
                return await reader.readexactly(int(length))
        except (TimeoutError, EOFError):
            return refused(ask, "The body took too long.", 408)

    async def _sent(
        self, reply: Reply, ask: Ask, writer: asyncio.StreamWriter, *, stays: bool
    ) -> bool:
        """Send an answer as it says; whether the connection stays."""
        await asyncio.sleep(reply.seconds)
        if reply.cut != "all":
            told = reply.head(self.now()) | ({} if stays else {"connection": "close"})
            fields = "".join(f"{name}: {value}\r\n" for name, value in told.items())
            line = f"HTTP/1.1 {reply.status} {responses.get(reply.status, '')}"
            content = b"" if ask.method == "HEAD" else reply.content
            content = content[: len(content) // 2] if reply.cut else content
            writer.write(f"{line}\r\n{fields}\r\n".encode("latin-1") + content)
            await writer.drain()
        if reply.cut:
            # Lingering for no time at all makes the close a reset.
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
        return stays and not reply.cut
