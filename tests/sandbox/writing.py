"""What tests of writes share: bodies that are taken; to create, to change, to be refused."""

from collections.abc import Callable
from typing import Any

import httpx

from tests.bodies.tables import ROWS, Row


def post(api: httpx.Client, path: str, **body: Any) -> str:
    answer = api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"id"}
    return str(answer.json()["id"])


def put(api: httpx.Client, path: str, **body: Any) -> None:
    answer = api.put(path, json=body)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"id"}


def refused(api: httpx.Client, method: str, path: str, body: Any, word: str) -> None:
    answer = api.request(method, path, json=body)
    assert answer.status_code == 400, answer.text
    assert set(answer.json()) == {"error"}
    assert word in answer.json()["error"]


def first(api: httpx.Client, path: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(path).json()[0]
    return found


Good = Callable[[httpx.Client], Any]
REAL: dict[str, Good] = {
    "customerId": lambda api: first(api, "/customers")["id"],
    "customer": lambda api: first(api, "/customers")["id"],
    "boughtFrom": lambda api: first(api, "/customers")["id"],
    "userId": lambda api: first(api, "/users")["id"],
    "attendees": lambda api: first(api, "/users")["id"],
    "ticket": lambda api: api.get("/tickets/updated").json()[0]["id"],
    "leads": lambda api: first(api, "/leads")["id"],
    "presetId": lambda api: first(api, "/presets")["id"],
    "issueType": lambda api: first(api, "/issueTypes")["label"],
    "deviceModelId": lambda api: first(api, "/models")["id"],
    "model": lambda api: first(api, "/models")["id"],
    "additionalModels": lambda api: ",".join(one["id"] for one in api.get("/models").json()[:2]),
    "category": lambda api: first(api, "/categories")["id"],
    "parent_category": lambda api: first(api, "/categories")["id"],
    "brand": lambda api: first(api, "/brands")["id"],
    "model_group": lambda api: first(api, "/modelGroups")["id"],
    "supplier": lambda api: first(api, "/suppliers")["id"],
    "warranty": lambda api: first(api, "/warranties")["id"],
    "product": lambda api: first(api, "/products")["id"],
    "invoiceId": lambda api: first(api, "/ticketInvoices")["id"],
    "tax": lambda api: first(api, "/taxRates")["id"],
    "term_in_days": lambda api: "30",
}
"""Fields that name a record: an id that there is."""
ADDRESS = {
    "customers": "/customers", "tickets": "/tickets", "ticket_comments": "/ticketComments",
    "ticket_timers": "/ticketTimers", "payments": "/payments", "products": "/products",
    "models": "/models", "categories": "/categories", "brands": "/brands", "stock": "/stock",
    "serials": "/serials", "adjustments": "/adjustments", "leads": "/leads",
    "appointments": "/appointments", "time_clock": "/timeClock",
}  # fmt: skip
CUSTOMER = next(row for row in ROWS if (row.resource, row.field) == ("appointments", "customer"))
CHECKED = [row for row in ROWS if row.resource in ADDRESS]


def good(api: httpx.Client, row: Row) -> Any:
    """A value that the shop takes: of a field that names a record, one there is."""
    if row.field == "status" and row.type == "any":
        return "Update" if row.resource == "ticket_comments" else "New"
    if row.field == "tax" and row.resource == "tickets":
        return 5
    if row.type == "list":
        code, one = (first(api, "/products")[name] for name in ("code", "id"))
        return {
            "tickets": [{"productCode": code, "quantity": 1}],
            "payments": [{"amount": 1, "paymentMethod": "1"}],
            "adjustments": [{"product_id": one, "quantity": 1, "type": "Addition"}],
        }[row.resource]
    if row.field in {"endDate", "OutDate"}:
        return "05-Jan-2026 16:00:00"
    return REAL[row.field](api) if row.field in REAL else row.good()


def least_body(api: httpx.Client, path: str) -> dict[str, Any]:
    """What must be there of a new record, and no more."""
    rows = (row for row in CHECKED if ADDRESS[row.resource] == path and row.required)
    return {row.field: good(api, row) for row in rows}
