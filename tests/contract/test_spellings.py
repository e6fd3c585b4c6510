"""Spellings: what people write, what the service takes, what comes out."""

import json
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.bodies import BodyError, operations, validate
from sandbox.bodies import checked
from sandbox.calls import Refusal
from sources.repair_shop.schema.dates import format_moment, parse_moment

pytestmark = pytest.mark.core

ZONE = ZoneInfo("America/Guatemala")


LINE = {"amount": 1, "paymentMethod": 4}
SENT = [
    *(
        ("customers", {"gdprCompliant": value}, {"gdprCompliant": word in ("true", "yes", "1")})
        for word in ("true", "yes", "1", "false", "no", "0")
        for value in (word, word.title())
    ),
    *(
        ("customers", {"gdprCompliant": value}, {"gdprCompliant": bool(value)})
        for value in (1, False)
    ),
    *(
        ("customers", {"dateOfBirth": value}, {"dateOfBirth": "05-Jan-1990"})
        for value in (date(1990, 1, 5), "1990-01-05", "05-jan-1990", datetime(1990, 1, 5))
    ),
    ("customers", {"dateOfBirth": pd.Timestamp("1990-01-05")}, {"dateOfBirth": "05-Jan-1990"}),
    ("customers", {"dateOfBirth": "2024-02-29"}, {"dateOfBirth": "29-Feb-2024"}),
    ("customers", {"gender": "not specified"}, {"gender": "Not Specified"}),
    (
        "tickets",  # a time with an offset becomes the shop's wall time
        {"invoiceDate": datetime(2026, 1, 1, 3, tzinfo=UTC)},
        {"invoiceDate": "31-Dec-2025 21:00:00"},
    ),
    (
        "tickets",
        {"customerId": "@12", "shortInfo": "@12"},
        {"customerId": {"$queued": 12}, "shortInfo": "@12"},
    ),
    ("tickets", {"customerId": {"$queued": 3}}, {"customerId": {"$queued": 3}}),
    ("leads", {"mobile": "1", "countryCode": "GT"}, {"mobile": "1", "countryCode": "GT"}),
    ("serials", {"other_serial_update": "Yes"}, {"other_serial_update": True}),
    (
        "adjustments",
        {"update_products": [{"up_stock_id": "3", "up_quantity": 1, "up_breakage": "Yes"}]},
        {"update_products": [{"up_stock_id": "3", "up_quantity": 1, "up_breakage": True}]},
    ),
    (
        "adjustments",
        {"delete_products": [{"stock_id": 4}]},
        {"delete_products": [{"stock_id": "4"}]},
    ),
]
"""What people write of a record, and what is sent."""


@pytest.mark.parametrize(("resource", "written", "sent"), SENT)
def test_what_people_write_is_sent_as_the_service_takes_it(resource, written, sent):
    assert validate(resource, "update", written, zone=ZONE) == sent


REFUSED = [
    ("customers", "update", {"dateOfBirth": datetime(1990, 1, 5, 12)}, "has a time of day"),
    ("customers", "update", {"dateOfBirth": "2026-02-29"}, "dateOfBirth: "),
    ("time_clock", "update", {"inDate": "2026-01-05"}, "no time of day"),
    ("stock", "update", {"expired_on": datetime(2026, 1, 5, 12, 0, 1)}, "finer"),
    ("tickets", "update", {"invoiceDate": "2026-01-01T03:00:00Z"}, "time zone is not known"),
    ("tickets", "update", {"shortInfo": {"$queued": 12}}, "must be text"),
    ("products", "update", {"price": Decimal("1234567890123456.78")}, "15 digits"),
    *(
        ("products", "update", {"price": value}, "price: ")
        for value in (10**400, -(10**16), 1e300, "1e999", Decimal("1e40"))
    ),
    (
        "payments",
        "create",
        {"invoiceId": "a", "lines": []},
        "lines: must have at least one element",
    ),
    *(
        ("payments", "create", {"invoiceId": "a", "lines": [line]}, f"lines[0].{lost}: is required")
        for lost, line in (("amount", {"paymentMethod": 4}), ("paymentMethod", {"amount": 1}))
    ),
    ("leads", "update", {"mobile": "+502 5555"}, "countryCode is required"),
    ("adjustments", "update", {"products": []}, "may be given on create only"),
    ("serials", "create", {"serial": "S1"}, "no such write"),
]


@pytest.mark.parametrize(("resource", "op", "body", "words"), REFUSED)
def test_what_would_be_changed_or_made_up_on_its_way_is_refused(resource, op, body, words):
    with pytest.raises(BodyError, match=re.escape(words)):
        validate(resource, op, body)


@pytest.mark.parametrize(
    ("resource", "body"),
    [("tickets", {"invoiceDate": "2026-01-01 03:00:00"}), ("customers", {"gender": "female"})],
)
def test_the_service_takes_only_its_own_spelling(resource, body):
    with pytest.raises(Refusal):
        checked(resource, "update", body)


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
    for field in ("productCode", "quantity", "colour"):
        assert f"lines[1].{field}: " in str(caught.value)


@pytest.mark.parametrize("name", ["a.pdf", "a.doc", "a.png", "a.JPG"])
def test_types_of_files_for_tickets(name):
    assert validate("tickets", "upload", {"fileName": name, "fileSize": 1})


@pytest.mark.parametrize("name", ["a.exe", "a", "pdf", "a.docx", "a.jpeg"])
def test_other_files_are_refused_for_tickets_only(name):
    with pytest.raises(BodyError, match="must be a file of type"):
        validate("tickets", "upload", {"fileName": name, "fileSize": 1})
    assert validate("products", "upload", {"fileName": name, "fileSize": 1})


@pytest.mark.parametrize("missing", ["fileName", "fileSize"])
@pytest.mark.parametrize("resource", ["tickets", "products"])
def test_an_upload_needs_name_and_size(resource, missing):
    body = {"fileName": "a.png", "fileSize": 1}
    del body[missing]
    with pytest.raises(BodyError, match=f"{missing}: is required"):
        validate(resource, "upload", body)


def test_operations_are_those_of_the_endpoint_tables():
    everything = ("create", "update", "delete")
    for resource, found in {
        "payments": ("create",),
        "ticket_comments": ("create",),
        "serials": ("update", "delete"),
        "users": (),
        **dict.fromkeys(("tickets", "products"), (*everything, "upload")),
        **dict.fromkeys(("customers", "models", "stock", "leads", "time_clock"), everything),
    }.items():
        assert operations(resource) == found, resource


def test_a_row_of_the_same_file_may_be_named():
    body = {"invoiceId": ["a", "@row:2"], "lines": [LINE]}
    assert validate("payments", "create", body)["invoiceId"] == ["a", {"$row": 2}]
    for twice in (["a", "b", "a"], '["7", 7]', ["@row:2", "@row:2"]):
        with pytest.raises(BodyError, match="more than once"):
            validate("payments", "create", body | {"invoiceId": twice})


def test_the_services_defaults_are_not_sent():
    body = {"customerId": "c", "shortInfo": "x"}
    assert validate("tickets", "create", body) == body
