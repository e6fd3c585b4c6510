"""The four reports: their definitions, periods and shapes."""

import json
from decimal import Decimal
from typing import Any

import httpx
import pytest

from sandbox.quirks import Definition


def months(api: httpx.Client, report: str, year: int) -> dict[str, Decimal]:
    answer = json.loads(api.get(f"/{report}", params={"year": year}).text, parse_float=Decimal)
    return {row["month"]: row["total"] for row in answer if row["total"]}


def test_days_add_up_to_their_month(api):
    params = {"dateFrom": "01-Mar-2026", "dateTo": "31-Mar-2026"}
    answer = json.loads(api.get("/dailySales", params=params).text, parse_float=Decimal)
    assert len(answer) == 31
    assert sum(row["total"] for row in answer) == months(api, "monthlySales", 2026)["Mar"]
    assert [row["date"] for row in answer] == [f"2026-03-{n:02d}" for n in range(1, 32)]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("monthlySales", {"year": "26"}),
        ("monthlyPurchases", {"year": "x"}),
        ("dailySales", {"dateFrom": "2026-01-01"}),
        ("dailySales", {"dateFrom": "02-Jan-2026", "dateTo": "01-Jan-2026"}),
        ("dailyPurchases", {"dateFrom": "01-Jan-1900", "dateTo": "01-Jan-2026"}),
    ],
)
def test_periods_that_are_none_are_refused(api, path, params):
    answer = api.get(f"/{path}", params=params)
    assert answer.status_code == 400
    assert answer.json()["error"]


SHAPES: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "monthlySales", [{"month": "Jan", "total": -1234.5}]),
    ({"month_name": "January"}, "monthlySales", [{"month": "January", "total": -1234.5}]),
    ({"month_name": "number"}, "monthlySales", [{"month": 1, "total": -1234.5}]),
    ({"month_name": "yyyy-mm"}, "monthlySales", [{"month": "2026-01", "total": -1234.5}]),
    ({"monthly_report": "object"}, "monthlySales", {"Jan": -1234.5}),
    ({"report_amounts": "text"}, "monthlySales", [{"month": "Jan", "total": "-1234.50"}]),
    ({"report_amounts": "currency"}, "monthlySales", [{"month": "Jan", "total": "-Q1,234.50"}]),
    ({"daily_report": "object"}, "dailySales", {"2026-01-05": -1234.5}),
]


@pytest.mark.parametrize(("quirks", "path", "expected"), SHAPES)
def test_report_shapes(inside, quirks, path, expected):
    invoice = {
        "id": "a",
        "amount_total": Decimal("0.00"),
        "created_date": "2026-01-04T10:00:00-0600",
        "returns": [
            {
                "id": "r",
                "amount": Decimal("1234.50"),
                "created_date": "2026-01-05T10:00:00-0600",
                "lines": [],
            }
        ],
    }
    _, api, _ = inside([("ticket_invoices", invoice)], zero_periods=False, **quirks)
    params = {"year": 2026, "dateFrom": "05-Jan-2026", "dateTo": "05-Jan-2026"}
    assert api.get(f"/{path}", params=params).json() == expected


def _document(name: str, total: str, tax: str, day: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "amount_total": Decimal(total),
        "tax_total": Decimal(tax),
        "created_date": f"2026-{day}T10:00:00-0600",
        "status": "Paid",
        "returns": [],
        **more,
    }


def _payment(number: int, document: str, amount: str, day: str) -> dict[str, Any]:
    return {
        "id": number,
        "amount": Decimal(amount),
        "date": f"2026-{day}T11:00:00-0600",
        "_document_id": document,
        "_kind": "invoice",
    }


BACK = {
    "id": "r1",
    "amount": Decimal("11.20"),
    "created_date": "2026-03-02T10:00:00-0600",
    "lines": [{"tax": Decimal("1.20"), "total": Decimal("11.20")}],
}
BOOKS = [
    ("ticket_invoices", _document("paid", "112.00", "12.00", "01-10", returns=[BACK])),
    ("ticket_invoices", _document("due", "56.00", "6.00", "01-11", status="Due")),
    ("pos_orders", _document("pos", "22.40", "2.40", "02-01")),
    ("payments", _payment(1, "paid", "12.00", "01-09")),
    ("payments", _payment(2, "paid", "100.00", "02-05")),
    ("payments", _payment(3, "paid", "-11.20", "03-02")),
    ("payments", _payment(4, "due", "6.00", "03-03")),
    ("payments", _payment(5, "pos", "22.40", "02-01")),
    (
        "purchase_orders",
        {
            "id": "p",
            "cost": Decimal("50.00"),
            "shipping_cost": Decimal("5.00"),
            "created_date": "2026-01-20T10:00:00-0600",
            "received_date": "2026-02-20T10:00:00-0600",
        },
    ),
    (
        "expenses",
        {"id": "e", "amount": Decimal("7.00"), "created_date": "2026-02-21T10:00:00-0600"},
    ),
]
DEFINITIONS: list[tuple[dict[str, Any], str, dict[str, str]]] = [
    ({}, "Sales", {"Jan": "168.00", "Feb": "22.40", "Mar": "-11.20"}),
    ({"tax": "net"}, "Sales", {"Jan": "150.00", "Feb": "20.00", "Mar": "-10.00"}),
    ({"returns": "ignored"}, "Sales", {"Jan": "168.00", "Feb": "22.40"}),
    ({"returns": "sale_day"}, "Sales", {"Jan": "156.80", "Feb": "22.40"}),
    ({"documents": "paid"}, "Sales", {"Jan": "112.00", "Feb": "22.40", "Mar": "-11.20"}),
    ({"date": "payment"}, "Sales", {"Feb": "134.40", "Mar": "-11.20"}),
    ({"date": "cash"}, "Sales", {"Jan": "12.00", "Feb": "122.40", "Mar": "-5.20"}),
    ({}, "Purchases", {"Feb": "55.00"}),
    ({"shipping": False}, "Purchases", {"Feb": "50.00"}),
    ({"purchase_date": "created"}, "Purchases", {"Jan": "55.00"}),
    ({"expenses": True}, "Purchases", {"Feb": "62.00"}),
]


@pytest.mark.parametrize(("definition", "report", "expected"), DEFINITIONS)
def test_definitions(inside, definition, report, expected):
    _, api, _ = inside(BOOKS, definition=Definition(**definition))
    found = months(api, f"monthly{report}", 2026)
    assert found == {month: Decimal(total) for month, total in expected.items()}
