"""What a build found in the service's data that stops no report, but that a reader must know.

Data flow: tests of the models that only warn -> ``ops.findings`` -> ``status``; and what nobody
could read, from ``ops.unreadable``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pipelines.load.loader import Loader

MEANINGS = {
    "unknown_days_and_amounts": "records without a day or an amount count in no report",
    "lines_add_up_to_their_document": "documents whose lines do not add up to their total",
    "tickets_come_to_an_end": "shop(s) whose old tickets are nearly all open: their statuses are "
    "not understood (ops.statuses; set done_statuses)",
    "references_exist": "records name another record that is not in the mirror",
}
"""Tests of the models that warn -> what was found, after its number."""


def write_findings(loader: Loader, found: Mapping[str, int]) -> None:
    """Keep what a build found."""
    rows = [
        {"name": name, "records": records, "meaning": MEANINGS.get(name, f"rows of {name}")}
        for name, records in sorted(found.items())
    ]
    loader.write_ops("findings", rows)


def read_findings(warehouse: duckdb.DuckDBPyConnection) -> list[str]:
    """What the published warehouse has to say of itself; empty for one of an older version."""
    told: list[str] = []
    try:
        told += [
            f"{records:,} {meaning}"
            for records, meaning in warehouse.execute(
                # Several homes may tell a server the same of their own shops.
                "SELECT CAST(sum(records) AS BIGINT) AS found, meaning FROM ops.findings "
                "GROUP BY meaning ORDER BY found DESC"
            ).fetchall()
        ]
        values, fields = warehouse.execute(
            "SELECT count(*), count(DISTINCT (table_name, column_name)) FROM ops.unreadable"
        ).fetchall()[0]
    except duckdb.CatalogException:
        return told
    if values:
        told.append(f"{values:,} values of {fields} fields could not be read (ops.unreadable)")
    return told
