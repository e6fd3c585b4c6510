"""Asking a sandbox: a client; bodies that its shop takes; to create, to change, to be refused."""

import httpx

from sandbox.server import SandboxServer
from sandbox.service import Sandbox
from specification import BODIES, LISTS
from tests.contract.values import good

ZONE = "America/Guatemala"


def client_of(sandbox: Sandbox, shop: str = "main") -> httpx.Client:
    """Asks a shop: over the wire where it is served, else in this process."""
    return httpx.Client(
        base_url=sandbox.base_url,
        headers={"Authorization": sandbox.keys[shop]},
        transport=None if isinstance(sandbox, SandboxServer) else sandbox.transport(),
        timeout=20,
        # Dropped before the server drops them, which may be while a request is on its way.
        limits=httpx.Limits(keepalive_expiry=1.0),
    )


def post(api, path, **body):
    answer = api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"id"}
    return str(answer.json()["id"])


def put(api, path, **body):
    answer = api.put(path, json=body)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"id"}


def refused(api, method, path, body, word):
    answer = api.request(method, path, json=body)
    assert answer.status_code == 400, answer.text
    assert set(answer.json()) == {"error"}
    assert word in answer.json()["error"]


def first(api, path):
    return api.get(path).json()[0]


def real(api, resource, field):
    """A value that the shop takes: of a field that names a record, one there is."""
    if field.name == "status" and field.names:
        return field.default
    if field.of:
        code, one = (first(api, "/products")[name] for name in ("code", "id"))
        return {
            "ticket_line": [{"productCode": code, "quantity": 1}],
            "payment_line": [{"amount": 1, "paymentMethod": "1"}],
            "adjusted": [{"product_id": one, "quantity": 1, "type": "Addition"}],
        }[field.of]
    if field.name in {"endDate", "OutDate"}:
        return "05-Jan-2026 16:00:00"
    if field.name == "term_in_days":
        return "30"
    if not field.names:
        return good(field)
    path = "/tickets/updated" if field.names == "tickets" else LISTS[field.names].path
    found = first(api, path)
    return found["label"] if field.names == "issue_types" else found["id"]


def least_body(api, path):
    """What must be there of a new record, and no more."""
    resource = next(one.name for one in LISTS.values() if one.path == path)
    fields = BODIES[resource].fields.values()
    return {field.name: real(api, resource, field) for field in fields if field.required}
