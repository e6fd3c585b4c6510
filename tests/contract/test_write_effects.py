"""What follows from a write: lines, invoices, payments, stock, files."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.contract.asking import client_of, first, least_body, post, put, refused

pytestmark = pytest.mark.core


@pytest.fixture(scope="module")
def api(written):
    with client_of(written) as client:
        yield client


def _ticket(api: httpx.Client, **body: Any) -> str:
    customer = first(api, "/customers")
    return post(api, "/tickets", customerId=customer["id"], shortInfo="x", **body)


def test_a_ticket_takes_ids_labels_and_names(api):
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


def test_a_closed_ticket_leaves_the_pipeline(api):
    made = _ticket(api)
    statuses = api.get("/statuses", params={"type": "repair"}).json()
    closed = next(row for row in statuses if row["label"] == "Collected")
    assert made in [row["id"] for row in api.get("/tickets").json()]
    put(api, f"/tickets/{made}", status=closed["id"])
    assert made not in [row["id"] for row in api.get("/tickets").json()]


def test_lines_are_updated_by_their_product_code(api):
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


def test_preset_lines_unless_lines_are_sent(api):
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


def test_discounts_and_the_customer_groups(api):
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


def test_invoice_payment_and_report_follow(written, api):
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
    refund = {"amount": -1, "date": "2024-04-02T09:00:00-0600"}
    written.store().pay("ticket_invoices", paid, refund)
    assert api.get(f"/tickets/{made}").json()["invoice"] == ticket["invoice"], "no payment of it"

    # On update createInvoice updates the invoice there is.
    put(
        api,
        f"/tickets/{made}",
        lines=[{"productCode": code, "quantity": 3}],
        createInvoice="Yes",
    )
    again = api.get(f"/tickets/{made}").json()["invoice"]
    assert again["id"] == reference["id"]
    after = api.get(f"/ticketInvoices/{reference['id']}").json()
    assert after["amount_total"] > invoice["amount_total"]
    assert after["status"] == "Due"


def test_one_payment_settles_several_invoices(api):
    code = first(api, "/products")["code"]
    tickets = [
        _ticket(api, lines=[{"productCode": code, "quantity": 1, "unitPrice": p}], createInvoice=1)
        for p in (10, 20)
    ]
    invoices = [api.get(f"/tickets/{t}").json()["invoice"] for t in tickets]
    shown = [api.get(f"/ticketInvoices/{i['id']}").json() for i in invoices]
    whole = round(sum(i["amount_total"] for i in shown), 2)
    post(
        api,
        "/payments",
        invoiceId=[i["id"] for i in invoices],
        lines=[{"amount": whole, "paymentMethod": "1"}],
    )
    found = [api.get(f"/ticketInvoices/{i['id']}").json() for i in invoices]
    assert [f["status"] for f in found] == ["Paid", "Paid"]
    assert [f["payments"][0]["amount"] for f in found] == [i["amount_total"] for i in shown]


def test_product_prices_and_first_stock(api):
    rate = first(api, "/taxRates")
    body = least_body(api, "/products") | {"price": 112, "tax": rate["id"]}
    stock = {"stockQuantity": 4, "stock_cog_per_item": 1.5}
    made = post(api, "/products", **body, TaxIncludedInPrice=True, **stock)
    shown = api.get(f"/products/{made}").json()
    assert shown["prices"]["retail_price_inc_vat"] == 112.0
    assert shown["prices"]["retail_price"] == round(112 / (1 + rate["value"] / 100), 2)
    assert shown["stock"] == 4
    stock = api.get("/stock", params={"product_id": made}).json()
    assert [(r["quantity"], r["cog_per_item"]) for r in stock] == [(4, 1.5)]


def test_a_vat_margin_scheme_ignores_tax_included(serve):
    server, api = serve()
    rate = server.store().insert(
        "tax_rates", {"name": "Margin", "code": "M", "value": 20, "type": "VAT Margin Scheme"}
    )
    body = least_body(api, "/products") | {"price": 100, "tax": int(rate)}
    made = post(api, "/products", **body, TaxIncludedInPrice=True)
    assert api.get(f"/products/{made}").json()["prices"]["retail_price"] == 100.0


def test_stock_arithmetic(api):
    products = [
        post(api, "/products", **least_body(api, "/products"), stockQuantity=10) for _ in range(2)
    ]

    def stock():
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
    lines = [{"product_id": one, **line} for one in (products[0], "no such product")]
    body = {"adjustment_date": "05-Jan-2026 10:00", "products": lines}
    refused(api, "POST", "/adjustments", body, "product_id")
    assert stock() == [10, 10], "nothing of it is kept"


def test_serials(api):
    one = first(api, "/serials")
    put(api, f"/serials/{one['id']}", term_in_days="90", serial="S-1", other_serial_update="Yes")
    shown = api.get(f"/serials/{one['id']}").json()
    assert (shown["term_in_days"], shown["serial"]) == (90, "S-1")
    refused(api, "PUT", f"/serials/{one['id']}", {"term_in_days": "soon"}, "term_in_days")
    assert api.post("/serials", json={}).status_code == 405


def test_an_appointment_may_make_its_ticket(api):
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


def test_an_upload_takes_two_steps(api):
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


def test_concurrent_writers_lose_nothing(written, api):
    product = post(api, "/products", **least_body(api, "/products"))
    before = written.store().count("payments")

    def work(number):
        with client_of(written) as client:
            for _ in range(5):
                post(client, "/stock", product=product, quantity=1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert api.get(f"/products/{product}").json()["stock"] == 40
    assert written.store().count("payments") == before
