"""Pages -> Arrow tables: one for each list, links of nested rows, the newest answer only."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from sources.repair_shop.ledger import StoredPage
from sources.repair_shop.schema.arrow import tables_of

ZONES = {"main": ZoneInfo("America/Guatemala"), "north": ZoneInfo("UTC")}
SEEN = datetime(2026, 5, 1, 12, tzinfo=UTC)


def page(rows: Any, table: str = "ticket_invoices", seq: int = 1, **said: Any) -> StoredPage:
    known: dict[str, Any] = {
        "shop": "main",
        "resource": table,
        "spec": {},
        "request": "/list?page=1",
        "kind": "full",
    }
    body = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    return StoredPage(seq=seq, answered_at=SEEN, body=body, **(known | said))


INVOICE = {
    "id": 7,
    "createdDate": "2026-01-01T10:00:00",
    "amount_total": "Q1,234.50",
    "customer": {"id": "c1", "name": "Ann"},
    "lines": [{"id": 1, "total": 3, "colour": "red"}, {"id": 2, "total": "4.00005"}],
    "returns": [{"id": 5, "amount": 1}, {"id": 6, "lines": [{"id": 9, "quantity": 2}]}],
    "engine": "V8",
}


def test_an_invoice_becomes_rows_of_its_tables_typed_as_declared():
    tables = tables_of([page([INVOICE])], ZONES)

    (invoice,) = tables["ticket_invoices"].to_pylist()
    assert invoice["id"] == "7"
    assert invoice["shop_id"] == "main"
    assert invoice["amount_total"] == Decimal("1234.5000")
    assert invoice["created_date"] == "2026-01-01T10:00:00"
    assert invoice["customer__name"] == "Ann"
    assert invoice["engine"] == "V8"
    assert invoice["_seen_at"] == SEEN
    assert tables["ticket_invoices"].schema.field("amount_total").type == pa.decimal128(28, 4)
    lines = tables["ticket_invoices__lines"]
    assert lines["parent_id"].to_pylist() == ["7", "7"]
    assert lines["total"].to_pylist() == [Decimal("3.0000"), Decimal("4.0001")]
    assert lines["colour"].to_pylist() == ["red", None]
    assert lines["_dlt_list_idx"].to_pylist() == [0, 1]
    assert set(lines["_dlt_root_id"].to_pylist()) == {invoice["_dlt_id"]}
    assert tables["ticket_invoices__payments"].num_rows == 0


def test_a_line_of_a_return_names_the_return_and_the_document():
    tables = tables_of([page([INVOICE])], ZONES)

    second = tables["ticket_invoices__returns"].to_pylist()[1]
    (line,) = tables["ticket_invoices__returns__lines"].to_pylist()
    assert line["_dlt_parent_id"] == second["_dlt_id"]
    assert line["_dlt_root_id"] == second["_dlt_root_id"]
    assert line["parent_id"] == "7"


def test_of_several_answers_for_a_row_the_newest_counts_with_its_lines():
    changed = INVOICE | {"lines": [{"id": 3}], "notes": "new"}
    other_shop = page([INVOICE], seq=3, shop="north")
    tables = tables_of([page([INVOICE]), page([changed], seq=2), other_shop], ZONES)

    assert tables["ticket_invoices"].select(["shop_id", "_seq", "notes"]).to_pylist() == [
        {"shop_id": "main", "_seq": 2, "notes": "new"},
        {"shop_id": "north", "_seq": 3, "notes": None},
    ]
    lines = tables["ticket_invoices__lines"].select(["shop_id", "id"]).to_pylist()
    assert lines == [
        {"shop_id": s, "id": i} for s, i in (("main", "3"), ("north", "1"), ("north", "2"))
    ]


def test_rows_known_unchanged_are_left_out_but_of_a_full_read():
    rows = [{"id": 1}, {"id": 2}]
    nightly = page(rows, "customers", kind="head", fresh=(False, True))
    full = page(rows, "customers", fresh=(False, True))
    assert tables_of([nightly], ZONES)["customers"]["id"].to_pylist() == ["2"]
    assert tables_of([full], ZONES)["customers"]["id"].to_pylist() == ["1", "2"]


def test_lists_of_one_table_keep_equal_ids_apart():
    pages = [
        page(
            [{"id": 1}],
            "custom_fields",
            resource=f"custom_fields:{kind}",
            spec={"variant": {"type": kind}},
        )
        for kind in ("tickets", "leads")
    ]
    found = tables_of(pages, ZONES)["custom_fields"]
    assert found["type"].to_pylist() == ["tickets", "leads"]
    assert len(set(found["_dlt_id"].to_pylist())) == 2
