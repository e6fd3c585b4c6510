"""Into the queue: every fault named, all or nothing, nothing sent."""

import json
import sqlite3

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
        ("payments", "update", {}, {}, "has no 'update'"),
        ("customers", "update", {"name": "x"}, {}, "which record"),
        ("customers", "update", {}, {"record_id": "a"}, "at least one field"),
        ("customers", "create", {"name": "x"}, {"record_id": "a"}, "takes none"),
        ("customers", "delete", {"name": "x"}, {"record_id": "a"}, "takes no fields"),
        ("customers", "update", {"name": "x"}, {"record_id": "a/b"}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": ".."}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": "7?a=b"}, "is no id"),
        ("customers", "update", {"name": "x"}, {"record_id": "@abc"}, "is no id"),
        ("customers", "update", {"name": "x", "id": {"$queued": "x"}}, {}, "number of a change"),
        ("customers", "update", {"name": "x", "id": "8"}, {"record_id": "7"}, "both '8' and '7'"),
        ("customers", "create", {"name": "x", "_resource": 5}, {}, "no resource '5'"),
        ("customers", "create", [], {}, "no row"),
        ("customers", "create", ["x"], {}, "must be an object"),
        ("tickets", "create", {"customerId": "@9", "shortInfo": "x"}, {}, "no change 9"),
        ("tickets", "create", {"customerId": {"$queued": 10**20}, "shortInfo": "x"}, {}, "00000"),
        ("tickets", "create", {"customerId": "@row:1", "shortInfo": "x"}, {}, "earlier row"),
        ("tickets", "upload", None, {"record_id": "a"}, "needs its file"),
        ("customers", "create", {"name": "x"}, {"shop": "other"}, "no shop 'other'"),
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


def test_a_file_mixes_resources_and_refers_to_its_own_rows(settings, service, tmp_path):
    path = tmp_path / "changes.jsonl"
    lines = [
        {"name": "Ann"},
        {"_resource": "tickets", "customerId": "@row:1", "shortInfo": "Screen"},
        {"_resource": "tickets", "_op": "update", "id": "@row:2", "priority": "High"},
    ]
    path.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    enqueue("brands", "create", {"name": "first"}, settings=settings)
    rows, where = read_rows(path, "customers", "create")
    assert where == ["line 1", "line 3", "line 5"]
    assert enqueue("customers", "create", rows, where=where, settings=settings) == [2, 3, 4]
    assert push(settings).done == 4
    [ticket] = service.records["tickets"].values()
    assert ticket["priority"] == "High"


def test_csv_that_says_its_mark_and_has_blank_columns(tmp_path):
    path = tmp_path / "customers.csv"
    path.write_bytes(b"sep=;\r\nname;mobile;;\r\nAnn;0055, 1;;\r\n;;;\r\nBob;5,5E+10;;\r\n")
    refused(lambda: read_rows(path, "customers", "create"), "line 5: 5,5E+10 is a number that")
    path.write_bytes(b"sep=;\r\nname;mobile;;\r\nAnn;0055, 1;;\r\n;;;\r\nBob;5;;x\r\n")
    refused(lambda: read_rows(path, "customers", "create"), "line 5: has 4 cells, not 2")
    path.write_bytes(b"sep=;\r\nname;mobile;;\r\nAnn;0055, 1;;\r\n")
    rows, where = read_rows(path, "customers", "create")
    assert rows == [{"name": "Ann", "mobile": "0055, 1"}]
    assert where == ["line 3"]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_as_spreadsheets_write_it(settings, tmp_path, mark):
    path = tmp_path / "customers.csv"
    lines = [["name", "gdprCompliant", "city"], ['"Ann, the first"', "Yes", ""], [""] * 3]
    lines.append(["Bob", "no", "Cobán"])
    path.write_bytes("".join(f"{mark.join(line)}\r\n" for line in lines).encode("utf-8-sig"))
    rows, where = read_rows(path, "customers", "create")
    assert rows == [
        {"name": "Ann, the first", "gdprCompliant": "Yes"},
        {"name": "Bob", "gdprCompliant": "no", "city": "Cobán"},
    ]
    assert where == ["line 2", "line 4"]
    assert enqueue("customers", "create", rows, where=where, settings=settings) == [1, 2]


def test_lists_stand_in_a_cell_as_json(settings, tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text('id,lines\n7,"[{""productCode"": ""A"", ""quantity"": 1.5}]"\n')
    rows, where = read_rows(path, "tickets", "update")
    enqueue("tickets", "update", rows, where=where, settings=settings)
    with Outbox(settings.home) as outbox:
        assert outbox.get(1).body == {"lines": [{"productCode": "A", "quantity": 1.5}]}


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("a.csv", b"nmae\nAnn\n", ["header", "'nmae'", "It has"]),
        ("a.csv", b"name,name\nA,B\n", ["more than once"]),
        ("a.csv", b"", ["no header"]),
        ("a.csv", b"name\nA,B\n", ["line 2: has 2 cells, not 1"]),
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
    refused(lambda: read_rows(path, "customers", "create"), name, *parts)


def test_a_file_that_is_not_there(tmp_path):
    refused(lambda: read_rows(tmp_path / "no.csv", "brands", "create"), "cannot be read")


def test_a_hundred_thousand_lines_and_one_more(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("name\n" + "x\n" * 100_000)
    assert len(read_rows(path, "brands", "create")[0]) == 100_000
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


def test_a_queue_of_a_newer_version(settings):
    Outbox(settings.home).close()
    with sqlite3.connect(settings.home / "outbox.sqlite") as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(QueueBroken, match="newer version"):
        Outbox(settings.home)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_home_of_a_newer_version_sends_nothing(settings, service, dry_run):
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    with sqlite3.connect(settings.home / "mirror.sqlite") as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(LedgerError, match="newer shopmirror"):
        push(settings, dry_run=dry_run)
    assert service.requests == []


def test_a_locked_queue(settings, monkeypatch):
    monkeypatch.setattr("pipelines.outbox.queue_file.LOCK_SECONDS", 0.05)
    Outbox(settings.home).close()
    other = sqlite3.connect(settings.home / "outbox.sqlite", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(QueueBroken, match="locked"):
        enqueue("brands", "create", {"name": "x"}, settings=settings)
    other.close()


@pytest.mark.parametrize("edit", ["state = 'sent'", "body = '{\"name\": '"])
def test_rows_that_another_program_broke_are_told_and_nothing_is_sent(settings, service, edit):
    enqueue("customers", "create", [{"name": "Ann"}, {"name": "Bob"}], settings=settings)
    with Outbox(settings.home) as outbox:
        outbox.connection.execute(f"update changes set {edit} where number = 2")
        with pytest.raises(QueueBroken, match="change 2 cannot be read"):
            outbox.changes()
    for dry_run in (False, True):
        with pytest.raises(QueueBroken, match="change 2 cannot be read"):
            push(settings, dry_run=dry_run)
    assert not service.requests


def test_what_is_done_is_not_sent_again_because_another_program_made_it_wait(settings, service):
    enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    assert push(settings).done == 1
    sent = len(service.requests)
    with Outbox(settings.home) as outbox:
        outbox.connection.execute("update changes set state = 'queued'")
    with pytest.raises(QueueBroken, match=r"change 1 .* was done and waits again"):
        push(settings)
    assert len(service.requests) == sent


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("delete from changes where number = 1", "which the queue does not hold"),
        ("update changes set state = 'done' where number = 1", "which has none"),
    ],
)
def test_a_reference_that_leads_to_no_id_stops_no_other_change(settings, service, broken, why):
    rows = [
        {"name": "Ann"},
        {"_op": "update", "id": "@row:1", "city": "Xela"},
        {"_resource": "tickets", "customerId": "@row:1", "shortInfo": "Screen"},
        {"name": "Bob"},
    ]
    enqueue("customers", "create", rows, settings=settings)
    with Outbox(settings.home) as outbox:
        outbox.connection.execute(broken)
    report = push(settings)
    assert (report.exit_code, report.done, report.waiting) == (1, 1, 2)
    with Outbox(settings.home) as outbox:
        assert all(why in outbox.get(number).reason for number in (2, 3))
    with pytest.raises(InputRefused, match="@1: "):
        enqueue("customers", "update", {"id": "@1", "city": "Xela"}, settings=settings)
