"""The sandbox without its wire: a request in, an answer out; key, limits, faults, route.

    sandbox = Sandbox([ShopSpec("main", records=())], clock=clock, now=clock.moment)
    httpx.Client(transport=sandbox.transport(), base_url=sandbox.base_url)

It knows no sockets and waits for nothing: a test makes thousands of steps in its own process, on a
clock of its own. :mod:`sandbox.server` serves it.
"""

import hashlib
import logging
import re
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx

from sandbox.calls import Answer, Call, Query, Refusal
from sandbox.faults import Fault, Faults
from sandbox.generator import Size
from sandbox.limits import MINUTE_SECONDS, Limiter, Verdict
from sandbox.render import body, written
from sandbox.routes import explorer, route
from sandbox.shops import ShopSpec, records_of
from sandbox.store import Database, ShopStore
from specification import LIMITS

log = logging.getLogger(__name__)
HOST = "127.0.0.1"
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

    @property
    def xml(self) -> bool:
        """Whether XML is asked for, and JSON not before it (specification: JSON by default)."""
        named = re.search(r"\b(json|xml)\b", self.headers.get("accept", "").lower())
        return named is not None and named[1] == "xml"


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


def refused(ask: Ask, text: str, status: int) -> Reply:
    """The error of a request that is turned away before it is worked on."""
    return _written(Answer({"error": text}, status), xml=ask.xml)


def _written(answer: Answer, *, xml: bool) -> Reply:
    if answer.content is None:
        return Reply(answer.status, content_type="", headers=answer.headers)
    return Reply(answer.status, *body(answer.content, xml=xml), answer.headers)


def _kept() -> defaultdict[str, deque[Any]]:
    return defaultdict(partial(deque, maxlen=_MOST_KEPT))


def _hash(key: str) -> str:
    """All that is stored of a key (specification, Authentication), which no dictionary has."""
    return hashlib.sha256(key.encode()).hexdigest()


@lru_cache(maxsize=8)
def _filled(spec: ShopSpec) -> Database:
    """A small shop's database, to be copied: tests make the same shops again and again."""
    made = Sandbox([replace(spec, records=tuple(records_of(spec, "tiny")))]).database
    made.rows("UPDATE shops SET key_hash = NULL")
    return made


class Sandbox:
    """Shops of one database, what they answer, and all that tests steer and look at.

    Args:
        shops: what to serve; None is one plain shop ``main``. A file is filled with what it lacks.
        minute_seconds: seconds of the limit's minute; silence and block scale with it.
        db: file that keeps the shops; None keeps them for the life of this object.
        size: ``tiny`` to ``large``, of each shop.
        clock: seconds, for the limits.
        now: the shop's own clock, for new records, the reports' defaults and the ``Date`` of
            answers.

    Raises:
        ValueError: the file holds a shop with another time zone.
    """

    base_url = f"http://inside.invalid{LIMITS.prefix}"

    def __init__(
        self,
        shops: Sequence[ShopSpec] | None = None,
        *,
        minute_seconds: float = MINUTE_SECONDS,
        db: Path | None = None,
        size: Size = "tiny",
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.clock, self.now = clock, now
        self.limiter = Limiter(minute_seconds=minute_seconds, clock=clock)
        self.faults = Faults()
        self.specs: dict[str, ShopSpec] = {}
        self.stores: dict[str, ShopStore] = {}
        self.keys: dict[str, str] = {}
        """Shop -> key, of the keys made or given now; the file keeps only hashes."""
        self._requests, self._writes = _kept(), _kept()
        specs = [ShopSpec()] if shops is None else shops
        is_usual = db is None and size == "tiny" and specs and specs[0].records is None
        self.database = Database(db, like=_filled(specs[0].as_made()) if is_usual else None)
        for spec in specs:
            self._open(spec, size)

    def _open(self, spec: ShopSpec, size: Size) -> None:
        known = "SELECT timezone, key_hash FROM shops WHERE shop = ?"
        row = self.database.one(known, spec.name)
        if row is not None and row[0] != spec.timezone:
            raise ValueError(f"shop '{spec.name}' was made with the time zone {row[0]}")
        store = ShopStore(self.database, spec.name, spec.timezone, self.now)
        if row is None:
            with self.database.writing() as connection:
                store.load(records_of(spec, size))
                made = (spec.name, spec.timezone)
                connection.execute("INSERT INTO shops VALUES (?, ?, NULL)", made)
        self.specs[spec.name], self.stores[spec.name] = spec, store
        if spec.key is not None or row is None or row[1] is None:
            self.reset_key(spec.name, spec.key)

    def reset_key(self, shop: str = "main", key: str | None = None) -> str:
        """Replace the shop's key, as "Reset API Key" in its settings; gives the new one."""
        self.keys[self.specs[shop].name] = key = key or secrets.token_urlsafe(32)
        with self.database.writing() as connection:
            connection.execute("UPDATE shops SET key_hash = ? WHERE shop = ?", (_hash(key), shop))
        return key

    def _shop(self, ask: Ask) -> str | None:
        key = ask.headers.get("authorization", "")
        row = self.database.one("SELECT shop FROM shops WHERE key_hash = ?", _hash(key))
        return row[0] if row is not None and row[0] in self.stores else None

    def early(self, ask: Ask) -> Reply | None:
        """The answer to what needs no body: the explorer, or one who has no key. None: go on.

        Nobody without a key makes this machine hold megabytes.
        """
        page = explorer(ask.method, ask.path)
        if page is not None:
            return Reply(200, page, "text/html; charset=utf-8")
        if self._shop(ask):
            return None
        return refused(ask, "Invalid API key. Please check the Authorization header.", 401)

    def answer(self, ask: Ask) -> Reply:
        """Answer a request; it is counted and noted, and may be spoilt by a planned fault."""
        early = self.early(ask)
        if early is not None:
            return early
        shop, arrived = self._shop(ask) or "", self.clock()
        # A trailing or doubled slash is accepted (field notes, Behaviour).
        ask = replace(ask, path="/" + "/".join(part for part in ask.path.split("/") if part))
        below = re.sub(f"^{LIMITS.prefix}(?=/|$)", "", ask.path)
        reply = self._reply(ask, shop, below)
        status = 0 if reply.cut == "all" else reply.status
        self._requests[shop].append(Request(ask.method, below, ask.query, status, arrived))
        return replace(reply, seconds=self.specs[shop].quirks.latency_seconds)

    def _reply(self, ask: Ask, shop: str, below: str) -> Reply:
        spec, key, fault = self.specs[shop], _hash(ask.headers["authorization"]), None
        wide = spec.quirks.block_scope == "key_and_address"
        verdict = self.limiter.arrives(key, HOST, spec.limit, shuts_address=wide)
        if verdict is Verdict.OK:
            fault = self.faults.take(shop, ask.method, below)
        if fault is not None and fault.kind == "rate_error":
            self.limiter.refuse(key)
            verdict = Verdict.RATE_ERROR
        if verdict is Verdict.RATE_ERROR:
            return refused(ask, _RATE_ERROR, spec.quirks.rate_error_status)
        if verdict is Verdict.BLOCKED:
            return refused(ask, spec.quirks.block_text, 401)
        kind = "" if fault is None else fault.kind
        if kind == "reset":
            return Reply(0, cut="all")
        is_early = kind in _EARLY or kind == "answer_before"
        answer = Answer(None) if is_early else self._work(ask, shop, below)
        for call in self.faults.answered(shop, below):
            call()
        return _written(answer, xml=ask.xml) if fault is None else _spoilt(fault, answer, ask)

    def _work(self, ask: Ask, shop: str, below: str) -> Answer:
        """Find the route and run it."""
        try:
            handler, variables = route(ask.method, ask.path)
            call = Call(
                store=self.stores[shop],
                quirks=self.specs[shop].quirks,
                query=Query(ask.query),
                path=variables,
                body=ask.body,
                content_type=ask.headers.get("content-type", ""),
            )
            if ask.method == "GET":
                with self.database.reading():
                    return handler(call)
            answer = handler(call)
            self._writes[shop].append(Write(ask.method, below, ask.body))
            if "/upload" in below:
                return answer
            return replace(answer, content=written(answer.content, call.quirks))
        except Refusal as error:
            return Answer({"error": str(error)}, error.status, error.headers)
        except Exception:
            log.exception("%s %s failed", ask.method, ask.path)
            return Answer({"error": "Internal error. Please report it to the sandbox."}, 500)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def transport(self) -> httpx.BaseTransport:
        """What lets an ``httpx.Client`` ask this sandbox without a socket."""
        return httpx.MockTransport(self._inside)

    def _inside(self, request: httpx.Request) -> httpx.Response:
        """Answer, or do to the client what the wire would."""
        ask = Ask(
            request.method,
            request.url.path,
            request.url.query.decode("latin-1"),
            {name.lower(): value for name, value in request.headers.items()},
            request.read(),
        )
        reply = self.answer(ask)
        if reply.cut == "all":
            raise httpx.ReadError("the connection was reset", request=request)
        if reply.cut:
            raise httpx.RemoteProtocolError("half of the body came", request=request)
        head = reply.head(self.now())
        return httpx.Response(reply.status, headers=head, content=reply.content, request=request)

    def store(self, shop: str = "main") -> ShopStore:
        """The shop's records, to look at and to edit as its staff would."""
        return self.stores[shop]

    def turn(self, shop: str = "main", **quirks: Any) -> None:
        """From now on the shop answers with these quirks changed."""
        spec = self.specs[shop]
        changed = type(spec.quirks).model_validate(spec.quirks.model_dump() | quirks)
        self.specs[shop] = replace(spec, quirks=changed)

    def requests(self, shop: str = "main") -> list[Request]:
        """Every request with the shop's key so far: method, path below /v1, query, status."""
        return list(self._requests[shop])

    def writes(self, shop: str = "main") -> list[Write]:
        """Every write that took effect, whatever became of its answer: method, path, body."""
        return list(self._writes[shop])

    def forget_requests(self) -> None:
        """Empty the list of requests, for counting a part of a test."""
        self._requests.clear()

    def rate_errors(self, shop: str = "main") -> int:
        """Rate errors answered to the shop's key so far."""
        return self.limiter.counts[self._key_hash(shop)].rate_errors

    def ignored_rate_errors(self, shop: str = "main") -> int:
        """Requests the shop's key sent into a silence so far; the tenth blocks."""
        return self.limiter.counts[self._key_hash(shop)].ignored

    def spend(self, requests: int, shop: str = "main") -> None:
        """Use up part of the shop's minute, as another client of its key does."""
        self.limiter.spend(self._key_hash(shop), requests)

    def block(self, shop: str = "main", *, address: bool = True) -> None:
        """Block the shop's key (and this machine's address) at once."""
        self.limiter.block(self._key_hash(shop), *([HOST] if address else []))

    def _key_hash(self, shop: str) -> str:
        return str(self.database.one("SELECT key_hash FROM shops WHERE shop = ?", shop)[0])


def _spoilt(fault: Fault, answer: Answer, ask: Ask) -> Reply:
    """What is answered instead of the service's own answer."""
    kind = fault.kind
    if kind in _EARLY:
        return Reply(*_EARLY[kind])
    if kind in ("answer_before", "answer_after"):
        told = fault.content(answer.content) if callable(fault.content) else fault.content
        return _written(Answer(told, fault.status, fault.headers), xml=ask.xml)
    if kind == "drop_answer_after_commit":
        return Reply(0, cut="all")
    if kind == "http_500_after":
        return Reply(*_INTERNAL)
    reply = _written(answer, xml=ask.xml or kind == "xml_despite_json")
    if kind == "truncated_body" and reply.content:
        return replace(reply, cut="half")
    if kind == "truncated_json":
        half = reply.content[: len(reply.content) // 2]
        return replace(reply, content=half, headers={})
    return reply
