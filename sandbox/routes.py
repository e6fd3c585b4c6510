"""Which path answers what, in the order in which paths are tried (specification, rule 4).

Read routes come from the table of lists; write routes are added by ``writes``.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from sandbox import reports
from sandbox.errors import Refusal
from sandbox.lists import GROUPS, ListEndpoint
from sandbox.query import Query, read_page
from sandbox.quirks import Quirks
from sandbox.render import envelope, public
from sandbox.store import ShopStore

PREFIX = "/v1"
"""Path of the base address (specification, Versioning)."""


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


@dataclass(frozen=True, eq=False)
class Route:
    """A method and a path template with its handler, and what the description says of it."""

    method: str
    template: str
    handler: Handler
    tag: str
    summary: str
    row: ListEndpoint | None = None
    body: Mapping[str, Any] | None = None
    creates: bool = False

    def matches(self, path: str) -> dict[str, str] | None:
        """Give the path's variables if this template fits it."""
        found = self._pattern.fullmatch(path)
        return None if found is None else found.groupdict()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.template))


def found(store: ShopStore, resource: str, record_id: str) -> dict[str, Any]:
    """Give a record, or refuse with 404."""
    record = store.get(resource, record_id)
    if record is None:
        raise Refusal("The record was not found. Please check the id.", 404)
    return record


def _list(row: ListEndpoint, call: Call) -> Answer:
    page = read_page(row, call.query, call.path, call.store, call.quirks)
    rows = [public(record, call.quirks, page.hidden) for record in page.records]
    return Answer(envelope(rows, row.resource, call.quirks))


def detail_answer(record: Mapping[str, Any], quirks: Quirks) -> Answer:
    """Answer with one record: it carries always what lists give with their flags."""
    served = public(record, quirks)
    return Answer([served] if quirks.detail == "list" else served)


def _detail(row: ListEndpoint, call: Call) -> Answer:
    return detail_answer(found(call.store, row.resource, call.path[row.detail]), call.quirks)


def _report(name: str, call: Call) -> Answer:
    return Answer(reports.answer(name, call.query, call.store, call.quirks))


def _info(call: Call) -> Answer:
    made_up = {"name": call.store.shop, "timezone": call.store.zone.key}
    return detail_answer(call.store.first("info", "1", ()) or made_up, call.quirks)


def _item_lines(call: Call) -> Answer:
    record = found(call.store, "tickets", call.path["ticketId"])
    lines = public(record, call.quirks).get("lines") or []
    return Answer(envelope(lines, "item_lines", call.quirks))


def _inbound_call(call: Call) -> Answer:
    """The specification shows no response: the number and whose it may be is our guess."""
    number = call.path["inboundNumber"]
    customer = call.store.first(
        "customers",
        "json_extract(doc, '$.mobile') = ? OR json_extract(doc, '$.phone') = ?",
        (number, number),
    )
    known = None if customer is None else {"id": customer["id"], "name": customer.get("name")}
    return Answer({"inbound_number": number, "customer": known})


def _read_routes() -> Iterator[Route]:
    for tag, rows in GROUPS.items():
        # A list's fixed paths stand before the variable ones: /tickets/updated is no ticket id.
        for row in rows:
            yield Route("GET", row.path, partial(_list, row), tag, f"List {row.path}", row)
        for row in filter(lambda row: row.detail, rows):
            path = f"{row.path}/{{{row.detail}}}"
            yield Route("GET", path, partial(_detail, row), tag, f"One of {row.path}")
    yield Route("GET", "/info", _info, "Shop", "The shop")
    yield Route("GET", "/tickets/{ticketId}/itemLines", _item_lines, "Tickets", "Item lines")
    for name in reports.REPORTS:
        yield Route("GET", f"/{name}", partial(_report, name), "Reports", name)
    path = "/webhook/inbound-call/{inboundNumber}"
    yield Route("GET", path, _inbound_call, "Events", "Inbound call")


READ_ROUTES = tuple(_read_routes())
"""Every GET of the specification's endpoint tables."""
