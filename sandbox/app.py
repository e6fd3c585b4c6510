"""The ASGI application: key, limits, faults, route, answer, in this order."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote

from sandbox import explorer
from sandbox.errors import Refusal
from sandbox.faults import Fault, Faults
from sandbox.limits import Limiter, Verdict
from sandbox.query import Query
from sandbox.render import body, wants_xml
from sandbox.routes import PREFIX, Answer, Call, Route
from sandbox.seen import Request, Write, newest
from sandbox.shops import Shops, key_hash
from sandbox.writes import ROUTES

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

log = logging.getLogger(__name__)
T = TypeVar("T")
_WORKERS = 8

_MOST_BODY = 32 * 1024 * 1024
_HTML = b"<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>"
_RATE_ERROR = "Request rate limit exceeded. Please wait one minute before the next request."
_INTERNAL = (500, b'{"error":"Internal error. Please try again."}')
_EARLY: Mapping[str, tuple[Any, ...]] = {
    "html_502": (502, _HTML, "text/html"),
    "http_500_before": _INTERNAL,
    "error_under_200": (200, b'{"error":"Something went wrong. Please try again."}'),
    "not_found": (404, b'{"error":"The record was not found."}'),
    "no_right": (403, b'{"error":"This key has no permission for that."}'),
    "empty_list": (200, b"[]"),
}
"""Fault -> status, body and kind of the answer that is given before any work is done."""


@dataclass(eq=False)
class SandboxApp:
    """Serves all shops of a database."""

    shops: Shops
    limiter: Limiter
    faults: Faults
    clock: Callable[[], float]
    now: Callable[[], datetime]
    reset: Callable[[tuple[str, int]], None]
    body_seconds: float
    requests: dict[str, deque[Request]] = field(default_factory=newest)
    writes: dict[str, deque[Write]] = field(default_factory=newest)

    def __post_init__(self) -> None:
        # Threads that stay, because each keeps a connection to the database.
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="sandbox")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = unquote(scope["raw_path"].decode("latin-1").partition("?")[0])
        page = explorer.page(scope["method"], path)
        if page is not None:
            await self.send(send, 200, page.content, page.content_type)
            return
        exchange = _Exchange(self, scope, path, receive, send)
        await exchange.run()

    async def in_worker(self, call: Callable[..., T], *arguments: Any) -> T:
        """Run what touches the database in a thread, so that other requests go on."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, call, *arguments)

    def close(self) -> None:
        """End the worker threads."""
        self._workers.shutdown()

    async def start(
        self, send: Send, status: int, content_type: str, length: int, headers: Any = None
    ) -> None:
        """Begin an answer. Its date is the shop's own clock's, which tests set as they like."""
        named = {"content-length": length, "content-type": content_type, **(headers or {})}
        named["date"] = format_datetime(self.now().astimezone(UTC), usegmt=True)
        raw = [(name.encode(), str(value).encode()) for name, value in named.items() if value != ""]
        await send({"type": "http.response.start", "status": status, "headers": raw})

    async def send(
        self, send: Send, status: int, text: bytes, content_type: str, headers: Any = None
    ) -> None:
        """A whole answer; one without a content type has no content."""
        await self.start(send, status, content_type, len(text), headers)
        await send({"type": "http.response.body", "body": text})


class _Exchange:
    """One request on its way through the layers."""

    def __init__(
        self, app: SandboxApp, scope: Scope, path: str, receive: Receive, send: Send
    ) -> None:
        self.app = app
        self.scope = scope
        self.method: str = scope["method"]
        # A trailing or doubled slash is accepted (field notes, Behaviour).
        self.path = "/" + "/".join(part for part in path.split("/") if part)
        self.receive = receive
        self.send = send
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        self.xml = wants_xml(self.headers.get("accept", ""))
        self.arrived = app.clock()
        self.shop = ""

    async def run(self) -> None:
        key = self.headers.get("authorization", "")
        shop = await self.app.in_worker(self.app.shops.by_key, key) if key else None
        if shop is None:
            # Before its body: nobody without a key makes this machine hold megabytes.
            refusal = Refusal("Invalid API key. Please check the Authorization header.", 401)
            await self._answer(_refused(refusal))
            return
        content = await self._body()
        if content is None:
            return
        self.shop = shop
        spec = self.app.shops.specs[shop]
        quirks = spec.quirks
        host = (self.scope.get("client") or ("", 0))[0]
        verdict = self.app.limiter.arrives(
            key_hash(key), host, spec.limit, shuts_address=quirks.block_scope == "key_and_address"
        )
        if quirks.latency_seconds:
            await asyncio.sleep(quirks.latency_seconds)
        below = self.path.removeprefix(PREFIX) if self._in_version() else self.path
        fault = None
        if verdict is Verdict.OK:
            fault = self.app.faults.take(shop, self.method, below)
        if verdict is Verdict.RATE_ERROR or (fault is not None and fault.kind == "rate_error"):
            await self._answer(Answer({"error": _RATE_ERROR}, quirks.rate_error_status))
            return
        if verdict is Verdict.BLOCKED:
            await self._answer(Answer({"error": quirks.block_text}, 401))
            return
        if fault is None:
            answer = await self.app.in_worker(self._work, below, content)
            await self._hooks(below)
            await self._answer(answer)
        else:
            await self._faulty(fault, below, content)

    def _in_version(self) -> bool:
        return self.path == PREFIX or self.path.startswith(PREFIX + "/")

    async def _body(self) -> bytes | None:
        """The whole body; None when it was refused or its sender left."""
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > _MOST_BODY:
            await self._too_large()
            return None
        try:
            async with asyncio.timeout(self.app.body_seconds):
                return await self._read()
        except TimeoutError:
            await self._answer(Answer({"error": "The body took too long."}, 408))
            return None

    async def _read(self) -> bytes | None:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > _MOST_BODY:
                await self._too_large()
                return None
            if not message.get("more_body"):
                return b"".join(parts)

    async def _too_large(self) -> None:
        await self._answer(Answer({"error": "The body is too large."}, 413))

    def _work(self, below: str, content: bytes) -> Answer:
        """Find the route and run it, in a worker thread."""
        try:
            if not self._in_version():
                raise Refusal("There is no such path. Please check the address.", 404)
            route, variables = self._route(below)
            query = Query(
                parse_qsl(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)
            )
            call = Call(
                store=self.app.shops.stores[self.shop],
                quirks=self.app.shops.specs[self.shop].quirks,
                query=query,
                path=variables,
                body=content,
                content_type=self.headers.get("content-type", ""),
            )
            if self.method == "GET":
                with call.store.database.reading():
                    return route.handler(call)
            answer = route.handler(call)
            self.app.writes[self.shop].append(Write(self.method, below, content))
            return answer
        except Refusal as error:
            return _refused(error)
        except Exception:
            log.exception("%s %s failed", self.method, self.path)
            return Answer({"error": "Internal error. Please report it to the sandbox."}, 500)

    def _route(self, below: str) -> tuple[Route, dict[str, str]]:
        # The first path that matches is used (specification, rule 4), whatever the method.
        first = ""
        allowed: list[str] = []
        for route in ROUTES:
            if first and route.template != first:
                continue
            variables = route.matches(below)
            if variables is None:
                continue
            if route.method == self.method:
                return route, variables
            first = route.template
            allowed.append(route.method)
        if allowed:
            methods = ", ".join(allowed)
            words = f"{self.method} is not possible here. Please use {methods}."
            raise Refusal(words, 405, {"allow": methods})
        raise Refusal("There is no such path. Please check the address.", 404)

    async def _hooks(self, below: str) -> None:
        for call in self.app.faults.answered(self.shop, below):
            await self.app.in_worker(call)

    async def _faulty(self, fault: Fault, below: str, content: bytes) -> None:
        kind = fault.kind
        if kind in _EARLY:
            await self._hooks(below)
            await self._raw(*_EARLY[kind])
            return
        if kind == "reset":
            await self._drop()
            return
        if kind == "answer_before":
            await self._hooks(below)
            await self._answer(Answer(fault.content, fault.status, fault.headers))
            return
        answer = await self.app.in_worker(self._work, below, content)
        await self._hooks(below)
        await self._spoil(fault, answer)

    async def _spoil(self, fault: Fault, answer: Answer) -> None:
        """Answer otherwise than the service would, after the request was worked on."""
        kind = fault.kind
        if kind == "drop_answer_after_commit":
            await self._drop()
        elif kind == "answer_after":
            told = fault.content(answer.content) if callable(fault.content) else fault.content
            await self._answer(Answer(told, fault.status, fault.headers))
        elif kind == "http_500_after":
            await self._raw(*_INTERNAL)
        elif kind in ("truncated_json", "truncated_body"):
            text, content_type = body(answer.content, xml=self.xml)
            half = text[: len(text) // 2]
            if kind == "truncated_json":
                await self._raw(answer.status, half, content_type)
                return
            self._log(answer.status)
            await self.app.start(self.send, answer.status, content_type, len(text))
            await self.send({"type": "http.response.body", "body": half, "more_body": True})
            await self._cut()
        else:
            self.xml = self.xml or kind == "xml_despite_json"
            await self._answer(answer)

    async def _drop(self) -> None:
        self._log(0)
        await self._cut()

    async def _cut(self) -> None:
        """Reset the connection, and wait until it is gone."""
        self.app.reset(self.scope["client"])
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def _log(self, status: int) -> None:
        if self.shop:
            query = self.scope["query_string"].decode("latin-1")
            below = self.path.removeprefix(PREFIX)
            request = Request(self.method, below, query, status, self.arrived)
            self.app.requests[self.shop].append(request)

    async def _answer(self, answer: Answer) -> None:
        text, content_type = b"", ""
        if answer.content is not None:
            text, content_type = body(answer.content, xml=self.xml)
        await self._raw(answer.status, text, content_type, answer.headers)

    async def _raw(
        self, status: int, text: bytes, content_type: str = "application/json", headers: Any = None
    ) -> None:
        self._log(status)
        await self.app.send(self.send, status, text, content_type, headers)


def _refused(error: Refusal) -> Answer:
    return Answer({"error": str(error)}, error.status, error.headers)
