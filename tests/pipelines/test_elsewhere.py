"""Further destinations: their settings and faults. What they hold: tests/engines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipelines.load.elsewhere import load_elsewhere, load_warehouse
from pipelines.load.loader import LoadError
from pipelines.sync.run import _load_also
from pipelines.sync.verdict import SyncReport
from sources.repair_shop.observer import Silent
from sources.repair_shop.settings import SettingsError
from tests.ledgers import LoadedHome


def test_a_destination_that_fails_is_told_and_harms_nothing_else(
    loaded: LoadedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "duckdb")
    monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", "/proc/none/not-to-be-told.duckdb")
    loaded.load("brands", {"id": "a"})
    run = loaded.ledger.begin_run("sync")
    session: Any = SimpleNamespace(
        home=loaded.home, ledger=loaded.ledger, feed=loaded.feed, observer=Silent()
    )
    report = SyncReport(0, "complete", "All well.")
    _load_also(session, "company", report, run)
    assert (report.exit_code, report.outcome) == (1, "incomplete")
    assert "'company' of [warehouse] could not be loaded" in report.message
    assert "not-to-be-told" not in report.message
    assert loaded.ledger.query("SELECT outcome FROM runs") == [("failed",)]
    assert loaded.query("SELECT id FROM raw.brands") == [("a",)]
    with pytest.raises(LoadError, match="nowhere"):
        load_elsewhere(loaded.home, loaded.ledger, loaded.feed.log, "nowhere")


def test_destinations_are_a_list_or_words(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_warehouse().also == ()
    monkeypatch.setenv("WAREHOUSE__ALSO", "postgres, company")
    assert load_warehouse().also == ("postgres", "company")
    monkeypatch.setenv("WAREHOUSE__ALOS", "x")
    with pytest.raises(SettingsError, match="Did you mean 'also'"):
        load_warehouse()
