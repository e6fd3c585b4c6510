"""How the mirror stands: what keeps its figures from being relied on, its lists, its runs."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.home import LEDGER
from pipelines.publish.published import Published
from pipelines.report import freshness
from pipelines.report.closing import opened
from pipelines.report.figures import Caution
from sources.repair_shop.schema.endpoints import ENDPOINTS

_FOR_SECONDS = 20
"""An answer counts so long: a mirror gets old without anybody publishing."""


def cautions(home: Path, names: Sequence[str]) -> tuple[Caution, ...]:
    """The banner of these shops; empty when their figures can be relied on."""
    try:
        ledger = (home / LEDGER).stat().st_mtime_ns
    except OSError:
        ledger = 0
    published = (home / "warehouse.duckdb").stat().st_mtime_ns
    return _cautions(home, tuple(names), (published, ledger, int(time.time() // _FOR_SECONDS)))


@functools.lru_cache(maxsize=32)
def _cautions(
    home: Path, names: tuple[str, ...], _state: tuple[int, int, int]
) -> tuple[Caution, ...]:
    with opened(home) as warehouse:
        runs = freshness.runs_since(warehouse)
        problems = freshness.problems(warehouse, names, datetime.now(UTC), runs)
    return freshness.cautions(problems, many_shops=len(names) > 1)


def lists(warehouse: Published, names: Sequence[str]) -> pd.DataFrame:
    """Each list: how it is proven, and the rows there are (not those of each scan added up)."""
    columns = ["shop", "list", "proven", "in doubt", "rows", "checked"]
    if not warehouse.has("ops.completeness", "resource", "is_proven", "reason", "checked_at"):
        return frame([], columns)
    rows = warehouse.rows(
        """
        select shop_id as shop, resource as list,
            count(*) filter (where is_proven and coalesce(reason, '') = '') as proven,
            count(*) filter (where not is_proven or coalesce(reason, '') <> '') as "in doubt",
            max(checked_at) as checked
        from ops.completeness where list_contains($shops, shop_id)
        group by 1, 2 order by "in doubt" desc, shop, list
        """,
        {"shops": list(names)},
    )
    counts = _rows(warehouse, names)
    return frame(
        [row | {"rows": counts.get((row["shop"], row["list"]), 0)} for row in rows], columns
    )


def _rows(warehouse: Published, names: Sequence[str]) -> dict[tuple[str, str], int]:
    """(shop, list) -> rows that exist at the service."""
    parts = []
    for endpoint in ENDPOINTS.values():
        kinds = sorted({column for variant in endpoint.variants for column in variant})
        if warehouse.has(f"raw.{endpoint.table}", "shop_id", "_deleted_at", *kinds):
            name = " || ':' || ".join([f"'{endpoint.table}'", *kinds])
            parts.append(
                f"select shop_id, {name} as name, count(*) as rows from raw.{endpoint.table} "  # noqa: S608 - declared names
                "where list_contains($shops, shop_id) and _deleted_at is null group by all"
            )
    if not parts:
        return {}
    found = warehouse.rows(" union all ".join(parts), {"shops": list(names)})
    return {(row["shop_id"], row["name"]): row["rows"] for row in found}


def runs(warehouse: Published) -> pd.DataFrame:
    """The newest runs."""
    columns = ["started", "command", "outcome", "requests", "rows loaded", "message"]
    if not warehouse.has("ops.runs", "command", "started_at", "outcome", "requests", "message"):
        return frame([], columns)
    rows = warehouse.rows(
        'select started_at as started, command, outcome, requests, rows as "rows loaded", message '
        "from ops.runs order by started_at desc limit 20"
    )
    return frame(rows, columns)


def frame(rows: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    """A table with these columns, also when it has no rows."""
    return pd.DataFrame(rows, columns=pd.Index(columns))
