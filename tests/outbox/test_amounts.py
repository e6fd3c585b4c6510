"""Amounts as programs write them: 1.1300000000000001 is 1.13; what would lose digits is told."""

from datetime import UTC
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.bodies import validate
from pipelines.outbox import InputRefused, Outbox, enqueue

pytestmark = pytest.mark.core


def sent(settings, amount):
    [number] = enqueue(
        "payments",
        "create",
        {"invoiceId": "i-1", "lines": [{"amount": amount, "paymentMethod": "1"}]},
        settings=settings,
        check=False,
    )
    with Outbox(settings.home) as outbox:
        return outbox.get(number).body["lines"][0]["amount"]


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("1.1300000000000001", 1.13),
        (Decimal("1.1300000000000001"), 1.13),
        (1.1300000000000001, 1.13),
        (0.1 + 0.2, 0.3),
        (Decimal("2.9999999999999996"), 3),
        ("-19.990000000000002", -19.99),
        ("73.4000000000001", 73.4),
        (0.12345678, 0.12345678),
        (1 / 3, 1 / 3),
    ],
)
def test_what_arithmetic_left_of_an_amount_is_rounded_away(settings, written, amount):
    assert sent(settings, written) == amount


@pytest.mark.parametrize("written", ["1.13000000000001234", "0.33333333333333333333"])
def test_digits_that_somebody_meant_are_not_lost(settings, written):
    with pytest.raises(InputRefused, match="more than 15 digits"):
        sent(settings, written)


@given(st.integers(-(10**9), 10**9), st.integers(1, 50))
@example(7340, 50)
def test_sums_of_cents_are_cents(cents, parts):
    """As often as a float is added up, its sum is read as the cents it stands for."""
    value = sum([cents / 100 / parts] * parts)
    line = {"amount": repr(value), "paymentMethod": "1"}
    body = validate("payments", "create", {"invoiceId": "i", "lines": [line]}, zone=UTC)
    assert body["lines"][0]["amount"] == cents / 100
