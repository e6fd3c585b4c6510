"""Which parameters each list takes, and its orders, copied down from the specification's tables."""

import pytest

from tests.sandbox.test_lists import rows

COMMON = "page sort searchKeyword createdDateFrom createdDateTo"
UPDATED = "updatedDateFrom updatedDateTo"
DOCUMENT = "includePayments includeLines includeReturns"
PARAMETERS = {
    "users": f"{COMMON} name mobile phone email address website gender type status",
    "taxRates": "page searchKeyword",
    "paymentMethods": COMMON,
    "timeClock": f"{COMMON} userId",
    "appointments": f"{COMMON} startDateFrom startDateTo endDateFrom endDateTo ticket customer "
    "lead attendee type",
    "appointments/updated": f"page searchKeyword {UPDATED}",
    "customers": f"{COMMON} name mobile phone company email invoiceemail address city postCode "
    "group gender type includeCustomFields",
    "groups": f"{COMMON} name billingname billingmobile billingemail",
    "tickets": f"{COMMON} ticketNo {UPDATED} customer company issue issueType issueTypeCondition "
    "status statusCondition priority priorityCondition includeLines includePayments "
    "includeCustomFields",
    "tickets/updated": f"page {UPDATED} searchKeyword ticketNo includeLines includePayments "
    "includeCustomFields",
    "ticketComments": "page sort ticketId type",
    "ticketTimers": "page sort searchKeyword ticketId running",
    "statuses": f"{COMMON} type status",
    "presets": f"{COMMON} category brand model issueType legalDocument",
    "presetCategories": "page sort searchKeyword name",
    "issueTypes": f"{COMMON} label",
    "ticketInvoices": f"{COMMON} {DOCUMENT} invoiceNo ticketNo status paymentDateFrom "
    "paymentDateTo",
    "posOrders": f"{COMMON} {DOCUMENT} orderNo status",
    "posInvoices": f"{COMMON} {DOCUMENT} orderNo status",
    "payments": "page sort invoiceId orderId filter paymentDateFrom paymentDateTo includeResource",
    "products": f"{COMMON} {UPDATED} type condition code category model status "
    "includeCustomFields includeXsellUpsell",
    "products/updated": f"page {UPDATED} searchKeyword code includeCustomFields",
    "warranties": COMMON,
    "models": f"{COMMON} make model model_group",
    "modelGroups": COMMON,
    "categories": COMMON,
    "brands": COMMON,
    "stockCount": "page sort",
    "stock": f"{COMMON} product_id serializeStock internal_use breakage",
    "serials": f"{COMMON} productId",
    "adjustments": f"{COMMON} adjustmentDateFrom adjustmentDateTo internal_use breakage",
    "suppliers": f"{COMMON} company contactname mobile phone email address town county postcode "
    "countrycode status",
    "purchaseOrders": f"{COMMON} number status includeLines",
    "expenses": COMMON,
    "expenseCategories": COMMON,
    "leads": f"{COMMON} ticket customer issue issueDescription issuetype status referredBy",
    "customFields/{type}": "page categoryId tabId",
    "shipments": "page sort ticketId customerId pin",
    "shipments/deleted": "page sort ticketId pin",
    "monthlySales": "year",
    "monthlyPurchases": "year",
    "dailySales": "dateFrom dateTo",
    "dailyPurchases": "dateFrom dateTo",
    "info": "",
}
SORTED = [path for path, names in PARAMETERS.items() if "sort" in names.split()]
UNSORTED = [path for path in PARAMETERS if path not in SORTED and "page" in PARAMETERS[path]]


@pytest.mark.parametrize("path", PARAMETERS)
def test_a_list_takes_the_parameters_of_its_row(api, path):
    document = api.get("/openapi.json").json()
    described = document["paths"][f"/{path}"]["get"]["parameters"]
    assert {one["name"] for one in described if one["in"] == "query"} == set(
        PARAMETERS[path].split()
    )


@pytest.mark.parametrize("path", SORTED)
def test_a_list_goes_both_ways(api, path):
    newest, oldest = (rows(api, path, sort=sort) for sort in ("newest", "oldest"))
    assert newest == oldest[::-1]
    first = api.get(f"/{path}").json()
    assert first == (oldest if path == "presetCategories" else newest)[:50]
    taken = api.get(f"/{path}", params={"sort": "recently_updated"}).status_code == 200
    assert taken == (path in ("tickets", "products", "ticketComments"))
    assert api.get(f"/{path}", params={"sort": "Newest"}).status_code == 400


@pytest.mark.parametrize("path", UNSORTED)
def test_a_list_without_sort_ignores_it(api, path):
    address = f"/{path}".replace("{type}", "tickets")
    assert api.get(address, params={"sort": "oldest"}).json() == api.get(address).json()


def test_a_list_ignores_the_parameters_of_others(api):
    every = {name for names in PARAMETERS.values() for name in names.split()}
    for path, own in PARAMETERS.items():
        address = f"/{path}".replace("{type}", "tickets")
        others = dict.fromkeys(every - set(own.split()), "?")
        assert api.get(address, params=others).json() == api.get(address).json(), path
