"""What a handler gets and gives: one request of a shop, and its answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.errors import Refusal
from sandbox.query import Query
from sandbox.quirks import Quirks
from sandbox.store import ShopStore


@dataclass(frozen=True)
class Call:
    """One request, as a handler sees it."""

    store: ShopStore
    quirks: Quirks
    query: Query
    path: Mapping[str, str]
    body: bytes = b""
    content_type: str = ""


@dataclass(frozen=True)
class Answer:
    """What a handler answers; ``content`` None is no content at all."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Answer]


def found(store: ShopStore, resource: str, record_id: str) -> dict[str, Any]:
    """Give a record, or refuse with 404."""
    record = store.get(resource, record_id)
    if record is None:
        raise Refusal("The record was not found. Please check the id.", 404)
    return record
