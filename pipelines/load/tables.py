"""The tables of the private database: made when missing, widened when more is declared."""

import json
from collections.abc import Mapping
from pathlib import Path

import duckdb

from pipelines.home import HomeError
from pipelines.load.ops import FORMAT
from sources.repair_shop.schema.endpoints import TABLES


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
        "WHERE table_catalog = current_database() AND table_schema = $schema",
        {"schema": schema},
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
        sql = (
            "MERGE INTO ops.meta USING (SELECT $name AS name, $value AS value) AS given "
            "USING (name) WHEN MATCHED THEN UPDATE SET value = given.value "
            "WHEN NOT MATCHED THEN INSERT"
        )
        connection.execute(sql, {"name": name, "value": value})


def bring_up(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring a file of an older layout to this one's.

    Since layout 2 nested lists are loaded as tables of their own, with the number of their load, a
    column that dlt cannot add to a table that has rows. Since layout 3 the tables of ``history``
    are views over versions that are only ever added to; their rows are carried over. Since layout 4
    versions have no fingerprint: what they hold is compared.
    """
    for table, held in columns_of(connection, "raw").items():
        if "_dlt_root_id" in held and "_dlt_load_id" not in held:
            connection.execute(f"ALTER TABLE raw.{quoted(table)} ADD COLUMN _dlt_load_id VARCHAR")
    for (table,) in connection.execute(
        "SELECT t.table_name FROM duckdb_tables() t JOIN duckdb_columns() c USING (table_oid) "
        "WHERE t.schema_name = 'history' AND c.column_name = 'dbt_valid_to'"
    ).fetchall():
        _carry_over(connection, table)
    for table, held in columns_of(connection, "history").items():
        if table.endswith("_versions") and "fingerprint" in held:
            connection.execute(f"ALTER TABLE history.{quoted(table)} DROP COLUMN fingerprint")


def _carry_over(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Make the versions of a table that says of each from when until when it was believed.

    An end that is no other version's beginning becomes a version of which only the key is known.
    """
    history = f"history.{quoted(table)}"
    key = "shop_id, effect_key" if table == "sales_documents" else "shop_id, id"
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE history.{quoted(f"{table}_versions")} AS
        SELECT * EXCLUDE (dbt_scd_id, dbt_updated_at, dbt_valid_to) FROM {history}
        UNION ALL BY NAME
        SELECT {key}, dbt_valid_to AS dbt_valid_from FROM {history}
        QUALIFY dbt_valid_to
            < lead(dbt_valid_from, 1, 'infinity') OVER (PARTITION BY {key} ORDER BY dbt_valid_from)
        """  # noqa: S608 - names are ours and quoted
    )
    connection.execute(f"DROP TABLE {history}")


def lists_with_rows(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Lists of the service of which the file holds rows."""
    sizes = connection.execute(
        "SELECT table_name, estimated_size FROM duckdb_tables() WHERE schema_name = 'raw'"
    ).fetchall()
    return frozenset(table for table, rows in sizes if rows and table in TABLES)


def has_one_of(
    connection: duckdb.DuckDBPyConnection, table: str, shop: str, ids: list[str]
) -> bool:
    """Whether the file holds a row of a shop's list with one of these ids."""
    sql = (
        f"SELECT 1 FROM raw.{quoted(table)} WHERE shop_id = $shop AND id IN "  # noqa: S608 - declared names
        """(SELECT unnest(from_json($ids, '["VARCHAR"]'))) LIMIT 1"""
    )
    return bool(connection.execute(sql, {"shop": shop, "ids": json.dumps(ids)}).fetchall())


def quoted(name: str) -> str:
    """A name as SQL wants it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
