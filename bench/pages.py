"""Pages of a shop's long lists without a service, and DuckDB's own reader of the same rows."""

import json
import time
from collections.abc import Iterator
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

ZONE = ZoneInfo("America/Guatemala")
LISTS = (
    *("tickets", "ticket_invoices", "pos_orders", "payments", "customers", "products"),
    *("ticket_comments", "appointments", "stock", "purchase_orders"),
)
PAGE_ROWS = 50


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
                yield name, dumps(page).encode()
                if made >= rows:
                    return
        turn += 1


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
