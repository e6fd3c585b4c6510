"""An answer that cannot be loaded stops nothing but itself."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pipelines.load.loader import LoadError, LoadOutcome
from pipelines.monitor.status import status
from sources.repair_shop.log import Log, Offset
from tests.sync.conftest import Recorder


@dataclass
class Picky(Recorder):
    """Refuses every load that holds one of these rows."""

    refused: set[str] = field(default_factory=set)
    loads: int = 0
    refusals: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def load(self, log: Log, tables: Iterable[str], end: Offset) -> LoadOutcome:
        self.loads += 1
        before = dict(self.held), dict(self.offsets)
        try:
            return super().load(log, tables, end)
        except LoadError:
            self.refusals += 1
            self.held, self.offsets = before
            raise

    def take(self, table: str, rows: list[dict[str, Any]]) -> None:
        if any(row["id"] in self.refused for row in rows):
            raise LoadError("the value does not fit")
        super().take(table, rows)


@pytest.fixture
def picky(mirror):
    mirror.recorder = Picky()
    return mirror.recorder


def test_a_page_that_cannot_be_loaded_is_set_aside_and_all_others_are_loaded(mirror, picky):
    ids = [str(row["id"]) for row in mirror.store.all("customers")]
    brand = str(mirror.store.all("brands")[0]["id"])
    picky.refused = {ids[0], brand}
    report = mirror.run()
    assert report.exit_code == 1
    assert any("customers" in told and "does not fit" in told for told in report.details)
    assert picky.loads < 60, "a batch is halved, not tried page by page"
    missing = set(ids) - mirror.live("customers")
    assert ids[0] in missing
    assert len(missing) <= 50
    assert not mirror.live("brands")
    mirror.assert_same(
        *(t for t in ("tickets", "ticket_invoices", "payments", "products", "suppliers"))
    )
    problems = status(mirror.settings).problems
    assert any("customers" in problem and "does not fit" in problem for problem in problems)


def test_it_is_tried_again_and_is_whole_once_it_can_be_loaded(mirror, picky):
    ids = {str(row["id"]) for row in mirror.store.all("customers")}
    picky.refused = {min(ids)}
    assert mirror.run("customers").exit_code == 1
    for _ in range(4):
        assert mirror.run("users").exit_code == 1
    before = picky.refusals
    assert mirror.run("users").exit_code == 1
    assert picky.refusals == before, "the same code does not try for ever"
    picky.refused = set()
    mirror.ledger("UPDATE set_aside SET version='an older one'")
    report = mirror.run("users")
    assert report.exit_code == 0, report.details
    assert mirror.live("customers") == ids


def test_a_healed_answer_replaces_one_that_is_set_aside(mirror, picky):
    """Its unchanged neighbours come with it: they are not in the warehouse yet."""
    ids = {str(row["id"]) for row in mirror.store.all("brands")}
    picky.refused = {min(ids)}
    assert mirror.run("brands").exit_code == 1
    picky.refused = set()
    assert mirror.run("brands", full=True).exit_code == 0
    assert mirror.live("brands") == ids


def test_what_is_no_fault_of_a_page_stops_the_run_and_sets_nothing_aside(mirror, picky):
    picky.refused = {
        str(r["id"])
        for table in ("customers", "products", "statuses", "tickets", "users")
        for r in mirror.store.all(table)
    }
    with pytest.raises(LoadError, match="does not fit"):
        mirror.run("customers", "products", "tickets", "users")
    assert mirror.ledger("SELECT * FROM set_aside") == []
