"""Writes, each rule of the specification's field tables, through HTTP."""

import json
from typing import Any

import pytest

from tests.contract.asking import client_of, first, least_body, post, put, refused

pytestmark = pytest.mark.core


@pytest.fixture(scope="module")
def api(written):
    with client_of(written) as client:
        yield client


WRITABLE: dict[str, tuple[dict[str, Any], str]] = {
    "/customers": ({"city": "Leeds"}, "fulladdress"),
    "/tickets": ({"shortInfo": "changed"}, "short_info"),
    "/ticketTimers": ({"notes": "changed"}, "notes"),
    "/products": ({"name": "Long cable"}, "name"),
    "/models": ({"name": "N"}, "model"),
    "/categories": ({"profit_margin": 12.5}, "profit_margin"),
    "/brands": ({"name": "Bb"}, "name"),
    "/stock": ({"quantity": 4}, "quantity"),
    "/adjustments": ({"notes": "changed"}, "notes"),
    "/leads": ({"subject": "changed"}, "subject"),
    "/appointments": ({"subject": "changed"}, "subject"),
    "/timeClock": ({"OutDate": "05-Jan-2026 17:00:00"}, "out_date"),
}
"""Path -> a change, and the field of the record that shows it."""


@pytest.mark.parametrize("path", WRITABLE)
def test_create_change_delete(api, path):
    change, field = WRITABLE[path]
    made = post(api, path, **least_body(api, path))
    one = f"{path}/{made}"
    before = api.get(one).json()
    put(api, one, **change)
    after = api.get(one).json()
    assert before[field] != after[field]
    assert {k for k in after if after[k] != before.get(k)} <= {
        *(field, "last_updated", "fulladdress", "name")
    }
    put(api, one)
    gone = api.delete(one)
    assert (gone.status_code, gone.content) == (200, b"")
    assert api.get(one).status_code == 404
    assert api.delete(one).status_code == 404
    assert api.put(one, json=change).status_code == 404


BEYOND_THE_TABLES: list[tuple[str, dict[str, Any]]] = [
    ("/customers", {"dateOfBirth": "1990-01-05"}),
    ("/customers", {"tax": 999}),
    ("/categories", {"profit_margin": 100}),
    ("/models", {"status": "active"}),
    ("/adjustments", {"adjustment_date": "05-Jan-2026"}),
    ("/payments", {"lines": []}),
    ("/products", {"tax": 999}),
    ("/products", {"offerStart": "05-Jan-2026"}),
    ("/products", {"cost": "1"}),
    ("/tickets", {"status": "new"}),
    ("/tickets", {"priority": "urgent"}),
    ("/tickets", {"priority": 4}),
    ("/tickets", {"issueType": "nothing"}),
    ("/tickets", {"createdDate": "05-Jan-2026 10:00"}),
    ("/tickets", {"invoiceDate": "05-Jan-2026"}),
    ("/tickets", {"lines": [{"productCode": "none", "quantity": 1}]}),
    ("/tickets", {"lines": [{"quantity": 1}]}),
]
"""Rules that the rows of the tables do not tell, which test_bodies goes through."""


@pytest.mark.parametrize(("path", "broken"), BEYOND_THE_TABLES)
def test_broken_rules_are_refused(api, path, broken):
    body = least_body(api, path)
    refused(api, "POST", path, body | broken, *broken)


@pytest.mark.parametrize("field", ["issueDescription", "createdDate", "workApproved"])
def test_fields_of_create_only(api, field):
    ticket = first(api, "/tickets")
    refused(api, "PUT", f"/tickets/{ticket['id']}", {field: "05-Jan-2026"}, field)


def test_the_country_code_has_a_default(api):
    made = post(api, "/customers", name="A", mobile="123")
    assert api.get(f"/customers/{made}").json()["country_code"] == "GT"
    lead = post(api, "/leads", name="L", mobile="1", subject="s", countryCode="DE")
    assert api.get(f"/leads/{lead}").json()["country_code"] == "DE"
    refused(api, "PUT", f"/leads/{lead}", {"mobile": "2"}, "countryCode")


def test_absurd_numbers_and_days_are_refused_or_kept_but_never_break_it(api):
    huge = b'{"name": "x", "paymentTermDays": 1' + b"0" * 400 + b"}"
    answer = api.post("/customers", content=huge, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "paymentTermDays" in answer.json()["error"]
    visit = {"subject": "s", "duration": 60}
    last = {**visit, "dateandtime": "31-Dec-9999 23:59"}
    refused(api, "POST", "/appointments", last, "dateandtime")
    made = post(api, "/appointments", **visit, dateandtime="02-Jan-0026 10:00")
    assert api.get(f"/appointments/{made}").json()["start_date"].startswith("0026-01-02T10:00:00")
    assert api.get("/brands", params={"page": "9" * 5000}).json() == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b'{"name": NaN}'])
def test_bodies_that_are_no_object(api, content):
    answer = api.post("/brands", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert set(json.loads(answer.content)) == {"error"}


def test_another_content_type_is_refused(api):
    plain = {"Content-Type": "text/plain"}
    assert api.post("/brands", content="name=x", headers=plain).status_code == 415
