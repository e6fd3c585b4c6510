"""Into the queue: every fault named, all or nothing, nothing sent."""

import sqlite3
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pytest

from pipelines.outbox import InputRefused, Outbox, QueueBroken, enqueue, push
from pipelines.outbox.files import read_rows
from pipelines.outbox.intake import MOST_UPLOAD_BYTES
from sources.repair_shop.ledger import LedgerError


def refused(call, *parts):
    with pytest.raises(InputRefused) as caught:
        call()
    for part in parts:
        assert part in str(caught.value)
    return caught.value


def count(settings):
    with Outbox(settings.home) as outbox:
        return len(outbox.changes())


def test_one_bad_row_queues_none_and_every_fault_is_named(settings):
    rows = [{"name": "Ann"}, {"gender": "x"}, {"name": "Bob", "nmae": "y"}]
    error = refused(
        lambda: enqueue("customers", "create", rows, settings=settings),
        "row 2: customers create: name: is required",
        "row 2: customers create: gender: must be one of",
        "row 3: customers create: nmae: there is no such field; did you mean name?",
        "specification, Customer",
    )
    assert len(error.faults) == 3
    assert count(settings) == 0


@pytest.mark.parametrize(
    ("resource", "op", "data", "kwargs", "part"),
    [
        ("users", "create", {}, {}, "read-only"),
        ("nothing", "create", {}, {}, "no resource 'nothing'"),
        ("payments", "update", {}, {}, "has no 'update'.* has: create"),
        ("customers", "update", {"name": "x"}, {}, "which record"),
        ("customers", "update", {}, {"record_id": "a"}, "at least one field"),
        ("customers", "create", {"name": "x"}, {"record_id": "a"}, "takes none"),
        ("customers", "delete", {"name": "x"}, {"record_id": "a"}, "no such field"),
        ("customers", "update", {"name": "x"}, {"record_id": "a/b"}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": ".."}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": "7?a=b"}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": "@abc"}, "is no id"),
        ("customers", "update", {"name": "x", "id": {"$queued": "x"}}, {}, "number of a change"),
        ("customers", "update", {"name": "x", "id": "8"}, {"record_id": "7"}, "both '8' and '7'"),
        ("customers", "create", {"name": "x", "_op": "delete"}, {}, "_op: there is no such field"),
        ("customers", "create", [], {}, "no row"),
        ("customers", "create", ["x"], {}, "must be an object"),
        ("tickets", "create", {"customerId": "@9", "shortInfo": "x"}, {}, "no change 9"),
        ("tickets", "create", {"customerId": {"$queued": 10**20}, "shortInfo": "x"}, {}, "00000"),
        ("tickets", "create", {"customerId": "@row:1", "shortInfo": "x"}, {}, "earlier row"),
        ("tickets", "upload", None, {"record_id": "a"}, "needs its file"),
        ("customers", "create", {"name": "x"}, {"shop": "other"}, "no shop 'other'"),
        ("brands", "create", [{"ref": None, "name": "x"}], {"key": "ref"}, "no value of it"),
        ("brands", "create", [{"ref": ["x"], "name": "x"}], {"key": "ref"}, "no value of it"),
    ],
)
def test_input_that_makes_no_sense(settings, resource, op, data, kwargs, part):
    with pytest.raises(Exception, match=part) as caught:
        enqueue(resource, op, data, settings=settings, **kwargs)
    assert caught.value.exit_code == 2


def test_several_shops_need_a_name(settings):
    other = settings.shops[0].model_copy(update={"name": "other"})
    both = settings.model_copy(update={"shops": (*settings.shops, other)})
    refused(
        lambda: enqueue("brands", "create", {"name": "x"}, settings=both),
        "which shop",
        "main, other",
    )
    [number] = enqueue("customers", "create", {"name": "x"}, shop="other", settings=both)
    ticket = {"customerId": f"@{number}", "shortInfo": "x"}
    refused(
        lambda: enqueue("tickets", "create", ticket, shop="main", settings=both), "another shop"
    )


def test_csv_that_says_its_mark_and_has_blank_columns(tmp_path):
    path = tmp_path / "customers.csv"
    path.write_bytes(b"sep=;\r\nname;mobile;;\r\nAnn;0055, 1;;\r\n;;;\r\nBob;5;;x\r\n")
    found = read_rows(path, "customers", "create")
    assert "line 5: has 4 cells, not 2" in found.faults[0]
    path.write_bytes(b"sep=;\r\nname;mobile;;\r\nAnn;0055, 1;;\r\n")
    found = read_rows(path, "customers", "create")
    assert (found.rows, found.where) == ([{"name": "Ann", "mobile": "0055, 1"}], ["line 3"])


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_as_spreadsheets_write_it(settings, tmp_path, mark):
    path = tmp_path / "customers.csv"
    lines = [["name", "gdprCompliant", "city"], ['"Ann, the first"', "Yes", ""], [""] * 3]
    lines.append(["Bob", "no", "Cobán"])
    path.write_bytes("".join(f"{mark.join(line)}\r\n" for line in lines).encode("utf-8-sig"))
    found = read_rows(path, "customers", "create")
    assert found.rows == [
        {"name": "Ann, the first", "gdprCompliant": "Yes"},
        {"name": "Bob", "gdprCompliant": "no", "city": "Cobán"},
    ]
    assert found.where == ["line 2", "line 4"]
    assert enqueue("customers", "create", found, settings=settings) == [1, 2]


def test_lists_stand_in_a_cell_as_json(settings, tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text('id,lines\n7,"[{""productCode"": ""A"", ""quantity"": 1.5}]"\n')
    enqueue("tickets", "update", read_rows(path, "tickets", "update"), settings=settings)
    with Outbox(settings.home) as outbox:
        assert outbox.get(1).body == {"lines": [{"productCode": "A", "quantity": 1.5}]}


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("a.csv", b"nmae\nAnn\n", ["header", "'nmae'", "did you mean name?"]),
        ("a.csv", b"name,name\nA,B\n", ["more than once"]),
        ("a.csv", b"", ["no header"]),
        ("a.csv", b"name\nA,B\n", ["line 2: has 2 cells, not 1"]),
        ("a.csv", b"name,city\nA\n", ["line 2: has 1 cells, not 2"]),
        ("a.csv", b'name\n"Ann\n', ["line"]),
        ("a.csv", "name\nCobán\n".encode("latin-1"), ["line 2 is not UTF-8"]),
        ("a.csv", "name\nAnn\n".encode("utf-16"), ["not UTF-8"]),
        ("a.csv", b"name\nA\x00nn\n", ["zero bytes"]),
        ("a.jsonl", b'{"name": "Ann"}\n{"name": \n[1]\n', ["line 2: no JSON", "line 3: no JSON"]),
        ("a.jsonl", b'{"name": "Ann", "name": "Bob"}\n', ["named twice"]),
        ("a.xlsx", b"PK", [".jsonl or .csv"]),
        ("a.json", b"[]", [".jsonl or .csv"]),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, parts):
    path = tmp_path / name
    path.write_bytes(content)

    def read():
        found = read_rows(path, "customers", "create")
        raise InputRefused(found.faults)

    refused(read, name, *parts)


def test_a_file_that_is_not_there(tmp_path):
    refused(lambda: read_rows(tmp_path / "no.csv", "brands", "create"), "cannot be read")


def test_a_hundred_thousand_lines_and_one_more(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("name\n" + "x\n" * 100_000)
    assert len(read_rows(path, "brands", "create").rows) == 100_000
    with path.open("a") as more:
        more.write("x\n")
    refused(lambda: read_rows(path, "brands", "create"), "more than 100000 rows")


def test_many_rows_are_queued_in_one_go(settings):
    rows = [{"name": f"brand {number}"} for number in range(5000)]
    assert len(enqueue("brands", "create", rows, settings=settings)) == 5000


def test_a_data_frame_with_ids_made_floats_by_gaps(settings):
    frame = pd.DataFrame({"id": [12.0, 13.0], "price": [np.float64(1.5), np.int64(2)]})
    frame["name"] = ["x", pd.NA]
    enqueue("products", "update", frame, settings=settings)
    with Outbox(settings.home) as outbox:
        first, second = outbox.changes()
    assert (first.record_id, first.body) == ("12", {"price": 1.5, "name": "x"})
    assert (second.record_id, second.body) == ("13", {"price": 2})


def test_files_for_upload(settings, tmp_path):
    def upload(path):
        return lambda: enqueue("tickets", "upload", record_id="1", file=path, settings=settings)

    empty = tmp_path / "empty.png"
    empty.touch()
    wrong = tmp_path / "run.exe"
    wrong.write_bytes(b"x")
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(MOST_UPLOAD_BYTES + 1)
    refused(upload(tmp_path / "none.png"), "cannot be read")
    refused(upload(empty), "is empty")
    refused(upload(wrong), "pdf, doc, png, jpg")
    refused(upload(large), "at most 25 MiB")
    assert count(settings) == 0


def test_a_damaged_queue(settings):
    settings.home.mkdir(exist_ok=True)
    (settings.home / "outbox.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(QueueBroken, match="restore a copy") as caught:
        push(settings)
    assert caught.value.exit_code == 2
    with Outbox(settings.home / "2") as outbox:
        outbox._db.execute("pragma query_only = on")  # says what SQLite says of a closed folder
        with pytest.raises(QueueBroken, match="user may not write"), outbox.transaction() as db:
            db.execute("delete from changes")


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_home_of_a_newer_version_sends_nothing(desk, dry_run):
    desk.queue("brands", "create", {"name": "Acme"})
    with sqlite3.connect(desk.home / "mirror.sqlite") as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(LedgerError, match="newer shopmirror"):
        desk.push(dry_run=dry_run)
    assert desk.shop.requests == []


def test_a_locked_queue(settings, monkeypatch):
    monkeypatch.setattr("pipelines.outbox.store.LOCK_SECONDS", 0.05)
    Outbox(settings.home).close()
    other = sqlite3.connect(settings.home / "outbox.sqlite", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(QueueBroken, match="locked"):
        enqueue("brands", "create", {"name": "x"}, settings=settings)
    other.close()


def test_all_faults_of_a_file_are_told_in_one_message(settings, tmp_path):
    with duckdb.connect(str(_home(settings) / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.products as select 'main' as shop_id, 'p1' as id, 7.09 as price,"
            " now() as _seen_at, null::timestamp as _deleted_at"
        )
    path = tmp_path / "prices.csv"
    path.write_text("id;price\np1;abc\np1;1;2\nnope;3\n;4\np1;5,5E+10\nnix;x\n")
    found = read_rows(path, "products", "update")
    error = refused(
        lambda: enqueue("products", "update", found, settings=settings),
        "line 2: products update: price: must be a number",
        "line 3: has 3 cells",
        "line 4: products id: 'nope' is no id among the products",
        "line 5: id: which record",
        "line 6: 5,5E+10 is what a program made",
        "line 7: products id: 'nix' is no id among the products",
        "line 7: products update: price: must be a number",
    )
    lines = [fault.rpartition("line ")[2][0] for fault in error.faults]
    assert lines == list("2345677")


def _home(settings):
    settings.home.mkdir(exist_ok=True)
    return settings.home


def test_a_key_is_the_same_in_a_sheet_and_in_a_data_frame(settings):
    frame = pd.DataFrame({"ref": [12.0], "name": ["Ann"]})
    refs = "12", 12, Decimal("12.0")
    for rows in (frame, *([{"ref": one, "name": "Ann"}] for one in refs)):
        assert enqueue("customers", "create", rows, key="ref", settings=settings) == [1]


def test_a_reference_names_a_change_of_the_records_that_its_field_takes(desk):
    brand = desk.queue("brands", "create", {"name": "Acme"})
    ticket = desk.queue("tickets", "create", {"customerId": "1", "shortInfo": "x"})
    lines = [{"amount": 5, "paymentMethod": "1"}]
    for resource, body, told in [
        ("tickets", {"customerId": f"@{brand}", "shortInfo": "x"}, "brands, not of customers"),
        ("payments", {"invoiceId": [f"@{ticket}"], "lines": lines}, "not of ticket_invoices"),
        ("stock", {"product": f"@{brand}", "quantity": 1}, "not of products"),
    ]:
        refused(lambda r=resource, b=body: desk.queue(r, "create", b), told)
    refused(lambda: desk.queue("customers", "update", {"city": "x"}, f"@{brand}"), "id: @1 is of")
    rows = [{"customerId": "1", "shortInfo": "x"}, {"customerId": "@row:1", "shortInfo": "y"}]
    refused(lambda: desk.queue("tickets", "create", rows), "row 2: customerId: @row:1 is of")
    assert len(desk.states()) == 2


def test_prices_that_look_like_a_mistake_are_told(settings):
    told = []
    rows = [{"id": "1", "price": -5}, {"id": "2", "price": 0}, {"id": "3", "price": 709}]
    rows += [{"id": "3", "price": 6}, {"id": "4", "price": 8}]
    based = {"price": "7.09"}
    enqueue("products", "update", rows, settings=settings, based_on=based, warn=told.append)
    assert told == [
        "row 1: price of 1 is -5, was 7.09",
        "row 2: price of 2 is 0, was 7.09",
        "row 3: price of 3 goes from 7.09 to 709 (+9900%)",
        "row 4: 3 stands in row 3, too: the last counts",
    ]


def test_a_row_that_a_sheet_holds_twice_is_told(desk):
    told, line = list[str](), {"amount": 5, "paymentMethod": "1"}
    rows = [{"invoiceId": one, "lines": [line]} for one in ("1", "2", "1")]
    desk.queue("payments", "create", rows, warn=told.append)
    assert told == ["row 3: it is row 1 again, and both are sent"]
    keyed = [{"receipt": str(place), **row} for place, row in enumerate(rows)]
    desk.queue("payments", "create", keyed, key="receipt", warn=told.append)
    assert len(told) == 1, "each is one of its own"


def test_a_file_is_about_what_the_command_says(settings, tmp_path):
    for name in ("_op", "_resource"):
        path = tmp_path / "a.csv"
        path.write_text(f"id,price,{name}\n1,2,delete\n")
        refused(lambda path=path: read_rows(path, "products", "update"), f"'{name}': there is no")


def test_a_sheet_names_only_files_below_it(settings, tmp_path):
    folder = tmp_path / "sheet"
    folder.mkdir()
    (folder / "in.png").write_bytes(b"x")
    (tmp_path / "out.png").write_bytes(b"x")
    path = folder / "photos.csv"
    path.write_text("id,file\n1,in.png\n2,../out.png\n")
    found = read_rows(path, "tickets", "upload")
    assert len(found.faults) == 1
    assert "line 3: file ../out.png does not lie below" in found.faults[0]
    assert found.rows[0]["file"] == str(folder / "in.png")


def test_a_key_makes_a_row_unique_for_ever(desk):
    rows = [{"ref": "a", "name": "A"}, {"ref": "b", "name": "B"}]
    first = enqueue("brands", "create", rows, key="ref", settings=desk.settings)
    desk.push()
    more = [*rows, {"ref": "c", "name": "C"}]
    again = enqueue("brands", "create", more, key="ref", settings=desk.settings)
    assert again == [*first, 3]
    desk.push()
    assert desk.made("brands") == 3

    def changed():
        enqueue("brands", "create", {"ref": "a", "name": "Z"}, key="ref", settings=desk.settings)

    refused(
        changed,
        "key a was queued as change 1 (done), with other values. Give another row, or a mended",
    )
    twice = [{"ref": "d", "name": "D"}, {"ref": "d", "name": "E"}]
    refused(
        lambda: enqueue("brands", "create", twice, key="ref", settings=desk.settings), "stands in"
    )


def test_a_key_of_a_payment_is_one_payment(desk):
    invoice = desk.shop.invoice()
    lines = [{"amount": 5, "paymentMethod": "1"}]
    for _ in range(2):
        row = {"receipt": "r-1", "invoiceId": invoice, "lines": lines}
        enqueue("payments", "create", row, key="receipt", settings=desk.settings)
    assert desk.states() == ["queued"]


@pytest.mark.parametrize("op", ["update", "delete", "upload"])
def test_a_key_names_the_record_and_the_file_too(desk, tmp_path, op):
    brand = desk.queue("brands", "create", {"name": "A"})
    (tmp_path / "a.png").write_bytes(b"1")
    (tmp_path / "b.png").write_bytes(b"2")
    told = {"update": {"name": "Z"}, "delete": {}, "upload": {"file": tmp_path / "a.png"}}[op]
    resource = "tickets" if op == "upload" else "brands"

    def queue(record, **more):
        row = {"ref": "1", "id": record, **told, **more}
        return desk.queue(resource, op, row, key="ref")

    first = f"@{brand}" if op != "upload" else "t-1"
    assert queue(first) == queue(first) == 2
    refused(lambda: queue("other"), "key 1 was queued as change 2 (queued), with other values")
    if op == "upload":
        refused(lambda: queue(first, file=tmp_path / "b.png", fileName="a.png"), "other values")
    desk.push()
    assert queue(first) == 2


@pytest.mark.parametrize("marker", [True, False])
def test_payments_bear_a_marker_unless_the_settings_say_no(desk, monkeypatch, marker):
    monkeypatch.setenv("OUTBOX__MARKER", str(marker).lower())
    desk.pay(desk.shop.invoice())
    desk.queue("customers", "create", {"name": "Ann"})
    assert (desk.change(1).marker is not None) is marker
    assert desk.change(2).marker is None
