"""Which path answers what, in the order in which paths are tried (specification, rule 4).

Every route is an operation of :mod:`specification` with its handler.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from sandbox import reports
from sandbox.calls import Answer, Call, Handler, found
from sandbox.effects.goods import GOODS
from sandbox.effects.payments import pay
from sandbox.effects.people import PEOPLE
from sandbox.effects.tickets import TICKETS
from sandbox.effects.uploads import announce, receive
from sandbox.listing import read_page
from sandbox.render import envelope, public
from sandbox.resources import resource_of
from sandbox.writing import Effects, create, delete, update
from specification import LISTS, OPERATIONS, List, Operation


@dataclass(frozen=True, eq=False)
class Route:
    """An operation with its handler."""

    operation: Operation
    handler: Handler

    def matches(self, path: str) -> dict[str, str] | None:
        """Give the path's variables if this template fits it."""
        known = self._pattern.fullmatch(path)
        return None if known is None else known.groupdict()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.operation.path))


def _list(row: List, call: Call) -> Answer:
    records, hidden = read_page(row, call.query, call.path, call.store, call.quirks)
    rows = [public(record, call.quirks, hidden) for record in records]
    name = resource_of(row).name
    if call.quirks.envelope == "type":
        name = call.path.get("type", name)
    return Answer(envelope(rows, name, call.quirks))


def _one(record: dict[str, Any], call: Call) -> Answer:
    """One record: it carries always what lists give with their flags."""
    served = public(record, call.quirks)
    return Answer([served] if call.quirks.detail == "list" else served)


def _detail(row: List, call: Call) -> Answer:
    return _one(found(call.store, resource_of(row).name, call.path[row.item]), call)


def _report(name: str, call: Call) -> Answer:
    return Answer(reports.answer(name, call.query, call.store, call.quirks))


def _info(call: Call) -> Answer:
    made_up = {"name": call.store.shop, "timezone": call.store.zone.key}
    return _one(call.store.first("info", "1", ()) or made_up, call)


def _item_lines(call: Call) -> Answer:
    record = found(call.store, "tickets", call.path["ticketId"])
    lines = public(record, call.quirks).get("lines") or []
    return Answer(envelope(lines, "item_lines", call.quirks))


def _inbound_call(call: Call) -> Answer:
    """The specification shows no response: the number and whose it may be is our guess."""
    number = call.path["inboundNumber"]
    called = "json_extract(doc, '$.mobile') = ? OR json_extract(doc, '$.phone') = ?"
    customer = call.store.first("customers", called, (number, number))
    known = None if customer is None else {"id": customer["id"], "name": customer.get("name")}
    return Answer({"inbound_number": number, "customer": known})


_EFFECTS = PEOPLE | TICKETS | GOODS
"""Resource -> what follows from its writes; one that is not here has none."""
_WRITES: dict[str, Callable[[List, Effects, Call], Answer]] = {
    "POST": create,
    "PUT": update,
    "DELETE": delete,
}


def _handler(one: Operation) -> Handler:
    """What answers an operation."""
    if one.list == "payments" and one.method == "POST":
        return pay
    if one.list:
        row = LISTS[one.list]
        if one.method == "GET":
            return partial(_list if one.is_list else _detail, row)
        return partial(_WRITES[one.method], row, _EFFECTS.get(row.name, Effects()))
    if one.body:
        return partial(announce, LISTS[one.body.replace("_upload", "s")], one.body)
    if one.form:
        return partial(receive, LISTS[one.path.split("/")[1]])
    if one.parameters:
        return partial(_report, one.path[1:])
    return {"info": _info, "tickets": _item_lines, "webhook": _inbound_call}[one.path.split("/")[1]]


def _routes() -> Iterator[Route]:
    for one in OPERATIONS:
        yield Route(one, _handler(one))


ROUTES = tuple(_routes())
"""Every method of every path of the specification, in the order in which they are tried."""
