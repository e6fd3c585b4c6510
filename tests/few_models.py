"""Nights of little work: few models, for tests that do not ask the marts, and loads without dlt."""

import json
import re

import pytest

from pipelines.load.loader import Loader
from pipelines.load.tables import columns_of, notes
from pipelines.transform import compiled
from sources.repair_shop.change_log import NO_ROW

NEEDED = (
    "marts.reconciliation", "marts.payments", "marts.daily_sales", "marts.purchase_documents",
    "ops.unreadable", "intermediate.int_sales_by_definition",
    "intermediate.int_purchases_by_definition",
)  # fmt: skip
"""What a sync itself asks: the figures that reports are compared with."""


def build_few(patch: pytest.MonkeyPatch, *tables: str) -> None:
    """Builds make what a sync asks and these tables from now on, and carry out these tests only."""
    whole = compiled.read

    def few(project):
        nodes = whole(project)
        named = {f"{node.schema}.{node.table}": node for node in nodes if node.kind != "test"}
        wanted, left = set[str](), [*NEEDED, *tables]
        while left:
            if (table := left.pop()) in named and table not in wanted:
                wanted.add(table)
                left += [
                    f"{a}.{b}" for a, b in re.findall(r'"?(\w+)"?\."?(\w+)"?', named[table].sql)
                ]
        return [
            node for node in nodes if f"{node.schema}.{node.table}" in wanted or node.name in tables
        ]

    patch.setattr(compiled, "read", few)


def load_plainly(patch: pytest.MonkeyPatch) -> None:
    """Loads put the log's rows into the tables themselves from now on, which must be there.

    For tests that ask what a night makes of rows, not how they are loaded: dlt takes each load half
    a second of the processor.
    """
    patch.setattr(Loader, "load", _load)


def _load(self, log, tables, end):
    taken = 0
    with self.database() as database:
        said = json.loads(notes(database).get("loaded", "{}"))
        at = said["at"] if said and log.knows(said["token"], said["at"]) else {}
        database.execute("BEGIN")
        for table in tables:
            held = columns_of(database, "raw")
            nested = [name for name in held if name.startswith(f"{table}__")]
            for found in log.read(table, at, end, nested=nested, holds_rows=True):
                taken += found[table].num_rows
                for name, rows in found.items():
                    _replace(database, name, rows, "_dlt_id" if name == table else "_dlt_root_id")
            self._mark_gone(database, log, [table], end)
        database.execute("COMMIT")
    return taken, ()


def _replace(database, name, given, key):
    for column in set(given.column_names) - columns_of(database, "raw")[name]:
        database.execute(f'ALTER TABLE raw."{name}" ADD COLUMN "{column}" VARCHAR')
    database.register("given", given)
    database.execute(f'DELETE FROM raw."{name}" WHERE {key} IN (SELECT {key} FROM given)')
    rows = "given" if key == "_dlt_id" else f"given WHERE _dlt_list_idx > {NO_ROW}"
    values = f"SELECT *, 'plainly' AS _dlt_load_id FROM {rows}"
    database.execute(f'INSERT INTO raw."{name}" BY NAME {values}')
    database.unregister("given")
