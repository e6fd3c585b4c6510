"""Several processes, one key, one budget: real processes, a real file, a real server's clock."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

from sources.repair_shop.migrations import use_wal
from tests.fakes.loopback import Loopback, Reply


def start(tmp_path: Path, loopback: Loopback, requests: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.source.one_process"),
            *(str(tmp_path / "budget.sqlite"), loopback.base_url, str(requests)),
        ],
        cwd=Path(__file__).parents[2],
    )


def most_in_a_window(loopback: Loopback) -> int:
    arrivals = sorted(seen.at for seen in loopback.seen)
    return max(
        sum(first <= other < first + 1.0 for other in arrivals[number:])
        for number, first in enumerate(arrivals)
    )


def test_processes_share_the_limit(tmp_path, loopback):
    processes = [start(tmp_path, loopback, 12) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(loopback.seen) == 36
    assert most_in_a_window(loopback) <= 10


def test_a_killed_process_leaves_the_limit_whole(tmp_path, loopback):
    hanging = threading.Event()

    def reply(_):
        if len(loopback.seen) <= 1 or hanging.is_set():
            return Reply()
        hanging.set()
        return Reply(act="hang")

    loopback.otherwise = reply
    victim = start(tmp_path, loopback, 1000)
    assert hanging.wait(30)
    victim.kill()
    victim.wait(30)
    before = len(loopback.seen)
    survivor = start(tmp_path, loopback, 20)
    assert survivor.wait(60) == 0
    assert len(loopback.seen) >= before + 20
    assert most_in_a_window(loopback) <= 10


def test_a_new_file_that_another_process_holds_is_switched_when_it_is_free(tmp_path):
    """SQLite refuses the switch at once; a connection that never waits shows that every time."""
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as first:
        first.execute("begin immediate")
        free = threading.Timer(0.1, first.execute, ("rollback",))
        free.start()
        with closing(sqlite3.connect(path, timeout=0)) as second:
            use_wal(second)
            free.join()
            assert second.execute("pragma journal_mode").fetchone() == ("wal",)
