"""What a DuckDB warehouse at hand still holds of rows whose answers the ledger no longer keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

SCHEMA = "raw"
_NOT_OURS = ("_dlt_load_id",)
"""Columns that the destination's own load fills."""
Variant = tuple[str, str] | None


class Held:
    """Reads tables of ``raw`` of a DuckDB file; without the file, or a table, it holds nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def ids(self, table: str, shop: str, variant: Variant) -> set[str]:
        """Ids of a shop's rows of a list."""
        with self._open() as database:
            if database is None or table not in _tables(database):
                return set()
            only, values = _only(variant)
            asked = f'SELECT id FROM {SCHEMA}."{table}" WHERE shop_id = ?{only}'  # noqa: S608 - declared names
            return {row[0] for row in database.execute(asked, [shop, *values]).fetchall()}

    def tables(
        self, table: str, shop: str, variant: Variant, ids: Iterable[str], *, nested: bool = True
    ) -> Iterator[dict[str, pa.Table]]:
        """Rows of a list by their ids, and their nested rows, as Arrow tables."""
        with self._open() as database:
            if database is None or table not in (known := _tables(database)):
                return
            database.register("wanted", pa.table({"id": pa.array(list(ids), pa.string())}))
            only, values = _only(variant)
            top = (
                f'SELECT {known[table]} FROM {SCHEMA}."{table}" '  # noqa: S608 - names of the catalogue
                f"WHERE shop_id = ? AND id IN (SELECT id FROM wanted){only}"
            )
            found = {table: database.execute(top, [shop, *values]).to_arrow_table()}
            database.register("roots", found[table].select(["_dlt_id"]))
            for name, columns in known.items():
                if nested and name.startswith(f"{table}__"):
                    found[name] = database.execute(
                        f'SELECT {columns} FROM {SCHEMA}."{name}" '  # noqa: S608 - names of the catalogue
                        "WHERE _dlt_root_id IN (SELECT _dlt_id FROM roots)"
                    ).to_arrow_table()
            if found[table].num_rows:
                yield found

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection | None]:
        """The file; None where it is in use, damaged or newer: then it is not at hand."""
        if self._path is None or not self._path.exists():
            yield None
            return
        import duckdb

        try:
            try:
                database = duckdb.connect(str(self._path), read_only=True)
            except duckdb.ConnectionException:  # a load of this process has it open already
                database = duckdb.connect(str(self._path))
        except duckdb.Error:
            yield None
            return
        with database:
            database.execute("SET TimeZone = 'UTC'")
            yield database


def _tables(database: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Table of raw -> its columns, quoted."""
    found: dict[str, list[str]] = {}
    for table, column in database.execute(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_catalog = current_database() AND table_schema = ? ORDER BY ordinal_position",
        [SCHEMA],
    ).fetchall():
        if column not in _NOT_OURS:
            found.setdefault(table, []).append('"' + column.replace('"', '""') + '"')
    return {table: ", ".join(columns) for table, columns in found.items()}


def _only(variant: Variant) -> tuple[str, list[str]]:
    return (f' AND "{variant[0]}" = ?', [variant[1]]) if variant else ("", [])
