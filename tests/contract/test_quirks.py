"""Every way of answering that the field notes report, one switch at a time."""

import itertools
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

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


DAYS = [f"2026-01-{day:02d}T10:00:00-0600" for day in range(1, 28)]
BRANDS = [
    ("brands", {"id": f"b{n}", "name": f"B{n}", "created_date": d}) for n, d in enumerate(DAYS)
]


def ids(client, path="/brands", **asked):
    return [row["id"] for row in client.get(path, params=asked).json()]


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


def test_what_second_looks_have_seen(inside):
    """Field notes, A second look: each as that shop shows it, all of them at once."""
    _, api, _ = inside(second_look=True, ticket_invoice="empty")
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


def test_a_page_has_as_many_rows_as_the_shop_says(inside):
    sandbox, client, _ = inside(BRANDS, page_rows=10)
    assert [len(ids(client, page=n)) for n in (1, 2, 3, 4)] == [10, 10, 7, 0]
    sandbox.turn(page_rows=50)
    assert len(ids(client)) == 27


def test_an_order_that_is_ignored_is_the_newest_first(inside):
    _, client, _ = inside(BRANDS, sort="ignored")
    assert ids(client, sort="oldest") == ids(client, sort="newest") == ids(client)
    assert client.get("/brands", params={"sort": "up"}).status_code == 400


@pytest.mark.parametrize(
    ("paging", "second", "by_offset"),
    [("page", 10, 0), ("offset_only", None, 10), ("offset_repeats", 0, 10), ("none", 0, 0)],
)
def test_the_second_page_comes_by_number_by_offset_or_never(inside, paging, second, by_offset):
    _, client, _ = inside(BRANDS, page_rows=10, paging=paging)
    whole = [row["id"] for row in sorted((r for _, r in BRANDS), key=lambda r: r["created_date"])]
    newest = whole[::-1]
    assert ids(client, page=2) == ([] if second is None else newest[second : second + 10])
    assert ids(client, offset=10, limit=10) == newest[by_offset : by_offset + 10]


def test_a_status_filter_may_show_the_pipeline_only(inside):
    records = [
        ("statuses", {"id": 1, "label": "New", "type": "repair", "in_pipeline": True}),
        ("statuses", {"id": 2, "label": "Done", "type": "repair", "in_pipeline": False}),
        *(
            ("tickets", {"id": f"t{n}", "ticket_no": str(n), "status": {"id": n, "label": word},
                         "_in_pipeline": n == 1, "created_date": DAYS[n]})
            for n, word in ((1, "New"), (2, "Done"))
        ),
    ]  # fmt: skip
    sandbox, client, _ = inside(records)
    assert ids(client, "/tickets", status="Done") == ["t2"]
    sandbox.turn(status_filter="pipeline")
    assert ids(client, "/tickets", status="Done") == []
    assert ids(client, "/tickets", status="New") == ["t1"]
    assert ids(client, "/tickets/updated") == ["t2", "t1"]


def test_a_new_record_shows_in_lists_after_its_time(inside):
    _, client, clock = inside(BRANDS, shows_after=90)
    made = post(client, "/brands", name="Late")
    assert made not in ids(client)
    assert client.get(f"/brands/{made}").status_code == 200
    clock.ticks += 91
    assert made in ids(client)


@pytest.mark.parametrize(
    ("keeps", "kept"),
    [
        ("as_sent", "Piñatas &  <Sons> of the port"),
        ("upper", "PIÑATAS &  <SONS> OF THE PORT"),
        ("escaped", "Piñatas &amp;  &lt;Sons&gt; of the port"),
        ("one_line", "Piñatas & <Sons> of the port"),
        ("cut", "Piñatas &  <Sons> of"),
    ],
)
def test_texts_are_kept_as_the_shop_keeps_them(inside, keeps, kept):
    sandbox, client, _ = inside(BRANDS, keeps=keeps)
    made = post(client, "/brands", name="Piñatas &  <Sons> of the port")
    assert client.get(f"/brands/{made}").json()["name"] == kept
    assert sandbox.store().get("brands", made)["name"] == kept


def test_a_rate_error_out_of_turn_begins_the_silence(inside):
    sandbox, client, clock = inside(BRANDS, limit=30)
    sandbox.faults.next("rate_error")
    assert [client.get("/brands").status_code for _ in range(3)] == [401, 401, 401]
    assert (sandbox.rate_errors(), sandbox.ignored_rate_errors()) == (3, 2)
    clock.ticks += 61
    assert client.get("/brands").status_code == 200


def test_faults_of_the_wire_reach_a_client_in_the_same_process(inside):
    sandbox, client, _ = inside(BRANDS)
    for kind in ("reset", "truncated_body", "drop_answer_after_commit"):
        sandbox.faults.next(kind)
        with pytest.raises(httpx.TransportError):
            client.post("/brands", json={"name": kind})
    assert [row["name"] for row in sandbox.store().all("brands")][-2:] == [
        "truncated_body",
        "drop_answer_after_commit",
    ]


def test_a_shop_that_hides_still_asks_for_types_and_payment_days(inside):
    fields = [
        ("custom_fields", {"id": n, "type": kind, "name": kind, "created_date": DAYS[0]})
        for n, kind in enumerate(("tickets", "leads"), 1)
    ]
    users = [
        ("users", {"id": name, "status": name, "created_date": DAYS[0]})
        for name in ("Active", "In active")
    ]
    sandbox, client, _ = inside([*fields, *users], hides=True)
    store = sandbox.store()
    early, late = (
        store.insert(
            "ticket_invoices",
            {"amount_total": 5, "created_date": DAYS[0], "payments": [{"amount": 5, "date": day}]},
        )
        for day in (DAYS[1], DAYS[20])
    )
    assert ids(client, "/customFields/leads") == [2]
    assert client.get("/customFields/nothing").status_code == 400
    assert ids(client, "/ticketInvoices", paymentDateTo="10-Jan-2026") == [early]
    assert ids(client, "/ticketInvoices", paymentDateFrom="10-Jan-2026") == [late]
    assert ids(client, "/users") == ["Active"]
    assert ids(client, "/users", status="In active") == ["In active"]


def test_staff_change_payments_as_records_of_their_own(inside):
    sandbox, _, _ = inside(BRANDS)
    store = sandbox.store()
    invoice = store.insert("ticket_invoices", {"amount_total": 5})
    with pytest.raises(ValueError, match=r"store\.pay"):
        store.update("ticket_invoices", invoice, {"payments": []})
