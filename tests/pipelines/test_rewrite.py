"""A large private database gets larger blocks: once, whole, or it stays as it was."""

import random
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import duckdb
import pytest

from pipelines.home import Home
from pipelines.publish import rewrite
from pipelines.publish.publish import publish

SMALL = 16_384
IN_A_PROCESS = """
import resource, sys
from pathlib import Path
from pipelines.publish import rewrite
rewrite.LARGE = 0
if sys.argv[2:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
print("ready", flush=True)
print(rewrite.in_large_blocks(Path(sys.argv[1])), flush=True)
"""


@pytest.fixture
def filled(home: Home) -> Home:
    """A home with a table, its keys and defaults, a view, and what is said of them."""
    with home.open_build() as connection:
        connection.execute(
            "CREATE SCHEMA raw; CREATE SCHEMA history; "
            "CREATE TABLE raw.kept (id VARCHAR PRIMARY KEY, n DECIMAL(28, 4) NOT NULL DEFAULT 7); "
            "INSERT INTO raw.kept SELECT i, i / 4 FROM range(50000) AS r(i); "
            "COMMENT ON COLUMN raw.kept.n IS 'what it''s worth'; "
            "CREATE VIEW history.seen AS SELECT * FROM raw.kept WHERE n > 3; "
            "COMMENT ON VIEW history.seen IS 'more than three'"
        )
    return home


def _state(home: Home) -> tuple[int, object]:
    """Bytes of a block, and what the file holds."""
    with home.open_build(read_only=True) as connection:
        asked = (
            "SELECT block_size FROM pragma_database_size()",
            "SELECT count(*), sum(hash(t)) FROM raw.kept t",
            "SELECT count(*), sum(n) FROM history.seen",
            "SELECT comment FROM duckdb_views() WHERE view_name = 'seen'",
            "SELECT column_name, is_nullable, column_default, comment FROM duckdb_columns() "
            "WHERE table_name = 'kept'",
            "SELECT constraint_text FROM duckdb_constraints() ORDER BY 1",
        )
        [(block,)], *held = [connection.execute(sql).fetchall() for sql in asked]
    return block, held


def _leftovers(home: Home) -> list[str]:
    return [path.name for path in home.build.iterdir() if ".anew" in path.name]


def test_a_large_file_is_written_anew_once_and_published_so(filled, monkeypatch):
    block, before = _state(filled)
    publish(filled)
    assert (block, before) == (SMALL, before) == _state(filled)
    monkeypatch.setattr(rewrite, "LARGE", 0)
    (filled.build / "warehouse.duckdb.anew").write_text("what a run that was killed left")
    publish(filled)
    assert _state(filled) == (rewrite.BLOCK, before)
    assert filled.build_warehouse.read_bytes() == filled.warehouse.read_bytes()
    assert filled.build_warehouse.stat().st_mode & 0o777 == 0o600
    assert _leftovers(filled) == []
    written = filled.build_warehouse.stat().st_ino
    publish(filled)
    assert filled.build_warehouse.stat().st_ino == written
    with filled.open_build() as connection, pytest.raises(duckdb.ConstraintException):
        connection.execute("INSERT INTO raw.kept VALUES ('7', 1)")


def test_what_is_not_the_same_does_not_take_its_place(filled, monkeypatch, caplog):
    before = _state(filled)
    monkeypatch.setattr(rewrite, "LARGE", 0)
    monkeypatch.setattr(rewrite, "_contents", lambda _, database: {'"raw"."kept"': database})
    publish(filled)
    assert _state(filled) == before
    assert 'differs in "raw"."kept"' in caplog.text
    assert _leftovers(filled) == []


def test_without_room_the_file_stays_as_it_was(filled):
    before = _state(filled)
    command = [sys.executable, "-c", IN_A_PROCESS, str(filled.build_warehouse), "300000"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["ready", "False"]
    assert "was not written anew" in run.stderr
    assert _state(filled) == before
    assert _leftovers(filled) == []


def test_a_disk_that_would_be_full_of_it_is_left_alone(filled, monkeypatch, caplog):
    before, size = _state(filled), filled.build_warehouse.stat().st_size
    monkeypatch.setattr(rewrite, "LARGE", 0)
    monkeypatch.setattr(rewrite.shutil, "disk_usage", lambda _: SimpleNamespace(free=2 * size - 1))
    assert rewrite.in_large_blocks(filled.build_warehouse) is False
    assert "no room for it twice" in caplog.text
    assert _state(filled) == before


@pytest.mark.seeds(2)
def test_killed_at_any_moment_it_is_the_old_file_or_the_new_one(filled, seed, monkeypatch):
    _, before = _state(filled)
    command = [sys.executable, "-c", IN_A_PROCESS, str(filled.build_warehouse)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.Random(seed).uniform(0.01, 0.2))
        process.send_signal(signal.SIGKILL)
    assert _state(filled)[1] == before
    monkeypatch.setattr(rewrite, "LARGE", 0)
    publish(filled)
    assert _state(filled) == (rewrite.BLOCK, before)
    assert _leftovers(filled) == []
