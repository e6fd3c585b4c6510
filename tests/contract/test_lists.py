"""Lists and details: every filter, sort, flag and default of the specification's tables."""

from datetime import date
from typing import Any

import httpx
import pytest

from specification import LISTS as ROWS
from tests.contract.asking import ZONE

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def day(text: str) -> str:
    found = date.fromisoformat(text[:10])
    return f"{found.day:02d}-{MONTHS[found.month - 1]}-{found.year}"


def rows(api: httpx.Client, path: str, **params: Any) -> list[dict[str, Any]]:
    """All pages of a list."""
    found: list[dict[str, Any]] = []
    for page in range(1, 100):
        answer = api.get(f"/{path}", params={**params, "page": page})
        assert answer.status_code == 200, answer.text
        found += answer.json()
        if len(answer.json()) < 50:
            return found
    raise AssertionError("no end")


LISTS = [row.path[1:].replace("{type}", "tickets") for row in ROWS.values()]
DETAILS = [row.path[1:] for row in ROWS.values() if row.item]


@pytest.mark.parametrize("path", LISTS)
def test_every_list_is_a_bare_array_of_objects(api, path):
    answer = api.get(f"/{path}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() or path in ("shipments/deleted", "customFields/leads")
    assert len(answer.json()) <= 50
    assert all("id" in row for row in answer.json())
    assert not any(name.startswith("_") for row in answer.json() for name in row)


@pytest.mark.parametrize("path", DETAILS)
def test_every_detail_gives_the_object_of_its_list(api, path):
    listed = api.get(f"/{path}").json()[0]
    found = api.get(f"/{path}/{listed['id']}").json()
    assert listed.items() <= found.items()
    assert api.get(f"/{path}/nobody").status_code == 404


@pytest.mark.parametrize("path", ["payments/1", "taxRates/1", "nothing", "tickets/x/y/z"])
def test_unknown_paths_are_not_found(api, path):
    answer = api.get(f"/{path}")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("path", ["/tickets/updated/", "/tickets//updated", "//tickets/updated//"])
def test_trailing_and_doubled_slashes_are_accepted(api, path):
    whole = f"{str(api.base_url).rstrip('/')}{path}"
    assert api.get(whole).json() == api.get("/tickets/updated").json()


def test_pages_of_fifty_follow_each_other_without_gap(shared, api):
    everything = rows(api, "payments")
    assert len(everything) == shared.store().count("payments") > 100
    assert len({row["id"] for row in everything}) == len(everything)
    assert api.get("/payments", params={"page": 99}).json() == []
    dates = [row["date"] for row in everything]
    assert dates == sorted(dates, reverse=True)
    assert rows(api, "payments", sort="oldest") == everything[::-1]


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", ""])
def test_a_page_that_is_no_number_is_refused(api, page):
    answer = api.get("/tickets", params={"page": page})
    assert answer.status_code == 400
    assert "page" in answer.json()["error"]


def test_created_days_are_inclusive_in_the_shops_zone(api):
    invoices = rows(api, "ticketInvoices", sort="oldest")
    first = invoices[len(invoices) // 3]["created_date"]
    last = invoices[len(invoices) // 2]["created_date"]
    found = rows(
        api, "ticketInvoices", sort="oldest", createdDateFrom=day(first), createdDateTo=day(last)
    )
    assert found == [i for i in invoices if first[:10] <= i["created_date"][:10] <= last[:10]]


@pytest.mark.parametrize("text", ["2026-01-05", "5-Jan-2026", "31-Feb-2026", "05-Foo-2026", "x"])
def test_a_day_in_another_form_is_refused(api, text):
    assert api.get("/customers", params={"createdDateFrom": text}).status_code == 400


def test_tickets_are_by_default_those_in_the_pipeline(api):
    over = ("Collected", "Not Repairable", "Cancelled")
    statuses = {row["id"]: row["label"] not in over for row in rows(api, "statuses", type="repair")}
    listed = rows(api, "tickets")
    everything = rows(api, "tickets/updated")
    assert 0 < len(listed) < len(everything)
    assert all(statuses[row["status"]["id"]] for row in listed)
    closed = [row for row in everything if not statuses[row["status"]["id"]]]
    label = closed[0]["status"]["label"]
    by_label = rows(api, "tickets", status=label)
    assert {r["id"] for r in by_label} == {
        r["id"] for r in everything if r["status"]["label"] == label
    }
    assert by_label == rows(api, "tickets", status=closed[0]["status"]["id"])
    others = rows(api, "tickets", status=label, statusCondition="NOT-EQUAL")
    assert len(others) + len(by_label) == len(everything)


def test_a_label_has_to_match_exactly(api):
    for params in ({"status": "new"}, {"status": "Update"}, {"issueType": "nothing"}):
        answer = api.get("/tickets", params=params)
        assert answer.status_code == 400
        assert answer.json()["error"]
    for name in ("category", "brand", "model", "issueType"):
        answer = api.get("/presets", params={name: "nothing"})
        assert answer.status_code == 400
        assert name in answer.json()["error"]


def test_filters_of_tickets_take_ids_labels_and_numbers_and_may_be_turned_round(api):
    one = rows(api, "tickets/updated")[0]
    for name in ("id", "ticket_ref", "ticket_no"):
        assert [r["id"] for r in rows(api, "tickets/updated", ticketNo=one[name])] == [one["id"]]
    pipeline = rows(api, "tickets")
    issue, all_of_them = pipeline[0]["issue_type"], {r["id"] for r in pipeline}
    expected = {r["id"] for r in pipeline if r["issue_type"] == issue}
    for asked in (issue["label"], issue["id"]):
        assert {r["id"] for r in rows(api, "tickets", issueType=asked)} == expected
        turned = rows(api, "tickets", issueType=asked, issueTypeCondition="NOT-EQUAL")
        assert {r["id"] for r in turned} == all_of_them - expected
    assert rows(api, "tickets", priority="2") == rows(api, "tickets", priority="Normal")


def test_updated_lists_follow_the_last_change(api):
    everything = rows(api, "tickets/updated")
    dates = [row["last_updated"] for row in everything]
    assert dates == sorted(dates, reverse=True)
    middle = dates[len(dates) // 2]
    found = rows(api, "tickets/updated", updatedDateFrom=day(middle), updatedDateTo=day(middle))
    assert {r["id"] for r in found} == {
        r["id"] for r in everything if r["last_updated"][:10] == middle[:10]
    }
    products = rows(api, "products", sort="recently_updated")
    changed = [row["last_updated"] for row in products]
    assert changed == sorted(changed, reverse=True)


@pytest.mark.parametrize(
    ("path", "flag", "part"),
    [
        ("tickets", "includeLines", "lines"),
        ("tickets/updated", "includePayments", "payments"),
        ("ticketInvoices", "includeLines", "lines"),
        ("ticketInvoices", "includePayments", "payments"),
        ("ticketInvoices", "includeReturns", "returns"),
        ("posOrders", "includeLines", "lines"),
        ("posOrders", "includePayments", "payments"),
        ("posOrders", "includeReturns", "returns"),
        ("purchaseOrders", "includeLines", "lines"),
        ("customers", "includeCustomFields", "custom_fields"),
        ("products", "includeXsellUpsell", "xsell_upsell"),
    ],
)
def test_include_flags_are_off_by_default(api, path, flag, part):
    assert not any(part in row for row in rows(api, path))
    assert not any(part in row for row in rows(api, path, **{flag: "No"}))
    assert any(part in row for row in rows(api, path, **{flag: "Yes"}))
    assert api.get(f"/{path}", params={flag: "perhaps"}).status_code == 400


def test_payments_name_their_document_only_with_the_flag(api):
    plain = rows(api, "payments")[0]
    assert not {"invoice", "pos", "return"} & set(plain)
    for kind in ("pos", "invoice", "return"):
        found = rows(api, "payments", filter=kind, includeResource="true")
        assert found
        assert all(kind in row for row in found)
    returned = rows(api, "payments", filter="return")
    assert all(row["amount"] < 0 for row in returned)


def test_payments_of_one_document_or_a_list(api):
    invoices = [r for r in rows(api, "ticketInvoices", includePayments="1") if r["payments"]][:2]
    ids = [row["id"] for row in invoices]
    wanted = {p["id"] for row in invoices for p in row["payments"]}
    for params in ({"invoiceId": ",".join(ids)}, {"invoiceId": ids}, {"invoiceId[]": ids}):
        assert {r["id"] for r in api.get("/payments", params=params).json()} == wanted
    # The filter is ignored when invoiceId is given.
    assert {r["id"] for r in rows(api, "payments", invoiceId=",".join(ids), filter="pos")} == wanted
    order = next(r for r in rows(api, "posOrders", includePayments="1") if r["payments"])
    assert rows(api, "payments", invoiceId=order["id"]) == []
    assert rows(api, "payments", orderId=ids[0]) == []
    found = rows(api, "payments", orderId=order["id"])
    assert [r["id"] for r in found] == [p["id"] for p in order["payments"]][::-1]


def test_a_status_has_to_match_exactly_and_orders_are_invoices_too(api):
    assert api.get("/ticketInvoices", params={"status": "due"}).status_code == 400
    assert rows(api, "posInvoices") == rows(api, "posOrders")


def test_search_finds_any_script_in_any_case(inside):
    sandbox, api, _ = inside()
    made = sandbox.store().insert("customers", {"name": "Наталья Жуковська-Щедрина"})
    assert made in [r["id"] for r in rows(api, "customers", searchKeyword="ЖУКОВСЬКА-щ")]
    assert rows(api, "customers", searchKeyword="nobody's name") == []


def test_ticket_search_looks_into_comments(api, shared):
    shown = rows(api, "tickets")
    comments = shared.store().all("ticket_comments")
    ids = {row["id"] for row in shown}
    comment = next(c for c in comments if c["ticket"]["id"] in ids)
    found = rows(api, "tickets", searchKeyword=comment["comment"])
    assert comment["ticket"]["id"] in {r["id"] for r in found}


def test_preset_categories_come_oldest_first(api):
    dates = [r["created_date"] for r in rows(api, "presetCategories")]
    assert dates == sorted(dates)
    name = rows(api, "presetCategories")[0]["name"]
    assert [r["name"] for r in rows(api, "presetCategories", name=name)] == [name]
    assert rows(api, "presetCategories", name=name[:-1]) == []


def test_custom_fields_of_a_type(api):
    assert {r["type"] for r in rows(api, "customFields/customers")} == {"customers"}
    default = rows(api, "customFields/tickets")
    assert all(not r["category_id"] for r in default)
    assert api.get("/customFields/users").status_code == 400
    other = rows(api, "customFields/tickets", categoryId=1, tabId=1)
    assert all((r["category_id"], r["tab_id"]) == (1, 1) for r in other)
    assert rows(api, "customFields/customers", categoryId=1) == rows(api, "customFields/customers")


def test_item_lines_info_and_webhook(api):
    ticket = next(r for r in rows(api, "tickets/updated", includeLines="1") if r["lines"])
    assert api.get(f"/tickets/{ticket['id']}/itemLines").json() == ticket["lines"]
    assert api.get("/info").json()["timezone"] == ZONE
    assert api.get("/webhook/inbound-call/12345").status_code == 200
