"""Writes, each rule of the specification's field tables, through HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.sandbox.conftest import ZONE, client_of


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer([ShopSpec("main", ZONE, limit=None)]) as running:
        yield running


@pytest.fixture(scope="module")
def api(server: SandboxServer) -> Iterator[httpx.Client]:
    with client_of(server) as client:
        yield client


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


def _customer(api: httpx.Client) -> dict[str, Any]:
    return {"name": "Ann Lee"}


def _product(api: httpx.Client) -> dict[str, Any]:
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


WRITABLE: dict[str, tuple[Callable[[httpx.Client], dict[str, Any]], dict[str, Any], str]] = {
    "/customers": (_customer, {"city": "Leeds"}, "fulladdress"),
    "/tickets": (
        lambda api: {"customerId": first(api, "/customers")["id"], "shortInfo": "x"},
        {"shortInfo": "changed"},
        "short_info",
    ),
    "/ticketTimers": (
        lambda api: {
            "ticket": first(api, "/tickets")["ticket_no"],
            "startDate": "05-Jan-2026 10:00:00",
            "endDate": "05-Jan-2026 11:00:00",
            "userId": first(api, "/users")["id"],
        },
        {"notes": "changed"},
        "notes",
    ),
    "/products": (_product, {"name": "Long cable"}, "name"),
    "/models": (
        lambda api: {"brand": first(api, "/brands")["id"], "name": "M", "status": "Active"},
        {"name": "N"},
        "model",
    ),
    "/categories": (lambda api: {"name": "C"}, {"profit_margin": 12.5}, "profit_margin"),
    "/brands": (lambda api: {"name": "B"}, {"name": "Bb"}, "name"),
    "/stock": (
        lambda api: {"product": first(api, "/products")["id"], "quantity": 3},
        {"quantity": 4},
        "quantity",
    ),
    "/adjustments": (
        lambda api: {"adjustment_date": "05-Jan-2026 10:00"},
        {"notes": "changed"},
        "notes",
    ),
    "/leads": (
        lambda api: {"name": "L", "mobile": "+44 1", "subject": "s"},
        {"subject": "changed"},
        "subject",
    ),
    "/appointments": (
        lambda api: {"subject": "s", "dateandtime": "05-Jan-2026 10:00", "duration": 20},
        {"subject": "changed"},
        "subject",
    ),
    "/timeClock": (
        lambda api: {
            "inDate": "05-Jan-2026 09:00:00",
            "inNotes": "in",
            "userId": first(api, "/users")["id"],
        },
        {"OutDate": "05-Jan-2026 17:00:00"},
        "out_date",
    ),
}


@pytest.mark.parametrize("path", WRITABLE)
def test_create_change_delete(api: httpx.Client, path: str) -> None:
    body, change, field = WRITABLE[path]
    made = post(api, path, **body(api))
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


@pytest.mark.parametrize("path", WRITABLE)
def test_every_required_field_is_asked_for(api: httpx.Client, path: str) -> None:
    body = WRITABLE[path][0](api)
    for field in body:
        refused(api, "POST", path, {k: v for k, v in body.items() if k != field}, field)


LONG = "x" * 251
BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("/customers", {"name": LONG}, "name"),
    ("/customers", {"name": "A", "dateOfBirth": "1990-01-05"}, "dateOfBirth"),
    ("/customers", {"name": "A", "gender": "female"}, "gender"),
    ("/customers", {"name": "A", "gdprCompliant": "maybe"}, "gdprCompliant"),
    ("/customers", {"name": "A", "tax": 999}, "tax"),
    ("/customers", {"name": "A", "countryCode": "GBR"}, "countryCode"),
    ("/customers", {"name": "A", "nickname": "B"}, "nickname"),
    ("/brands", {"name": "x" * 101}, "name"),
    ("/categories", {"name": "x", "profit_margin": 0}, "profit_margin"),
    ("/categories", {"name": "x", "profit_margin": 100}, "profit_margin"),
    ("/categories", {"name": "x", "parent_category": "none"}, "parent_category"),
    ("/models", {"brand": "none", "name": "x", "status": "Active"}, "brand"),
    ("/models", {"brand": "none", "name": "x", "status": "active"}, "status"),
    ("/stock", {"product": "none", "quantity": 1}, "product"),
    ("/adjustments", {"adjustment_date": "05-Jan-2026"}, "adjustment_date"),
    (
        "/adjustments",
        {"adjustment_date": "05-Jan-2026 10:00", "reference_no": "x" * 51},
        "reference_no",
    ),
    ("/ticketComments", {"ticket": "none"}, "comment"),
    ("/payments", {"invoiceId": "none", "lines": []}, "lines"),
    (
        "/payments",
        {"invoiceId": "none", "lines": [{"amount": 1, "paymentMethod": "1"}]},
        "invoiceId",
    ),
]


@pytest.mark.parametrize(("path", "body", "word"), BROKEN)
def test_broken_rules_are_refused(
    api: httpx.Client, path: str, body: dict[str, Any], word: str
) -> None:
    refused(api, "POST", path, body, word)


PRODUCT_RULES = [
    ("name", "x" * 101),
    ("code", "x" * 26),
    ("imei", "x" * 21),
    ("type", "thing"),
    ("condition", "Old"),
    ("status", "Gone"),
    ("planDuration", 4),
    ("serviceSchedule", 13),
    ("stockQuantity", 0),
    ("tax", 999),
    ("category", "none"),
    ("supplier", "none"),
    ("warranty", "none"),
    ("offerStart", "05-Jan-2026"),
    ("cost", "1"),
]


@pytest.mark.parametrize(("field", "value"), PRODUCT_RULES)
def test_product_rules(api: httpx.Client, field: str, value: Any) -> None:
    refused(api, "POST", "/products", {**_product(api), field: value}, field)


TICKET_RULES = [
    ("status", "new"),
    ("priority", "urgent"),
    ("priority", 4),
    ("issueType", "nothing"),
    ("tax", -1),
    ("discount", -1),
    ("discountLevel", "net"),
    ("createdDate", "05-Jan-2026 10:00"),
    ("invoiceDate", "05-Jan-2026"),
    ("userId", "none"),
    ("presetId", "none"),
    ("lines", [{"productCode": "none", "quantity": 1}]),
    ("lines", [{"quantity": 1}]),
]


@pytest.mark.parametrize(("field", "value"), TICKET_RULES)
def test_ticket_rules(api: httpx.Client, field: str, value: Any) -> None:
    body = {"customerId": first(api, "/customers")["id"], "shortInfo": "x", field: value}
    refused(api, "POST", "/tickets", body, field)


@pytest.mark.parametrize("field", ["issueDescription", "createdDate", "workApproved"])
def test_fields_of_create_only(api: httpx.Client, field: str) -> None:
    ticket = first(api, "/tickets")
    refused(api, "PUT", f"/tickets/{ticket['id']}", {field: "05-Jan-2026"}, field)


@pytest.mark.parametrize("spelled", [True, False, "True", "False", "Yes", "No", "1", "0", 1, 0])
def test_boolean_spellings(api: httpx.Client, spelled: Any) -> None:
    made = post(api, "/customers", name="A", gdprCompliant=spelled)
    expected = str(spelled) in ("True", "Yes", "1")
    assert api.get(f"/customers/{made}").json()["gdpr_compliant"] is expected


def test_the_country_code_has_a_default(api: httpx.Client) -> None:
    made = post(api, "/customers", name="A", mobile="123")
    assert api.get(f"/customers/{made}").json()["country_code"] == "GT"
    lead = post(api, "/leads", name="L", mobile="1", subject="s", countryCode="DE")
    assert api.get(f"/leads/{lead}").json()["country_code"] == "DE"
    refused(api, "PUT", f"/leads/{lead}", {"mobile": "2"}, "countryCode")


def _ticket(api: httpx.Client, **body: Any) -> str:
    customer = first(api, "/customers")
    return post(api, "/tickets", customerId=customer["id"], shortInfo="x", **body)


def test_a_ticket_takes_ids_labels_and_names(api: httpx.Client) -> None:
    customer = post(api, "/customers", name="Only One of That Name")
    made = post(api, "/tickets", customerId="Only One of That Name", shortInfo="x", priority=1)
    ticket = api.get(f"/tickets/{made}").json()
    assert ticket["customer"]["id"] == customer
    assert ticket["status"]["label"] == "New"
    assert ticket["priority"] == "High"
    put(api, f"/tickets/{made}", status="In Progress")
    assert api.get(f"/tickets/{made}").json()["status"]["label"] == "In Progress"
    assert api.get("/tickets/updated").json()[0]["id"] == made
    for name in ("ticket_ref", "ticket_no", "id"):
        comment = post(
            api, "/ticketComments", ticket=ticket[name], status="Update", type="Public", comment="c"
        )
        shown = api.get("/ticketComments", params={"ticketId": made}).json()
        assert comment in [row["id"] for row in shown]


def test_a_closed_ticket_leaves_the_pipeline(api: httpx.Client) -> None:
    made = _ticket(api)
    closed = next(
        row
        for row in api.get("/statuses", params={"type": "repair"}).json()
        if not row["in_pipeline"]
    )
    assert made in [row["id"] for row in api.get("/tickets").json()]
    put(api, f"/tickets/{made}", status=closed["id"])
    assert made not in [row["id"] for row in api.get("/tickets").json()]


def test_lines_are_updated_by_their_product_code(api: httpx.Client) -> None:
    codes = [row["code"] for row in api.get("/products").json()[:2]]
    made = _ticket(api, lines=[{"productCode": codes[0], "quantity": 1, "unitPrice": 10}])
    sent = [
        {"productCode": codes[0], "quantity": 3, "itemDescription": "new"},
        {"productCode": codes[1], "quantity": 1, "unitPrice": 5.25},
    ]
    put(api, f"/tickets/{made}", lines=sent)
    lines = api.get(f"/tickets/{made}/itemLines").json()
    assert [(r["product_code"], r["quantity"], r["unit_price"]) for r in lines] == [
        (codes[0], 3, 10.0),
        (codes[1], 1, 5.25),
    ]
    assert lines[0]["item_description"] == "new"


def test_preset_lines_unless_lines_are_sent(api: httpx.Client) -> None:
    preset = first(api, "/presets")
    codes = [line["product_code"] for line in preset["lines"]]
    made = _ticket(api, presetId=preset["id"])
    lines = api.get(f"/tickets/{made}/itemLines").json()
    assert [line["product_code"] for line in lines] == codes
    other = first(api, "/products")["code"]
    made = _ticket(api, presetId=preset["id"], lines=[{"productCode": other, "quantity": 1}])
    lines = api.get(f"/tickets/{made}/itemLines").json()
    assert [line["product_code"] for line in lines] == [other]


def _sums(lines: list[dict[str, Any]], field: str) -> int:
    return sum(round(line[field] * 100) for line in lines)


def test_discounts_and_the_customer_groups(api: httpx.Client) -> None:
    group = next(g for g in api.get("/groups").json() if g["discount"])
    customer = post(api, "/customers", name="Grouped", group=group["name"])
    code = first(api, "/products")["code"]
    body = {
        "customerId": customer,
        "shortInfo": "x",
        "discount": 10,
        "discountLevel": "gross",
        "lines": [{"productCode": code, "quantity": 1, "unitPrice": 100}],
    }
    own = post(api, "/tickets", **body)
    assert _sums(api.get(f"/tickets/{own}/itemLines").json(), "discount") == 1000
    by_group = post(api, "/tickets", **body, customerGroupDiscount=True)
    lines = api.get(f"/tickets/{by_group}/itemLines").json()
    assert _sums(lines, "discount") == round(group["discount"] * 100)
    put(api, f"/tickets/{by_group}", customerGroupDiscount=False)
    assert _sums(api.get(f"/tickets/{by_group}/itemLines").json(), "discount") == 0
    ignored = post(api, "/tickets", **body, customerGroupDiscount=False)
    assert _sums(api.get(f"/tickets/{ignored}/itemLines").json(), "discount") == 1000
    grand = post(api, "/tickets", **{**body, "discountLevel": "grand"})
    plain = post(api, "/tickets", **{**body, "discount": 0})
    totals = [_sums(api.get(f"/tickets/{i}/itemLines").json(), "total") for i in (plain, grand)]
    assert abs(totals[0] - totals[1] - 1000) <= 1


def test_invoice_payment_and_report_follow(api: httpx.Client) -> None:
    code = first(api, "/products")["code"]
    lines = [{"productCode": code, "quantity": 2, "unitPrice": 50}]
    made = _ticket(api, lines=lines, createInvoice=True, invoiceDate="05-Mar-2024 10:00:00")
    reference = api.get(f"/tickets/{made}").json()["invoice"]
    invoice = api.get(f"/ticketInvoices/{reference['id']}").json()
    assert invoice["status"] == "Due"
    assert invoice["created_date"] == "2024-03-05T10:00:00-0600"
    assert _sums(invoice["lines"], "total") == round(invoice["amount_total"] * 100)
    march = api.get("/monthlySales", params={"year": 2024}).json()[2]
    assert march == {"month": "Mar", "total": invoice["amount_total"]}

    method = first(api, "/paymentMethods")
    half = round(invoice["amount_total"] / 2, 2)
    body = {"invoiceId": reference["id"], "paymentDate": "06-Mar-2024 09:00:00"}
    line = {"paymentMethod": str(method["id"]), "isAdvance": "No"}
    post(api, "/payments", **body, lines=[{**line, "amount": half}])
    assert api.get(f"/ticketInvoices/{reference['id']}").json()["status"] == "Due"
    rest = round(invoice["amount_total"] - half, 2)
    last = post(api, "/payments", **body, lines=[{**line, "amount": rest, "paymentNote": "n"}])
    paid = api.get(f"/ticketInvoices/{reference['id']}").json()
    assert paid["status"] == "Paid"
    assert paid["payments"][-1]["id"] == int(last)
    assert paid["payments"][-1]["payment_method"] == method["title"]
    ticket = api.get(f"/tickets/{made}").json()
    assert ticket["invoice"]["last_payment_date"] == "2024-03-06T09:00:00-0600"
    assert len(ticket["payments"]) == 2

    # On update createInvoice updates the invoice there is.
    put(
        api,
        f"/tickets/{made}",
        lines=[{"productCode": code, "quantity": 3}],
        createInvoice="Yes",
    )
    again = api.get(f"/tickets/{made}").json()["invoice"]
    assert again["id"] == reference["id"]
    assert again["amount"] > reference["amount"]
    assert api.get(f"/ticketInvoices/{reference['id']}").json()["status"] == "Due"


def test_one_payment_settles_several_invoices(api: httpx.Client) -> None:
    code = first(api, "/products")["code"]
    tickets = [
        _ticket(api, lines=[{"productCode": code, "quantity": 1, "unitPrice": p}], createInvoice=1)
        for p in (10, 20)
    ]
    invoices = [api.get(f"/tickets/{t}").json()["invoice"] for t in tickets]
    whole = round(sum(i["amount"] for i in invoices), 2)
    post(
        api,
        "/payments",
        invoiceId=[i["id"] for i in invoices],
        lines=[{"amount": whole, "paymentMethod": "1"}],
    )
    found = [api.get(f"/ticketInvoices/{i['id']}").json() for i in invoices]
    assert [f["status"] for f in found] == ["Paid", "Paid"]
    assert [f["payments"][0]["amount"] for f in found] == [i["amount"] for i in invoices]


def test_product_prices_and_first_stock(api: httpx.Client) -> None:
    rate = first(api, "/taxRates")
    body = {**_product(api), "price": 112, "TaxIncludedInPrice": True, "tax": rate["id"]}
    made = post(api, "/products", **body, stockQuantity=4, stock_cog_per_item=1.5)
    shown = api.get(f"/products/{made}").json()
    assert shown["prices"]["retail_price_inc_vat"] == 112.0
    assert shown["prices"]["retail_price"] == round(112 / (1 + rate["value"] / 100), 2)
    assert shown["stock"] == 4
    stock = api.get("/stock", params={"product_id": made}).json()
    assert [(r["quantity"], r["cog_per_item"]) for r in stock] == [(4, 1.5)]


def test_a_vat_margin_scheme_ignores_tax_included(serve: Callable[..., Any]) -> None:
    server, api = serve()
    rate = server.store().insert(
        "tax_rates", {"name": "Margin", "code": "M", "value": 20, "type": "VAT Margin Scheme"}
    )
    body = {**_product(api), "tax": int(rate), "price": 100, "TaxIncludedInPrice": True}
    made = post(api, "/products", **body)
    assert api.get(f"/products/{made}").json()["prices"]["retail_price"] == 100.0


def test_stock_arithmetic(api: httpx.Client) -> None:
    products = [post(api, "/products", **{**_product(api), "stockQuantity": 10}) for _ in range(2)]

    def stock() -> list[int]:
        return [api.get(f"/products/{p}").json()["stock"] for p in products]

    record = post(api, "/stock", product=products[0], quantity=5)
    put(api, f"/stock/{record}", quantity=7)
    assert stock() == [17, 10]
    assert api.delete(f"/stock/{record}").status_code == 200
    assert stock() == [10, 10]

    line = {"quantity": 3, "type": "Subtraction", "breakage": True}
    made = post(
        api,
        "/adjustments",
        adjustment_date="05-Jan-2026 10:00",
        products=[{"product_id": p, **line} for p in products],
    )
    assert stock() == [7, 7]
    ids = [r["stock_id"] for r in api.get(f"/adjustments/{made}").json()["products"]]
    put(
        api,
        f"/adjustments/{made}",
        update_products=[{"up_stock_id": ids[0], "up_quantity": 1}],
        delete_products=[{"stock_id": ids[1]}],
        add_products=[{"ad_product_id": products[1], "ad_quantity": 2, "ad_type": "Addition"}],
    )
    assert stock() == [9, 12]
    refused(
        api, "PUT", f"/adjustments/{made}", {"delete_products": [{"stock_id": ids[1]}]}, "stock_id"
    )
    assert api.delete(f"/adjustments/{made}").status_code == 200
    assert stock() == [10, 10]


def test_a_refused_adjustment_moves_no_stock(api: httpx.Client) -> None:
    product = post(api, "/products", **{**_product(api), "stockQuantity": 10})
    lines = [
        {"product_id": i, "quantity": 3, "type": "Addition"} for i in (product, "no such product")
    ]
    body = {"adjustment_date": "05-Jan-2026 10:00", "products": lines}
    refused(api, "POST", "/adjustments", body, "product_id")
    assert api.get(f"/products/{product}").json()["stock"] == 10


def test_serials(api: httpx.Client) -> None:
    one = first(api, "/serials")
    put(api, f"/serials/{one['id']}", term_in_days="90", serial="S-1", other_serial_update="Yes")
    shown = api.get(f"/serials/{one['id']}").json()
    assert (shown["term_in_days"], shown["serial"]) == (90, "S-1")
    refused(api, "PUT", f"/serials/{one['id']}", {"term_in_days": "soon"}, "term_in_days")
    assert api.post("/serials", json={}).status_code == 405


def test_an_appointment_may_make_its_ticket(api: httpx.Client) -> None:
    customer = first(api, "/customers")["id"]
    users = [row["id"] for row in api.get("/users").json()[:2]]
    body = {
        "subject": "Visit",
        "dateandtime": "05-Jan-2026 10:00",
        "duration": 30,
        "attendees": ",".join(users),
    }
    made = post(api, "/appointments", **body, customer=customer, createticket=True)
    shown = api.get(f"/appointments/{made}").json()
    assert shown["end_date"] == "2026-01-05T10:30:00-0600"
    assert [a["id"] for a in shown["attendees"]] == users
    ticket = api.get(f"/tickets/{shown['ticket']['id']}").json()
    assert ticket["customer"]["id"] == customer
    refused(api, "POST", "/appointments", {**body, "createticket": True}, "customer")
    assert api.get("/appointments/updated").json()[0]["id"] == made


def test_an_upload_takes_two_steps(api: httpx.Client) -> None:
    ticket = first(api, "/tickets")["id"]
    announced = api.post(f"/tickets/{ticket}/upload", json={"fileName": "a.png", "fileSize": 3})
    assert announced.status_code == 201
    location = announced.headers["location"]
    assert location.startswith(f"/v1/tickets/{ticket}/upload/")
    path = location.removeprefix("/v1")
    wrong = [
        {"file": ("b.png", b"abc")},
        {"file": ("a.png", b"abcd")},
        {"photo": ("a.png", b"abc")},
    ]
    for files in wrong:
        assert api.post(path, files=files).status_code == 400
    assert api.post(path, files={"file": ("a.png", b"abc")}).status_code == 200
    assert api.post(path, json={}).status_code == 415
    none = api.post(f"/tickets/{ticket}/upload/none", files={"file": ("a.png", b"abc")})
    assert none.status_code == 404
    for name in ("a.exe", "png"):
        refused(api, "POST", f"/tickets/{ticket}/upload", {"fileName": name, "fileSize": 3}, "file")
    product = first(api, "/products")["id"]
    assert (
        api.post(f"/products/{product}/upload", json={"fileName": "a.xyz", "fileSize": 1})
    ).status_code == 201


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b'{"name": NaN}'])
def test_bodies_that_are_no_object(api: httpx.Client, content: bytes) -> None:
    answer = api.post("/brands", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert set(json.loads(answer.content)) == {"error"}


def test_another_content_type_is_refused(api: httpx.Client) -> None:
    assert api.post("/brands", data={"name": "x"}).status_code == 415


def test_errors_as_xml(api: httpx.Client) -> None:
    answer = api.post("/brands", json={}, headers={"Accept": "application/xml"})
    assert answer.status_code == 400
    assert "<error>" in answer.text


def test_concurrent_writers_lose_nothing(server: SandboxServer, api: httpx.Client) -> None:
    product = post(api, "/products", **_product(api))
    before = server.store().count("payments")

    def work(number: int) -> None:
        with client_of(server) as client:
            for _ in range(5):
                post(client, "/stock", product=product, quantity=1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert api.get(f"/products/{product}").json()["stock"] == 40
    assert server.store().count("payments") == before
