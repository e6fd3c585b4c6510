"""Which path answers what, in the order in which paths are tried (specification, rule 4).

Every operation of :mod:`specification` has its handler here, and its line in the explorer: the base
address in a browser is one page without assets, which needs no key.
"""

import re
from functools import cache, partial
from html import escape
from typing import Any

from sandbox.calls import Answer, Call, Handler, Refusal, found
from sandbox.effects.goods import GOODS
from sandbox.effects.people import PEOPLE
from sandbox.effects.tickets import TICKETS, pay
from sandbox.effects.uploads import announce, receive
from sandbox.listing import read_page
from sandbox.render import envelope, public
from sandbox.reports import REPORTS, report
from sandbox.resources import resource_of
from sandbox.writing import Effects, create, delete, update
from specification import BODIES, LIMITS, LISTS, METHOD_OF, OPERATIONS, List, Op, Operation


def _list(row: List, call: Call) -> Answer:
    records, hidden = read_page(row, call)
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
_WRITES = {"POST": create, "PUT": update, "DELETE": delete}
_OTHERS: dict[str, Handler] = {
    "info": _info,
    "tickets": _item_lines,
    "webhook": _inbound_call,
    **{name: partial(report, name) for name in REPORTS},
}
"""First step of a path that is no list -> what answers it."""


def _handler(one: Operation) -> Handler:
    """What answers an operation."""
    first = one.path.split("/")[1]
    if one.list == "payments" and one.method == "POST":
        return pay
    if one.body and not one.list:
        return partial(announce, LISTS[first], one.body)
    if one.form:
        return partial(receive, LISTS[first])
    if not one.list:
        return _OTHERS[first]
    row = LISTS[one.list]
    if one.method == "GET":
        return partial(_list if one.is_list else _detail, row)
    return partial(_WRITES[one.method], row, _EFFECTS.get(row.name, Effects()))


_PATHS: dict[re.Pattern[str], dict[str, Handler]] = {}
"""Every path of the specification with its handlers by method, in the order they are tried in."""
for _each in OPERATIONS:
    _path = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", LIMITS.prefix + _each.path)
    _PATHS.setdefault(re.compile(_path), {})[_each.method] = _handler(_each)


def route(method: str, path: str) -> tuple[Handler, dict[str, str]]:
    """What answers a request, and the variables of its path.

    The first path that matches is used (specification, rule 4), whatever the method."""
    for pattern, handlers in _PATHS.items():
        if known := pattern.fullmatch(path):
            if method in handlers:
                return handlers[method], known.groupdict()
            methods = ", ".join(handlers)
            words = f"{method} is not possible here. Please use {methods}."
            raise Refusal(words, 405, {"allow": methods})
    raise Refusal("There is no such path. Please check the address.", 404)


_PAGE_HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Repair shop sandbox</title>'
    "<style>body{font:15px sans-serif;margin:2em auto;max-width:60em}code{font-size:14px}"
    "td{vertical-align:top;padding:.3em .8em .3em 0}</style><h1>Repair shop sandbox</h1>"
    "<p>A local stand-in for the service. Every request carries the key: <code>curl -H "
    "'Authorization: KEY' ADDRESS/tickets</code>. Shapes vary with the shop's quirks.</p>"
)


def explorer(method: str, path: str) -> bytes | None:
    """The page, where this is a request for it; None for everything else."""
    return _page() if method == "GET" and path.rstrip("/") in ("", LIMITS.prefix) else None


@cache
def _page() -> bytes:
    parts = [_PAGE_HEAD]
    for section in dict.fromkeys(one.section for one in OPERATIONS):
        rows = "".join(_row(one) for one in OPERATIONS if one.section == section)
        parts.append(f"<h2>{escape(section)}</h2><table>{rows}</table>")
    return "".join(parts).encode()


def _row(one: Operation) -> str:
    said = list(one.parameters)
    if one.is_list:
        said = list(LISTS[one.list].parameters)
    elif one.body:
        op: Op = "update" if one.method == METHOD_OF["update"] else "create"
        for field in BODIES[one.body].taken(op).values():
            said.append(f"{field.name}*" if field.required and op == "create" else field.name)
    elif one.form:
        said = [f"form-data field {one.form}"]
    line = f"{one.method} {LIMITS.prefix}{one.path}"
    return f"<tr><td><code>{escape(line)}</code><td>{escape(', '.join(said))}"
