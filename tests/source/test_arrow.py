"""Rows of the log -> Arrow tables: links of nested rows. Values: tests/warehouse/test_load.py."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

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
    "returns": [{"id": 5, "amount": 1}, {"id": 6, "lines": [{"id": 9, "quantity": 2}]}],
}


def test_a_line_of_a_return_names_the_return_and_the_document():
    tables = tables_of("ticket_invoices", [change(INVOICE)], "main", ZONE)

    assert tables["ticket_invoices"]["_seen_at"].to_pylist() == [SEEN]
    first, second = tables["ticket_invoices__returns"].to_pylist()
    assert (first["_dlt_list_idx"], second["_dlt_list_idx"]) == (0, 1)
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
