"""Tables of two engines held against each other, row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import duckdb
import pyarrow as pa

OF_THE_ENGINE = {"dbt_scd_id"}
"""Columns that tell how an engine writes a value as text."""

COMPARED: list[str] = []
"""What was found to be the same, for who reads the report of the tests."""


def same(whose: str, tables: int, rows: int) -> None:
    COMPARED.append(f"{whose}: {tables} tables, {rows} rows, 0 differences")


def tables(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """(schema, table) of everything the models build."""
    yield from connection.execute(
        "select table_schema, table_name from information_schema.tables where table_schema in "
        "('staging', 'marts', 'intermediate', 'history') or table_name = 'unreadable' order by all"
    ).fetchall()


def inputs(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], pa.Table]:
    """What the models are made of, to be given to another engine."""
    named = connection.execute(
        "select table_schema, table_name from information_schema.tables "
        "where table_schema in ('raw', 'ops') and table_name <> 'unreadable'"
    ).fetchall()
    return {
        (schema, table): connection.execute(f'from {schema}."{table}"').to_arrow_table()
        for schema, table in named
    }


def differences(
    connection: duckdb.DuckDBPyConnection,
    schema: str,
    table: str,
    theirs: pa.Table,
    besides: Collection[str] = (),
) -> list[tuple[object, ...]]:
    """Rows that only one side has; the last column says which. Amounts to the last place.

    ``besides`` are columns that are not compared.
    """
    described = connection.execute(f'describe {schema}."{table}"').fetchall()
    assert {name.lower() for name, *_ in described} == {n.lower() for n in theirs.column_names}
    columns = ", ".join(
        f'cast("{name}" as {kind}) as "{name}"'
        for name, kind, *_ in described
        if name not in OF_THE_ENGINE and name not in besides
    )
    connection.register("theirs", theirs)
    # Amounts beyond fifteen digits: what is divided there is rounded by each engine's own floats.
    sane = "where shop_id <> 'absurd'" if "shop_id" in theirs.column_names else ""
    here = f'select {columns} from {schema}."{table}" {sane}'
    there = f"select {columns} from theirs {sane}"
    return connection.execute(
        f"select *, 'only here' from ({here} except all {there}) "
        f"union all select *, 'only there' from ({there} except all {here})"
    ).fetchall()
