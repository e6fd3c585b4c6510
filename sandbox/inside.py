"""The sandbox in the process that asks it: shops, and all that tests steer and look at.

    inside = Sandbox([ShopSpec("main", records=())], clock=clock, now=clock.moment)
    httpx.Client(transport=inside.transport(), base_url=inside.base_url)

Nothing is sent, nothing waits: a state machine makes thousands of steps on a clock of its own.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from sandbox.faults import Faults
from sandbox.generator import Size
from sandbox.limits import MINUTE_SECONDS, Limiter
from sandbox.service import Ask, Request, Service, Write
from sandbox.shops import Shops, ShopSpec
from sandbox.store import Database, ShopStore
from specification import LIMITS

HOST = "127.0.0.1"


class Sandbox:
    """Shops of one database with their service.

    Args:
        shops: what to serve; None is one plain shop ``main``.
        minute_seconds: seconds of the limit's minute; silence and block scale with it.
        db: file that keeps the shops; None keeps them for the life of this object.
        size: ``tiny`` to ``large``, of each shop.
        clock: seconds, for the limits.
        now: the shop's own clock, for new records, the reports' defaults and the ``Date`` of
            answers.
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
        self._database = Database(db)
        self.shops = Shops(self._database, now)
        self.keys: dict[str, str] = {}
        """Shop -> key, of the keys made or given now; the file keeps only hashes."""
        for spec in shops if shops is not None else [ShopSpec()]:
            key = self.shops.open(spec, size)
            if key is not None:
                self.keys[spec.name] = key
        self.limiter = Limiter(minute_seconds=minute_seconds, clock=clock)
        self.faults = Faults()
        self.service = Service(self.shops, self.limiter, self.faults, clock, now)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def transport(self) -> httpx.BaseTransport:
        """What lets an ``httpx.Client`` ask this sandbox without a socket."""
        return _Inside(self.service)

    def store(self, shop: str = "main") -> ShopStore:
        """The shop's records, to look at and to edit as its staff would."""
        return self.shops.stores[shop]

    def turn(self, shop: str = "main", **quirks: Any) -> None:
        """From now on the shop answers with these quirks changed."""
        spec = self.shops.specs[shop]
        changed = type(spec.quirks).model_validate(spec.quirks.model_dump() | quirks)
        self.shops.specs[shop] = replace(spec, quirks=changed)

    def requests(self, shop: str = "main") -> list[Request]:
        """Every request with the shop's key so far: method, path below /v1, query, status."""
        return list(self.service.requests[shop])

    def writes(self, shop: str = "main") -> list[Write]:
        """Every write that took effect, whatever became of its answer: method, path, body."""
        return list(self.service.writes[shop])

    def forget_requests(self) -> None:
        """Empty the list of requests, for counting a part of a test."""
        self.service.requests.clear()

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

    def reset_key(self, shop: str = "main") -> str:
        """Replace the shop's key, as "Reset API Key" in its settings; gives the new one."""
        self.keys[shop] = self.shops.set_key(shop)
        return self.keys[shop]

    def _key_hash(self, shop: str) -> str:
        return str(self._database.one("SELECT key_hash FROM shops WHERE shop = ?", shop)[0])


class _Inside(httpx.BaseTransport):
    """Asks a service, and does to the client what the wire would."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer, or raise what a reset connection raises."""
        ask = Ask(
            request.method,
            request.url.path,
            request.url.query.decode("latin-1"),
            {name.lower(): value for name, value in request.headers.items()},
            request.read(),
            HOST,
        )
        reply = self._service.answer(ask)
        if reply.cut == "all":
            raise httpx.ReadError("the connection was reset", request=request)
        if reply.cut:
            raise httpx.RemoteProtocolError("half of the body came", request=request)
        head = reply.head(self._service.now())
        return httpx.Response(reply.status, headers=head, content=reply.content, request=request)
