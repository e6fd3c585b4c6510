"""By which status the tickets are read in two halves, after an answer that made no sense."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sources.repair_shop.ledger import Ledger, Row
from sources.repair_shop.scan.statuses import repair_status, status_of

pytestmark = pytest.mark.core

STATUSES = [
    {"id": 1, "label": "New", "type": "repair"},
    {"id": 2, "label": "Called", "type": "repair_notes"},
]


def answer(ledger: Ledger, key: str, rows: list[dict[str, Any]]) -> None:
    scan = ledger.open_scan(1, "main", "statuses", "full", {})
    known = [Row(str(row["id"]), None, key.encode(), row) for row in rows]
    ledger.put(scan, key, known, datetime.now(UTC))


def test_a_label_that_an_odd_answer_named_is_forgotten_with_the_next_answer(tmp_path):
    ledger = Ledger(tmp_path / "mirror.sqlite")
    answer(ledger, "odd", [{"id": 1, "label": ["New"]}, {"id": 2, "label": "Called"}])
    assert repair_status(ledger, "main") == "Called"
    answer(ledger, "healed", STATUSES)
    assert repair_status(ledger, "main") == "New"


def test_the_label_stays_while_the_shop_has_it(tmp_path):
    ledger = Ledger(tmp_path / "mirror.sqlite")
    answer(ledger, "first", [{"id": 3, "label": "Open", "type": "repair"}])
    assert repair_status(ledger, "main") == "Open"
    answer(ledger, "second", STATUSES)
    assert repair_status(ledger, "main") == "Open"


@pytest.mark.parametrize("table", ["tickets", "purchase_orders"])
@pytest.mark.parametrize(
    "status", ["Ordered", {"id": 3, "label": "Ordered"}, {"id": 3, "name": "Ordered"}, 3]
)
def test_a_status_is_known_by_its_label_however_a_row_names_it(table, status):
    assert status_of({"id": 1, "status": status}, table, {"3": "Ordered"}) == "Ordered"
    told = status_of({"id": 1, "status": status}, table, {})
    assert told == ("3" if status == 3 else "Ordered")
