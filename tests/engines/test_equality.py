"""DuckDB, PostgreSQL and Spark make the same tables of the same rows."""

from __future__ import annotations

import duckdb
import pytest

from tests.engines.conftest import Lake
from tests.engines.equality import differences, same, tables
from tests.promises import promise


@promise("the models say the same on DuckDB, PostgreSQL and Spark")
@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_every_table_is_the_same_row_by_row(
    lake: tuple[Lake, duckdb.DuckDBPyConnection], engine: str
) -> None:
    built, connection = lake
    schemas = {"marts", "history", "ops"}
    if engine != "spark":  # there a view takes seconds, and the tables made of it are compared
        schemas |= {"staging", "intermediate"}
    compared, rows, found = 0, 0, {}
    for schema, table in tables(connection):
        if schema in schemas:
            theirs = built.of(engine, schema, table)
            compared, rows = compared + 1, rows + theirs.num_rows
            if different := differences(connection, schema, table, theirs):
                found[f"{schema}.{table}"] = different[:3]
    assert found == {}
    assert rows > 1000
    same(f"DuckDB and {engine}", compared, rows)


@pytest.mark.parametrize("table", ["customers", "tickets", "ticket_invoices", "sales_documents"])
def test_history_is_what_snapshots_with_merge_would_be(
    lake: tuple[Lake, duckdb.DuckDBPyConnection], table: str
) -> None:
    """On DuckDB; that the others have the same history is shown above."""
    _, connection = lake
    key = "effect_key" if table == "sales_documents" else "id"
    # Times of snapshots are when they were taken: which version follows which, and which one holds.
    versions = (
        "select * exclude (dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to {}), "
        f"dbt_valid_to is null as holds, row_number() over (partition by shop_id, {key} order by "
        "dbt_valid_from) as version from {} order by all"
    )
    expected = connection.sql(versions.format(", print", f"snapshots.snap_{table}"))
    found = connection.sql(versions.format("", f"history.{table}"))
    assert found.columns == expected.columns
    rows = expected.fetchall()
    assert found.fetchall() == rows
    assert len(rows) > 5
    starts = f"lead(dbt_valid_from) over (partition by shop_id, {key} order by dbt_valid_from)"
    (overlaps,) = connection.execute(
        f"select count(*) from (select dbt_valid_to, {starts} as next_from from history.{table}) "
        "where next_from < dbt_valid_to"
    ).fetchone()
    assert overlaps == 0


def test_a_build_stands_the_loss_of_a_worker(
    lake: tuple[Lake, duckdb.DuckDBPyConnection],
) -> None:
    """That its tables are the same is shown above."""
    built, connection = lake
    (made,) = built.lost
    marts = [table for schema, table in tables(connection) if schema == "marts"]
    assert made < len(marts) - 10
    assert built.spark.executors() == 1
