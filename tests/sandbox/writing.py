"""What tests of writes share: to create, to change, to be refused."""

from typing import Any

import httpx


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


def product_body(api: httpx.Client) -> dict[str, Any]:
    return {
        "type": "product",
        "name": "Cable",
        "condition": "New",
        "code": "CBL",
        "status": "Active",
        "cost": 1,
        "price": 2.5,
        "tax": first(api, "/taxRates")["id"],
    }
