"""The service over HTTP, as an ASGI application: bodies read, faults of the wire done to it."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote

from sandbox.service import MOST_BODY, Ask, Reply, Service, refused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
T = TypeVar("T")
_WORKERS = 8


@dataclass(eq=False)
class SandboxApp:
    """Serves a service; ``reset`` cuts a client's connection."""

    service: Service
    reset: Callable[[tuple[str, int]], None]
    body_seconds: float

    def __post_init__(self) -> None:
        # Threads that stay, because each keeps a connection to the database.
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="sandbox")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        head = Ask(
            scope["method"],
            unquote(scope["raw_path"].decode("latin-1").partition("?")[0]),
            scope["query_string"].decode("latin-1"),
            headers,
            address=(scope.get("client") or ("", 0))[0],
        )
        early = await self._in_worker(self.service.early, head)
        content = await self._body(head, receive) if early is None else b""
        if content is None:
            return
        reply = early or content
        if isinstance(reply, bytes):
            ask = Ask(head.method, head.path, head.query, headers, reply, head.address)
            reply = await self._in_worker(self.service.answer, ask)
        await self._send(reply, scope, receive, send)

    async def _in_worker(self, call: Callable[..., T], *arguments: Any) -> T:
        """Run what touches the database in a thread, so that other requests go on."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, call, *arguments)

    def close(self) -> None:
        """End the worker threads."""
        self._workers.shutdown()

    async def _body(self, head: Ask, receive: Receive) -> bytes | Reply | None:
        """The whole body, why it is not taken, or None when its sender left."""
        length = head.headers.get("content-length", "")
        if length.isdigit() and int(length) > MOST_BODY:
            return refused(head, "The body is too large.", 413)
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(self.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    if sum(map(len, parts)) > MOST_BODY:
                        return refused(head, "The body is too large.", 413)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            return refused(head, "The body took too long.", 408)

    async def _send(self, reply: Reply, scope: Scope, receive: Receive, send: Send) -> None:
        if reply.seconds:
            await asyncio.sleep(reply.seconds)
        if reply.cut != "all":
            named = reply.head(self.service.now())
            head = [(name.encode(), value.encode("latin-1")) for name, value in named.items()]
            status = {"type": "http.response.start", "status": reply.status, "headers": head}
            await send(status)
            half = reply.content[: len(reply.content) // 2]
            content = half if reply.cut else reply.content
            await send(
                {"type": "http.response.body", "body": content, "more_body": bool(reply.cut)}
            )
        if reply.cut:
            self.reset(scope["client"])
            while (await receive())["type"] != "http.disconnect":
                pass
