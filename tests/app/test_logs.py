"""Log lines: one JSON object each, whole under many writers, without secrets and customers."""

import io
import json
import logging
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from pipelines.monitor import logs
from shopmirror.progress import watching

KEY = "k-0123456789abcdef"


def _lines(folder: Path) -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_a_line_is_an_object_with_its_time_and_process(tmp_path):
    moment = datetime(2026, 11, 20, 22, 30, tzinfo=UTC)
    with logs.to_files(tmp_path, "sync", now=lambda: moment):
        logs.Logger("sync").info("list done", resource="tickets", rows=120, proven=True)
        logs.Logger("sync").info("said", message="a folder called \udcff")
    line, said = _lines(tmp_path)
    assert said["message"] == "a folder called ?"
    assert line["at"] == "2026-11-20T22:30:00.000+00:00"
    assert (line["event"], line["resource"], line["rows"]) == ("list done", "tickets", 120)
    assert (line["command"], line["logger"], line["level"]) == ("sync", "sync", "info")
    (path,) = tmp_path.iterdir()
    assert path.name == "shopmirror-2026-11-20.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_day_gets_a_new_file(tmp_path):
    for moment in (datetime(2026, 11, day, 12, tzinfo=UTC) for day in (20, 20, 21)):
        with logs.to_files(tmp_path, "sync", now=lambda moment=moment: moment):
            logs.Logger("sync").info("said", message="x")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "shopmirror-2026-11-20.jsonl", "shopmirror-2026-11-21.jsonl",
    ]  # fmt: skip


def test_no_key_and_no_customer_reach_the_file(tmp_path):
    with logs.to_files(tmp_path, "sync", [KEY]):
        log = logs.Logger("sync")
        log.info("said", message=f"key {KEY} for 'Ana Perez', ana@example.org, 5555-1234 5555 1234")
        log.info("row", name="Ana Perez", body={"mobile": "55551234"}, shop="main")
        log.error("failed", error='Could not convert string "Ana Perez" to INT32')
        log.error("failed", error=f"http://127.0.0.1/v1?searchKeyword=Ana&key={KEY}")
        logging.getLogger("duckdb").warning("row {'name': 'Ana Perez'} has key %s", KEY)
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    for secret in (KEY, "Ana", "ana@", "55551234", "5555 1234"):
        assert secret not in text, text
    assert _lines(tmp_path)[1]["left_out"] == ["body", "name"]
    assert _lines(tmp_path)[4]["logger"] == "duckdb"


def test_without_files_nothing_is_written(tmp_path):
    logs.Logger("sync").info("said", message="x")
    with logs.to_files(tmp_path, "sync"):
        pass
    logs.Logger("sync").info("said", message="x")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_ends_nothing(tmp_path):
    blocked = tmp_path / "logs"
    blocked.write_text("a file where the folder should be")
    with logs.to_files(blocked, "sync"):
        logs.Logger("sync").info("said", message="x")
    assert blocked.read_text().startswith("a file")


def test_lines_of_several_processes_stay_whole(tmp_path):
    script = """
import sys
from pathlib import Path
from pipelines.monitor import logs
with logs.to_files(Path(sys.argv[1]), "sync"):
    log = logs.Logger("sync")
    for n in range(300):
        log.info("list done", rows=n, detail="d" * 200)
"""
    root = Path(logs.__file__).resolve().parents[1]
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=root) for _ in range(3)
    ]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    lines = _lines(tmp_path)
    assert len(lines) == 900
    assert len({line["pid"] for line in lines}) == 3


def test_a_scan_is_logged_and_shown(tmp_path):
    heard = io.StringIO()
    with logs.to_files(tmp_path, "sync"), watching(Console(file=heard)) as observer:
        observer.plan("main", "tickets", 3)
        observer.page("main", "tickets", 50)
        observer.done("main", "tickets", False, 50, "page 2 came back empty")
        observer.budget("main", 3, 0.5)
        observer.say("Building the reports ...")
    assert "tickets: 50 rows, NOT PROVEN (page 2 came back empty)" in heard.getvalue()
    assert [line["event"] for line in _lines(tmp_path)] == ["list begins", "list done", "said"]
    assert [line["level"] for line in _lines(tmp_path)] == ["info", "warning", "info"]
