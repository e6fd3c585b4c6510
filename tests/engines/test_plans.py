"""How PostgreSQL goes about a build of more than a few rows."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import duckdb
import psycopg2
import pytest

from bench.models import fill
from pipelines.transform import dbt, models
from tests.engines.postgres import Postgres

_LINES = 20_000


def test_no_statement_compares_each_row_with_each(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a second; by the plans that PostgreSQL would choose, some took minutes."""
    path, address = tmp_path / "warehouse.duckdb", server.uri("plans")
    fill(path, _LINES)
    models.prepare(path, [])
    with (
        duckdb.connect(str(path), read_only=True) as connection,
        adbc.connect(address) as there,
        there.cursor() as cursor,
    ):
        for schema, table in connection.execute(
            "select table_schema, table_name from information_schema.tables "
            "where table_schema in ('raw', 'ops')"
        ).fetchall():
            cursor.execute(f"create schema if not exists {schema}")
            rows = connection.execute(f'from {schema}."{table}"').to_arrow_table()
            cursor.adbc_ingest(table, rows, mode="create", db_schema_name=schema)
        there.commit()
    with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute("alter database plans set statement_timeout = '30s'")
    at = {"HOST": "127.0.0.1", "PORT": server.port, "USER": "shopmirror", "DATABASE": "plans"}
    for name, value in at.items():
        monkeypatch.setenv(f"SHOPMIRROR_POSTGRES_{name}", str(value))
    monkeypatch.setattr(dbt, "BUILD", ("run",))
    models.build_at("postgres", {}, home=tmp_path)
    with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
        cursor.execute("select count(*) from marts.sales_lines")
        assert cursor.fetchall() == [(_LINES - _LINES % 9,)]
