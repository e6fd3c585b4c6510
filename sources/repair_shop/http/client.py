"""The client of one shop: ask for JSON, get rows, within the shop's rate budget.

::

    with Client(shop, Budget(home / "budget.sqlite")) as client:
        answer = client.get("/customers", {"page": 2})
        for row in answer.rows(): ...
        client.get("/dailySales", {"dateFrom": date(2026, 1, 1), "dateTo": date(2026, 1, 31)})
        client.send("PUT", "/customers/7f3c-…", json={"city": "Antigua"})
        print(client.requests)

Threads may share a client; several requests in flight is how a slow service still gives its full
rate. What may be raised: :mod:`repair_shop.errors`. The key is sent in the header
``Authorization`` only (specification, Authentication, 1) and appears in no message.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from json import dumps
from typing import Any, Self
from urllib.parse import quote, urlencode

import httpx

from ..budget import Budget, KeyBudget, Lane
from ..errors import ValidationRefused
from ..schema.dates import format_day, format_moment
from ..settings import ShopSettings
from .answers import Answer
from .service_clock import ServiceClock
from .transport import Call, RequestCounter, RequestEvent, Transport
from .wire import ACCEPTED_ENCODINGS, Network, from_wire, longest_answer

__all__ = ["Answer", "Client", "RequestCounter", "RequestEvent"]

Params = Mapping[str, Any]
_Pairs = list[tuple[str, str | int | float | bool | None]]
Files = Mapping[str, tuple[str, bytes, str]]
"""Form fields of an upload: field name → (file name, content, media type)."""


class Client:
    """One shop's service.

    ``stop`` is asked before each request and four times a second while waiting; when it says True
    the wait ends with :class:`~repair_shop.errors.Stopped`, and a request in flight is
    finished first. ``counter``, which several clients may share, bounds what goes out.
    ``transport``: the network, closed by who made it; by default one of its own. ``clock`` tells
    the service's time.
    """

    def __init__(
        self,
        shop: ShopSettings,
        budget: Budget,
        *,
        lane: Lane = "sync",
        transport: Network | None = None,
        stop: Callable[[], bool] | None = None,
        counter: RequestCounter | None = None,
    ) -> None:
        self.shop = shop
        self.lane: Lane = lane
        self.budget: KeyBudget = budget.key(shop)
        self.clock = ServiceClock(lambda: self.budget.skew)
        self.counter = counter or RequestCounter()
        self._own_requests = 0
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[RequestEvent], None]] = []
        self._base = shop.base_url.rstrip("/")
        # Not under an httpx.Client: its cookies, logins and redirects are not the service's.
        network = transport or Network(self._base, longest_answer(shop))
        self._own = network if transport is None else None
        self._transport = Transport(
            network,
            self.budget,
            shop,
            counter=self.counter,
            stop=stop,
            notify=self._notify,
            clock=self.clock,
            pause=lambda seconds: budget.pause(seconds, stop),
            make=lambda path: self._call("GET", path, None),
        )
        self._headers = {
            "Authorization": shop.api_key.get_secret_value(),
            "Accept": "application/json",
            "Accept-Encoding": ACCEPTED_ENCODINGS,
            "Connection": "keep-alive",
            "User-Agent": "shopmirror",
        }
        # The same for connecting, sending and reading; waiting for a connection is ours.
        self._timeout = httpx.Timeout(shop.timeout_seconds, pool=None).as_dict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.shop.name!r}, {self._base!r}, lane={self.lane!r})"

    @property
    def requests(self) -> int:
        """Requests of this client that went out so far, tries that failed included."""
        return self._own_requests

    @property
    def is_limited(self) -> bool:
        """Whether requests of the run are counted up to a maximum."""
        return self.counter.maximum is not None

    def today(self) -> date:
        """The shop's day, by our clock or the service's, whichever is ahead: no period that the
        service has begun is left out because our clock is behind."""
        return self.clock.later().astimezone(self.shop.zone).date()

    def on_request(self, callback: Callable[[RequestEvent], None]) -> None:
        """Call ``callback`` after every request, from the thread that made it."""
        self._callbacks.append(callback)

    def get(self, path: str, params: Params | None = None) -> Answer:
        """Read ``path`` (relative to the base address, with a leading slash).

        Parameters: None is left out, a date becomes ``dd-mmm-yyyy``, booleans ``True``/``False``
        (specification, Resources and their fields), a list is repeated. Tried up to three times
        when the wire fails; every try takes a slot of the budget.
        """
        return self._transport.send(self._call("GET", path, params))

    def send(
        self,
        method: str,
        path: str,
        json: Any = None,
        files: Files | None = None,
        params: Params | None = None,
        on_send: Callable[[str], None] | None = None,
        raises_rate_error: bool = False,
    ) -> Answer:
        """Write once: ``POST``, ``PUT`` or ``DELETE``.

        Sent again only when it surely had no effect: no connection; a rate error under 429, 401 or
        403, or in the very words in which this service told a read of its limit. ``on_send`` is
        called before each sending, with why it is sent again ("" the first time);
        ``raises_rate_error``: it is not sent again after one.
        :class:`~repair_shop.errors.OutcomeUnknown`: it may have been applied.
        :class:`~repair_shop.errors.NotSent`: it surely never arrived.
        :class:`~repair_shop.errors.ValidationRefused`,
        :class:`~repair_shop.errors.NotFound`: the service said no. ``Refused``, ``Stopped``
        and ``ConfigurationError`` come before anything was sent.
        """
        content = None if json is None else dumps(json, default=_jsonable, ensure_ascii=False)
        call = self._call(method.upper(), path, params, content, files)
        call.on_send, call.raises_rate_error = on_send, raises_rate_error
        return self._transport.send(call)

    def close(self) -> None:
        """Close the connections that are its own."""
        if self._own is not None:
            self._own.close()

    def _call(
        self,
        method: str,
        path: str,
        params: Params | None,
        content: str | None = None,
        files: Files | None = None,
    ) -> Call:
        kind = {} if content is None else {"Content-Type": "application/json"}
        try:
            query = urlencode(_query(params or {}))
            # An id may hold anything; what separates a path from a query must not come from it.
            url = self._base + quote(path, safe="/:@!$&'()*+,;=~-._")
            request = httpx.Request(
                method,
                f"{url}?{query}" if query else url,
                content=None if content is None else content.encode(),
                files=files,
                headers=self._headers | kind,
                extensions={"timeout": self._timeout},
            )
        except UnicodeError as error:
            said = "it holds text that is no Unicode and was not sent"
            raise ValidationRefused(said, method=method, path=repr(path)) from error
        except httpx.InvalidURL as error:
            raise from_wire(error, method, path) from error
        return Call(request, path, self.lane)

    def _notify(self, event: RequestEvent) -> None:
        with self._lock:
            self._own_requests += 1
        for callback in self._callbacks:
            callback(event)


def _query(params: Params) -> _Pairs:
    pairs: _Pairs = []
    for name, value in params.items():
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        pairs.extend(
            (name, _text(item)) for item in (value if is_list else [value]) if item is not None
        )
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, date):
        return format_day(value)
    return str(value)


def _jsonable(value: Any) -> Any:
    """Amounts leave as JSON numbers with all their digits as far as a float holds them."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return _text(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
