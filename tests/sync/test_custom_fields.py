"""Custom fields of categories and tabs, which the bare list of tickets' fields does not show."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan import custom_fields
from sources.repair_shop.scan.jobs import full_watermark
from tests.sync.conftest import Mirror

FIELDS = "custom_fields"


def _age(mirror: Mirror, days: int) -> None:
    """As if the fields of categories had been read so many days ago."""
    ledger = Ledger(mirror.home / "mirror.sqlite")
    name = full_watermark(f"{FIELDS}:tickets")
    read_on = date.fromisoformat(ledger.value("main", name) or "")
    ledger.set_value("main", name, (read_on - timedelta(days=days)).isoformat())
    ledger.close()


def test_fields_of_categories_and_tabs_are_read_and_stay(mirror: Mirror) -> None:
    first = mirror.run("categories", FIELDS)
    assert first.exit_code == 0
    mirror.assert_same(FIELDS)
    # Two for each list and two for each category, and one for each tab with fields, as a page with
    # fewer rows than the default ones fill is not asked for the next one.
    tabs = {
        (row["category_id"], row["tab_id"]) for row in mirror.store.all(FIELDS) if row["tab_id"]
    }
    assert first.requests <= 2 * (1 + 4) + 1 + 2 * mirror.store.count("categories") + len(tabs)
    for _ in range(2):
        # The next nights ask for the default ones only, and lose none of the others.
        assert mirror.run(FIELDS).requests == 4
        mirror.assert_same(FIELDS)


def test_a_field_of_a_category_that_went_is_found_within_a_week(mirror: Mirror) -> None:
    mirror.run("categories", FIELDS)
    gone = next(record for record in mirror.store.all(FIELDS) if record["category_id"])
    mirror.store.delete(FIELDS, str(gone["id"]))
    mirror.run(FIELDS)
    assert str(gone["id"]) in mirror.live(FIELDS)
    _age(mirror, 7)
    mirror.run(FIELDS)
    mirror.assert_same(FIELDS)


def test_no_field_is_gone_while_categories_wait_for_their_turn(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror.run("categories", FIELDS)
    monkeypatch.setattr(custom_fields, "ASKED_AT_MOST", 3)
    _age(mirror, 7)
    assert mirror.run(FIELDS).exit_code == 0
    mirror.assert_same(FIELDS)
