"""Every way of answering that the field notes report, one switch at a time."""

import itertools
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from sandbox.quirks import Quirks
from tests.contract.asking import post

INVOICE = {
    "id": "a",
    "number": "I-1",
    "customer": None,
    "amount_total": Decimal("1234.50"),
    "created_date": "2026-01-05T10:00:00-0600",
    "due_date": "2026-01-06",
    "lines": [{"id": 1, "unit_price": Decimal("-2.50"), "quantity": 2}],
}
CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"amount_total": 1234.5, "customer": None, "created_date": "2026-01-05T10:00:00-0600"}),
    ({"amounts": "text"}, {"amount_total": "1234.50"}),
    ({"amounts": "currency"}, {"amount_total": "Q1,234.50", "number": "I-1"}),
    ({"empty_reference": "object"}, {"customer": {}}),
    ({"empty_reference": "text"}, {"customer": ""}),
    ({"dates": "iso_colon"}, {"created_date": "2026-01-05T10:00:00-06:00"}),
    ({"dates": "dd-mmm-yyyy"}, {"created_date": "05-Jan-2026 10:00:00", "due_date": "06-Jan-2026"}),
    ({"naming": "camelCase"}, {"amountTotal": 1234.5}),
]


@pytest.mark.parametrize(("quirks", "expected"), CASES)
def test_one_switch_at_a_time(inside, quirks, expected):
    _, api, _ = inside([("ticket_invoices", INVOICE)], **quirks)
    listed = api.get("/ticketInvoices", params={"includeLines": 1}).json()[0]
    assert expected.items() <= listed.items()
    assert expected.items() <= api.get("/ticketInvoices/a").json().items()
    if quirks.get("amounts") == "currency":
        assert listed["lines"] == [{"id": 1, "unit_price": "-Q2.50", "quantity": 2}]


def test_an_empty_reference_may_be_missing(inside):
    _, api, _ = inside([("ticket_invoices", INVOICE)], empty_reference="missing")
    assert "customer" not in api.get("/ticketInvoices/a").json()


@pytest.mark.parametrize(
    ("quirks", "path", "name"),
    [
        ({"envelope": "bare"}, "/ticketInvoices", None),
        ({"envelope": "data"}, "/ticketInvoices", "data"),
        ({"envelope": "resource"}, "/ticketInvoices", "ticket_invoices"),
        ({"detail": "list"}, "/ticketInvoices/a", None),
    ],
)
def test_what_rows_come_in(inside, quirks, path, name):
    _, api, _ = inside([("ticket_invoices", INVOICE)], **quirks)
    answer = api.get(path).json()
    assert [row["id"] for row in (answer if name is None else answer[name])] == ["a"]


def test_paging_by_offset_only(inside):
    _, api, _ = inside(paging="offset_only")
    first = api.get("/payments").json()
    assert len(first) == 50
    assert api.get("/payments", params={"page": 2}).json() == []
    second = api.get("/payments", params={"offset": 50, "limit": 50}).json()
    assert len(second) == 50
    assert not {row["id"] for row in first} & {row["id"] for row in second}
    few = api.get("/payments", params={"offset": 50, "limit": 3}).json()
    assert few == second[:3]


def test_offset_means_nothing_where_pages_work(inside):
    _, api, _ = inside()
    assert api.get("/payments", params={"offset": 50}).json() == api.get("/payments").json()


@pytest.mark.parametrize("order", ["loose", "unstable"])
def test_loose_order_keeps_every_row(inside, order):
    sandbox, api, _ = inside(order=order)
    dates = []
    for page in range(1, 10):
        dates += [row["date"] for row in api.get("/payments", params={"page": page}).json()]
    assert len(dates) == sandbox.store().count("payments")
    assert dates != sorted(dates, reverse=True)
    moments = [datetime.fromisoformat(date) for date in dates]
    back = [b - a for a, b in itertools.pairwise(moments) if b > a]
    assert max(back) <= timedelta(hours=24)
    if order == "loose":
        assert api.get("/payments").json() == api.get("/payments").json()


@pytest.mark.parametrize("past", ["empty", "error", "last_page"])
def test_past_the_end(inside, past):
    _, api, _ = inside(past_the_end=past)
    answer = api.get("/brands", params={"page": 2})
    if past == "error":
        assert answer.status_code == 400
    else:
        assert answer.json() == ([] if past == "empty" else api.get("/brands").json())


def test_quirks_that_do_not_exist_are_refused():
    with pytest.raises(ValidationError):
        Quirks.model_validate({"amounts": "words"})
    with pytest.raises(ValidationError):
        Quirks.model_validate({"colour": "blue"})


SEEN = {
    "product_texts": True,
    "ticket_invoice": "empty",
    "numeric_ids": True,
    "internal_id": "ref",
    "long_payment_ids": True,
    "service_type": "services",
}


def test_what_second_looks_have_seen(inside):
    """Field notes, A second look: each as that shop shows it, all of them at once."""
    _, api, _ = inside(**SEEN)
    products = api.get("/products").json()
    kinds = {(type(one["brand"]), type(one["model"])) for one in products}
    assert kinds <= {(str, str), (str, type(None)), (type(None), type(None))}
    assert {one["type"] for one in products} == {"product", "services"}
    named = next(one for one in products if one["model"])
    assert named["id"] in {
        one["id"] for one in api.get("/products", params={"model": named["model"]}).json()
    }
    for path in ("brands", "models", "issueTypes"):
        rows = api.get(f"/{path}").json()
        assert all(isinstance(one["id"], int) for one in rows)
    model = api.get("/models").json()[0]
    assert api.get(f"/models/{model['id']}").json() == model
    tickets = api.get("/tickets/updated").json()
    assert all(one["invoice"] == {} for one in tickets)
    assert all(
        one["customer"]["internal_id"]
        == api.get(f"/customers/{one['customer']['id']}").json()["ref"]
        for one in tickets[:3]
    )
    paid = api.get("/payments").json()
    assert all(len(str(one["payment_id"])) == 10 != one["id"] for one in paid)
    made = post(api, "/models", brand=model["brand"]["id"], name="N", status="Active")
    assert made.isdecimal()


def test_an_invoice_without_its_amount(inside):
    _, api, _ = inside(ticket_invoice="no_amount")
    invoices = [one["invoice"] for one in api.get("/tickets/updated").json() if one["invoice"]]
    assert invoices
    assert all("amount" not in one and one["number"] for one in invoices)


def test_forms_are_taken_as_well_as_json(inside):
    _, api, _ = inside()
    form = {
        "customerId": api.get("/customers").json()[0]["id"],
        "shortInfo": "Pantalla rota",
        "workApproved": "Yes",
        "lines[0][productCode]": api.get("/products").json()[0]["code"],
        "lines[0][quantity]": "2",
    }
    made = api.post("/tickets", data=form)
    assert made.status_code == 201, made.text
    ticket = api.get(f"/tickets/{made.json()['id']}").json()
    assert (ticket["short_info"], ticket["work_approved"]) == ("Pantalla rota", True)
    assert [line["quantity"] for line in ticket["lines"]] == [2]
    assert api.post("/tickets", data={"shortInfo": "x"}).status_code == 400
    assert api.post("/tickets", data={**form, "customerId": "@1"}).status_code == 400
