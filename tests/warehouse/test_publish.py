"""Publishing: readers always find one whole warehouse, whatever happens meanwhile."""

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

import pipelines.json_file
from pipelines.home import Home, HomeError
from pipelines.publish.publish import publish

PUBLISH_FOR_EVER = """
import sys
from pipelines.home import Home
from pipelines.publish.publish import publish
home = Home(sys.argv[1])
with home.open_build() as connection:
    (number,) = connection.execute("SELECT max(n) FROM raw.t").fetchone()
print("ready", flush=True)
while True:
    number += 1
    with home.open_build() as connection:
        connection.execute("BEGIN")
        connection.execute("UPDATE raw.t SET n = ?", [number])
        connection.execute("UPDATE raw.u SET n = ?", [number])
        connection.execute("COMMIT")
    publish(home)
"""


def fill(home: Home, number: int, rows: int = 1000) -> None:
    with home.open_build() as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS raw")
        for table in ("t", "u"):
            connection.execute(
                f"CREATE OR REPLACE TABLE raw.{table} AS "
                f"SELECT {number} AS n, i, md5(i::VARCHAR) AS filler FROM range({rows}) r(i)"
            )


def seen(path: Path) -> set[int]:
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute("SELECT n FROM raw.t UNION SELECT n FROM raw.u").fetchall()
    return {number for (number,) in rows}


def test_what_is_published_is_whole_private_and_without_working_tables(home):
    fill(home, 1)
    with home.open_build() as connection:
        connection.execute("CREATE SCHEMA raw_staging")
        connection.execute("CREATE TABLE raw_staging.t AS SELECT 1 AS n")
    assert publish(home) == home.warehouse
    assert seen(home.warehouse) == {1}
    assert home.warehouse.stat().st_mode & 0o777 == 0o600
    assert not list(home.path.glob("*.wal")) and not list(home.path.glob(".*.tmp"))
    with duckdb.connect(str(home.warehouse), read_only=True) as connection:
        schemas = connection.execute("SELECT DISTINCT schema_name FROM duckdb_tables()").fetchall()
    assert schemas == [("raw",)]


def test_nothing_to_publish_is_said(home):
    with pytest.raises(HomeError, match="nothing to publish"):
        publish(home)


READ_AND_WAIT = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
print(connection.execute("SELECT max(n) FROM raw.t").fetchone()[0], flush=True)
sys.stdin.readline()
print(connection.execute("SELECT max(n), count(*) FROM raw.u").fetchone(), flush=True)
"""


def test_an_open_reader_keeps_its_view_and_blocks_nothing(home):
    fill(home, 1)
    publish(home)
    with subprocess.Popen(
        [sys.executable, "-c", READ_AND_WAIT, str(home.warehouse)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "1\n"
        fill(home, 2)
        publish(home)
        assert seen(home.warehouse) == {2}
        rest, _ = reader.communicate("\n")
    assert rest == "(1, 1000)\n"


def test_a_log_left_beside_the_old_file_is_not_replayed(home):
    fill(home, 1)
    publish(home)
    script = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); "
        "c.execute(\"SET checkpoint_threshold='1TB'\"); "
        "c.execute('UPDATE raw.t SET n = 99'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(home.warehouse)], check=True)
    assert home.warehouse.with_name("warehouse.duckdb.wal").exists()
    fill(home, 2)
    publish(home)
    assert seen(home.warehouse) == {2}


def test_a_full_disk_leaves_the_old_warehouse(home, monkeypatch):
    fill(home, 1)
    publish(home)
    fill(home, 2)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pipelines.json_file.shutil, "copyfileobj", full)
    monkeypatch.setattr(pipelines.json_file.fcntl, "ioctl", full)
    with pytest.raises(HomeError, match=r"disk is full.*The warehouse is as it was"):
        publish(home)
    assert seen(home.warehouse) == {1}
    assert not list(home.path.glob(".*.tmp"))


@pytest.mark.seeds(1)
def test_killed_at_any_moment_readers_find_one_whole_state(home, seed):
    fill(home, 1)
    publish(home)
    chance = random.Random(seed)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", PUBLISH_FOR_EVER, str(home.path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            states: list[set[int]] = []
            ended = threading.Event()

            def read(states=states, ended=ended):
                while not ended.is_set():
                    states.append(seen(home.warehouse))

            reader = threading.Thread(target=read)
            reader.start()
            time.sleep(chance.uniform(0.01, 0.3))
            process.send_signal(signal.SIGKILL)
            process.wait()
            ended.set()
            reader.join()
        states.append(seen(home.warehouse))
        assert all(len(state) == 1 for state in states)
        numbers = [next(iter(state)) for state in states]
        assert numbers == sorted(numbers)
    publish(home)
    assert len(seen(home.warehouse)) == 1
    assert not list(home.path.glob(".*.tmp"))
