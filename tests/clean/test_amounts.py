"""Amounts as services spell them (field notes, Shapes): read exactly, or not at all."""

from decimal import Decimal

import pytest

from sources.repair_shop.schema.clean import parse_amount

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (12, "12"),
        (Decimal("12.50"), "12.5"),
        ("12.5", "12.5"),
        ("Q1,234.50", "1234.5"),
        ("-Q1,234.50", "-1234.5"),
        ("1.234,50 EUR", "1234.5"),
        ("1.234.567", "1234567"),
        ("1,234,567", "1234567"),
        ("1 234,50", "1234.5"),
        ("1'234.50", "1234.5"),
        ("CHF 6\u2019234.50", "6234.5"),
        ("12,34,567.00", "1234567"),
        ("(12.00)", "-12"),
        ("12.00-", "-12"),
        ("0.00005", "0.0001"),
        ("1e2", "100"),
        (".50", "0.5"),
        ("Rs.50", "50"),
        ("S/. 1,234.50", "1234.50"),
        ("-B/.50", "-50"),
    ],
)
def test_an_amount_is_read_exactly(said, meant):
    assert parse_amount(said) == Decimal(meant)


@pytest.mark.parametrize(
    "said",
    ["", "n/a", "1.2.3", "16.07.2026", "1,2,3", "12 EUR 30", "--5", True, None, [], "1e30", "$.50"],
)
def test_what_is_no_amount_is_none(said):
    with pytest.raises(ValueError):
        parse_amount(said)
