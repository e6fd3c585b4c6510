"""The tables of the private database: made when missing, widened when more is declared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from pipelines.home import HomeError
from pipelines.load.ops import FORMAT


def make_table(
    connection: duckdb.DuckDBPyConnection,
    schema: str,
    table: str,
    columns: Mapping[str, str],
    held: set[str] | None,
) -> None:
    """Create a table, or add the columns that were declared since (``held``: those it has)."""
    name = f"{schema}.{quoted(table)}"
    if held is None:
        body = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns.items())
        connection.execute(f"CREATE TABLE {name} ({body})")
        return
    for column, kind in columns.items():
        if column not in held:
            connection.execute(
                f"ALTER TABLE {name} ADD COLUMN {quoted(column)} {kind.removesuffix(' NOT NULL')}"
            )


def columns_of(connection: duckdb.DuckDBPyConnection, schema: str) -> dict[str, set[str]]:
    """Table of a schema -> names of its columns."""
    held: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_catalog = current_database() AND table_schema = ?",
        [schema],
    ).fetchall():
        held.setdefault(table, set()).add(column)
    return held


def check_format(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """:class:`~pipelines.home.HomeError` when the file's layout is newer than this version's."""
    if "meta" not in columns_of(connection, "ops"):
        return
    for (value,) in connection.execute(
        "SELECT value FROM ops.meta WHERE name = 'format'"
    ).fetchall():
        if int(value) > FORMAT:
            raise HomeError(
                f"{path} was written by a newer version of shopmirror (layout {value}, this one "
                f"knows {FORMAT}). Upgrade shopmirror, or point SHOPMIRROR_HOME elsewhere."
            )


def bring_up(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring a file of layout 1 to layout 2: nested lists are loaded as tables of their own, with
    the number of their load, a column that dlt cannot add to a table that has rows."""
    for table, held in columns_of(connection, "raw").items():
        if "_dlt_root_id" in held and "_dlt_load_id" not in held:
            connection.execute(f"ALTER TABLE raw.{quoted(table)} ADD COLUMN _dlt_load_id VARCHAR")


def quoted(name: str) -> str:
    """A name as SQL wants it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
