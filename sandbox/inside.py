"""The sandbox in the process that asks it: shops, and all that tests steer and look at.

    inside = Sandbox([ShopSpec("main", records=())], clock=clock, now=clock.moment)
    httpx.Client(transport=inside.transport(), base_url=inside.base_url)

Nothing is sent, nothing waits: a state machine makes thousands of steps on a clock of its own.
"""

from dataclasses import replace
from typing import Any

import httpx

from sandbox.service import Ask, Request, Service, Write
from sandbox.store import ShopStore
from specification import LIMITS

HOST = "127.0.0.1"


class Sandbox(Service):
    """Shops of one database with their service."""

    base_url = f"http://inside.invalid{LIMITS.prefix}"

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
            HOST,
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
