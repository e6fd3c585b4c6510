"""One request: how it is to be made, and how many there may be."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import httpx

from ..budget import Lane
from ..errors import Stopped

Found = Literal["", "asked once more", "key is in order"]


@dataclass
class RequestCounter:
    """Counts requests that went out; :class:`Stopped` beyond ``maximum``. Clients may share one."""

    maximum: int | None = None
    count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self) -> None:
        """Reserve one request."""
        with self._lock:
            if self.maximum is not None and self.count >= self.maximum:
                words = "1 request" if self.count == 1 else f"{self.count} requests"
                raise Stopped(f"Stopped after {words}, as asked.")
            self.count += 1

    def give_back(self) -> None:
        """The reserved request was not made."""
        with self._lock:
            self.count -= 1


@dataclass(slots=True)
class Call:
    """A request, and how it is to be made. ``path`` is as it was asked for."""

    request: httpx.Request
    path: str
    lane: Lane
    on_send: Callable[[str], None] | None = None
    raises_rate_error: bool = False
    again: str = ""
    """Why it is sent again."""
    found: Found = ""
    """What is known since a refusal without words."""
    limit: str = ""
    """Words that are a rate error here: see :mod:`repair_shop.http.refusals`."""

    @property
    def method(self) -> str:
        """``GET``, ``POST``, ``PUT`` or ``DELETE``."""
        return self.request.method

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing at the service."""
        return self.method == "GET"

    @property
    def kind(self) -> str:
        """The kind of the request, whichever record it is about."""
        first, more, _ = self.path.strip("/").partition("/")
        return f"{self.method} /{first}" + ("/…" if more else "")
