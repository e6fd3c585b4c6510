"""A warehouse file as the loader leaves it: every declared raw table, filled by hand.

``Raw(path)`` makes all tables of the source's ``schema`` and ``ops``; ``add`` puts a row (and its
nested lists) in; nothing of the pipeline runs.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from sources.repair_shop.schema.endpoints import TABLES
from sources.repair_shop.schema.shapes import Table

SQL_TYPES = {
    "text": "varchar",
    "amount": "decimal(28, 4)",
    "number": "decimal(28, 4)",
    "flag": "boolean",
    "moment": "varchar",
}
TOP = {
    "shop_id": "varchar",
    "id": "varchar",
    "_deleted_at": "timestamptz",
    "_seen_at": "timestamptz",
    "_unreadable": "varchar",
    "_dlt_id": "varchar",
    "_dlt_load_id": "varchar",
}
NESTED = {
    "shop_id": "varchar",
    "parent_id": "varchar",
    "_dlt_id": "varchar",
    "_dlt_parent_id": "varchar",
    "_dlt_root_id": "varchar",
    "_dlt_list_idx": "bigint",
    "_unreadable": "varchar",
}


def raw_tables() -> Iterator[tuple[str, Table, bool]]:
    """Every raw table: its name, its shape, whether it is nested."""

    def nested(name: str, table: Table) -> Iterator[tuple[str, Table, bool]]:
        for child in table.children:
            yield f"{name}__{child.name}", child.table, True
            yield from nested(f"{name}__{child.name}", child.table)

    for name, table in TABLES.items():
        yield name, table, False
        yield from nested(name, table)


class Raw:
    """A hand-made warehouse file; closed whenever no call is running."""

    def __init__(self, path: Path, **zones: str) -> None:
        self.path = path
        self._numbers = itertools.count(1)
        self._held: duckdb.DuckDBPyConnection | None = None
        with self.connect() as connection:
            connection.execute("create schema raw; create schema ops")
            for name, table, is_nested in raw_tables():
                columns = dict(NESTED if is_nested else TOP)
                columns |= {c: SQL_TYPES[k] for c, k in table.flat_columns().items()}
                body = ", ".join(f'"{c}" {t}' for c, t in columns.items())
                connection.execute(f'create table raw."{name}" ({body})')
            connection.execute(
                "create table ops.shops (shop_id varchar primary key, timezone varchar, "
                "currency varchar, closed_weekdays varchar, closed_days varchar, "
                "opening_hours varchar, sales_definition varchar, purchases_definition varchar)"
            )
            connection.execute(
                "create table ops.service_reports (shop_id varchar, report varchar, period date, "
                "total decimal(28, 4), fetched_at timestamptz)"
            )
        for shop, zone in (zones or {"main": "America/Guatemala"}).items():
            self.execute(
                "insert into ops.shops (shop_id, timezone, currency, closed_weekdays, "
                "opening_hours) values (?, ?, 'USD', 'sun', '09:00-18:00')",
                shop,
                zone,
            )

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A connection for a ``with`` block; inside :meth:`held`, a cursor of the one held."""
        connection = self._held.cursor() if self._held else duckdb.connect(str(self.path))
        connection.execute("set timezone = 'UTC'")
        return connection

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the file open over many calls: opening and closing it is what takes the time."""
        self._held = duckdb.connect(str(self.path))
        try:
            yield
        finally:
            self._held.close()
            self._held = None

    def execute(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return connection.execute(sql, list(values)).fetchall()

    def add(self, table: str, id: str, shop: str = "main", **values: Any) -> None:
        """Put one row in; a list value is a nested list of dicts, one for each child row."""
        with self.connect() as connection:
            key = f"d{next(self._numbers)}"
            row = {
                "shop_id": shop,
                "id": id,
                "_seen_at": "2026-01-01 00:00:00+00",
                "_dlt_id": key,
                "_dlt_load_id": "1",
            }
            lists = {name: value for name, value in values.items() if isinstance(value, list)}
            row |= {name: value for name, value in values.items() if name not in lists}
            _insert(connection, table, row)
            for name, rows in lists.items():
                self._add_nested(connection, f"{table}__{name}", shop, id, key, key, rows)

    def _add_nested(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: str,
        shop: str,
        parent: str,
        root: str,
        above: str,
        rows: list[dict[str, Any]],
    ) -> None:
        for position, values in enumerate(rows):
            key = f"d{next(self._numbers)}"
            row = {
                "shop_id": shop,
                "parent_id": parent,
                "_dlt_id": key,
                "_dlt_parent_id": above,
                "_dlt_root_id": root,
                "_dlt_list_idx": position,
            }
            lists = {name: value for name, value in values.items() if isinstance(value, list)}
            row |= {name: value for name, value in values.items() if name not in lists}
            _insert(connection, table, row)
            for name, below in lists.items():
                self._add_nested(connection, f"{table}__{name}", shop, parent, root, key, below)

    def service_says(self, report: str, period: str, total: str, shop: str = "main") -> None:
        """The service's own figure for a period."""
        self.execute(
            "insert into ops.service_reports values (?, ?, ?, ?, now())",
            shop,
            report,
            period,
            total,
        )


def _insert(connection: duckdb.DuckDBPyConnection, table: str, row: dict[str, Any]) -> None:
    columns = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" for _ in row)
    connection.execute(f'insert into raw."{table}" ({columns}) values ({marks})', [*row.values()])
