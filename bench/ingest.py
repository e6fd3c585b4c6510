"""How fast stored answers become Arrow tables, beside DuckDB reading the same rows as JSON.

``python -m bench.ingest [ROWS] [shape]`` prints rows (parents; their nested rows come with them) a
CPU second of both in one run, and the peak of memory. ``shape`` is one of
:data:`SHAPES`, by default all of them at 100,000 rows.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from sandbox.generator import Size
from sandbox.quirks import Quirks
from sandbox.render import public
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sandbox.values import dumps
from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.ledger import StoredPage
from sources.repair_shop.schema.arrow import tables_of
from sources.repair_shop.schema.endpoints import ENDPOINTS

ZONE = ZoneInfo("America/Guatemala")
LISTS = (
    *("tickets", "ticket_invoices", "pos_orders", "payments", "customers", "products"),
    *("ticket_comments", "appointments", "stock", "purchase_orders"),
)
SHAPES = {
    "plain": Quirks(),
    "spelled otherwise": Quirks(
        naming="camelCase", dates="dd-mmm-yyyy", amounts="currency", empty_reference="text"
    ),
}
PAGE_ROWS, SLICE_PAGES = 50, 200


def bodies(quirks: Quirks, rows: int, size: Size = "small") -> Iterator[tuple[str, bytes]]:
    """(list, page) of a shop's ten long lists, again and again under other ids, up to ``rows``."""
    spec = ShopSpec("main", limit=None, timezone=ZONE.key, quirks=quirks)
    with SandboxServer([spec], size=size) as server:
        store = server.store("main")
        lists = {
            name: [public(row, quirks) for row in store.with_payments(name, store.all(name))]
            for name in LISTS
        }
    made = turn = 0
    while made < rows:
        for name, known in lists.items():
            for start in range(0, len(known), PAGE_ROWS):
                page = [row | {"id": f"{row['id']}-{turn}"} for row in known[start:][:PAGE_ROWS]]
                made += len(page)
                text = dumps(page)
                yield name, text if isinstance(text, bytes) else text.encode()
                if made >= rows:
                    return
        turn += 1


def slices(quirks: Quirks, rows: int) -> Iterator[list[StoredPage]]:
    """The pages as a ledger gives them, some 10,000 rows at a time."""
    taken: list[StoredPage] = []
    for seq, (name, body) in enumerate(bodies(quirks, rows), 1):
        page = StoredPage(
            seq, "main", name, {}, datetime.now(UTC), f"{ENDPOINTS[name].path}?page=1", body, "full"
        )
        taken.append(page)
        if len(taken) == SLICE_PAGES:
            yield taken
            taken = []
    if taken:
        yield taken


def measure(shape: str, rows: int) -> None:
    """One shape: to Arrow, parsing alone, and DuckDB's own reader of JSON."""
    to_arrow = parsing = reading = 0.0
    count = nested = 0
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        for pages in slices(SHAPES[shape], rows):
            began = time.process_time()
            tables = tables_of(pages, {"main": ZONE})
            to_arrow += time.process_time() - began
            for name, table in tables.items():
                if "__" in name:
                    nested += table.num_rows
                else:
                    count += table.num_rows
            began = time.process_time()
            parsed = [(page.resource, parse_json(page.body)) for page in pages]
            parsing += time.process_time() - began
            reading += read_json(database, parsed, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{shape}: {count} rows and {nested} nested ones; pages to Arrow {count / to_arrow:.0f} "
        f"rows a CPU second, without parsing {count / (to_arrow - parsing):.0f}; DuckDB read_json "
        f"{count / reading:.0f} ({to_arrow / reading:.1f} times as long); peak {peak:.0f} MB"
    )


def read_json(
    database: duckdb.DuckDBPyConnection, parsed: list[tuple[str, Any]], folder: Path
) -> float:
    """CPU seconds that DuckDB takes to make tables of (list, rows) by its own reader of JSON."""
    lists: dict[str, list[Any]] = {}
    for name, found in parsed:
        lists.setdefault(name, []).extend(found)
    took = 0.0
    for name, found in lists.items():
        path = folder / f"{name}.json"
        path.write_text("\n".join(json.dumps(row, default=float) for row in found))
        began = time.process_time()
        database.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM read_json('{path}')")
        took += time.process_time() - began
    return took


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        measure(sys.argv[2], wanted)
    else:  # each in a process of its own, so that the peak of memory is its own too
        for name in SHAPES:
            subprocess.run([sys.executable, "-m", "bench.ingest", str(wanted), name], check=True)
