"""The published warehouse, opened for reading for as short as possible.

``$SHOPMIRROR_HOME/warehouse.duckdb`` is replaced by a rename when a sync publishes; whoever holds
the old file keeps its view, so a reader opens it, asks and closes it again. Everything that reads
it opens it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from pipelines.language import Text
from pipelines.sql import named, written

WAREHOUSE = "warehouse.duckdb"
_READ_SCHEMAS = ("marts", "ops", "staging", "raw")


class NothingPublished(Exception):
    """Nothing was published yet, or what was cannot be read; the message says what to do.

    Exit code 2.
    """

    exit_code = 2


class QueryFailed(Exception):
    """A question that DuckDB could not answer; its message, and what mends it. Exit code 2."""

    exit_code = 2


class Published:
    """A read-only connection, with the tables it has."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, *, binds: bool) -> None:
        self.connection = connection
        self.path = path
        self._binds = binds
        self._columns: dict[str, set[str]] | None = None

    def has(self, table: str, *columns: str) -> bool:
        """Whether ``schema.table`` is there, with all these columns."""
        if self._columns is None:
            self._columns = {}
            for row in self.rows(
                "select schema_name || '.' || table_name as name, column_name from duckdb_columns()"
                " where list_contains($schemas, schema_name)",
                {"schemas": list(_READ_SCHEMAS)},
            ):
                self._columns.setdefault(row["name"], set()).add(row["column_name"])
        return table in self._columns and self._columns[table].issuperset(columns)

    def need(self, *tables: str) -> None:
        """Raise :class:`NothingPublished`, naming what is missing, unless ``tables`` are there."""
        missing = [table for table in tables if not self.has(table)]
        if missing:
            raise NothingPublished(
                Text(
                    "{file} has no {tables}: it was published by another version or before the "
                    "reports were built. Run 'shopmirror sync'.",
                    file=str(self.path),
                    tables=missing,
                )
            )

    def rows(self, sql: str, values: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The answer of one query with ``$name`` in it, a dict for each row."""
        if self._binds:
            cursor = self.connection.execute(sql, named(sql, values or {}))
        else:
            cursor = self.connection.execute(written(sql, values or {}))
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, sql: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The only row of an aggregate."""
        (only,) = self.rows(sql, values)
        return only


@contextmanager
def published(home: Path, *, binds: bool = False) -> Iterator[Published]:
    """Open the warehouse published under ``home``; closed at the end, whatever happens.

    ``binds`` the values of its questions, for those that people type; else they are written into
    the SQL (:mod:`pipelines.sql` says why). Times are in UTC. Raises :class:`NothingPublished` when
    it is not there or cannot be opened.
    """
    path = Path(home) / WAREHOUSE
    if not path.exists():
        raise NothingPublished(
            Text("There is no warehouse in {folder} yet: run 'shopmirror sync' first.", folder=home)
        )
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise NothingPublished(_reason(path, error)) from error
    try:
        connection.execute("set TimeZone = 'UTC'")
        yield Published(connection, path, binds=binds)
    finally:
        connection.close()


def _reason(path: Path, error: Exception) -> Text:
    text, file = str(error), str(path)
    if "Could not set lock" in text:
        return Text(
            "{file} is open for writing in another program; close it there and try again.",
            file=file,
        )
    if "version" in text:
        return Text(
            "{file} was written by another version of DuckDB; run 'shopmirror sync' again.",
            file=file,
        )
    return Text("{file} cannot be read. Run 'shopmirror sync' to publish it anew.", file=file)
