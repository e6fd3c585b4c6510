"""What the models cost: ``python -m bench.models [lines ...]`` (default 10000 and 1000000).

For a shop of so many document lines: the first build, that of a night with 500 changed documents,
and a query written by hand. The query adds up the months from the same raw tables. Shown are ratios
of processor time to it, and the models that took longest. Prints a JSON document.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from jinja2 import Template

from bench.processes import peak_mb
from pipelines.home import open_database
from pipelines.reconcile.calibrate import calibrate
from pipelines.transform.models import build
from tests.warehouse.raw import Raw

BY_HAND = """
with effects as (
    select shop_id, created_date, amount_total as amount from raw.ticket_invoices
    where _deleted_at is null
    union all
    select shop_id, created_date, amount_total from raw.pos_orders where _deleted_at is null
    union all
    select shop_id, created_date, -amount from raw.ticket_invoices__returns
)
select effects.shop_id,
    date_trunc('month', cast(cast(created_date as timestamptz) at time zone timezone as date)),
    sum(amount)
from effects join ops.shops using (shop_id)
group by all
"""


def fill(path: Path, lines: int) -> None:
    """A shop with so many document lines, three a document, two thirds of them invoices."""
    open_database(path).close()  # with the blocks that the file of a home has
    Raw(path, main="America/Guatemala")
    customers = max(5000, lines // 100)  # each brings a device some twenty times at most
    counts = {"invoices": lines * 2 // 9, "orders": lines // 9, "customers": customers}
    rows = Template(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    with open_database(path) as connection:
        connection.execute(rows.render(counts))


def _by_hand(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(BY_HAND).fetchall()


def _change(path: Path, changed: int) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "update raw.ticket_invoices set amount_total = amount_total + 1, _dlt_load_id = '2' "
            "where cast(substr(id, 2) as bigint) < ?",
            [changed],
        )


def _built(path: Path) -> dict[str, float]:
    return build(path, home=path.parent, shops=[]).timings


def _definitions(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        calibrate(connection, "main", "sales")
        calibrate(connection, "main", "purchases")


class _Measured(NamedTuple):
    """Seconds of a stage by the clock and of the processor, the most MB held, its result."""

    clock: float
    cpu: float
    peak: int
    result: Any


def _timed(action: Callable[..., object], *arguments: object) -> _Measured:
    clock, cpu = time.perf_counter(), time.process_time()
    result = action(*arguments)
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    return _Measured(clock, cpu, peak_mb(), result)


def _measured(action: Callable[..., object], *arguments: object) -> _Measured:
    """In a process of its own, so that the memory is this stage's alone; this one never opens a
    database, which a copy of it could not go on with."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as process:
        return process.submit(_timed, action, *arguments).result()


def measure(lines: int) -> dict[str, object]:
    """All measures of one size; seconds, MB, and ratios to the query by hand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "warehouse.duckdb"
        _measured(fill, path, lines)
        changed = max(500, lines // 4000)
        by_hand = min((_measured(_by_hand, path) for _ in range(3)), key=lambda one: one.cpu)
        whole = _measured(_built, path)
        _measured(_change, path, changed)
        found = {
            "full build": whole,
            f"nightly build, {changed} documents changed": _measured(_built, path),
            "all definitions compared": _measured(_definitions, path),
        }
        return {
            "lines": lines,
            "by hand": {"seconds": round(by_hand.clock, 3), "cpu": round(by_hand.cpu, 3)},
            **{
                name: {
                    "seconds": round(took.clock, 2),
                    "cpu": round(took.cpu, 2),
                    "ratio": round(took.cpu / by_hand.cpu, 1),
                    "peak memory, MB": took.peak,
                }
                for name, took in found.items()
            },
            "seconds of a full build by model": dict(
                sorted(whole.result.items(), key=lambda node: -node[1])[:12]
            ),
            "file, MB": path.stat().st_size // 2**20,
        }


def main() -> None:
    """Measure every size asked for."""
    sizes = [int(size) for size in sys.argv[1:]] or [10_000, 1_000_000]
    print(json.dumps([measure(size) for size in sizes], indent=2))


if __name__ == "__main__":
    main()
