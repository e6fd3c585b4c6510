"""Sheets as spreadsheets and data frames write them: what cannot be read for sure is a fault."""

import sqlite3
from contextlib import closing
from decimal import Decimal

import pandas as pd
import pytest

from pipelines.bodies import validate
from pipelines.outbox import InputRefused, Outbox, enqueue, read_rows
from tests.outbox.test_intake import refused


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id;price\n1;12,50\n2;1.234,50\n3;7\n", ["12.50", "1234.50", "7"]),
        ("id;price\n1;12,50\n2;1.234\n", "1.234 may be 1234 or a part of it"),
        ('id,price\n1,"1,234"\n2,0.125\n', "line 2: price: 1,234 may be 1234 or a part of it"),
        ("id;price\n1;1,234\n2;0,125\n3;1.234,567\n", ["1.234", "0.125", "1234.567"]),
        ("id;price\n1;1.234\n2;12\n", "line 2: price: 1.234 may be 1234 or a part of it"),
        ("id\tprice\n1\t1.234\n2\t12\n", "line 2: price: 1.234 may be 1234 or a part of it"),
        ("id;price\n1;1.234\n2;12.5\n", ["1.234", "12.5"]),
        ("id\tprice\n1\t1.234\n2\t12.5\n", ["1.234", "12.5"]),
        ("id,price\n1,1.234\n", ["1.234"]),
    ],
)
def test_a_mark_before_three_digits_is_a_fault_unless_the_file_tells_what_it_means(
    tmp_path, text, told
):
    path = tmp_path / "prices.csv"
    path.write_text(text)
    found = read_rows(path, "products", "update")
    if isinstance(told, str):
        [fault] = found.faults
        assert told in fault
    else:
        assert (found.faults, [row["price"] for row in found.rows]) == ([], told)


def test_a_decimal_comma_is_one_of_numbers_alone(tmp_path):
    path = tmp_path / "customers.csv"
    path.write_text("name;creditlimit;latitude\n12,50;1.500,00;14,62\n")
    [row] = read_rows(path, "customers", "create").rows
    assert row == {"name": "12,50", "creditlimit": "1500.00", "latitude": "14.62"}


def test_a_cell_of_spaces_is_not_given_and_a_column_without_a_name_is_told(settings, tmp_path):
    path = tmp_path / "customers.csv"
    path.write_text("id,city,email\n7, ,a@x.org\n")
    assert read_rows(path, "customers", "update").rows == [{"id": "7", "email": "a@x.org"}]
    path.write_text("id,,email\n7,x,a@x.org\n")
    refused(lambda: read_rows(path, "customers", "update"), "column 2 has no name")


@pytest.mark.parametrize(
    "cell",
    ["#N/A", "#NV", "#¡REF!", "#DIV/0!", "#¿NOMBRE?", "########", "Err:502", '="0055"', "5,5E+10"],
)
def test_what_a_spreadsheet_made_of_a_value_is_a_fault(tmp_path, cell):
    path = tmp_path / "customers.csv"
    path.write_text(f"name;mobile\nAnn #1!;{cell}\n")
    [fault] = read_rows(path, "customers", "create").faults
    assert f"line 2: {cell} is what a program made of a value" in fault


def test_digits_with_an_empty_fraction_are_those_without_it(settings, tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text("ref,customerId,shortInfo\n7.0,12.0,Model 3.0\n")
    for rows in (read_rows(path, "tickets", "create", "ref").rows, [{"ref": "7"}]):
        row = {"customerId": "12", "shortInfo": "Model 3.0"} | rows[0]
        assert enqueue("tickets", "create", row, key="ref", settings=settings) == [1]
    with Outbox(settings.home) as outbox:
        [change] = outbox.changes()
    assert change.body == {"customerId": "12", "shortInfo": "Model 3.0"}
    path.write_text("name,mobile\nAnn,55510001.0\n")
    [fault] = read_rows(path, "customers", "create").faults
    assert "55510001.0 is what a program made" in fault
    for number in (Decimal("55510001.0"), Decimal("5.5510001E+7")):
        body = validate("customers", "create", {"name": "Ann", "mobile": number})
        assert body["mobile"] == "55510001"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("0055", "55"),
        ("55", "55.00"),
        ("55", "55."),
        ("55,0", "55"),
        ("A 1", "a\u00a01 "),
        ("José-1", "Jose\u0301-1"),
        ("R1", "R1\u200b"),
        ("0", "000.0"),
    ],
)
def test_a_key_is_the_same_in_a_sheet_that_was_saved_again(settings, first, again):
    for place in (first, again, first):
        rows = [{"ref": place, "name": "Acme"}]
        assert enqueue("brands", "create", rows, key="ref", settings=settings) == [1]
    rows = [{"ref": one, "name": "Acme"} for one in ("z-" + first, "z-" + first + "1")]
    assert enqueue("brands", "create", rows, key="ref", settings=settings) == [2, 3]
    both = [{"ref": one, "name": "Bolt"} for one in (first, again)]
    with pytest.raises(InputRefused, match="stands in"):
        enqueue("brands", "create", both, key="ref", settings=settings)


@pytest.mark.parametrize("keys", [("55", "55.000"), ("1.5", "15"), ("A-1", "A1"), ("1,234", "1")])
def test_keys_that_are_others_are_told_apart(settings, keys):
    rows = [{"ref": key, "name": "Acme"} for key in keys]
    assert enqueue("brands", "create", rows, key="ref", settings=settings) == [1, 2]


@pytest.mark.parametrize("first", [True, False])
def test_a_sheet_is_the_same_whether_its_rows_bear_markers_or_not(settings, first):
    lines = [{"amount": 5, "paymentMethod": "1", "paymentNote": "till "}]
    row = {"ref": "R-055", "invoiceId": "i-1", "lines": lines}
    for marker in (first, not first):
        options = {"key": "ref", "marker": marker, "settings": settings}
        assert enqueue("payments", "create", row, **options) == [1]
    mended = row | {"lines": [{**lines[0], "amount": 6}]}
    with pytest.raises(InputRefused, match="other values"):
        enqueue("payments", "create", mended, **options)


def test_a_key_is_of_one_shop_resource_and_operation(settings):
    shop = settings.shops[0]
    both = settings.model_copy(update={"shops": (shop, shop.model_copy(update={"name": "north"}))})
    row = {"ref": "1", "name": "Acme"}
    for resource, op, record, of in [
        ("brands", "create", None, "main"),
        ("brands", "create", None, "north"),
        ("categories", "create", None, "main"),
        ("brands", "update", "7", "main"),
    ]:
        for _ in range(2):
            enqueue(resource, op, row, record_id=record, key="ref", shop=of, settings=both)
    with Outbox(settings.home) as outbox:
        assert len(outbox.changes()) == 4


def test_numbers_and_blank_lines_of_json_lines_and_lists_of_a_data_frame(settings, tmp_path):
    path = tmp_path / "prices.jsonl"
    path.write_text('{"id": 1, "price": 1.5}\n\n{"id": 2, "price": 1234}\n')
    found = read_rows(path, "products", "update")
    assert (found.faults, [row["price"] for row in found.rows]) == ([], [Decimal("1.5"), 1234])
    lines = [{"amount": 5, "paymentMethod": "1"}] * 2
    frame = pd.DataFrame({"invoiceId": ["i-1"], "lines": [lines]})
    assert enqueue("payments", "create", frame, marker=False, settings=settings) == [1]
    with Outbox(settings.home) as outbox:
        assert outbox.get(1).body["lines"] == lines


def test_a_marker_is_for_what_is_created(settings):
    body = {"comments": "kind"}
    enqueue("customers", "update", body, record_id="7", marker=True, settings=settings)
    with Outbox(settings.home) as outbox:
        assert (outbox.get(1).body, outbox.get(1).marker) == (body, None)


@pytest.mark.parametrize(
    ("op", "has", "has_not"),
    [("create", "company", "id"), ("update", "id", "file"), ("upload", "file", "company")],
)
def test_a_strange_column_is_told_with_what_there_is(tmp_path, op, has, has_not):
    path = tmp_path / "sheet.csv"
    path.write_text("zzz\n1\n")
    resource = "tickets" if op == "upload" else "customers"
    told = refused(lambda: read_rows(path, resource, op)).faults[-1].partition(": ")[2]
    names = told.partition("has: ")[2].split(", ")
    assert (has in names, has_not in names) == (True, False)
    path.write_text("zzz,ref\n1,2\n")
    assert "add --key" not in str(refused(lambda: read_rows(path, resource, op, "ref")))


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("receipt,invoiceId,amount", "'amount': stands in lines: [{\"amount\": ...}]"),
        ("receipt,InvoiceId,lines", "'InvoiceId': there is no such field; did you mean invoiceId?"),
    ],
)
def test_a_column_that_is_no_field_is_told_of_what_may_be_meant(tmp_path, header, told):
    path = tmp_path / "receipts.csv"
    path.write_text(f"{header}\n1,2,3\n")
    error = refused(lambda: read_rows(path, "payments", "create", "receipt"), told)
    assert len(error.faults) == 1


def test_a_large_sheet_that_is_being_queued_keeps_nobody_from_reading(desk):
    desk.queue("brands", "create", {"name": "A"})
    with Outbox(desk.home) as outbox, outbox.transaction() as queue:
        queue.execute("insert into history select 1, 0, 'x', hex(randomblob(4000000))")
        with closing(sqlite3.connect(desk.home / "outbox.sqlite", timeout=0)) as reader:
            assert reader.execute("select count(*) from changes").fetchone() == (1,)
