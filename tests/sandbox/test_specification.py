"""The sandbox held against the specification's tables, row by row, on one shop for all.

Made from the tables that stand in :mod:`tests.bodies.tables` (bodies) and
:mod:`tests.sandbox.test_parameters` (parameters): every method of every path, every parameter that
names a field, every field of every body, right and wrong; and what a record made through the
interface looks like beside one that was there.
"""

import re
from datetime import date
from typing import Any

import httpx
import pytest

from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sandbox.values import format_day
from tests.sandbox.conftest import ZONE, client_of
from tests.sandbox.paths import METHODS
from tests.sandbox.test_parameters import PARAMETERS
from tests.sandbox.test_writes import WRITABLE
from tests.sandbox.writing import (
    ADDRESS,
    CHECKED,
    CUSTOMER,
    REAL,
    first,
    good,
    least_body,
    post,
    put,
    refused,
)

PATHS = sorted({path for paths in METHODS.values() for path in paths.split()})
_OTHERS = (
    "page sort searchKeyword createdDateFrom createdDateTo filter includeLines includePayments "
    "includeReturns includeCustomFields includeResource includeXsellUpsell running year dateFrom "
    "dateTo issueTypeCondition statusCondition priorityCondition categoryId tabId"
)
NOT_OF_A_FIELD = set(_OTHERS.split())
"""Parameters of orders, pages, parts and fixed meanings, which have tests of their own."""
EXACT = set("gender status type condition userId product_id productId ticketId issuetype".split())
NARROWING = [
    (path, name)
    for path, names in PARAMETERS.items()
    for name in names
    if name not in NOT_OF_A_FIELD
]
PARTS = {name: "true" for name in NOT_OF_A_FIELD if name.startswith("include")}


@pytest.fixture(scope="module")
def audited():
    """One shop for all of this module, references as objects and not as texts."""
    plain = Quirks(product_texts=False, numeric_ids=False, service_type="service")
    with SandboxServer([ShopSpec("main", ZONE, plain, limit=None)]) as server:
        yield server


@pytest.fixture(scope="module")
def api(audited):
    with client_of(audited) as client:
        yield client


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_its_methods_and_no_other(api, path):
    address = "/" + path.replace("{}", "none")
    for method, paths in METHODS.items():
        answer = api.request(method, address, json=None if method == "GET" else {})
        assert (answer.status_code == 405) == (path not in paths.split()), (method, path)
        assert answer.status_code < 500


def held(api: httpx.Client, record: dict[str, Any], path: str) -> list[Any]:
    """Values of a record at a dotted path; ``id>tickets.short_info`` is of the record it names."""
    here, _, there = path.partition(">")
    values: list[Any] = [record]
    for step in here.split("."):
        values = [one.get(step) for one in values if isinstance(one, dict)]
        values = [part for one in values for part in (one if isinstance(one, list) else [one])]
    values = [value for value in values if value not in (None, "")]
    if there:
        other, _, field = there.partition(".")
        found = [api.get(f"/{other}/{value}").json() for value in values]
        return [one[field] for one in found if one.get(field)]
    return values


EMPTY = {
    "users": ("phone", "website"),
    "customers": ("phone",),
    "suppliers": ("county",),
    "leads": ("description", "business_name"),
}
"""Fields that the made-up shop leaves empty, at least of the few records a test looks at."""


@pytest.fixture(scope="module")
def filled(audited):
    """The shop with a value in every field that a parameter looks at."""
    store = audited.store()
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
    return audited


@pytest.mark.parametrize(("path", "name"), NARROWING, ids=lambda part: part)
def test_a_parameter_finds_the_record_and_only_those_like_it(filled, path, name):
    field = PARAMETERS[path][name]
    address = f"/{path}".replace("{type}", "tickets")
    with client_of(filled) as api:
        for page in range(1, 30):
            rows = api.get(address, params={**PARTS, "sort": "oldest", "page": page}).json()
            assert rows, f"no record of {path} has {field}"
            with_value = ((row, held(api, row, field)) for row in rows)
            row, values = next((pair for pair in with_value if pair[1]), (None, []))
            if row is not None:
                break
        assert row is not None
        said = values[0]
        wanted = "Yes" if said is True else "No" if said is False else str(said)
        if re.search("Date(From|To)$", name):
            wanted = format_day(date.fromisoformat(wanted[:10]))
        wanted = wanted.lower() if path == "ticketComments" and name == "type" else wanted
        order = "newest" if name.endswith("From") else "oldest"
        asked = {**PARTS, "sort": order, name: wanted}
        found: list[dict[str, Any]] = []
        for page in range(1, 60):
            part = api.get(address, params={**asked, "page": page})
            assert part.status_code == 200, part.text
            found += part.json()
            if len(part.json()) < 50 or row in found:
                break
        assert row["id"] in {one["id"] for one in found}
        if not re.search("Date(From|To)$", name) and isinstance(said, str):
            kept = [held(api, one, field) for one in found[:5]]
            alike = [any(wanted.lower() in str(v).lower() for v in vs) for vs in kept]
            # Free text may be found in another field that the parameter looks at too.
            assert all(alike) if name in EXACT else any(alike)


@pytest.fixture(scope="module")
def least(api):
    return {resource: least_body(api, path) for resource, path in ADDRESS.items()}


@pytest.mark.parametrize("row", CHECKED, ids=repr)
def test_a_field_is_taken_when_it_is_right_and_refused_when_not(api, least, row):
    path, method, body = ADDRESS[row.resource], "POST", least[row.resource]
    if row.resource == "serials":
        path, method, body = f"/serials/{first(api, '/serials')['id']}", "PUT", {}
    elif row.resource == "adjustments" and re.match("(add|update|delete)_", row.field):
        pytest.skip("lists of an update, tested with the stock")
    value = good(api, row)
    beside = {"customer": good(api, CUSTOMER)} if row.field == "createticket" else {}
    answer = api.request(method, path, json={**body, **beside, row.field: value})
    assert answer.status_code in (200, 201), (row, value, answer.text)
    wrong = row.bad()
    if row.field in {"cost", "price", "offerPrice", "quantity", "cog_per_item", "duration"}:
        wrong.append(-1)
    if row.field in REAL and row.type == "id" and row.field not in {"tax", "term_in_days"}:
        wrong.append("nobody")
    for value in wrong:
        answer = api.request(method, path, json={**body, row.field: value})
        assert answer.status_code == 400, (row, value)
        assert row.field in answer.json()["error"], (row, value, answer.text)


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
    assert api.get(f"/products/{product['id']}").json()["brand"]["name"] == "Marca"
    model = api.get(f"/models/{product['model']['id']}").json()
    assert (model["brand"]["name"], model["make"]) == ("Marca", "Marca")
    assert api.get("/models", params={"make": "Marca"}).json()


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
