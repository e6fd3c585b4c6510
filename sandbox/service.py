"""The service without its wire: a request in, an answer out; key, limits, faults, route.

It knows no sockets and waits for nothing. So tests may ask it in their own process, thousands of
times a second, on a clock of their own (:mod:`sandbox.inside`); :mod:`sandbox.server` serves it.
"""

import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from typing import Any, Literal, NamedTuple

from sandbox import explorer
from sandbox.calls import Answer, Call, Query, Refusal
from sandbox.faults import Fault, Faults
from sandbox.limits import Limiter, Verdict
from sandbox.render import body, wants_xml, written
from sandbox.routes import route
from sandbox.shops import Shops, key_hash
from specification import LIMITS

log = logging.getLogger(__name__)
MOST_BODY = 32 * 1024 * 1024
_MOST_KEPT = 200_000
"""Requests remembered of a shop: four days of the full rate, for a sandbox that runs on."""
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


class Request(NamedTuple):
    """One request as the service saw it; ``status`` 0 means that it was never answered."""

    method: str
    path: str
    query: str
    status: int
    at: float


class Write(NamedTuple):
    """One write that took effect, whatever became of its answer; ``body`` as it was sent."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True)
class Ask:
    """A request as it came; ``headers`` by their lower-case names, ``path`` without the query."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    address: str = "127.0.0.1"


@dataclass(frozen=True)
class Reply:
    """An answer for the wire.

    Attributes:
        content_type: empty where there is no content.
        cut: ``all``: the connection is reset and nothing comes; ``half``: half of the body comes
            under the length of all of it, then the reset.
        seconds: to wait before it is sent.
    """

    status: int
    content: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: Literal["", "all", "half"] = ""
    seconds: float = 0.0

    def head(self, now: datetime) -> dict[str, str]:
        """Its headers. The date is the shop's own clock's, which tests set as they like."""
        named = {"content-length": str(len(self.content)), "content-type": self.content_type}
        named |= {"date": format_datetime(now.astimezone(UTC), usegmt=True), **self.headers}
        return {name: value for name, value in named.items() if value}


def _kept() -> defaultdict[str, deque[Any]]:
    return defaultdict(partial(deque, maxlen=_MOST_KEPT))


@dataclass(eq=False)
class Service:
    """Answers for all shops of a database."""

    shops: Shops
    limiter: Limiter
    faults: Faults
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    requests: dict[str, deque[Request]] = field(default_factory=_kept)
    writes: dict[str, deque[Write]] = field(default_factory=_kept)

    def early(self, ask: Ask) -> Reply | None:
        """The answer to what needs no body: the explorer, or one who has no key. None: go on.

        Nobody without a key makes this machine hold megabytes.
        """
        page = explorer.page(ask.method, ask.path)
        if page is not None:
            return Reply(200, page, "text/html; charset=utf-8")
        if self._shop(ask):
            return None
        return refused(ask, "Invalid API key. Please check the Authorization header.", 401)

    def _shop(self, ask: Ask) -> str | None:
        key = ask.headers.get("authorization", "")
        return self.shops.by_key(key) if key else None

    def answer(self, ask: Ask) -> Reply:
        """Answer a request; it is counted and noted, and may be spoilt by a planned fault."""
        early = self.early(ask)
        if early is not None:
            return early
        return _Exchange(self, ask, self._shop(ask) or "").run()


def refused(ask: Ask, text: str, status: int) -> Reply:
    """The error of a request that is turned away before it is worked on."""
    xml = wants_xml(ask.headers.get("accept", ""))
    return _written(Answer({"error": text}, status), xml=xml)


def _written(answer: Answer, *, xml: bool, cut: Literal["", "half"] = "") -> Reply:
    if answer.content is None:
        return Reply(answer.status, content_type="", headers=answer.headers)
    content, kind = body(answer.content, xml=xml)
    return Reply(answer.status, content, kind, answer.headers, cut)


class _Exchange:
    """One request with a key on its way through the layers."""

    def __init__(self, service: Service, ask: Ask, shop: str) -> None:
        self.service, self.ask, self.shop = service, ask, shop
        # A trailing or doubled slash is accepted (field notes, Behaviour).
        path = "/" + "/".join(part for part in ask.path.split("/") if part)
        self.in_version = f"{path}/".startswith(f"{LIMITS.prefix}/")
        self.below = path.removeprefix(LIMITS.prefix) if self.in_version else path
        self.xml = wants_xml(ask.headers.get("accept", ""))
        self.quirks = service.shops.specs[shop].quirks

    def run(self) -> Reply:
        service, ask, arrived = self.service, self.ask, self.service.clock()
        reply = self._reply()
        status = 0 if reply.cut == "all" else reply.status
        seen = Request(ask.method, self.below, ask.query, status, arrived)
        service.requests[self.shop].append(seen)
        return replace(reply, seconds=self.quirks.latency_seconds)

    def _reply(self) -> Reply:
        service, ask = self.service, self.ask
        key = key_hash(ask.headers["authorization"])
        verdict = service.limiter.arrives(
            key,
            ask.address,
            service.shops.specs[self.shop].limit,
            shuts_address=self.quirks.block_scope == "key_and_address",
        )
        fault = None
        if verdict is Verdict.OK:
            fault = service.faults.take(self.shop, ask.method, self.below)
        if fault is not None and fault.kind == "rate_error":
            service.limiter.refuse(key)
            verdict = Verdict.RATE_ERROR
        if verdict is Verdict.RATE_ERROR:
            return self._plain(Answer({"error": _RATE_ERROR}, self.quirks.rate_error_status))
        if verdict is Verdict.BLOCKED:
            return self._plain(Answer({"error": self.quirks.block_text}, 401))
        if fault is None:
            return self._plain(self._done())
        return self._faulty(fault)

    def _plain(self, answer: Answer) -> Reply:
        return _written(answer, xml=self.xml)

    def _done(self) -> Answer:
        """The request worked on, and the hooks that were waiting for it."""
        answer = self._work()
        self._hooks()
        return answer

    def _hooks(self) -> None:
        for call in self.service.faults.answered(self.shop, self.below):
            call()

    def _work(self) -> Answer:
        """Find the route and run it."""
        ask = self.ask
        try:
            if not self.in_version:
                raise Refusal("There is no such path. Please check the address.", 404)
            handler, variables = route(ask.method, self.below)
            call = Call(
                store=self.service.shops.stores[self.shop],
                quirks=self.quirks,
                query=Query(ask.query),
                path=variables,
                body=ask.body,
                content_type=ask.headers.get("content-type", ""),
            )
            if ask.method == "GET":
                with call.store.database.reading():
                    return handler(call)
            answer = handler(call)
            self.service.writes[self.shop].append(Write(ask.method, self.below, ask.body))
            if "/upload" in self.below:
                return answer
            return replace(answer, content=written(answer.content, self.quirks))
        except Refusal as error:
            return Answer({"error": str(error)}, error.status, error.headers)
        except Exception:
            log.exception("%s %s failed", ask.method, ask.path)
            return Answer({"error": "Internal error. Please report it to the sandbox."}, 500)

    def _faulty(self, fault: Fault) -> Reply:
        """Answer otherwise than the service would, before the request is worked on or after."""
        kind = fault.kind
        if kind == "reset":
            return Reply(0, cut="all")
        if kind in _EARLY or kind == "answer_before":
            self._hooks()
            if kind in _EARLY:
                return Reply(*_EARLY[kind])
            return self._plain(Answer(fault.content, fault.status, fault.headers))
        answer = self._done()
        if kind == "drop_answer_after_commit":
            return Reply(0, cut="all")
        if kind == "answer_after":
            told = fault.content(answer.content) if callable(fault.content) else fault.content
            return self._plain(Answer(told, fault.status, fault.headers))
        if kind == "http_500_after":
            return Reply(*_INTERNAL)
        if kind == "truncated_body":
            return _written(answer, xml=self.xml, cut="half")
        if kind == "truncated_json":
            content, content_type = body(answer.content, xml=self.xml)
            return Reply(answer.status, content[: len(content) // 2], content_type)
        return _written(answer, xml=self.xml or kind == "xml_despite_json")
