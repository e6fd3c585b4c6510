"""Spellings: what people write, what the service takes, what comes out."""

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.bodies import (
    UPLOADS,
    BodyError,
    Queued,
    QueuedRow,
    operations,
    validate,
    validate_upload,
)
from sandbox.bodies import checked
from sandbox.errors import Refusal
from sources.repair_shop.schema.dates import format_day, format_moment, parse_moment

pytestmark = pytest.mark.core

ZONE = ZoneInfo("America/Guatemala")


def customer(**fields):
    return validate("customers", "update", fields, zone=ZONE)


@pytest.mark.parametrize("value", [True, "True", "Yes", "1", 1, "yes", "true"])
def test_the_spellings_of_true(value):
    assert validate("customers", "update", {"gdprCompliant": value}) == {"gdprCompliant": True}


@pytest.mark.parametrize("value", [False, "False", "No", "0", 0, "no", "false"])
def test_the_spellings_of_false(value):
    assert validate("customers", "update", {"gdprCompliant": value}) == {"gdprCompliant": False}


@pytest.mark.parametrize(
    "value",
    [
        date(1990, 1, 5),
        "1990-01-05",
        "05-jan-1990",
        datetime(1990, 1, 5),
        pd.Timestamp("1990-01-05"),
    ],
)
def test_people_write_days_in_several_ways(value):
    assert customer(dateOfBirth=value) == {"dateOfBirth": "05-Jan-1990"}


def test_a_time_of_day_is_not_dropped_silently():
    with pytest.raises(BodyError, match="has a time of day"):
        customer(dateOfBirth=datetime(1990, 1, 5, 12))


def test_a_time_is_not_made_up():
    with pytest.raises(BodyError, match="no time of day"):
        validate("time_clock", "update", {"inDate": "2026-01-05"})


def test_seconds_are_not_dropped_silently():
    with pytest.raises(BodyError, match="finer"):
        validate("stock", "update", {"expired_on": datetime(2026, 1, 5, 12, 0, 1)})


def test_a_time_with_an_offset_becomes_the_shops_wall_time():
    body = {"invoiceDate": datetime(2026, 1, 1, 3, tzinfo=UTC)}
    sent = validate("tickets", "update", body, zone=ZONE)
    assert sent == {"invoiceDate": "31-Dec-2025 21:00:00"}


def test_a_time_with_an_offset_needs_the_shops_zone():
    with pytest.raises(BodyError, match="time zone is not known"):
        validate("tickets", "update", {"invoiceDate": "2026-01-01T03:00:00Z"})


def test_the_service_takes_only_its_own_format():
    with pytest.raises(Refusal):
        checked("tickets", "update", {"invoiceDate": "2026-01-01 03:00:00"})


@settings(deadline=None)
@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2099, 12, 31)).map(
        lambda m: m.replace(microsecond=0)
    )
)
def test_a_moment_sent_reads_back_as_itself(moment):
    sent = validate("tickets", "update", {"invoiceDate": moment})["invoiceDate"]
    assert sent == format_moment(moment)
    assert validate("tickets", "update", {"invoiceDate": sent}) == {"invoiceDate": sent}
    assert parse_moment(sent, UTC)[:19] == moment.isoformat()


@settings(deadline=None)
@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12
    )
)
def test_an_amount_is_sent_with_every_digit(amount):
    for spelled in (amount, str(amount)):
        sent = validate("products", "update", {"price": spelled})["price"]
        assert Decimal(json.dumps(sent)) == amount


def test_more_digits_than_a_json_number_keeps_are_refused():
    with pytest.raises(BodyError, match="15 digits"):
        validate("products", "update", {"price": Decimal("1234567890123456.78")})


@pytest.mark.parametrize("value", [10**400, -(10**16), 1e300, "1e999", Decimal("1e40")])
def test_numbers_beyond_what_json_keeps_are_refused(value):
    with pytest.raises(BodyError, match="price: "):
        validate("products", "update", {"price": value})


def test_enums_in_any_case_from_people_and_exactly_at_the_service():
    assert customer(gender="not specified") == {"gender": "Not Specified"}
    with pytest.raises(Refusal):
        checked("customers", "update", {"gender": "female"})


def test_all_faults_come_in_one_message():
    with pytest.raises(BodyError) as caught:
        validate("customers", "create", {"gender": "x", "dateOfBirth": "x", "nmae": "Ann"})
    message = str(caught.value)
    assert len(caught.value.faults) == 4
    assert "name: is required" in message
    assert "nmae: there is no such field; did you mean name?" in message


def test_faults_inside_lines_name_the_line():
    body = {"lines": [{"productCode": "A", "quantity": 1}, {"quantity": "x", "colour": 1}]}
    with pytest.raises(BodyError) as caught:
        validate("tickets", "update", body)
    assert {fault.field for fault in caught.value.faults} == {
        "lines[1].productCode",
        "lines[1].quantity",
        "lines[1].colour",
    }


def test_id_fields_take_references_and_others_do_not():
    sent = validate(
        "tickets",
        "create",
        {"customerId": "@12", "shortInfo": "@12", "deviceModelId": {"$queued": 3}},
    )
    assert sent == {"customerId": Queued(12), "shortInfo": "@12", "deviceModelId": Queued(3)}
    sent = validate(
        "payments",
        "create",
        {"invoiceId": ["a", "@row:2"], "lines": [{"amount": 1, "paymentMethod": 4}]},
    )
    assert sent["invoiceId"] == ["a", QueuedRow(2)]
    with pytest.raises(BodyError, match="must be text"):
        validate("tickets", "update", {"shortInfo": {"$queued": 12}})


def test_a_payment_needs_a_line():
    with pytest.raises(BodyError, match="lines: must have at least one element"):
        validate("payments", "create", {"invoiceId": "a", "lines": []})


@pytest.mark.parametrize("missing", ["amount", "paymentMethod"])
def test_a_payment_line_needs_amount_and_method(missing):
    line = {"amount": 1, "paymentMethod": "cash"}
    del line[missing]
    with pytest.raises(BodyError, match=rf"lines\[0\].{missing}: is required"):
        validate("payments", "create", {"invoiceId": "a", "lines": [line]})


def test_a_changed_mobile_number_needs_its_country():
    with pytest.raises(BodyError, match="countryCode is required"):
        validate("leads", "update", {"mobile": "+502 5555"})
    assert validate("leads", "update", {"mobile": "1", "countryCode": "GT"})


def test_the_three_arrays_of_an_adjustments_update():
    body = {
        "add_products": [{"ad_product_id": "1", "ad_quantity": 2, "ad_type": "Addition"}],
        "update_products": [{"up_stock_id": "3", "up_quantity": 1, "up_breakage": "Yes"}],
        "delete_products": [{"stock_id": 4}],
    }
    sent = validate("adjustments", "update", body)
    assert sent["update_products"][0]["up_breakage"] is True
    assert sent["delete_products"] == [{"stock_id": "4"}]
    with pytest.raises(BodyError, match="may be given on create only"):
        validate("adjustments", "update", {"products": []})


def test_the_fields_of_a_serial():
    body = {"term_in_days": "30", "serial": "S1", "other_serial_update": "Yes"}
    assert validate("serials", "update", body)["other_serial_update"] is True
    with pytest.raises(BodyError, match="no such write"):
        validate("serials", "create", {"serial": "S1"})


@pytest.mark.parametrize("name", ["a.pdf", "a.doc", "a.png", "a.JPG"])
def test_types_of_files_for_tickets(name):
    assert validate_upload("tickets", {"fileName": name, "fileSize": 1})


@pytest.mark.parametrize("name", ["a.exe", "a", "pdf", "a.docx", "a.jpeg"])
def test_other_files_are_refused_for_tickets_only(name):
    with pytest.raises(BodyError, match="must be a file of type"):
        validate_upload("tickets", {"fileName": name, "fileSize": 1})
    assert validate_upload("products", {"fileName": name, "fileSize": 1})


@pytest.mark.parametrize("missing", ["fileName", "fileSize"])
@pytest.mark.parametrize("resource", UPLOADS)
def test_an_upload_needs_name_and_size(resource, missing):
    body = {"fileName": "a.png", "fileSize": 1}
    del body[missing]
    with pytest.raises(BodyError, match=f"{missing}: is required"):
        validate_upload(resource, body)


def test_operations_are_those_of_the_endpoint_tables():
    assert operations("payments") == ("create",)
    assert operations("ticket_comments") == ("create",)
    assert operations("serials") == ("update", "delete")
    assert operations("tickets") == ("create", "update", "delete", "upload")
    assert operations("users") == ()
    everything = ("create", "update", "delete")
    for resource in ("customers", "ticket_timers", "models", "categories", "brands"):
        assert operations(resource) == everything
    for resource in ("stock", "adjustments", "leads", "appointments", "time_clock"):
        assert operations(resource) == everything
    assert operations("products") == (*everything, "upload")


def test_the_services_defaults_are_not_sent():
    body = {"customerId": "c", "shortInfo": "x"}
    assert validate("tickets", "create", body) == body


def test_dates_at_the_edges():
    day = date(2026, 2, 28) + timedelta(days=1)
    assert customer(dateOfBirth="2024-02-29") == {"dateOfBirth": "29-Feb-2024"}
    assert customer(dateOfBirth=day) == {"dateOfBirth": format_day(day)}
    with pytest.raises(BodyError):
        customer(dateOfBirth="2026-02-29")
