"""Days with slashes and amounts of one sign are read by what their column shows, or not at all."""

import itertools
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.schema.clean import Cleaner
from sources.repair_shop.schema.memory import MOST_COLUMNS, Memory
from sources.repair_shop.schema.values import parse_amount
from tests.source.test_arrow import ZONE


def read(*rows, memory=None, table="ticket_invoices"):
    """Rows of a list as the warehouse gets them."""
    cleaner = Cleaner(table, "main", ZONE, memory or Memory())
    found = [cleaner.row(row, {"id": str(n)}) for n, row in enumerate(rows)]
    cleaner.end()
    return found


def days(*said, memory=None):
    rows = read(*({"created_date": one} for one in said), memory=memory)
    return [row.get("created_date") for row in rows]


def amounts(*said, memory=None):
    rows = read(*({"amount_total": one} for one in said), memory=memory)
    return [row.get("amount_total") for row in rows]


def test_a_day_that_may_be_two_is_told_and_read_once_its_column_has_shown_the_order(lists):
    first = {"id": 1, "name": "A", "created_date": "07/05/2026"}
    lists.rows["/brands"] = [first]
    lists.run("brands")
    sql = "SELECT id, created_date, _unreadable FROM raw.brands ORDER BY id"
    assert lists.query(sql) == [("1", None, '{"created_date": "07/05/2026"}')]
    lists.rows["/brands"] = [first, {"id": 2, "name": "B", "created_date": "07/16/2026"}]
    lists.run("brands")
    lists.run("brands")
    assert lists.query(sql) == [("1", "2026-07-05", None), ("2", "2026-07-16", None)]


@given(st.lists(st.dates(date(2000, 1, 1), date(2060, 12, 31)), min_size=1), st.booleans())
def test_days_are_right_or_refused_in_either_order(meant, day_first):
    spelled = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    found = days(*(day.strftime(spelled) for day in meant))
    is_shown = any(day.day > 12 for day in meant)
    for day, one in zip(meant, found, strict=True):
        wanted = day.isoformat()
        assert one == wanted if is_shown or day.day == day.month else one in (None, wanted)


def test_a_column_that_shows_both_orders_decides_nothing():
    found = days("07/16/2026", "16/07/2026", "07/05/2026")
    assert found == ["2026-07-16", "2026-07-16", None]


@given(st.lists(st.decimals(-99_999_999, 99_999_999, places=2), min_size=1), st.sampled_from(".,"))
def test_amounts_with_cents_are_read_whatever_their_sign(meant, sign):
    other = "," if sign == "." else "."
    said = [
        f"Q{one:,.2f}".replace(",", "_").replace(".", sign).replace("_", other) for one in meant
    ]
    assert amounts(*said) == meant


@given(st.lists(st.integers(1000, 999_999), min_size=1), st.sampled_from(".,"))
def test_thousands_alone_are_refused_until_the_column_shows_its_sign(meant, parts):
    said = [f"{one:,}".replace(",", parts) for one in meant]
    assert amounts(*said) == [None] * len(said)
    assert amounts(*said, "1" + ("," if parts == "." else ".") + "50")[:-1] == meant


def test_one_rule_reads_both_spellings_of_a_thousand():
    assert amounts("1.234,50", "1.234") == [Decimal("1234.50"), Decimal(1234)]
    assert amounts("1,234.50", "1.234") == [Decimal("1234.50"), Decimal("1.234")]
    of_object = ({"amount": one, "currency": "EUR"} for one in ("1.234,50", "1.234"))
    assert amounts(*of_object) == [Decimal("1234.50"), Decimal(1234)]
    assert amounts("(12.00)", "12.00-", "Q1,234.50") == [-12, -12, Decimal("1234.50")]


def test_a_percentage_is_a_rate_and_no_money():
    nothing = {"amount": None, "currency": "GTQ"}
    assert "_unreadable" not in read({"tax_total": nothing})[0]
    for share in ({"amount": "12%"}, {"amount": 12, "type": "Percentage"}):
        assert read({"tax_total": share})[0].get("tax_total") is None
    (row,) = read({"tax_total": "12%"})
    assert row.get("tax_total") is None and row["_unreadable"] == '{"tax_total": "12%"}'
    assert [row["value"] for row in read({"value": "12%"}, table="tax_rates")] == [12]
    assert [row["prices__vat"] for row in read({"vat": "12%"}, table="products")] == [12]


def test_a_reference_of_more_than_64_bits_is_an_id():
    (row,) = read(parse_json(b'{"customer": 18446744073709551615}'))
    assert row["customer__id"] == "18446744073709551615"


def test_other_columns_of_the_list_decide_where_one_shows_nothing():
    (row,) = read({"amount_total": "1.234", "tax_total": "3,50", "created_date": "16/07/2026"})
    assert (row["amount_total"], row["tax_total"]) == (1234, Decimal("3.50"))


@pytest.mark.parametrize(
    ("price", "quantity", "meant"),
    [
        ("12,50", "2.000", (Decimal("12.5"), None)),
        ("12.50", "2.000", (Decimal("12.5"), 2)),
        ("1.990", "0.5", (None, Decimal("0.5"))),
    ],
)
def test_money_and_quantities_may_be_written_by_two_hands(price, quantity, meant):
    """By the shop's country, and by a database: a comma in one makes no thousands in the other."""
    (row,) = read({"cog_per_item": price, "quantity": quantity}, table="stock")
    assert (row.get("cog_per_item"), row.get("quantity")) == meant
    assert ("_unreadable" in row) == (None in meant)


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ({"due_date": "0000-00-00 00:00:00"}, {"due_date": None}),
        ({"due_date": "0001-01-01T00:00:00Z"}, {"due_date": None}),
        ({"due_date": "0001-01-01T00:00:00.0000000+00:00"}, {"due_date": None}),
        ({"due_date": "1/1/0001 12:00:00 AM"}, {"due_date": None}),
        (
            {"customer": {"name": "Ann"}, "client": {"name": "Bo"}},
            {"customer__name": "Ann", "customer__name_2": "Bo"},
        ),
        (
            {"customer": [{"id": "c1", "name": "Ann"}]},
            {"customer__id": "c1", "customer__name": "Ann"},
        ),
        ({"lines": {"0": {"total": 1}, "1": {"total": 2}}}, {"lines": [1, 2]}),
        ({"lines": {"total": 1}}, {"lines": [1]}),
    ],
)
def test_odd_spellings_of_a_row_are_read_and_lose_nothing(said, held):
    (row,) = read(said)
    row["lines"] = [line["total"] for line in row.get("lines", [])]
    assert "_unreadable" not in row
    assert held.items() <= row.items()


def test_what_was_shown_once_decides_later_and_what_was_refused_is_to_be_read_again():
    memory = Memory()
    assert amounts("1.234", memory=memory) == [None]
    assert memory.settled == {}
    memory = Memory.of(memory.text())
    assert amounts("9,50", memory=memory) == [Decimal("9.50")]
    assert memory.settled == {"main": 1}
    assert amounts("1.234", memory=Memory.of(memory.text())) == [1234]


def test_fields_without_end_make_no_columns_without_end_and_lose_nothing():
    memory = Memory()
    for start in range(0, 600, 100):
        rows = read(*({f"k{n}": "v"} for n in range(start, start + 100)), memory=memory)
        for n, row in enumerate(rows, start):
            assert row.get(f"k{n}") == "v" or f'"k{n}": "v"' in row["_unreadable"]
    assert len(memory.columns["ticket_invoices"]) == MOST_COLUMNS


def test_a_row_that_cannot_be_cleaned_goes_whole_into_unreadable():
    deep: list = []
    for _ in itertools.repeat(None, 100_000):
        deep = [deep]
    (row, other) = read({"id": 1, "odd": deep}, {"notes": "good"})
    assert "cannot be told" in row["_unreadable"]
    assert other["notes"] == "good"


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
        ("kr 1.500,-", "1500"),
        ("CHF 5.\u2013", "5"),
        ("-5,-- Kč", "-5"),
        ({"rate": 12, "amount": {"amount": "1.50", "currency": "GTQ"}}, "1.5"),
        ("$\u20135.00", "-5"),
        ("\uff0d5.00", "-5"),
    ],
)
def test_an_amount_is_read_exactly(said, meant):
    assert parse_amount(said) == Decimal(meant)


@pytest.mark.parametrize(
    "said",
    [
        *("", "n/a", "1.2.3", "16.07.2026", "1,2,3", "12 EUR 30", "--5", "1e30", "$.50", "12.-5"),
        *("10.- 20", True, None, [], {"value": 12}),
    ],
)
def test_what_is_no_amount_is_none(said):
    with pytest.raises(ValueError):
        parse_amount(said)
