"""Every path, method and parameter of the specification, on one shop of the sandbox."""

import re
from contextlib import closing
from datetime import date

import httpx
import pytest

from sandbox.quirks import Quirks
from sandbox.service import Sandbox
from sandbox.shops import ShopSpec
from sandbox.values import format_day
from specification import LISTS, OPERATIONS
from tests.contract.asking import ZONE, client_of, first, least_body, post, put, refused
from tests.contract.test_writes import WRITABLE

LOOKS_AT = {
    "time_clock": {"userId": "user.id"},
    "appointments": {
        "startDate": "start_date", "endDate": "end_date", "ticket": "ticket.id>tickets.short_info",
        "customer": "customer.mobile", "lead": "lead.id>leads.business_name",
        "attendee": "attendees.first_name",
    },
    "customers": {
        "address": "fulladdress.address", "city": "fulladdress.city",
        "postCode": "fulladdress.post_code",
    },
    "groups": {
        "billingname": "billing_name", "billingmobile": "billing_mobile",
        "billingemail": "billing_email",
    },
    "tickets": {
        "ticketNo": "ticket_no", "customer": "customer.name", "company": "customer.company",
        "issue": "short_info", "issueType": "issue_type.label", "status": "status.label",
    },
    "tickets_updated": {"ticketNo": "ticket_no"},
    "ticket_comments": {"ticketId": "ticket.id"},
    "ticket_timers": {"ticketId": "ticket.id"},
    "statuses": {"status": "label"},
    "presets": {
        "category": "category.name", "brand": "brand.name", "model": "model.name",
        "issueType": "issue_type.label", "legalDocument": "legal_document_id",
    },
    "ticket_invoices": {
        "invoiceNo": "number", "ticketNo": "ticket_no", "paymentDate": "payments.date",
    },
    "pos_orders": {"orderNo": "number"},
    "pos_invoices": {"orderNo": "number"},
    "payments": {"invoiceId": "invoice.id", "orderId": "pos.id", "paymentDate": "date"},
    "products": {"category": "category.name", "model": "model.name"},
    "models": {"model_group": "model_group.name"},
    "stock": {"product_id": "product.id", "serializeStock": "serialize_stock"},
    "serials": {"productId": "product.id"},
    "adjustments": {
        "adjustmentDate": "adjustment_date", "internal_use": "products.internal_use",
        "breakage": "products.breakage",
    },
    "suppliers": {"contactname": "contact_name", "countrycode": "country_code"},
    "leads": {
        "ticket": "ticket.id>tickets.short_info", "customer": "business_name", "issue": "subject",
        "issueDescription": "description", "issuetype": "issue_type.id",
        "referredBy": "referred_by",
    },
    "shipments": {"ticketId": "ticket.id", "customerId": "customer.id"},
    "shipments_deleted": {"ticketId": "ticket.id"},
}  # fmt: skip
"""List -> parameter -> the field of a record that it looks at, where that is not the one of its
name; ``ticket.id>tickets.short_info`` is of the record named there."""
APART = {"page", "sort", "searchKeyword", "filter", "running", "categoryId", "tabId"}
"""Parameters of orders, pages and fixed meanings, which have tests of their own."""
EXACT = set("gender status type condition userId product_id productId ticketId issuetype".split())
PARTS = {
    name: "true" for row in LISTS.values() for name in row.parameters if name.startswith("include")
}
EMPTY = {
    "users": ("phone", "website"),
    "customers": ("phone",),
    "suppliers": ("county",),
    "leads": ("description", "business_name"),
}
"""Fields that the made-up shop leaves empty, at least of the few records a test looks at."""


@pytest.fixture(scope="module")
def audited():
    """One shop for all of this module, with a value in every field that a parameter looks at."""
    plain = Quirks(second_look=False)
    with closing(Sandbox([ShopSpec("main", ZONE, plain, limit=None)])) as sandbox:
        store = sandbox.store()
        for resource, fields in EMPTY.items():
            for one in store.all(resource):
                text = {name: one.get(name) or f"{name} {one['id']}" for name in fields}
                store.update(resource, one["id"], text, touch=False)
        lead, appointment = store.all("leads")[0], store.all("appointments")[0]
        caller = {"lead": {"id": lead["id"], "name": lead["name"]}}
        store.update("appointments", appointment["id"], caller, touch=False)
        for one in store.select("tickets", "in_pipeline = 1", ()):
            company = {**(one["customer"] or {}), "company": "Ferretería"}
            store.update("tickets", one["id"], {"customer": company}, touch=False)
        yield sandbox


@pytest.fixture(scope="module")
def api(audited):
    with client_of(audited) as client:
        yield client


def address_of(path):
    return re.sub(r"\{\w+\}", "none", path.replace("{type}", "tickets"))


def test_a_path_has_its_methods_and_no_other(api, subtests):
    methods = {path: {o.method for o in OPERATIONS if o.path == path} for path in PATHS}
    for path, known in methods.items():
        for method in ("GET", "POST", "PUT", "DELETE"):
            with subtests.test(f"{method} {path}"):
                body = None if method == "GET" else {}
                answer = api.request(method, address_of(path), json=body)
                assert (answer.status_code == 405) == (method not in known)
                assert answer.status_code < 500
                if answer.status_code == 405:
                    assert set(answer.headers["allow"].split(", ")) == known


PATHS = sorted({one.path for one in OPERATIONS})


def test_the_base_address_lists_every_operation_and_needs_no_key(audited):
    page = httpx.Client(transport=audited.transport()).get(audited.base_url)
    assert page.headers["content-type"].startswith("text/html")
    assert [one for one in OPERATIONS if f"{one.method} /v1{one.path}<" not in page.text] == []
    assert "http" not in re.sub("<style.*</style>", "", page.text), "it loads nothing"


def held(api, record, path):
    """Values of a record at a dotted path; ``id>tickets.short_info`` is of the record it names."""
    here, _, there = path.partition(">")
    values = [record]
    for step in here.split("."):
        values = [one.get(step) for one in values if isinstance(one, dict)]
        values = [part for one in values for part in (one if isinstance(one, list) else [one])]
    values = [value for value in values if value not in (None, "")]
    if there:
        other, _, field = there.partition(".")
        found = [api.get(f"/{other}/{value}").json() for value in values]
        return [one[field] for one in found if one.get(field)]
    return values


def narrowing(row):
    for name in row.parameters:
        if name not in APART and name not in PARTS and not name.endswith("Condition"):
            pair = re.sub("(From|To)$", "", name)
            dates = {"createdDate": "created_date", "updatedDate": "last_updated"}
            known = {**dates, **LOOKS_AT.get(row.name, {})}
            yield name, known.get(name, known.get(pair, name))


def a_row_with(api, address, field):
    """A record that has something in a field, and what."""
    for page in range(1, 30):
        rows = api.get(address, params={**PARTS, "sort": "oldest", "page": page}).json()
        assert rows, f"no record of {address} has {field}"
        for row in rows:
            if values := held(api, row, field):
                return row, values[0]
    raise AssertionError(f"{address}: {field}")


@pytest.mark.parametrize("row", LISTS.values(), ids=lambda row: row.name)
def test_a_parameter_finds_the_record_and_only_those_like_it(api, subtests, row):
    for name, field in narrowing(row):
        with subtests.test(name):
            is_day = re.search("Date(From|To)$", name)
            record, said = a_row_with(api, address_of(row.path), field)
            wanted = "Yes" if said is True else "No" if said is False else str(said)
            wanted = format_day(date.fromisoformat(wanted[:10])) if is_day else wanted
            wanted = wanted.lower() if (row.name, name) == ("ticket_comments", "type") else wanted
            order = "newest" if name.endswith("From") else "oldest"
            found = []
            for page in range(1, 60):
                asked = {**PARTS, "sort": order, name: wanted, "page": page}
                part = api.get(address_of(row.path), params=asked)
                assert part.status_code == 200, part.text
                found += part.json()
                if len(part.json()) < 50 or record in found:
                    break
            assert record["id"] in {one["id"] for one in found}
            if not is_day and isinstance(said, str):
                kept = [held(api, one, field) for one in found[:5]]
                alike = [any(wanted.lower() in str(v).lower() for v in vs) for vs in kept]
                # Free text may be found in another field that the parameter looks at too.
                assert all(alike) if name in EXACT else any(alike)


@pytest.mark.parametrize("row", LISTS.values(), ids=lambda row: row.name)
def test_a_list_has_its_orders_and_ignores_the_parameters_of_others(api, row):
    address = address_of(row.path)
    plain = api.get(address).json()
    others = {name for one in LISTS.values() for name in one.parameters} - set(row.parameters)
    assert api.get(address, params=dict.fromkeys(others, "?")).json() == plain
    sort = row.parameters.get("sort")
    if sort is None:
        return
    orders = {one: api.get(address, params={"sort": one}).json() for one in sort.values}
    assert orders[sort.default] == plain
    if len(plain) < 50:
        assert orders["newest"] == orders["oldest"][::-1]
    for wrong in {"Newest", "recently_updated"} - set(sort.values):
        assert api.get(address, params={"sort": wrong}).status_code == 400


@pytest.mark.parametrize("path", WRITABLE)
def test_a_record_made_here_has_the_keys_of_one_that_was_there(api, shared, path):
    made = api.get(f"{path}/{post(api, path, **least_body(api, path))}").json()
    seeded: set[str] = set()
    with client_of(shared) as seeds:
        for one in seeds.get(path, params={"sort": "oldest"}).json()[:5]:
            seeded |= set(seeds.get(f"{path}/{one['id']}").json())
    optional = {"payments", "custom_fields"}
    assert set(made) | optional == seeded | optional


def test_a_renamed_customer_or_brand_shows_everywhere(api):
    ticket = next(row for row in api.get("/tickets").json() if row["customer"])
    put(api, f"/customers/{ticket['customer']['id']}", name="Nombre Nuevo")
    assert api.get(f"/tickets/{ticket['id']}").json()["customer"]["name"] == "Nombre Nuevo"
    product = next(row for row in api.get("/products").json() if row["brand"] and row["model"])
    put(api, f"/brands/{product['brand']['id']}", name="Marca")
    put(api, f"/models/{product['model']['id']}", name="Modelo")
    shown = api.get(f"/products/{product['id']}").json()
    assert (shown["brand"]["name"], shown["model"]["name"]) == ("Marca", "Modelo")
    model = api.get(f"/models/{product['model']['id']}").json()
    assert (model["brand"]["name"], model["make"]) == ("Marca", "Marca")


def test_a_product_has_the_brand_of_its_model(api):
    model = first(api, "/models")
    body = {**least_body(api, "/products"), "model": model["id"]}
    made = post(api, "/products", **body)
    assert api.get(f"/products/{made}").json()["brand"] == model["brand"]
    refused(api, "POST", "/products", {**body, "additionalModels": "nobody"}, "additionalModels")


def test_a_price_keeps_its_tax_included_flag(api):
    rate = next(one for one in api.get("/taxRates").json() if one["value"])
    body = least_body(api, "/products") | {"tax": rate["id"], "price": 112, "cost": 56}
    made = post(api, "/products", **body, TaxIncludedInPrice=True, TaxIncludedInCost=True)
    put(api, f"/products/{made}", price=224, cost=28)
    prices = api.get(f"/products/{made}").json()["prices"]
    assert (prices["retail_price_inc_vat"], prices["cost_price_inc_vat"]) == (224, 28)
    put(api, f"/products/{made}", price=100, TaxIncludedInPrice=False)
    assert api.get(f"/products/{made}").json()["prices"]["retail_price"] == 100


def test_unpaid_tickets_show_no_payments(api):
    made = post(api, "/tickets", **least_body(api, "/tickets"))
    assert "payments" not in api.get(f"/tickets/{made}").json()
    rows = api.get("/tickets/updated", params={"includePayments": "true"}).json()
    assert all(row.get("payments", True) for row in rows)


def test_a_ticket_is_read_by_its_id_alone_and_named_by_number_in_comments(api):
    ticket = first(api, "/tickets")
    comment = {"ticket": ticket["ticket_no"], "type": "Private", "comment": "c"}
    post(api, "/ticketComments", **comment)
    for name in ("ticket_no", "ticket_ref"):
        assert api.get(f"/tickets/{ticket[name]}").status_code == 404
        assert api.delete(f"/tickets/{ticket[name]}").status_code == 404


def test_a_preset_is_found_by_any_model_of_a_name(api):
    preset = next(one for one in api.get("/presets").json() if one.get("model"))
    twin = {"brand": first(api, "/brands")["id"], "status": "Active"}
    post(api, "/models", **twin, name=preset["model"]["name"])
    found = api.get("/presets", params={"model": preset["model"]["name"]}).json()
    assert preset["id"] in {one["id"] for one in found}


def test_times_have_an_order(api):
    timer = least_body(api, "/ticketTimers") | {"endDate": "04-Jan-2026 10:00:00"}
    refused(api, "POST", "/ticketTimers", timer, "end_date")
    clock = least_body(api, "/timeClock") | {"OutDate": "04-Jan-2026 10:00:00"}
    refused(api, "POST", "/timeClock", clock, "out_date")


def test_somebodys_timer_runs(shared):
    with client_of(shared) as api:
        running = api.get("/ticketTimers", params={"running": "true"}).json()
        assert running
        assert all(one["end_date"] is None for one in running)
        day = format_day(date.fromisoformat(running[0]["start_date"][:10]))
        found = api.get("/ticketTimers", params={"searchKeyword": day}).json()
        assert running[0] in found
