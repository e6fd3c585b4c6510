"""Every POST, PUT and DELETE of the specification's endpoint tables.

The bodies are checked by tables of the sandbox's own (:mod:`sandbox.writes.bodies`); what follows
from a write is the service's own and written here from the specification.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from sandbox.lists import OF_RESOURCE
from sandbox.routes import READ_ROUTES, Route
from sandbox.writes.bodies import schema_of
from sandbox.writes.common import Writes, create, delete, update
from sandbox.writes.goods import GOODS
from sandbox.writes.payments import pay
from sandbox.writes.people import PEOPLE
from sandbox.writes.tickets import TICKETS
from sandbox.writes.uploads import UPLOADS, announce, receive

_FORM = {
    "type": "object",
    "properties": {"file": {"type": "string", "format": "binary"}},
    "required": ["file"],
    "additionalProperties": False,
}


def _json(table: str, op: str) -> dict[str, Any]:
    return {"application/json": {"schema": schema_of(table, op)}}


def _routes_of(writes: Writes) -> Iterator[Route]:
    tag, row = OF_RESOURCE[writes.resource]
    path, one = row.path, f"{row.path}/{{{row.detail}}}"
    if "POST" in writes.methods:
        make, body = partial(create, writes), _json(row.resource, "create")
        yield Route("POST", path, make, tag, f"Create in {path}", body=body, creates=True)
    if "PUT" in writes.methods:
        change, body = partial(update, writes), _json(row.resource, "update")
        yield Route("PUT", one, change, tag, f"Change one of {path}", body=body)
    if "DELETE" in writes.methods:
        yield Route("DELETE", one, partial(delete, writes), tag, f"Delete one of {path}")


def _upload_routes(resource: str, table: str) -> Iterator[Route]:
    tag, row = OF_RESOURCE[resource]
    path = f"{row.path}/{{{row.detail}}}/upload"
    first, second = partial(announce, row), partial(receive, row)
    body, form = _json(table, "create"), {"multipart/form-data": {"schema": _FORM}}
    yield Route("POST", path, first, tag, "Announce a file", body=body, creates=True)
    yield Route("POST", f"{path}/{{uploadId}}", second, tag, "Send the file", body=form)


def _write_routes() -> Iterator[Route]:
    for writes in (*PEOPLE, *TICKETS, *GOODS):
        yield from _routes_of(writes)
    tag, payment = "Invoices and payments", _json("payments", "create")
    yield Route("POST", "/payments", pay, tag, "Pay", body=payment, creates=True)
    for resource, table in UPLOADS.items():
        yield from _upload_routes(resource, table)


ROUTES = (*READ_ROUTES, *_write_routes())
"""Every method of every path of the specification, in the order in which they are tried."""
