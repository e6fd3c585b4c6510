"""Rows of the log -> Arrow tables: one for each list, with links of nested rows."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.ledger import Change
from sources.repair_shop.schema.arrow import tables_of
from sources.repair_shop.schema.clean import made_up_id, row_id

pytestmark = pytest.mark.core

ZONE = ZoneInfo("America/Guatemala")
SEEN = datetime(2026, 5, 1, 12, tzinfo=UTC)


def change(row: Any, table: str = "ticket_invoices") -> Change:
    """A row as the log tells it."""
    body = row if isinstance(row, bytes) else json.dumps(row).encode()
    said = parse_json(body)
    return Change(row_id(said, table) or made_up_id(said), 1, SEEN, None, False, body)


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
    tables = tables_of("ticket_invoices", [change(INVOICE)], "main", ZONE)

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
    tables = tables_of("ticket_invoices", [change(INVOICE)], "main", ZONE)

    second = tables["ticket_invoices__returns"].to_pylist()[1]
    (line,) = tables["ticket_invoices__returns__lines"].to_pylist()
    assert line["_dlt_parent_id"] == second["_dlt_id"]
    assert line["_dlt_root_id"] == second["_dlt_root_id"]
    assert line["parent_id"] == "7"


def test_lists_of_one_table_keep_equal_ids_apart():
    tickets, leads = (
        tables_of(
            "custom_fields", [change({"id": 1}, "custom_fields")], "main", ZONE, variant={"type": t}
        )["custom_fields"]
        for t in ("tickets", "leads")
    )
    assert (tickets["type"].to_pylist(), leads["type"].to_pylist()) == (["tickets"], ["leads"])
    assert tickets["_dlt_id"].to_pylist() != leads["_dlt_id"].to_pylist()
