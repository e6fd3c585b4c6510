"""What ``status`` says of jobs that fail, and of scans that were in doubt once."""

import json
import os
import shutil
import threading
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines.home import Home, is_syncing
from pipelines.load.evidence import completeness
from pipelines.load.loader import Loader
from pipelines.monitor.severity import Kind
from pipelines.monitor.status import status
from pipelines.outbox import Outbox, discard
from pipelines.outbox.change import NewChange, State
from pipelines.publish.publish import publish
from pipelines.settings import Settings
from pipelines.transform.findings import write_findings
from shopmirror.commands.status import show
from shopmirror.main import main
from sources.repair_shop.budget import Budget
from sources.repair_shop.ledger import Ledger
from tests.app.nights import bench as bench
from tests.app.nights import clock as clock
from tests.app.nights import home as home
from tests.app.nights import job
from tests.app.nights import settings as settings
from tests.homes import shop_of
from tests.ledgers import ran
from tests.promises import promise


def _incident_lines(settings: Settings) -> list[str]:
    return [line for line in status(settings).problems if line.startswith("The job")]


@promise("nights run by themselves; what fails is told once, and once when it is over")
def test_a_job_that_fails_is_told_until_it_works(settings, bench):
    failing = bench.runner("print('no answer'); raise SystemExit(3)")
    for _ in range(2):
        failing.run(job(), bench.clock())
        bench.clock.forward(days=1)
    (incident,) = status(settings).as_json()["incidents"]
    assert (incident["job"], incident["exit_code"], incident["runs"]) == ("sync", 3, 2)
    (line,) = _incident_lines(settings)
    assert "since 2026-11-20 12:00 UTC (2 run(s), exit code 3): no answer" in line
    bench.runner().run(job(), bench.clock())
    assert status(settings).incidents == []


def test_a_run_by_hand_that_went_well_ends_the_worry(settings, bench, clock):
    clock.moment = datetime.now(UTC).replace(microsecond=0)
    clock.forward(days=-1)
    bench.runner("raise SystemExit(3)").run(job(), clock())
    assert _incident_lines(settings)
    ran(settings.home, 0)
    assert not _incident_lines(settings)
    assert [one["went_well_since"] for one in status(settings).incidents] == [True]


def test_the_screen_says_how_each_job_ended_and_that_none_is_served(settings, bench, capsys):
    for name, code in (("sync", 0), ("report", 1), ("push", 4), ("audit", 3)):
        bench.runner(f"raise SystemExit({code})").run(job(name), bench.clock())
    show(status(settings), tables=False, settings=settings)
    told = {line.split("│")[0].strip(): line for line in capsys.readouterr().out.splitlines()}
    ends = {"sync": "done", "report": "done, not all agrees", "push": "stopped early"}
    for name, end in (ends | {"audit": "failed"}).items():
        assert told[name].split("│")[-1].strip() == end
    assert "No scheduler runs now: 'shopmirror schedule' starts one." in told


def test_a_disk_so_full_that_no_failure_is_noted_is_told(settings, monkeypatch):
    usage = shutil.disk_usage(settings.home)._replace(free=2**19)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    found = status(settings)
    assert found.exit_code == 1 and any("the disk is full" in line for line in found.problems)


def test_what_a_build_found_in_the_data_is_told(settings):
    """It stops no report, so it is no problem; but nobody would look for it."""
    home = Home(settings.home)
    loader = Loader(home)
    loader.prepare()
    write_findings(loader, {"unknown_days_and_amounts": 3, "references_exist": 1200})
    with home.open_build() as build:
        build.execute("CREATE SCHEMA IF NOT EXISTS marts")
        build.execute("CREATE TABLE marts.reconciliation (shop_id TEXT, report TEXT, period DATE, "
                      "ours INT, theirs INT, difference INT, matches BOOLEAN, "
                      "fetched_at TIMESTAMPTZ)")  # fmt: skip
        for table, day in (("sales", "effect_day"), ("purchase", "received_day")):
            build.execute(f"CREATE TABLE marts.{table}_documents (shop_id TEXT, {day} DATE, "
                          "seen_at TIMESTAMPTZ)")  # fmt: skip
        build.execute("CREATE TABLE ops.unreadable (table_name TEXT, column_name TEXT)")
        build.execute("INSERT INTO ops.shops (shop_id) VALUES ('main'), ('sold')")
        build.execute("INSERT INTO ops.unreadable VALUES ('tickets', 'due_date')")
        build.execute("INSERT INTO marts.reconciliation VALUES ('main', 'monthly_sales', "
                      "'2026-01-01', 1, 2, -1, false, now())")  # fmt: skip
    publish(home)
    (differs,) = (one for one in status(settings).problems if "do not agree" in one)
    assert differs.startswith("main: 1 of 1 periods do not agree")
    assert status(settings).as_json()["warehouse"]["findings"] == [
        "1,200 records name another record that is not in the mirror",
        "3 records without a day or an amount count in no report",
        "1 values of 1 fields could not be read (ops.unreadable)",
    ]
    assert status(settings).as_json()["warehouse"]["no_longer_set_up"] == ["sold"]
    with home.open_build() as build:
        build.execute("DROP TABLE ops.findings")
    publish(home)
    assert status(settings).warehouse["findings"] == []


def test_a_warehouse_that_cannot_be_read_is_told(settings):
    Home(settings.home).warehouse.write_bytes(b"no database")
    assert any("The warehouse cannot be read" in line for line in status(settings).problems)


def test_a_home_that_is_not_there_yet_has_a_status(settings, monkeypatch, capsys):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(settings.home.with_name("new")))
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "no-key-of-anyone")
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"]


def test_shops_that_the_block_of_another_holds_up_are_told_in_one_line(home):
    settings = Settings(home=home, shops=tuple(map(shop_of, "abc")))
    with closing(Budget(Home(home).budget)) as budget:
        first = budget.key(settings.shops[0])
        first.acquire().answered("ok")
        first.acquire().answered("block")
    told = [problem.named for problem in status(settings).found if problem.kind is Kind.REFUSED]
    assert [line.partition(": The service ")[0] for line in told] == ["a", "b, c"]


def test_a_rejected_change_is_told_until_a_person_discards_it(settings):
    with Outbox(settings.home) as outbox:
        outbox.add([NewChange("main", "brands", "create", None, {"name": "A"})], by="ann")
        outbox.move(outbox.get(1), State.REJECTED, "rejected", "no")
    assert any("1 change(s) rejected" in line for line in status(settings).problems)
    discard(settings.home, 1, by="ann")
    found = status(settings)
    assert found.queue["rejected"] == 1
    assert not any("rejected" in problem for problem in found.problems)


def test_a_run_that_was_cut_off_and_a_warehouse_that_is_gone_are_told(settings):
    ran(settings.home, None)
    with Home(settings.home).sync_lock():
        assert not any("cut off" in line for line in status(settings).problems)
    assert any("(sync) was cut off" in line for line in status(settings).problems)
    assert not any("no published warehouse" in line for line in status(settings).problems)
    ran(settings.home, 0)
    problems = status(settings).problems
    assert not any("cut off" in line for line in problems)
    assert any("no published warehouse: 'shopmirror sync'" in line for line in problems)


def test_a_number_of_a_dead_sync_that_another_process_bears_now_is_no_sync(settings):
    ran(settings.home, None)
    note = {"pid": os.getpid(), "since": "2026-01-01T00:00:00+00:00"}
    (settings.home / "sync.running").write_text(json.dumps(note), encoding="utf-8")
    assert any("(sync) was cut off" in line for line in status(settings).problems)


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([("sync", 3), ("sync", 0)], ""),
        ([("sync", 1)], "(sync) ended with differences: no answer"),
        ([("sync", 3), ("reconcile", 0)], "(sync) ended failed: no answer"),
        ([("sync", 3), ("sync brands", 0)], "(sync) ended failed: no answer"),
        ([("sync", 3), ("sync", 4)], "(sync) ended failed: no answer"),
        ([("sync", None), ("reconcile", 0)], "(sync) was cut off"),
        ([("sync brands", 3), ("sync tickets", 0)], "(sync brands) ended failed"),
        ([("sync brands", 3), ("sync", 0)], ""),
        ([("sync --shop a", 3), ("sync --shop b", 0)], "(sync --shop a) ended failed"),
        ([("reconcile", 3), ("sync", 0)], ""),
    ],
)
def test_a_failed_run_is_told_until_one_of_as_much_goes_well(settings, runs, told):
    for command, code in runs:
        ran(settings.home, code, command=command)
    said = [line for line in status(settings).problems if "last run" in line]
    assert (told in said[0] and len(said) == 1) if told else not said


def test_a_run_that_ended_for_its_key_leads_to_the_settings(settings):
    ran(settings.home, 2)
    assert "shopmirror config show" in {problem.mend for problem in status(settings).found}


@pytest.mark.parametrize(("again", "is_told"), [("a", False), ("b", True), (None, True)])
def test_a_shop_read_again_makes_good_what_a_chains_run_left_of_it(settings, again, is_told):
    ran(settings.home, 3, "incomplete", a=False, b=True)
    if again:
        ran(settings.home, 0, command=f"sync --shop {again}")
    assert any(line.startswith("a: The last run") for line in status(settings).problems) is is_told


def test_looking_whether_a_sync_runs_turns_none_away(settings):
    home = Home(settings.home)
    with home.sync_lock():
        assert is_syncing(home.path)
    stop = threading.Event()

    def look():
        while not stop.is_set():
            is_syncing(home.path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(50):
            with home.sync_lock():
                pass
    finally:
        stop.set()
        looking.join()
    assert not is_syncing(home.path)


Scanned = tuple[str, str | None, str | None, bool]


def _scan(ledger: Ledger, scan: Scanned, reason: str) -> None:
    kind, first, last, proven = scan
    spec: dict[str, Any] = {"days": [first, last]} if first else {}
    # What a list shows of days is no promise about days: only the spec is.
    days = {"first_day": date(2020, 1, 1), "last_day": date(2030, 1, 1)}
    ledger.close_scan(
        ledger.open_scan(1, "main", "tickets", kind, spec),
        state="proven" if proven else "unproven", proof="", reason=reason, pages=1, rows=1, **days,
    )  # fmt: skip


def _unproven(home: Path, scans: list[Scanned]) -> list[str]:
    with closing(Ledger(home / "mirror.sqlite")) as ledger:
        for scan in scans:
            _scan(ledger, scan, "" if scan[-1] else "it moved")
        return [e["extent"] for e in completeness(ledger) if not e["is_proven"]]


@pytest.mark.parametrize(
    ("later", "settled"),
    [(None, False), (("full", False), False), (("full", True), True), (("head", True), True)],
)
def test_old_pages_in_doubt_are_settled_by_what_proves_their_list(home, later, settled):
    scans = [("audit", False), *([later] if later else [])]
    doubts = _unproven(home, [(kind, None, None, proven) for kind, proven in scans])
    assert ("old pages read again" in doubts) is not settled


@pytest.mark.parametrize("kind", ["follow", "open"])
def test_a_row_missed_once_by_its_own_path_is_settled_by_a_counted_night(home, kind):
    missed = "1 row(s) were missed for the first time"
    with closing(Ledger(home / "mirror.sqlite")) as ledger:
        for scan, reason in ((kind, missed), ("head", "")):
            _scan(ledger, (scan, None, None, True), reason)
        assert [e["kind"] for e in completeness(ledger)] == ["head"]


@pytest.mark.parametrize(
    "later", [("repair", "2026-05-01", "2026-05-01", True), ("head", None, None, True)]
)
def test_a_repair_is_settled_by_the_next_one_and_by_a_counted_night(home, later):
    """Once the books agree there is no other one."""
    day = ("2026-03-02", "2026-03-02")
    assert len(_unproven(home, [("repair", *day, False)])) == 1
    assert _unproven(home, [later]) == []
