"""A load killed or failed at any moment and done again neither loses nor doubles a row."""

import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from dlt.destinations.impl.duckdb.duck import DuckDbCopyJob

from pipelines.load.loader import LoadError
from pipelines.publish.publish import publish

LOAD = """
import sys
from pathlib import Path
from pipelines.home import Home
from tests.ledgers import LoadedHome

home, first = Home(sys.argv[1]), int(sys.argv[2])
loaded = LoadedHome(home)
print("ready", flush=True)
for batch in range(first, 1000):
    # Half of each batch was in the one before: merges of known rows are killed too.
    tickets = [
        {"id": f"t{n}", "amount_total": n, "note" + str(batch % 3): "x",
         "lines": [{"id": 1, "total": n}, {"id": 2, "total": 1}]}
        for n in range(batch * 50, batch * 50 + 100)
    ]
    brands = [{"id": n, "name": "b"} for n in range(batch * 10, batch * 10 + 10)]
    loaded.answer("tickets", *tickets, minute=batch)
    loaded.load("brands", *brands, minute=batch)
    (home.path / "loaded").write_text(str(batch + 1))
"""


@pytest.mark.seeds(1)
def test_killed_loads_done_again(home, empty, seed):
    shutil.copytree(empty, home.path, dirs_exist_ok=True)
    chance = random.Random(seed)
    done = home.path / "loaded"
    done.write_text("0")
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", LOAD, str(home.path), done.read_text() or "0"],
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0.1, 1.3))
            process.send_signal(signal.SIGKILL)
            process.wait()
    batches = int(done.read_text() or "0") + 1
    script = LOAD.replace("1000", str(batches))
    subprocess.run([sys.executable, "-c", script, str(home.path), str(batches - 1)], check=True)
    with home.open_build(read_only=True) as connection:
        last = batches * 50 + 50
        rows = connection.execute(
            "SELECT count(*), count(DISTINCT id), sum(amount_total) FROM raw.tickets"
        ).fetchone()
        lines = connection.execute(
            "SELECT count(*), count(DISTINCT (parent_id, id)), sum(total) FROM raw.tickets__lines"
        ).fetchone()
        orphans = connection.execute(
            "SELECT count(*) FROM raw.tickets__lines WHERE _dlt_root_id NOT IN "
            "(SELECT _dlt_id FROM raw.tickets)"
        ).fetchone()
        brands = connection.execute(
            "SELECT count(*), count(DISTINCT id) FROM raw.brands"
        ).fetchone()
    total = sum(range(last))
    assert rows == (last, last, total)
    assert lines == (2 * last, 2 * last, total + last)
    assert orphans == (0,)
    assert brands == (batches * 10, batches * 10)
    publish(home)


def test_rows_of_a_load_that_failed_halfway_are_not_doubled(loaded, monkeypatch):
    """Nor do lines stay that a row has no longer when the load is done again."""
    copy = DuckDbCopyJob.run

    def once(job):
        copy(job)
        if job.load_table_name == "_dlt_pipeline_state":
            monkeypatch.undo()
            raise AssertionError("cut off")

    loaded.load("tickets", {"id": "0"})
    monkeypatch.setattr(DuckDbCopyJob, "run", once)
    lines = [{"id": 1}]
    loaded.answer("tickets", {"id": "1", "lines": lines}, {"id": "2", "lines": lines}, minute=1)
    with pytest.raises(LoadError):
        loaded.loader.load(loaded.feed.log, ["tickets"], loaded.feed.log.end())
    loaded.load("tickets", {"id": "3"}, {"id": "2", "short_info": "Ana"}, minute=2)
    found = loaded.query("SELECT id, short_info FROM raw.tickets ORDER BY id")
    assert found == [("0", None), ("1", None), ("2", "Ana"), ("3", None)]
    assert loaded.query("SELECT parent_id FROM raw.tickets__lines") == [("1",)]
