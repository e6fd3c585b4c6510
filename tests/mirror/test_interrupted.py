"""Killed, stopped or held up at any moment: nothing lost, nothing doubled, nothing asked twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from pipelines.load.pairing import BUILT
from pipelines.monitor.status import status
from pipelines.sync.run import sync
from pipelines.sync.session import open_session
from sources.repair_shop.observer import Observer
from tests.app.command_line import PREFIX
from tests.mirror.shop import MakeMirror, Mirror
from tests.promises import promise


def environment(mirror: Mirror) -> dict[str, str]:
    [shop] = mirror.settings.shops
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SOURCES__", "SHOPMIRROR_"))}
    return kept | {
        PREFIX + "BASE_URL": shop.base_url,
        PREFIX + "API_KEY": shop.api_key.get_secret_value(),
        PREFIX + "TIMEZONE": shop.timezone,
        PREFIX + "MINUTE_SECONDS": str(shop.minute_seconds),
        PREFIX + "REQUESTS_PER_MINUTE": str(shop.requests_per_minute),
        "SHOPMIRROR_HOME": str(mirror.home),
    }


def start(mirror: Mirror, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A real sync, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "shopmirror", "sync", *arguments],
        env=environment(mirror),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_requests(mirror: Mirror, count: int) -> None:
    deadline = time.monotonic() + 120
    while len(mirror.asked()) < count:
        assert time.monotonic() < deadline, "the sync asks nothing"
        time.sleep(0.002)


def twice(mirror: Mirror) -> dict[str, int]:
    """Requests that were answered more than once."""
    return {request: n for request, n in Counter(mirror.asked()).items() if n > 1}


def kill(mirror: Mirror, folder: Path, requests: int) -> None:
    """A real sync that is killed when so many requests were made."""
    run = start(mirror, folder)
    wait_for_requests(mirror, requests)
    run.send_signal(signal.SIGKILL)
    run.communicate()


@promise("killed at any moment: nothing lost, nothing doubled, nothing asked again")
@pytest.mark.seeds(1)
def test_kills_at_any_moment_lose_and_double_nothing(
    make_mirror: MakeMirror, tmp_path: Path, seed: int
) -> None:
    mirror = make_mirror(database=True, tables=False, minute_seconds=30)
    chance, at, kills = random.Random(seed), 0, 2
    for _ in range(kills):
        at += chance.randint(3, 28)
        kill(mirror, tmp_path, at)
    mirror.complete()
    mirror.assert_same()
    # Six lists are read at a time; only what was in flight when a run died was asked again, and
    # the newest page of lists that were read before: rows may have come since.
    again = {r: n for r, n in twice(mirror).items() if "page=1" not in r.split("?")[1].split("&")}
    assert sum(n - 1 for n in again.values()) <= 6 * kills


def test_a_kill_after_the_ledger_was_lost_asks_nothing_again(
    make_mirror: MakeMirror, tmp_path: Path
) -> None:
    mirror = make_mirror(database=True, minute_seconds=30)
    assert mirror.run("brands").exit_code == 0
    for part in mirror.home.glob("mirror.sqlite*"):
        part.unlink()
    mirror.server.forget_requests()
    kill(mirror, tmp_path, 40)
    mirror.complete()
    mirror.assert_same()
    # The newest pages, those that find a list's end, and three that were in flight.
    assert len([r for r in twice(mirror) if "page=1" not in r and "sort=oldest" not in r]) <= 3


@pytest.mark.parametrize("stopped", [25, 60])
def test_what_changed_after_a_stop_is_seen_by_the_run_that_goes_on(
    make_mirror: MakeMirror, stopped: int
) -> None:
    """Of lists that were read whole before the stop, and of those that were half read."""
    lists = ("customers", "stock")
    rows = [
        (table, {"id": f"{table}-{n}", "created_date": f"2026-0{1 + n // 40}-11"})
        for table in lists
        for n in range(190)
    ]
    mirror = make_mirror(records=rows, minute_seconds=0.002)
    assert mirror.run(max_requests=stopped).exit_code == 4
    for table in lists:
        mirror.store.insert(table, {"created_date": "2026-09-09"})
        mirror.store.delete(table, f"{table}-7")
        mirror.store.delete(table, f"{table}-184")
    mirror.store.insert("brands", {"name": "Newer"})
    mirror.complete()
    mirror.assert_same("brands", *lists)


@promise("killed at any moment: nothing lost, nothing doubled, nothing asked again")
@pytest.mark.seeds(1)
def test_stops_after_any_number_of_requests_are_gone_on_with(
    make_mirror: MakeMirror, seed: int
) -> None:
    mirror = make_mirror(minute_seconds=30)
    chance = random.Random(seed)
    stops = 0
    for _ in range(30):
        report = mirror.run(max_requests=chance.randint(4, 20))
        if report.exit_code == 0:
            break
        assert report.exit_code == 4, report.details
        stops += 1
    assert stops > 2
    assert report.exit_code == 0, report.details
    mirror.assert_same()
    # The reports come last and belong together, so they may be asked once more; a page that was
    # looked at to find a list's end is read again on the way down, stop or no stop.
    assert not [r for r in twice(mirror) if "/monthly" not in r and "sort=oldest" not in r]


def test_runs_of_few_requests_come_to_an_end_however_short_the_minute(
    make_mirror: MakeMirror,
) -> None:
    """An hour of such minutes is over before the next run begins."""
    mirror = make_mirror(minute_seconds=0.002, tables=False)
    lists = ("brands", "users", "groups", "warranties", "categories")
    codes = [mirror.run(*lists, max_requests=3).exit_code for _ in range(6)]
    assert codes[0] == 4 and 0 in codes


def test_a_first_load_begins_with_short_lists_and_payments(
    make_mirror: MakeMirror,
) -> None:
    long = ("time_clock", "appointments", "customers", "stock", "leads", "serials", "payments")
    rows = [
        (table, {"id": f"{table}-{n}", "created_date": f"2026-0{1 + n % 9}-11"})
        for table in long
        for n in range(600)
    ]
    mirror = make_mirror(records=[*rows, ("expense_categories", {"id": 1, "name": "Rent"})])
    assert mirror.run(max_requests=80).exit_code == 4
    mirror.assert_same("expense_categories")
    assert mirror.live("payments")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_with_exit_code_4_and_the_next_run_goes_on(
    make_mirror: MakeMirror, tmp_path: Path, number: signal.Signals
) -> None:
    mirror = make_mirror()
    stopping = threading.Event()
    # The third answer comes when the sync has said that it stops: however slow the machine is.
    mirror.server.faults.after(3, lambda: stopping.wait(60))
    run = start(mirror, tmp_path, "brands", "customers", "ticketInvoices", "--json")
    wait_for_requests(mirror, 3)
    run.send_signal(number)
    assert run.stderr is not None
    told = next((line for line in run.stderr if "Stopping" in line), "")
    stopping.set()
    out, err = run.communicate(timeout=60)
    assert run.returncode == 4, (told, out, err)
    before, document = mirror.asked(), json.loads(out)
    assert (document["outcome"], document["requests"]) == ("stopped", len(before))
    assert mirror.run("brands", "customers", "ticketInvoices").exit_code == 0
    # The newest page is looked at again, for rows that came since.
    assert [r for r in before[:2] if r in mirror.asked()[len(before) :]] == before[:1]


def test_a_signal_after_the_last_answer_is_no_good_end(make_mirror: MakeMirror) -> None:
    """All is read and proven, but readers have nothing of it yet."""
    mirror, stop = make_mirror(), threading.Event()

    class StopsAtTheEnd(Observer):
        def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
            stop.set()

    report = sync(mirror.settings, resources=["brands"], stop=stop, observer=StopsAtTheEnd())
    assert (report.exit_code, report.outcome) == (4, "stopped")
    assert not (mirror.home / "warehouse.duckdb").exists()
    assert status(mirror.settings).runs[0]["exit_code"] == 4
    asked = len(mirror.asked())
    assert mirror.run("brands").exit_code == 0 and mirror.loaded > 0
    assert len(mirror.asked()) - asked < asked


def test_files_that_were_lost_or_put_back_from_a_copy_are_noticed_and_made_good(
    make_mirror: MakeMirror,
) -> None:
    mirror = make_mirror(database=True)
    lists = ("brands", "ticket_invoices")
    file = mirror.home / "build" / "warehouse.duckdb"
    assert mirror.run(*lists).exit_code == 0
    # An older copy of the warehouse, which says that it was built of all that is loaded.
    older = file.read_bytes()
    mirror.store.insert("brands", {"name": "Newer"})
    mirror.store.delete("brands", mirror.store.ids("brands")[0])
    assert mirror.run("brands", full=True).exit_code == 0
    with open_session(mirror.settings) as session:
        session.ledger.set_value("", BUILT, "of all that is loaded")
    file.write_bytes(older)
    mirror.same("brands")
    with open_session(mirror.settings) as session:
        assert session.ledger.value("", BUILT) != "of all that is loaded"
    # A ledger that is gone leaves no row behind that went meanwhile.
    for part in mirror.home.glob("mirror.sqlite*"):
        part.unlink()
    for table in lists:
        mirror.store.delete(table, mirror.store.ids(table)[0])
    mirror.same(*lists)
    # A warehouse that is gone is filled from the ledger.
    file.unlink()
    mirror.same(*lists)
    # A ledger that was put back, and the warehouse of its day only after a sync had noticed that.
    copies = {part: part.read_bytes() for part in (mirror.home / "mirror.sqlite", file)}
    mirror.store.delete("brands", mirror.store.ids("brands")[0])
    mirror.same("brands")
    for part, content in copies.items():
        part.write_bytes(content)
        mirror.same("brands")


def test_pages_of_a_shop_that_left_the_settings_wait_for_its_return(
    make_mirror: MakeMirror,
) -> None:
    mirror = make_mirror(shops=("norte", "sur"))
    mirror.run("brands")
    assert mirror.recorder is not None
    mirror.recorder.held.clear()
    mirror.recorder.offsets.clear()
    mirror.recorder.said.clear()
    both, mirror.shops = mirror.shops, ("norte",)
    mirror.run("brands")
    assert not mirror.live("brands", "sur")
    mirror.shops = both
    mirror.run("brands")
    mirror.assert_same("brands", shop="sur")


@pytest.mark.parametrize(("kind", "spec"), [("follow", {"detail": True}), ("open", {})])
def test_a_scan_that_a_kill_left_open_does_not_stay_open_for_ever(
    synced: Mirror, kind: str, spec: dict[str, bool]
) -> None:
    mirror = synced
    with open_session(mirror.settings) as session:
        run_id = session.ledger.begin_run("sync")
        session.ledger.open_scan(run_id, "main", "ticket_invoices", kind, spec)
        # A night later; tonight nothing of the kind is to be made.
        session.ledger.query("UPDATE scans SET ticks = ticks - 86400")
    assert mirror.run().exit_code == 0
    assert status(mirror.settings).shops[0].doubts == []


def test_a_whole_reading_of_known_lists_that_was_stopped_is_ended_by_the_next_run(
    synced: Mirror,
) -> None:
    assert synced.run("customers", "stock", full=True, max_requests=2).exit_code == 4
    synced.complete()
    assert status(synced.settings).shops[0].doubts == []
