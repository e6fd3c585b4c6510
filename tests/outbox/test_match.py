"""How a record shows a value that was sent: what says that it is there, and what says nothing."""

from zoneinfo import ZoneInfo

import pytest

from pipelines.outbox.match import Match, compare, is_deleted, left_out, marked_body, same, shows

pytestmark = pytest.mark.core
UTC = ZoneInfo("UTC")
LINE = {"productCode": "A", "quantity": 1}
ONE, TWO = ({"product_code": "A", "quantity": count} for count in (1, 2))


@pytest.mark.parametrize(
    ("resource", "name", "sent", "row", "match"),
    [
        ("tickets", "priority", 1, {"priority": "High"}, Match.SAME),
        ("tickets", "priority", "High", {"priority": 1}, Match.SAME),
        ("tickets", "priority", 1, {"priority": "Low"}, Match.DIFFERENT),
        ("customers", "gdprCompliant", True, {"gdpr_compliant": "Yes"}, Match.SAME),
        ("customers", "gdprCompliant", True, {"gdpr_compliant": "No"}, Match.DIFFERENT),
        ("customers", "mobile", "05551-234567", {"mobile": "+502 5551234567"}, Match.SAME),
        ("customers", "mobile", "5551234567", {"mobile": "5551234568"}, Match.DIFFERENT),
        ("customers", "mobile", "1", {"mobile": "+5021"}, Match.DIFFERENT),
        ("customers", "company", "1", {"company": "5021"}, Match.DIFFERENT),
        ("customers", "name", "Ann", {}, Match.HIDDEN),
        ("models", "brand", "5", {"brand__name": "3310"}, Match.HIDDEN),
        ("customers", "name", "", {}, Match.SAME),
        ("customers", "name", "José", {"name": "JOSE"}, Match.SAME),
        ("customers", "name", "Ann Lee", {"name": "Ann Le"}, Match.ALTERED),
        ("customers", "name", "Ann", {"name": "Ann Lee"}, Match.ALTERED),
        ("customers", "name", "Jonathan", {"name": "Jonatan"}, Match.ALTERED),
        ("customers", "name", "Ann", {"name": "Bob"}, Match.DIFFERENT),
        ("customers", "name", "!", {"name": "?"}, Match.ALTERED),
        ("customers", "tax", 3, {"tax": "VAT"}, Match.HIDDEN),
        ("customers", "paymentTermDays", 3, {"payment_term_days": "three"}, Match.HIDDEN),
        ("customers", "paymentTermDays", 3, {"payment_term_days": "4 days"}, Match.DIFFERENT),
        ("products", "code", "007", {"code": "7"}, Match.DIFFERENT),
        ("products", "price", 10.005, {"price": "Q10.01"}, Match.SAME),
        ("products", "price", 10.01, {"price": "Q10.00"}, Match.DIFFERENT),
        ("products", "price", 10.005, {"price": "Q12.00"}, Match.DIFFERENT),
        ("products", "price", 10.5, {"price": "10.50"}, Match.SAME),
        ("products", "code", "7", {"code": "007"}, Match.DIFFERENT),
        ("models", "brand", "7", {"brand": "Acme"}, Match.HIDDEN),
        ("models", "brand", "a1-b2", {"make": "Acme"}, Match.HIDDEN),
        ("models", "brand", "Acme", {"make": "Acme"}, Match.SAME),
        ("models", "brand", "7", {"brand": "8"}, Match.DIFFERENT),
        ("models", "brand", "a1-b2", {"brand__id": "x", "brand__name": "Acme"}, Match.DIFFERENT),
        ("tickets", "customerId", "c-1", {"customer__id": "c-1", "customer": None}, Match.SAME),
        ("tickets", "customerId", "c-1", {"customer__tags": ["c-1"]}, Match.HIDDEN),
        ("customers", "name", "Ann", {"name": None, "company": "Ann"}, Match.HIDDEN),
        ("customers", "name", "Ann Lee Smith", {"name": "Ann"}, Match.ALTERED),
        ("customers", "company", "5551234567", {"company": "+502 5551234567"}, Match.DIFFERENT),
        ("customers", "gdprCompliant", False, {"gdpr_compliant": "No"}, Match.SAME),
        ("tickets", "dueDate", "01-Nov-2026", {"due_date": "soon"}, Match.DIFFERENT),
        ("adjustments", "products", [LINE], {"lines": [LINE]}, Match.HIDDEN),
        ("tickets", "lines", [LINE], {"lines": [{"product_code": "A"}]}, Match.SAME),
        ("tickets", "lines", [LINE], {"lines": [TWO]}, Match.DIFFERENT),
        ("tickets", "lines", [{"productCode": "A"}], {"lines": [TWO]}, Match.SAME),
        ("tickets", "dueDate", "01-Nov-2026", {"due_date": "2026-11-01T10:00:00+0000"}, Match.SAME),
        ("tickets", "dueDate", "01-Nov-2026", {"due_date": "2026-10-31"}, Match.DIFFERENT),
        (
            "appointments",
            "dateandtime",
            "01-Nov-2026 10:00",
            {"start_date": "2026-11-01T16:00:00+0000"},
            Match.ALTERED,
        ),
        ("tickets", "lines", [LINE], {}, Match.HIDDEN),
        ("tickets", "lines", [LINE], {"lines": "A"}, Match.HIDDEN),
        ("tickets", "lines", [LINE], {"lines": [TWO | {"quantity": "1.0"}]}, Match.SAME),
        ("tickets", "lines", [LINE], {"lines": [TWO | {"product_code": "a"}]}, Match.DIFFERENT),
        ("tickets", "lines", [LINE], {"lines": [ONE | {"product_code": "a"}]}, Match.SAME),
        ("tickets", "lines", [LINE], {"lines": [ONE | {"product_code": "B"}]}, Match.DIFFERENT),
    ],
)
def test_how_a_record_shows_a_value(resource, name, sent, row, match):
    assert compare(resource, name, sent, row, UTC) is match


@pytest.mark.parametrize(
    ("sent", "before", "now", "is_shown"),
    [
        ("ANN", "Ann", "Ann", False),
        ("ANN", "Ann", "ANN", True),
        ("Ann", "Ann", "Ann", True),
        ("Bob", "Ann", "Ann", False),
        ("Bob", "Cid", "Ann", False),
        ("", "", "", True),
        ("Añn", "Ann", "Ann", False),
        ("Añn", "Bob", "Ann", True),
        ("Añn", None, "Ann", False),
        ("", "Ann", "", True),
    ],
)
def test_an_update_is_shown_to_the_letter_where_the_record_is_as_before(
    sent, before, now, is_shown
):
    then = None if before is None else {"name": before}
    assert shows("customers", "name", sent, then, {"name": now}, UTC) is is_shown


@pytest.mark.parametrize(
    ("name", "sent", "before", "now", "is_left_out"),
    [
        ("company", "B", "A", "A", True),
        ("company", "B", "A", "C", False),
        ("company", "B", None, "A", True),
        ("company", "B", "", "", True),
        ("company", "", "", "", False),
        ("company", "A", "A", "A", False),
        ("countryCode", "DE", "Germany", "Germany", False),
        ("gdprCompliant", True, "Enabled", "Enabled", False),
    ],
)
def test_an_update_left_out_a_field_that_is_as_before(name, sent, before, now, is_left_out):
    column = {"countryCode": "country_code", "gdprCompliant": "gdpr_compliant"}.get(name, name)
    then = None if before is None else {column: before}
    found = left_out("customers", {name: sent}, then, {column: now}, UTC)
    assert found == [name] * is_left_out


def test_a_number_is_exact_however_it_is_written():
    row = {"price": "5.00"}
    assert shows("products", "price", 5, row, row, UTC)


def test_a_code_is_no_number_and_blanks_are_one():
    assert not same("007", "7", UTC)
    assert same("A  b", "a B", UTC)


def test_what_has_no_text_takes_no_marker():
    assert marked_body("brands", {"name": "X"}) == ({"name": "X"}, None)


def test_a_date_of_zeros_is_no_deletion():
    assert not is_deleted({"deleted_at": "0000-00-00 00:00:00"})
    assert is_deleted({"deleted_at": "2026-10-01 00:00:00"})


@pytest.mark.parametrize(
    ("resource", "name", "sent", "row", "is_left_out"),
    [
        ("ticket_comments", "ticket", "1005", {"ticket__id": "ab-1"}, False),
        ("tickets", "customerId", "Ann", {"customer__id": "c-1"}, False),
        ("tickets", "customerId", "c-1", {"customer__id": "c-2"}, True),
        ("tickets", "status", "Done", {"status": "3"}, False),
        ("tickets", "status", "Done", {"status__id": "3", "status__label": "New"}, True),
        ("tickets", "shortInfo", "Done", {"short_info": "New"}, True),
    ],
)
def test_a_create_is_shown_where_another_name_of_what_it_names_is(
    resource, name, sent, row, is_left_out
):
    assert left_out(resource, {name: sent}, None, row, UTC) == [name] * is_left_out
    assert left_out(resource, {name: sent}, row, row, UTC) == [name], "of an update, as before"
