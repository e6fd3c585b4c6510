"""The tables of the private database: made when missing, widened when more is declared.

``ops.unreadable`` is made by the models.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import orjson

from pipelines.home import HomeError
from sources.repair_shop.schema.endpoints import ENDPOINTS

FORMAT = 4
"""Number of the warehouse's layout. A file with a higher one was written by a newer version."""


def _columns(text: str) -> Mapping[str, str]:
    """``name TYPE``, separated by commas; without a type it is VARCHAR."""
    pairs = (column.strip().partition(" ") for column in text.split(", "))
    return {name: kind or "VARCHAR" for name, _, kind in pairs}


OPS_TABLES: Mapping[str, Mapping[str, str]] = {
    "shops": _columns(
        "shop_id, timezone, currency, closed_weekdays, closed_days, opening_hours, shop_accounts, "
        "today_by, sales_definition, purchases_definition"
    ),
    "service_reports": _columns(
        "shop_id, report, period DATE, total DECIMAL(28,4), fetched_at TIMESTAMP WITH TIME ZONE"
    ),
    "pipeline_looks": _columns("shop_id, day, after, before, ids"),
    "statuses": _columns(
        "shop_id, status_id, label, meaning, is_closed BOOLEAN, is_done BOOLEAN, reason, shown "
        "BIGINT, hidden BIGINT, label_now, looked_on"
    ),
    "runs": _columns(
        "run_id BIGINT, command, started_at TIMESTAMP WITH TIME ZONE, ended_at TIMESTAMP WITH "
        "TIME ZONE, outcome, exit_code INTEGER, requests BIGINT, rows BIGINT, message"
    ),
    "requests": _columns("shop_id, run_id BIGINT, resource, kind, requests BIGINT"),
    "completeness": _columns(
        "shop_id, resource, kind, extent, first_day DATE, last_day DATE, pages BIGINT, rows "
        "BIGINT, state, is_proven BOOLEAN, proof, reason, began_at TIMESTAMP WITH TIME ZONE, "
        "checked_at TIMESTAMP WITH TIME ZONE"
    ),
    "findings": _columns("name, records BIGINT, meaning"),
    "changes": _columns(
        "shop_id, number BIGINT, resource, op, id, state, reason, queued_by, queued_at TIMESTAMP "
        "WITH TIME ZONE, body, attempts BIGINT, answer, pushed_at TIMESTAMP WITH TIME ZONE, "
        "is_mirrored BOOLEAN"
    ),
    "service_profile": _columns("shop_id, item, found, found_at TIMESTAMP WITH TIME ZONE"),
}


def make_ops(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the tables of ``ops``, or add the columns that were declared since."""
    connection.execute("CREATE SCHEMA IF NOT EXISTS ops")
    for table, columns in OPS_TABLES.items():
        body = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        connection.execute(f"CREATE TABLE IF NOT EXISTS ops.{table} ({body})")
        held = {name for name, *_ in connection.execute(f"DESCRIBE ops.{table}").fetchall()}
        for column, kind in columns.items():
            if column not in held:
                connection.execute(f"ALTER TABLE ops.{table} ADD COLUMN {column} {kind}")


def write_ops(
    connection: duckdb.DuckDBPyConnection, name: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Replace ``ops.<name>``, of :data:`OPS_TABLES`, at once.

    Values are cast to the column's type; objects and lists become JSON text.
    """
    typed = OPS_TABLES[name]
    given = [{column: _plain(row.get(column)) for column in typed} for row in rows]
    shape = json.dumps([dict.fromkeys(typed, "VARCHAR")])
    select = ", ".join(f"CAST(given.{c} AS {kind}) AS {c}" for c, kind in typed.items())
    connection.execute(
        f"CREATE OR REPLACE TABLE ops.{name} AS SELECT {select} FROM "  # noqa: S608 - names and types are ours
        f"(SELECT unnest(from_json($rows, '{shape}')) AS given)",
        {"rows": orjson.dumps(given, default=str).decode()},
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, default=str, ensure_ascii=False)
    return value


def columns_of(
    connection: duckdb.DuckDBPyConnection, schema: str, attached: str | None = None
) -> dict[str, set[str]]:
    """Table of a schema -> names of its columns; of the file that is open or one ``attached``."""
    held: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns() "
        "WHERE database_name = coalesce($attached, current_database()) AND schema_name = $schema",
        {"schema": schema, "attached": attached},
    ).fetchall():
        held.setdefault(table, set()).add(column)
    return held


def check_format(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """:class:`~pipelines.home.HomeError` when the file's layout is newer than this version's."""
    value = notes(connection).get("format", "0") if "meta" in columns_of(connection, "ops") else "0"
    if int(value) > FORMAT:
        raise HomeError(
            f"{path} was written by a newer version of shopmirror (layout {value}, this one "
            f"knows {FORMAT}). Upgrade shopmirror, or point SHOPMIRROR_HOME elsewhere."
        )


def notes(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """What the file says of itself in ``ops.meta``: name -> text."""
    return dict(connection.execute("SELECT name, value FROM ops.meta").fetchall())


def note(connection: duckdb.DuckDBPyConnection, **said: str) -> None:
    """Have it say these texts under these names, each in a change of its own."""
    for name, value in said.items():
        put_row(connection, "ops.meta", "name", {"name": name, "value": value})


def put_row(
    connection: duckdb.DuckDBPyConnection, table: str, key: str, values: Mapping[str, str]
) -> None:
    """Make a row of a table, or change these values of the one that has its key already."""
    given = ", ".join(f"${name} AS {name}" for name in values)
    connection.execute(
        f"MERGE INTO {table} USING (SELECT {given}) AS given USING ({key}) "
        "WHEN MATCHED THEN UPDATE BY NAME WHEN NOT MATCHED THEN INSERT BY NAME",
        values,
    )


def has_rows(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the file holds rows of any list of the service."""
    filled = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'raw' AND estimated_size > 0"
    ).fetchall()
    return any(table in ENDPOINTS for (table,) in filled)


def quoted(name: str) -> str:
    """A name as SQL wants it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
