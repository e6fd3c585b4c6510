"""Every POST, PUT and DELETE of the specification's endpoint tables.

The bodies are checked by tables of the sandbox's own (:mod:`sandbox.writes.bodies`); what follows
from a write is the service's own and written here from the specification.
"""

from functools import partial
from typing import Any

from sandbox.lists import VARIABLES
from sandbox.routes import Route
from sandbox.writes.bodies import schema_of
from sandbox.writes.common import Writes, create, delete, update
from sandbox.writes.goods import GOODS
from sandbox.writes.payments import pay
from sandbox.writes.people import PEOPLE
from sandbox.writes.tickets import TICKETS
from sandbox.writes.uploads import UPLOADS, announce, receive


def _json(table: str, op: str) -> dict[str, Any]:
    return {"application/json": {"schema": schema_of(table, op)}}


def _routes_of(writes: Writes, tag: str) -> list[Route]:
    routes: list[Route] = []
    resource, path = writes.resource, writes.path
    variable = VARIABLES.get(resource, "")
    one = f"{path}/{{{variable}}}"
    if writes.create is not None:
        make, body = partial(create, writes, writes.create), _json(resource, "create")
        routes.append(Route("POST", path, make, None, f"Create in {path}", tag, body, creates=True))
    if writes.update is not None:
        change = partial(update, writes, variable, writes.update)
        body = _json(resource, "update")
        routes.append(Route("PUT", one, change, None, f"Change one of {path}", tag, body))
    if writes.deletes:
        drop = partial(delete, writes, variable)
        routes.append(Route("DELETE", one, drop, None, f"Delete one of {path}", tag))
    return routes


def _upload_routes(resource: str, tag: str) -> list[Route]:
    variable = VARIABLES[resource]
    path = f"/{resource}/{{{variable}}}/upload"
    schema = {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}},
        "required": ["file"],
        "additionalProperties": False,
    }
    form = {"multipart/form-data": {"schema": schema}}
    first = partial(announce, resource, variable)
    second = partial(receive, resource, variable)
    body = _json(UPLOADS[resource], "create")
    return [
        Route("POST", path, first, None, "Announce a file", tag, body, creates=True),
        Route("POST", f"{path}/{{uploadId}}", second, None, "Send the file", tag, form),
    ]


def _write_routes() -> tuple[Route, ...]:
    groups = {"Customers": PEOPLE, "Tickets": TICKETS, "Products": GOODS}
    tags = {
        "leads": "Purchasing, leads and the rest",
        "appointments": "Appointments",
        "time_clock": "Shop",
        "stock": "Stock",
        "serials": "Stock",
        "adjustments": "Stock",
    }
    routes: list[Route] = []
    for tag, rows in groups.items():
        for row in rows:
            routes += _routes_of(row, tags.get(row.resource, tag))
    payment = _json("payments", "create")
    tag = "Invoices and payments"
    routes.append(Route("POST", "/payments", pay, None, "Pay", tag, payment, creates=True))
    for resource, tag in (("tickets", "Tickets"), ("products", "Products")):
        routes += _upload_routes(resource, tag)
    return tuple(routes)


WRITE_ROUTES = _write_routes()
"""Every write of the specification."""
