"""References without an object, and fields under other names."""

from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sources.repair_shop.schema.clean import clean_row


def clean(row: dict[str, Any], table: str) -> dict[str, Any]:
    return clean_row(row, table, ZoneInfo("America/Guatemala"))


@pytest.mark.parametrize(
    ("row", "table", "expected"),
    [
        (
            {"id": 1, "ticket_id": "t1", "customerId": "c1", "customerName": "Ana"},
            "ticket_invoices",
            {"ticket__id": "t1", "customer__id": "c1", "customer__name": "Ana"},
        ),
        (
            {"id": 1, "status_id": 5, "status_label": "Collected", "assigned_to_id": "u1"},
            "tickets",
            {"status__id": "5", "status__label": "Collected", "technician__id": "u1"},
        ),
        (
            {"id": 1, "pos_order_id": "p1", "payment_method_title": "Cash"},
            "payments",
            {"pos__id": "p1", "payment_method__title": "Cash"},
        ),
        ({"id": 1, "product_id": 7}, "stock", {"product__id": "7"}),
        (
            {"id": 1, "customer": {"id": "nested"}, "customer_id": "flat"},
            "ticket_invoices",
            {"customer__id": "nested", "customer_id": "flat"},
        ),
        (
            {"id": 1, "customer": "0b5e8f5c-1d2e-4c1a-9d5e-0a1b2c3d4e5f", "ticket_no": 12},
            "ticket_invoices",
            {"customer__id": "0b5e8f5c-1d2e-4c1a-9d5e-0a1b2c3d4e5f", "ticket__ticket_no": "12"},
        ),
        (
            {"id": 1, "assigned_to": "5", "issue_type": 7, "customer": "Ana", "status": 3},
            "tickets",
            {"technician__id": "5", "issue_type__id": "7", "customer__name": "Ana"}
            | {"status__label": "3"},
        ),
        (
            {"id": 1, "model": 11, "category": 3},
            "products",
            {"model__name": "11", "category__id": "3"},
        ),
        ({"id": 1, "customer": "55512345"}, "tickets", {"customer__name": "55512345"}),
        (
            {"id": 1, "ticket_status": {"id": 3, "label": "Done"}},
            "tickets",
            {"status__id": "3", "status__label": "Done"},
        ),
        ({"id": 1, "customer": 55512345}, "tickets", {"customer__id": "55512345"}),
        ({"id": 1, "technician_name": "Eva"}, "tickets", {"technician__first_name": "Eva"}),
        (
            {"id": 1, "sku": "A", "stock_quantity": 2, "price": 5, "vendor": {"company": "Sur"}},
            "products",
            {"code": "A", "stock": 2, "prices__retail_price": 5, "supplier__company": "Sur"},
        ),
        (
            {"id": 1, "value": 5, "expense_date": "2026-03-01"},
            "expenses",
            {"amount": 5, "created_date": "2026-03-01"},
        ),
    ],
)
def test_a_reference_may_be_flat(row, table, expected):
    cleaned = clean(row, table)
    assert {name: cleaned.get(name) for name in expected} == expected
    assert cleaned["_unreadable"] is None


def test_lines_go_by_other_names():
    line = {"sku": "A", "qty": 2, "price": "3.50", "line_total": 7, "description": "Glass"}
    [read] = clean({"id": 1, "line_items": [line]}, "pos_orders")["lines"]
    wanted = "product_code quantity unit_price total item_description".split()
    assert [read[column] for column in wanted] == ["A", 2, Decimal("3.50"), 7, "Glass"]
    line = {"product_id": 7, "count": 2, "price_per_unit": 3}
    [read] = clean({"id": 1, "lines": [line]}, "pos_orders")["lines"]
    assert [read[name] for name in ("product__id", "quantity", "unit_price")] == ["7", 2, 3]
    line = {"product": {"id": 1, "code": "A", "name": "Glass"}}
    [read] = clean({"id": 1, "lines": [line]}, "pos_orders")["lines"]
    assert (read["product_code"], read["item_description"]) == ("A", "Glass")


@pytest.mark.parametrize(
    ("table", "name"),
    [
        *(("customers", "customerId"), ("ticket_invoices", "invoiceId"), ("statuses", "StatusID")),
        *(("warranties", "warranty_id"), ("ticket_comments", "Id"), ("time_clock", "clock_id")),
    ],
)
def test_a_row_may_call_its_own_id_by_its_kind(table, name):
    others = {"ticket_id": "t1", "customer_id": "c1"} if table != "customers" else {}
    assert clean({**others, name: 7, "name": "x"}, table)["id"] == "7"
