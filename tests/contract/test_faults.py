"""Faults on demand, and the shop's own staff at work while somebody reads."""

from decimal import Decimal

import httpx
import pytest


def test_faults_of_the_answer(serve):
    server, api = serve()
    whole = api.get("/brands")
    server.faults.next("truncated_json")
    cut = api.get("/brands")
    assert cut.status_code == 200
    with pytest.raises(ValueError):
        cut.json()
    server.faults.next("html_502")
    html = api.get("/brands")
    assert (html.status_code, html.headers["content-type"]) == (502, "text/html")
    server.faults.next("error_under_200")
    assert set(api.get("/brands").json()) == {"error"}
    server.faults.next("xml_despite_json")
    assert api.get("/brands").headers["content-type"] == "application/xml"
    server.faults.next("empty_list")
    assert api.get("/brands").json() == []
    server.faults.next("not_found")
    assert api.get("/brands").status_code == 404
    assert api.get("/brands").content == whole.content


@pytest.mark.parametrize("kind", ["reset", "truncated_body", "drop_answer_after_commit"])
def test_faults_of_the_wire(serve, kind):
    server, api = serve()
    server.faults.next(kind)
    with pytest.raises(httpx.TransportError):
        api.get("/brands")
    assert api.get("/brands").status_code == 200


@pytest.mark.parametrize(
    ("kind", "applied"),
    [
        ("reset", False),
        ("http_500_before", False),
        ("http_500_after", True),
        ("drop_answer_after_commit", True),
    ],
)
def test_a_write_is_applied_or_not(serve, kind, applied):
    server, api = serve()
    before = server.store().count("brands")
    server.faults.next(kind, method="POST", path="/brands")
    try:
        answer = api.post("/brands", json={"name": "Once"})
        assert answer.status_code == 500
    except httpx.TransportError:
        assert kind in ("reset", "drop_answer_after_commit")
    assert server.store().count("brands") == before + applied


def test_faults_choose_their_requests(serve):
    server, api = serve()
    server.faults.next("empty_list", path="/tickets", times=2, skip=1)
    assert api.get("/brands").json() != []
    assert [bool(api.get("/tickets").json()) for _ in range(4)] == [True, False, False, True]
    with pytest.raises(ValueError, match="no fault"):
        server.faults.next("earthquake")


def test_hooks_run_between_two_answers(serve):
    server, api = serve()
    store = server.store()
    gone = api.get("/payments").json()[0]["id"]
    server.faults.after(2, lambda: store.delete("payments", gone), path="/payments")
    api.get("/brands")
    ids = [[row["id"] for row in api.get("/payments").json()] for _ in range(3)]
    assert [gone in page for page in ids] == [True, True, False]


def _jan(api: httpx.Client) -> float:
    return next(
        row["total"]
        for row in api.get("/monthlySales", params={"year": 2024}).json()
        if row["month"] == "Jan"
    )


def test_staff_add_change_and_delete_an_invoice(serve):
    server, api = serve()
    store = server.store()
    made = store.insert(
        "ticket_invoices",
        {
            "amount_total": Decimal("100.00"),
            "created_date": "2024-01-31T23:59:59-0600",
            "payments": [
                {"amount": Decimal("40.00"), "date": "2024-02-01T09:00:00-0600"},
            ],
        },
    )
    shown = api.get(f"/ticketInvoices/{made}").json()
    assert shown["status"] == "Due"
    assert [p["amount"] for p in shown["payments"]] == [40.0]
    assert _jan(api) == 100.0
    window = {"paymentDateFrom": "01-Feb-2024", "paymentDateTo": "01-Feb-2024"}
    assert [r["id"] for r in api.get("/ticketInvoices", params=window).json()] == [made]

    store.insert("payments", {"amount": Decimal("60.00"), "_document_id": made, "_kind": "invoice"})
    assert api.get(f"/ticketInvoices/{made}").json()["status"] == "Paid"
    store.update("ticket_invoices", made, {"amount_total": Decimal("130.00")})
    assert _jan(api) == 130.0
    assert api.get(f"/ticketInvoices/{made}").json()["status"] == "Due"

    payments = store.count("payments")
    store.delete("ticket_invoices", made)
    assert _jan(api) == 0.0
    assert api.get(f"/ticketInvoices/{made}").status_code == 404
    assert store.count("payments") == payments - 2


def test_a_change_moves_a_ticket_to_the_top_of_updated(serve):
    server, api = serve()
    last = server.store().ids("tickets")[0]
    server.store().update("tickets", last, {"short_info": "changed"})
    assert api.get("/tickets/updated").json()[0]["short_info"] == "changed"
    quiet = server.store().ids("tickets")[1]
    server.store().update("tickets", quiet, {"short_info": "unseen"}, touch=False)
    assert api.get("/tickets/updated").json()[0]["short_info"] == "changed"


def test_a_deleted_shipment_is_listed_as_such(serve):
    server, api = serve()
    one = api.get("/shipments").json()[0]
    server.store().delete("shipments", one["id"])
    assert one["id"] not in [r["id"] for r in api.get("/shipments").json()]
    deleted = api.get("/shipments/deleted", params={"pin": one["pin"]}).json()
    assert [r["id"] for r in deleted] == [one["id"]]


def test_a_failed_edit_changes_nothing(serve):
    server, _ = serve()
    store = server.store()
    before = store.all("brands")
    with pytest.raises(KeyError), store.database.writing():
        store.insert("brands", {"name": "half"})
        store.delete("brands", "nobody")
    assert store.all("brands") == before
