"""What a load costs: answers of a ledger -> dlt -> the private DuckDB file -> models -> published.

``python -m bench.load [ROWS]`` puts so many rows of ten lists (by default 100,000) into a new
ledger, as a first load does but without a service, and loads them in a process of its own. It
prints CPU seconds by stage, the peak of memory, and what DuckDB's own reader of JSON takes for the
same rows in the same run.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from bench.processes import peak_mb
from pipelines.settings import Settings, ShopSettings
from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.ledger import Ledger, Row
from sources.repair_shop.scan.reader import day_of
from sources.repair_shop.schema.digest import digest
from sources.repair_shop.schema.endpoints import ENDPOINTS

_SHOP = {"name": "main", "base_url": "http://127.0.0.1:9/v1", "api_key": "0", "timezone": "UTC"}
_PAGES = 500
"""Pages that DuckDB's reader is given at a time."""


def fill(home: Path, rows: int) -> None:
    """Put pages of so many rows into a new ledger, and have DuckDB read the same."""
    from bench.pages import ZONE, bodies, read_json  # not in the process that is measured
    from sandbox.quirks import Quirks

    ledger = Ledger(home / "mirror.sqlite")
    run = ledger.begin_run("bench")
    ahead = reading = 0.0
    pages: list[tuple[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        for number, (name, body) in enumerate(bodies(Quirks(), rows)):
            scan = ledger.open_scan(run, "main", name, "full", {})
            found, endpoint = parse_json(body), ENDPOINTS[name]
            began = time.process_time()
            noted = [Row(row["id"], day_of(row, endpoint, ZONE), digest(row), row) for row in found]
            ledger.put(scan, str(number), noted, datetime.now(UTC))
            ahead += time.process_time() - began
            pages.append((name, found))
            if len(pages) == _PAGES:
                reading += read_json(database, pages, Path(folder))
                pages = []
        reading += read_json(database, pages, Path(folder))
    ledger.close()
    print(f"written ahead in {ahead:.1f} CPU s; DuckDB read_json {reading:.2f}", flush=True)


class Stages:
    """CPU seconds by stage; what a stage within another takes is its own.

    Of this process, or with ``time.thread_time`` of the threads that take them.
    """

    def __init__(self, clock: Callable[[], float] = time.process_time) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._clock, self._here = clock, threading.local()

    def watch(self, stage: str, owner: Any, *names: str) -> None:
        """Count what functions take; not for generators."""
        for name in names:
            setattr(owner, name, self._timed(stage, getattr(owner, name)))

    def _timed(self, stage: str, inner: Any) -> Any:
        def timed(*given: Any, **named: Any) -> Any:
            within = self._here.__dict__.setdefault("within", [0.0])
            began = self._clock()
            within.append(0.0)
            try:
                return inner(*given, **named)
            finally:
                took = self._clock() - began
                self.seconds[stage] += took - within.pop()
                within[-1] += took

        return timed


def load(home: Path) -> None:
    """Load, build and publish what the ledger of a home holds."""
    stages = Stages()
    began = time.process_time()
    from dlt.pipeline.pipeline import Pipeline

    from pipelines.sync.session import Session, open_session
    from sources.repair_shop import change_log
    from sources.repair_shop.schema import arrow

    stages.seconds["start: imports"] = time.process_time() - began
    stages.watch("ledger: which rows", Ledger, "select")
    stages.watch("ledger: unpack", Ledger, "_unpack")
    stages.watch("parse", arrow, "parse_json")
    stages.watch("to Arrow", change_log, "tables_of")
    for name in ("extract", "normalize", "load"):
        stages.watch(f"dlt {name}", Pipeline, name)
    stages.watch("models", Session, "build")
    stages.watch("publish", Session, "publish")
    settings = Settings(home=home, shops=(ShopSettings.model_validate(_SHOP),))
    with open_session(settings) as session:
        session.feed.load_waiting()
        stages.seconds["peak"] = peak_mb()
        session.build()
        session.publish()
        rows = session.feed.rows
    whole = time.process_time() - began
    peak = stages.seconds.pop("peak")
    stages.seconds["else"] = whole - sum(stages.seconds.values())
    for stage, seconds in stages.seconds.items():
        print(f"{stage:26}{seconds:8.2f} CPU s{1e6 * seconds / rows:8.1f} µs a row")
    print(
        f"{'all':26}{whole:8.2f} CPU s; {rows} rows; peak {peak} MB, with the build {peak_mb()} MB"
    )


def main() -> None:
    """Fill and load in processes of their own, so that peaks are their own too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=100_000)
    parser.add_argument("--fill", type=Path)
    parser.add_argument("--load", type=Path)
    given = parser.parse_args()
    if given.fill:
        fill(given.fill, given.rows)
    elif given.load:
        load(given.load)
    else:
        with tempfile.TemporaryDirectory() as home:
            for part in ("--fill", "--load"):
                command = [sys.executable, "-m", "bench.load", *sys.argv[1:], part, home]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
