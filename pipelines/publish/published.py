"""The published warehouse, opened for reading for as short as possible.

``$SHOPMIRROR_HOME/warehouse.duckdb`` is replaced by a rename when a sync publishes; whoever holds
the old file keeps its view, so a reader opens it, asks and closes it again. Everything that reads
it opens it here. Where ``[warehouse] read`` names a PostgreSQL, readers get that
(:mod:`pipelines.destinations.read`): it holds the shops of all homes that load it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from pipelines.language import Text
from pipelines.publish.errors import NothingPublished
from pipelines.settings import SettingsError, WarehouseSettings
from sources.repair_shop.errors import first_line

WAREHOUSE = "warehouse.duckdb"
_NAME = re.compile(r"\$([a-z]\w*)")
Rows = list[dict[str, Any]]
"""An answer: a dict for each row."""
_SCHEMAS = ("marts", "staging", "raw", "ops", "history")


class Published:
    """A read-only connection, with the tables it has.

    ``server`` is the name of the PostgreSQL that is read; empty where it is the file of ``home``.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, home: Path, *, server: str = ""
    ) -> None:
        self.connection = connection
        self.home, self.server = home, server

    @cached_property
    def columns(self) -> Mapping[str, Sequence[str]]:
        """Every table (``schema.table``) -> its columns, in their order."""
        held: dict[str, list[str]] = {}
        for row in self.rows(
            "select schema_name || '.' || table_name as name, column_name from duckdb_columns() "
            "where list_contains($schemas, schema_name) order by schema_name, name, column_index",
            {"schemas": list(_SCHEMAS)},
        ):
            held.setdefault(row["name"], []).append(row["column_name"])
        return held

    def has(self, table: str, *columns: str) -> bool:
        """Whether ``schema.table`` is there, with all these columns."""
        return table in self.columns and set(columns) <= set(self.columns[table])

    def rows(self, sql: str, values: Mapping[str, Any] | None = None) -> Rows:
        """The answer of one query with ``$name`` in it, a dict for each row.

        Raises :class:`NothingPublished` where a table or column of it is not there.
        """
        try:
            cursor = self.connection.execute(sql, _named(sql, values or {}))
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            raise NothingPublished(
                Text(
                    "{file} was published by another version or before the reports were built "
                    "({reason}). Run 'shopmirror sync'.",
                    file=f"PostgreSQL '{self.server}'" if self.server else self.home / WAREHOUSE,
                    reason=first_line(error),
                )
            ) from error
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, sql: str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The only row of an aggregate."""
        (only,) = self.rows(sql, values)
        return only


def _named(sql: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that ``sql`` names: DuckDB takes no others."""
    return {name: values[name] for name in _NAME.findall(sql)}


def read_from() -> str:
    """The PostgreSQL that ``[warehouse] read`` names; empty where the home's file is read."""
    try:
        return WarehouseSettings.load().read
    except SettingsError as error:
        raise NothingPublished(str(error)) from None


@contextmanager
def published(home: Path) -> Iterator[Published]:
    """Open the warehouse that readers of ``home`` get; closed at the end, whatever happens.

    Times are in UTC. Raises :class:`NothingPublished` when it is not there or cannot be opened.
    """
    if not (server := read_from()):
        with published_here(home) as warehouse:
            yield warehouse
        return
    from pipelines.destinations.read import attached

    with attached(server) as connection:
        yield Published(connection, Path(home), server=server)


@contextmanager
def published_here(home: Path) -> Iterator[Published]:
    """Open the file published under ``home``, whatever is read else: what it alone knows, and what
    must not wait for a server. As :func:`published`.
    """
    path = Path(home) / WAREHOUSE
    if not path.exists():
        raise NothingPublished(
            Text("There is no warehouse in {folder} yet: run 'shopmirror sync' first.", folder=home)
        )
    # The log of who wrote here: also to an older file, whose rows DuckDB would add to these.
    if path.with_name(f"{WAREHOUSE}.wal").exists():
        raise NothingPublished(_in_use(path))
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise NothingPublished(_reason(path, error)) from error
    try:
        connection.execute("set TimeZone = 'UTC'")
        yield Published(connection, Path(home))
    finally:
        connection.close()


def _reason(path: Path, error: Exception) -> Text:
    text, file = str(error), str(path)
    if "Could not set lock" in text or "different configuration" in text:
        return _in_use(path)
    if "version" in text:
        return Text(
            "{file} was written by another version of DuckDB; run 'shopmirror sync' again.",
            file=file,
        )
    return Text("{file} cannot be read. Run 'shopmirror sync' to publish it anew.", file=file)


def _in_use(path: Path) -> Text:
    return Text(
        "{file} is open for writing in a program or notebook; close it there or run "
        "'shopmirror sync', and try again.",
        file=path,
    )
