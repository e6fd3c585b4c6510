"""Loading: cleaned rows -> the private database, by dlt.

Data flow: batches of :func:`~sources.repair_shop.schema.clean.clean_row` → dlt (parquet, merge on
shop_id and id) → ``raw.*`` in ``$SHOPMIRROR_HOME/build/warehouse.duckdb``.

::

    loader = Loader(home, ["main"])
    loader.prepare()                                  # every table, with all its columns
    outcome = loader.load({"customers": rows, ...})   # again after a kill: same end
    loader.mark_deleted("customers", "main", ["7f3c"], now)

A load that was cut off is thrown away and done again from the pages on disk: merging the same rows
twice changes nothing. Call with the sync lock held; nothing else may have the file open.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from pipelines.home import Home, HomeError
from pipelines.load.errors import explained, first_line, own_cause
from pipelines.load.ops import FORMAT, OPS_TABLES
from pipelines.load.tables import check_format, columns_of, make_table, quoted
from sources.repair_shop.schema.columns import TABLES

if TYPE_CHECKING:
    import dlt

DATASET = "raw"
STAGING = "raw_staging"
"""Where dlt keeps the rows of one load before it merges them; not published."""

_PIPELINE = "shopmirror"
_CHUNK = 2000
_MEMORY = "1GB"
"""What DuckDB may use for a merge before it spills; by itself it takes most of the RAM."""


class LoadError(Exception):
    """Rows could not be loaded; none was lost, they stay on disk for the next run. Exit code 1."""

    exit_code = 1


@dataclass(frozen=True)
class LoadOutcome:
    """What a load did."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """Table -> rows given to the merge."""
    new_columns: tuple[str, ...] = ()
    """``table.column`` the service sent for the first time; loaded as text."""
    outdated: Mapping[str, int] = field(default_factory=dict)
    """Table -> rows left out because the warehouse holds a later answer for them."""

    @property
    def total(self) -> int:
        """Rows given to the merge, over all tables."""
        return sum(self.rows.values())


class Loader:
    """Writes ``raw`` and ``ops`` of one home's private database.

    ``shops`` are the names of all configured shops. Raises
    :class:`~pipelines.home.HomeError` when the file is damaged, newer, in use or the disk full.
    """

    def __init__(self, home: Home, shops: Sequence[str]) -> None:
        self.home = home
        self.shops = tuple(shops)
        self._pipeline: dlt.Pipeline | None = None
        self._prepared = False

    # -- tables ---------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make sure that all declared tables exist with all declared columns.

        All 35 tables, their child tables and ``ops``, also for a shop without any row. Columns
        declared since the file was made are added.
        """
        from sources.repair_shop.source import declared_tables

        self._forget_lost_warehouse()
        with self._database() as connection:
            check_format(connection, self.home.build_warehouse)
            connection.execute("BEGIN")
            for schema, tables in ((DATASET, declared_tables()), ("ops", OPS_TABLES)):
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                held = columns_of(connection, schema)
                for table, columns in tables.items():
                    make_table(connection, schema, table, columns, held.get(table))
            connection.execute("CREATE TABLE IF NOT EXISTS ops.meta(name VARCHAR, value VARCHAR)")
            connection.execute("DELETE FROM ops.meta WHERE name = 'format'")
            connection.execute("INSERT INTO ops.meta VALUES ('format', ?)", [str(FORMAT)])
            connection.execute("COMMIT")
        self._prepared = True

    def _forget_lost_warehouse(self) -> None:
        if not self.home.build_warehouse.exists():
            # dlt's memory of tables that are gone would keep it from making them.
            shutil.rmtree(self.home.dlt_dir, ignore_errors=True)
            self._pipeline = None

    @contextmanager
    def _database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.home.guard(), self.home.open_build() as connection:
            try:
                yield connection
            except (duckdb.InternalException, duckdb.FatalException) as error:
                raise HomeError(
                    f"{self.home.build_warehouse} is damaged: {first_line(error)} Move it away "
                    "and run 'shopmirror sync --full': everything comes back from the service."
                ) from error

    # -- rows -----------------------------------------------------------------------------------

    def load(self, batches: Mapping[str, Iterable[Mapping[str, Any]]]) -> LoadOutcome:
        """Merge cleaned rows into ``raw``; tables without rows cost nothing.

        ``batches``: table -> rows with ``shop_id``, ``id``, ``_seen_at`` (aware datetime) and
        ``_seq`` (order of fetching). A row older than what the warehouse holds is left out. When
        this returns, the rows are on disk and the file is closed. :class:`LoadError` when a value
        does not fit its column or dlt fails: then nothing of the batch is loaded.
        """
        unknown = sorted(set(batches) - set(TABLES))
        if unknown:
            raise LoadError(f"There is no raw table {', '.join(unknown)}.")
        if not self._prepared:
            self.prepare()
        counts: Counter[str] = Counter()
        outdated: Counter[str] = Counter()
        current: dict[str, Iterable[Mapping[str, Any]]] = {}
        newest = self._newest(batches)
        for table, rows in batches.items():
            iterator = iter(rows)
            first = list(islice(iterator, 1))
            if first:
                current[table] = self._current(table, first, iterator, newest, counts, outdated)
        if not current:
            return LoadOutcome()
        new_columns = self._run(current)
        return LoadOutcome(dict(counts), new_columns, dict(outdated))

    def _newest(self, tables: Iterable[str]) -> dict[tuple[str, str], datetime]:
        """(table, shop) -> when its latest row was seen."""
        found: dict[tuple[str, str], datetime] = {}
        with self._database() as connection:
            for table in tables:
                rows = connection.execute(
                    f"SELECT shop_id, max(_seen_at) FROM raw.{quoted(table)} GROUP BY 1"  # noqa: S608 - a declared name
                ).fetchall()
                found |= {(table, shop): seen for shop, seen in rows if seen is not None}
        return found

    def _current(
        self,
        table: str,
        first: list[Mapping[str, Any]],
        rest: Iterator[Mapping[str, Any]],
        newest: Mapping[tuple[str, str], datetime],
        counts: Counter[str],
        outdated: Counter[str],
    ) -> Iterator[Mapping[str, Any]]:
        """The rows of a batch that are not older than what the warehouse holds."""
        chunk = first + list(islice(rest, _CHUNK - 1))
        while chunk:
            late = [
                row
                for row in chunk
                if (latest := newest.get((table, row["shop_id"]))) and row["_seen_at"] < latest
            ]
            known = self._seen(table, late) if late else {}
            key = _key_of(table)
            for row in chunk:
                seen = known.get(tuple(row[column] for column in key))
                # A row seen in the future was seen by a clock that was wrong: it refuses nothing.
                if seen is not None and row["_seen_at"] < seen <= datetime.now(UTC):
                    outdated[table] += 1
                else:
                    counts[table] += 1
                    yield row
            chunk = list(islice(rest, _CHUNK))

    def _seen(
        self, table: str, rows: Sequence[Mapping[str, Any]]
    ) -> dict[tuple[str, ...], datetime]:
        key = _key_of(table)
        names = ", ".join(quoted(column) for column in key)
        with self._database() as connection:
            wanted = pa.table({column: [row[column] for row in rows] for column in key})
            connection.register("wanted", wanted)
            found = connection.execute(
                f"SELECT {names}, _seen_at FROM raw.{quoted(table)} "  # noqa: S608 - declared names
                f"SEMI JOIN wanted USING ({names})"
            ).fetchall()
        return {tuple(row[:-1]): row[-1] for row in found if row[-1] is not None}

    # -- dlt ------------------------------------------------------------------------------------

    def _run(self, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> tuple[str, ...]:
        from dlt.common.exceptions import DltException

        from sources.repair_shop.source import repair_shop

        with self.home.guard():
            pipeline = self._ready_pipeline()
            try:
                info = pipeline.run(repair_shop(rows))
                info.raise_on_failed_jobs()
            except DltException as error:
                # Whatever was under way is done again from the pages: see the module's docstring.
                self._pipeline = None
                own = own_cause(error)
                if own is not None:
                    raise own from error
                raise LoadError(f"Loading into raw failed: {explained(error)}") from error
        return _new_columns(
            (name, column)
            for package in info.load_packages
            for name, table in package.schema_update.items()
            for column in table["columns"]
        )

    def _ready_pipeline(self) -> dlt.Pipeline:
        if self._pipeline is None:
            self._pipeline = self._open_pipeline()
        return self._pipeline

    def _open_pipeline(self) -> dlt.Pipeline:
        folder = self.home.dlt_dir
        # dlt reads these when it starts; nothing of it may leave the home folder or the machine.
        os.environ.update(
            {
                "DLT_DATA_DIR": str(folder),
                "RUNTIME__DLTHUB_TELEMETRY": "false",
                "RUNTIME__LOG_LEVEL": "CRITICAL",
                # A signal ends a sync between two steps, never a load in the middle.
                "RUNTIME__INTERCEPT_SIGNALS": "false",
                "LOAD__DELETE_COMPLETED_JOBS": "true",
                "LOAD__TRUNCATE_STAGING_DATASET": "true",
            }
        )
        import dlt
        from dlt.common.exceptions import DltException
        from dlt.destinations.impl.duckdb.configuration import DuckDbCredentials

        for name in ("dlt", "sqlglot"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        for attempt in (1, 2):
            try:
                pipeline: dlt.Pipeline = dlt.pipeline(
                    _PIPELINE,
                    pipelines_dir=str(folder / "pipelines"),
                    destination=dlt.destinations.duckdb(
                        DuckDbCredentials(
                            str(self.home.build_warehouse),
                            global_config={"memory_limit": _MEMORY},
                        ),
                        preferred_loader_file_format="parquet",
                    ),
                    dataset_name=DATASET,
                )
                if pipeline.has_pending_data:
                    pipeline.abort_packages()
                pipeline.sync_destination()
                _clear_up(folder / "pipelines" / _PIPELINE)
                return pipeline
            except (DltException, ValueError, KeyError, OSError):
                # A kill may leave half a file of dlt's own memory; the warehouse holds a copy.
                if attempt == 2:
                    raise
                shutil.rmtree(folder, ignore_errors=True)
        raise AssertionError("unreachable")

    # -- marks and ops --------------------------------------------------------------------------

    def mark_deleted(
        self,
        table: str,
        shop_id: str,
        ids: Sequence[str],
        at: datetime | None,
        *,
        variant: str | None = None,
    ) -> int:
        """Set ``_deleted_at`` of rows that have none (None takes the mark away); rows changed.

        ``variant`` is the one list meant of a table that holds several (custom fields by type).
        """
        if table not in TABLES:
            raise LoadError(f"There is no raw table {table}.")
        if not self._prepared:
            self.prepare()
        changed = 0
        keep = "IS NOT NULL" if at is None else "IS NULL"
        _, _, *variants = _key_of(table)
        only = f"AND {quoted(variants[0])} = ? " if variant is not None else ""
        with self._database() as connection:
            connection.execute("BEGIN")
            for start in range(0, len(ids), 10_000):
                (count,) = connection.execute(
                    f"UPDATE raw.{quoted(table)} SET _deleted_at = ? "  # noqa: S608 - a declared name
                    f"WHERE shop_id = ? AND _deleted_at {keep} {only}"
                    "AND id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
                    [at, shop_id, *([variant] if only else []), list(ids[start : start + 10_000])],
                ).fetchall()[0]
                changed += int(count)
            connection.execute("COMMIT")
        return changed

    def write_ops(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace ``ops.<name>``, of :data:`~pipelines.load.ops.OPS_TABLES`, in one transaction.

        Values are cast to the column's type; objects and lists become JSON text.
        """
        typed = OPS_TABLES[name]
        content = list(rows)
        data = {column: pa.array([_plain(row.get(column)) for row in content]) for column in typed}
        select = ", ".join(
            f"CAST({quoted(c)} AS {kind}) AS {quoted(c)}" for c, kind in typed.items()
        )
        with self._database() as connection:
            connection.register("given", pa.table(data))
            connection.execute("BEGIN")
            connection.execute("CREATE SCHEMA IF NOT EXISTS ops")
            connection.execute(
                f"CREATE OR REPLACE TABLE ops.{quoted(name)} AS SELECT {select} FROM given"  # noqa: S608 - names are quoted, types are ours
            )
            connection.execute("COMMIT")


def _clear_up(folder: Path) -> None:
    """Remove what dlt leaves in its folder for good: a schema for each load, cut-off work."""
    leftovers = [*(folder / "load" / "loaded").glob("*")]
    leftovers += [
        path
        for path in (folder / "normalize").glob("*")
        if path.name not in ("extracted", "normalized")
    ]
    for leftover in leftovers:
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)


def _key_of(table: str) -> tuple[str, ...]:
    from sources.repair_shop.source import key_of  # dlt takes a second to import

    return key_of(table)


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, default=str, ensure_ascii=False)
    return value


def _new_columns(updates: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Columns nobody declared; :class:`LoadError` on a column beside the one that was meant."""
    from sources.repair_shop.source import declared_tables

    declared = declared_tables()
    news: list[str] = []
    for table, column in updates:
        if table.startswith("_dlt") or column.startswith("_dlt"):
            continue
        if "__v_" in column:
            raise LoadError(
                f"raw.{table}: values of {column.split('__v_')[0]} went to {column}, beside the "
                "column they belong to. Run 'shopmirror doctor' and 'shopmirror sync --full'."
            )
        if column not in declared.get(table, {}):
            news.append(f"{table}.{column}")
    return tuple(sorted(set(news)))
