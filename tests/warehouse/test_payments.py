"""Payments: each once, with the document it belongs to and its kind."""

from decimal import Decimal

import pytest

pytestmark = pytest.mark.core


@pytest.fixture
def payments(warehouse):
    rows = warehouse.rows(
        "select id, amount, kind, document_type, document_id, ticket_id "
        "from marts.payments where shop_id = 'money'"
    )
    assert len(rows) == len({row[0] for row in rows})
    return {str(row[0]): row[1:] for row in rows}


@pytest.mark.parametrize(
    ("number", "amount", "kind", "document", "ticket"),
    [
        ("10", 20, "advance", "i1", "t1"),  # before the invoice; embedded in ticket and invoice
        ("11", 30, "sale", "i1", "t1"),  # in two invoices and the list; still the invoice's day
        ("12", 40, "receivable", "i1", "t1"),
        ("13", -5, "refund", "i1", "t1"),
        ("14", 1, "advance", "i1", "t1"),  # the same day, but marked
        ("15", 9, "advance", None, "t1"),  # the ticket has it, no invoice does
        ("20", 8, "sale", "o1", None),
        ("21", -3, "refund", "o1", None),  # through the return
        ("22", 55, "sale", "i1", "t1"),  # through includeResource
        ("23", 7, "sale", None, None),
        ("ticket_invoice:i1:5", 2, "sale", "i1", "t1"),  # no number at all
    ],
)
def test_kind_and_document(payments, number, amount, kind, document, ticket):
    found = payments[number]
    assert (found[0], found[1], found[3], found[4]) == (Decimal(amount), kind, document, ticket)


def test_deleted_ones_are_left_out(payments):
    # 24 is gone from the list, 16 only stands in an invoice that is gone.
    assert not {"24", "16"} & payments.keys()
    assert len(payments) == 11


def test_what_is_due_and_paid(warehouse):
    paid, due = warehouse.one(
        "select paid, due from marts.documents where shop_id = 'money' and document_id = 'i1'"
    )
    assert (paid, due) == (Decimal(143), Decimal(-43))
    assert warehouse.one(
        "select payment_method from marts.payments where shop_id = 'money' and id = '20'"
    ) == ("Cash",)
