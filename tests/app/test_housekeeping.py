"""What goes and what stays."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from schedules.housekeeping import clear_out
from schedules.settings import RetentionSettings
from shopmirror.main import main
from tests.app.nights import home as home

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def _file(path: Path, days_old: float, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    stamp = (NOW - timedelta(days=days_old)).timestamp()
    os.utime(path, (stamp, stamp))
    return path


@pytest.fixture
def aged(home):
    return {
        "old log": _file(home / "logs/shopmirror-2026-10-01.jsonl", 50),
        "new log": _file(home / "logs/shopmirror-2026-11-19.jsonl", 1),
        "old error": _file(home / "logs/error-20261001-000000.log", 50),
        "foreign log": _file(home / "logs/notes.txt", 500),
        "old report": _file(home / "reports/closing-2025-01-01.html", 600),
        "new report": _file(home / "reports/closing-2026-11-19.html", 1),
        "own report": _file(home / "reports/for-the-bank.html", 600),
        "old draft": _file(home / ".warehouse.duckdb.77.tmp", 2),
        "draft in use": _file(home / ".warehouse.duckdb.78.tmp", 0.1),
        "warehouse": _file(home / "warehouse.duckdb", 900),
        "queue": _file(home / "outbox.sqlite", 900),
    }


def test_only_what_is_past_its_retention_goes(home, aged):
    (home / ".schedule.json.1.tmp").symlink_to("in-its-place")  # as one that was renamed meanwhile
    cleared = clear_out(home, RetentionSettings(), NOW)
    gone = {name for name, path in aged.items() if not path.exists()}
    assert gone == {"old log", "old error", "old report", "old draft"}
    assert cleared | {"bytes": 0} == {"logs": 2, "reports": 1, "drafts": 1, "bytes": 0}
    assert clear_out(home, RetentionSettings(), NOW)["bytes"] == 0


def test_zero_keeps_for_ever(home, aged):
    clear_out(home, RetentionSettings(logs_days=0, reports_days=0), NOW)
    gone = {name for name, path in aged.items() if not path.exists()}
    assert gone == {"old draft"}


def test_a_run_tells_less_after_a_year_and_what_it_loaded_is_known_still(home):
    from sources.repair_shop.ledger import Ledger

    ledger = Ledger(home / "mirror.sqlite")
    loaded_by = []
    for _ in range(2):
        run = ledger.begin_run("sync")
        loaded_by.append(ledger.token())
        ended = {"exit_code": 0, "requests": 1, "rows": 1, "message": "", "detail": {"a": 1}}
        ledger.end_run(run, outcome="complete", **ended)
    clear_out(home, RetentionSettings(), datetime.now(UTC) + timedelta(days=364))
    assert ledger.query("SELECT detail FROM runs") == [('{"a": 1}',)] * 2
    clear_out(home, RetentionSettings(), datetime.now(UTC) + timedelta(days=374))
    assert ledger.query("SELECT detail FROM runs") == [(None,)] * 2
    # As a list whose rows have not changed since, such as the rates of tax.
    assert all(ledger.knows(token, 0) for token in loaded_by)
    ledger.close()


def test_what_is_kept_of_scans_does_not_grow_for_ever(home):
    from sources.repair_shop.ledger import Ledger

    ledger = Ledger(home / "mirror.sqlite")
    nothing: dict[str, Any] = {"proof": "", "reason": "", "pages": 1, "rows": 0}
    kept = []
    for kind, state in (
        ("head", "proven"),
        ("head", "proven"),
        ("audit", "proven"),
        ("audit", "unproven"),
        ("full", ""),
    ):
        spec = {"days": [str(len(kept)), ""]} if kind == "audit" else {}
        scan = ledger.open_scan(1, "main", "brands", kind, spec)
        if state:
            ledger.close_scan(scan, state=state, first_day=None, last_day=None, **nothing)
        kept.append(scan.scan_id)
    _, newest_head, _, in_doubt, unfinished = kept
    clear_out(home, RetentionSettings(), datetime.now(UTC))
    assert len(ledger.query("SELECT * FROM scans")) == 5
    clear_out(home, RetentionSettings(), datetime.now(UTC) + timedelta(days=374))
    left = {row[0] for row in ledger.query("SELECT scan_id FROM scans")}
    assert left == {newest_head, in_doubt, unfinished}
    ledger.close()


def test_an_empty_home_is_left_alone(home):
    clear_out(home, RetentionSettings(), NOW)
    assert list(home.iterdir()) == []


def test_the_command_says_what_went(home, aged, capsys):
    assert main(["schedule", "--housekeeping"]) == 0
    said = json.loads(capsys.readouterr().out)
    # By the machine's own clock here, so the "new" ones may be old as well.
    logs = ("old log", "new log", "old error")
    assert said["logs"] == sum(not aged[name].exists() for name in logs)
    assert f"Deleted {said['logs']} log(s)" in said["message"]
    assert aged["warehouse"].exists() and aged["queue"].exists()


def test_wrong_retention_is_named(monkeypatch, capsys):
    monkeypatch.setenv("RETENTION__LOGS_DAYS", "some")
    assert main(["schedule", "--housekeeping"]) == 2
    assert "logs_days" in capsys.readouterr().err
