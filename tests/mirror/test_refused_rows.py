"""A row whose values no destination takes is told as text; it keeps no other row waiting."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pipelines.load.loader import LoadError
from sources.repair_shop.change_log import ChangeLog
from tests.mirror.shop import Recorder


@dataclass
class Picky(Recorder):
    """Refuses every load that holds one of these rows with its values in their columns."""

    refused: set[str] = field(default_factory=set)
    loads: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def load(self, log: ChangeLog, tables: Iterable[str], end: int) -> tuple[int, Iterable[str]]:
        self.loads += 1
        before = dict(self.held), dict(self.offsets)
        try:
            return super().load(log, tables, end)
        except LoadError:
            self.held, self.offsets = before
            raise

    def take(self, table: str, rows: list[dict[str, Any]]) -> None:
        if any(row["id"] in self.refused and row["_unreadable"] is None for row in rows):
            raise LoadError("the value does not fit")
        super().take(table, rows)


@pytest.fixture
def picky(mirror):
    mirror.recorder = Picky()
    return mirror.recorder


def test_a_row_that_cannot_be_loaded_stands_whole_in_unreadable_and_all_others_are_loaded(
    mirror, picky
):
    customers = [str(row["id"]) for row in mirror.store.all("customers")]
    brand = str(mirror.store.all("brands")[0]["id"])
    picky.refused = {customers[0], customers[7], brand}
    mirror.same("customers", "brands", "tickets", "payments")
    assert picky.loads < 100, "a batch is halved, not tried row by row"
    held = picky.held["main", "customers", customers[0]]
    assert held["name"] is None
    assert str(mirror.store.all("customers")[0]["name"]) in held["_unreadable"]


def test_a_row_that_can_be_loaded_again_has_its_values_once_it_changes(mirror, picky):
    brand = str(mirror.store.all("brands")[0]["id"])
    picky.refused = {brand}
    assert mirror.run("brands").exit_code == 0
    picky.refused = set()
    mirror.store.update("brands", brand, {"name": "Healed"})
    assert mirror.run("brands", full=True).exit_code == 0
    assert picky.live("brands", "main")[brand]["name"] == "Healed"


def test_what_is_no_fault_of_a_row_stops_the_run_and_tells_no_row_as_text(
    mirror, picky, monkeypatch
):
    def broken(*_: Any) -> None:
        raise LoadError("the destination is out of order")

    monkeypatch.setattr(Recorder, "load", broken)
    with pytest.raises(LoadError, match="out of order"):
        mirror.run("customers", "brands")
    assert mirror.ledger("SELECT count(*) FROM rows WHERE is_refused") == [(0,)]
