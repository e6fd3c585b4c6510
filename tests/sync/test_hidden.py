"""Rows that lists leave out unless asked for: inactive staff and products, closed leads."""

from __future__ import annotations

import zlib
from datetime import date, timedelta

import pytest

from sandbox.quirks import Quirks
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan.jobs import day_watermark
from tests.sync.conftest import MakeMirror, Mirror

LISTS = {"users": "In active", "products": "In active", "suppliers": "In active", "leads": "Lost"}


def _a_week_later(mirror: Mirror, table: str) -> None:
    """As if the list had been asked for what it hides as long ago as it may be."""
    ledger = Ledger(mirror.home / "mirror.sqlite")
    name = day_watermark("hidden", table)
    asked_on = date.fromisoformat(ledger.value("main", name) or "")
    days = 5 + zlib.crc32(table.encode()) % 5
    ledger.set_value("main", name, (asked_on - timedelta(days=days)).isoformat())
    ledger.close()


def _statuses(mirror: Mirror, table: str) -> dict[str, str]:
    return {str(record["id"]): record["status"] for record in mirror.store.all(table)}


@pytest.mark.parametrize("table", LISTS)
def test_hidden_rows_are_read_and_stay(make_mirror: MakeMirror, table: str) -> None:
    mirror = make_mirror(quirks=Quirks(hides=True))
    known = _statuses(mirror, table)
    other = next(identity for identity, status in known.items() if status != LISTS[table])
    assert mirror.run(table, full=True).exit_code == 0
    mirror.assert_same(table)
    # One that is hidden later, and one that comes back, are there every night.
    for status in (LISTS[table], known[other]):
        mirror.store.update(table, other, {"status": status})
        for _ in range(2):
            report = mirror.run(table)
            assert report.exit_code == 0, report.details
            mirror.assert_same(table)
    report = mirror.run(table, full=True)
    assert report.exit_code == 0, report.details
    mirror.assert_same(table)


def test_a_hidden_row_that_went_is_found_within_a_week(make_mirror: MakeMirror) -> None:
    mirror = make_mirror(quirks=Quirks(hides=True))
    mirror.run("products")
    gone = next(row for row, status in _statuses(mirror, "products").items() if status != "Active")
    mirror.store.delete("products", gone)
    mirror.run("products")
    assert gone in mirror.live("products")
    _a_week_later(mirror, "products")
    assert mirror.run("products").exit_code == 0
    mirror.assert_same("products")


def test_a_list_that_hides_nothing_costs_a_request_a_filter(mirror: Mirror) -> None:
    mirror.run("products")
    _a_week_later(mirror, "products")
    asked = mirror.run("products").requests
    assert mirror.run("products").requests == asked - 2
    [(proof,)] = Ledger(mirror.home / "mirror.sqlite").query(
        "SELECT proof FROM scans WHERE kind='hidden' ORDER BY scan_id DESC LIMIT 1"
    )
    assert proof == "status In active: none hidden; type service: none hidden"
