"""The product's own destination: the log of the ledger -> the private DuckDB file, by dlt.

Data flow: :mod:`sources.repair_shop.change_log` → the dlt source → ``raw.*`` in
``$SHOPMIRROR_HOME/build/warehouse.duckdb``, as any other destination is loaded.

::

    loader = Loader(home)
    loader.prepare()
    loader.load(log, ["customers"], log.end())        # again after a kill: same end

How far it has read the log stands in dlt's state, which is committed with the rows. A load that was
cut off has left neither, so dlt's working folder is made anew from the file at each start. Call
with the sync lock held; nothing else may have the file open.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from pipelines.home import ANEW, Home, HomeError, storage_trouble
from pipelines.json_file import copy_file, draft_of
from pipelines.load.imports import without
from pipelines.load.tables import (
    FORMAT,
    check_format,
    columns_of,
    has_rows,
    make_ops,
    note,
    notes,
    quoted,
    write_ops,
)
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.errors import causes, first_line
from sources.repair_shop.schema.arrow import empty_tables
from sources.repair_shop.schema.endpoints import ENDPOINTS

if TYPE_CHECKING:
    import dlt

DATASET = "raw"
STAGING = "raw_staging"
"""Where dlt keeps the rows of one load before it merges them; not published."""

_PIPELINE = "repair_shop"
_MOST = 1_000_000_000
"""Bytes it may hold of a file of an older version, whose blocks are of 256 KiB, and after a load
for which less was not enough."""

_IN_PLACE = "checkpoint_threshold = '16MB'"
"""DuckDB's own bound of its log. dlt sets 1 GB, by which all rows would be written there first."""


class LoadError(Exception):
    """Rows could not be loaded; none was lost, they stay on disk for the next run. Exit code 1."""

    exit_code = 1


class OutOfMemory(Exception):
    """There is too little memory for a load; no row is at fault, and none was lost. Exit code 2."""

    exit_code = 2

    def __init__(self, told: str) -> None:
        super().__init__(
            f"There is too little memory to load what was fetched, which is kept: {told} "
            "Give the machine, or the container, more of it and run it again."
        )


def dlt_environment(home: Home) -> None:
    """Settings that dlt reads when it starts; call it before dlt is imported.

    Nothing of it may leave the home folder or the machine.
    """
    os.environ.update(
        {
            "DLT_DATA_DIR": str(home.dlt_dir),
            "RUNTIME__DLTHUB_TELEMETRY": "false",
            "RUNTIME__LOG_LEVEL": "CRITICAL",
            # A signal ends a sync between two steps, never a load in the middle.
            "RUNTIME__INTERCEPT_SIGNALS": "false",
            "NORMALIZE__PARQUET_NORMALIZER__ADD_DLT_LOAD_ID": "true",
            # One list after the other: of lists read in turns each holds its tables.
            "EXTRACT__NEXT_ITEM_MODE": "fifo",
            "LOAD__DELETE_COMPLETED_JOBS": "true",
            # DuckDB has one writer; dlt's twenty threads only hold memory, each an arena.
            "LOAD__WORKERS": "2",
            "LOAD__TRUNCATE_STAGING_DATASET": "true",
        }
    )
    for name in ("dlt", "sqlglot"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with without("streamlit"):
        from dlt.common.configuration.container import Container
        from dlt.common.configuration.specs.pluggable_run_context import PluggableRunContext

        Container()[PluggableRunContext]  # dlt reads its settings


class Loader:
    """Writes ``raw`` and ``ops`` of one home's private database.

    Raises :class:`~pipelines.home.HomeError` when the file is damaged, newer, in use or the disk
    full.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        self._pipeline: dlt.Pipeline | None = None
        self.blocks = 4_000
        """Blocks of the file that DuckDB may hold in a load before it spills (66 MB of a new file,
        whose blocks are of 16 KiB); by itself it takes most of the RAM."""

    # -- tables ---------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make sure that the file is there, of a layout this version knows, with all of ``ops``."""
        with self.database() as connection:
            check_format(connection, self.home.build_warehouse)
            connection.execute("BEGIN")
            make_ops(connection)
            connection.execute("CREATE TABLE IF NOT EXISTS ops.meta(name VARCHAR, value VARCHAR)")
            note(connection, format=str(FORMAT))
            connection.execute("COMMIT")

    def lacking(self) -> list[str]:
        """Lists whose table, or one of whose nested lists, is not there with all its columns.

        Loading them makes the tables, also those of lists without a row.
        """
        with self.database() as connection:
            return _lacking(columns_of(connection, DATASET))

    @contextmanager
    def database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The private database; one that was lost begins as its newest copy, the published one."""
        with self.home.guard():
            file = self.home.build_warehouse
            if not file.exists() and self.home.warehouse.exists():
                with draft_of(file) as copy:
                    copy_file(self.home.warehouse, copy)
                    # DuckDB would do to these rows what the lost file's log says of others.
                    file.with_name(f"{file.name}.wal").unlink(missing_ok=True)
        with self.home.guard(), self.home.open_build() as connection:
            try:
                yield connection
            except (duckdb.OutOfMemoryException, MemoryError) as error:
                raise OutOfMemory(first_line(error)) from error
            except (duckdb.InternalException, duckdb.FatalException) as error:
                raise HomeError(
                    f"{self.home.build_warehouse} is damaged: {first_line(error)} {ANEW}"
                ) from error

    # -- rows -----------------------------------------------------------------------------------

    def load(self, log: ChangeLog, tables: Iterable[str], end: int) -> tuple[int, Iterable[str]]:
        """Bring lists up to ``end`` of the log; how many rows were given to the merge, and each
        ``table.column`` that the service sent for the first time, which is loaded as text.

        When this returns, the rows are on disk and the file is closed. :class:`LoadError` when a
        value does not fit its column or dlt fails: then nothing of it is loaded.
        """
        from dlt.common.exceptions import DltException

        from sources.repair_shop.source import from_log

        tables = list(tables)
        # Stays open meanwhile: dlt opens the file for each job, and each closing is a checkpoint.
        with self.database() as connection:
            _bound_memory(connection, self.blocks)
            pipeline = self._ready_pipeline()
            try:
                info = pipeline.run(from_log(log, end).with_resources(*tables))
                info.raise_on_failed_jobs()
            except DltException as error:
                self._pipeline = None
                # What the rows themselves raised while dlt read them: the ledger's errors, a stop.
                for cause in causes(error):
                    if hasattr(cause, "exit_code"):
                        raise cause from error
                if storage_trouble(error):
                    raise
                told = _explained(error)
                if "Out of Memory" in told:
                    if self.blocks == _MOST:
                        raise OutOfMemory(told) from error
                    self.blocks = _MOST  # rows of megabytes need it
                    return self.load(log, tables, end)
                raise LoadError(f"The rows could not be loaded: {told}") from error
            self._mark_gone(connection, log, tables, end)
        counts = row_counts(pipeline)
        new_columns = _new_columns(
            (name, column)
            for package in info.load_packages
            for name, table in package.schema_update.items()
            for column in table["columns"]
        )
        return sum(counts.get(name, 0) for name in ENDPOINTS), new_columns

    def _mark_gone(
        self, connection: duckdb.DuckDBPyConnection, log: ChangeLog, tables: Iterable[str], end: int
    ) -> None:
        """Mark rows that went and whose content no ledger knows: it was lost, and is made anew."""
        for table in tables:
            for shop, identity, at in log.marks(table, {}, end):
                sql = (
                    f"UPDATE {DATASET}.{quoted(table)} SET _deleted_at = $at "  # noqa: S608 - declared names
                    "WHERE shop_id = $shop AND id = $id AND _deleted_at IS NULL"
                )
                connection.execute(sql, {"at": at, "shop": shop, "id": identity})

    def notes(self) -> Mapping[str, str]:
        """What the file says of itself: name -> text."""
        with self.database() as connection:
            return notes(connection)

    def note(self, **said: str) -> None:
        """Have the file say something of itself; see :func:`pipelines.load.tables.notes`."""
        with self.database() as connection:
            note(connection, **said)

    def is_of_another(self, log: ChangeLog) -> bool:
        """Whether what the file holds was loaded from another ledger, or from a later one."""
        from sources.repair_shop.source import offsets_of

        states = states_of(self._ready_pipeline())
        with self.database() as connection:
            holds = has_rows(connection)
        return holds and not (states and all(offsets_of(log, one) for one in states))

    def _ready_pipeline(self) -> dlt.Pipeline:
        if self._pipeline is not None:
            return self._pipeline
        folder = self.home.dlt_dir
        # The file holds dlt's state and schema, committed with the rows: it alone is believed.
        shutil.rmtree(folder, ignore_errors=True)
        dlt_environment(self.home)
        # Arrow's own allocator keeps what was freed for itself; what dlt writes is of short life.
        pa.set_memory_pool(pa.system_memory_pool())
        import dlt
        from dlt.destinations.impl.duckdb.configuration import DuckDbCredentials

        pipeline: dlt.Pipeline = dlt.pipeline(
            _PIPELINE,
            pipelines_dir=str(folder / "pipelines"),
            destination=dlt.destinations.duckdb(
                DuckDbCredentials(str(self.home.build_warehouse), pragmas=[_IN_PLACE]),
                preferred_loader_file_format="parquet",
            ),
            dataset_name=DATASET,
        )
        with self.database() as connection:
            held = columns_of(connection, DATASET)
            if "_dlt_version" in held and _lacking(held):
                # dlt makes no table that a schema stored here says is there already.
                connection.execute("DELETE FROM raw._dlt_version")
        pipeline.sync_destination()
        self._pipeline = pipeline
        return pipeline

    # -- ops ------------------------------------------------------------------------------------

    def write_ops(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace ``ops.<name>``, of :data:`~pipelines.load.tables.OPS_TABLES`, in one transaction.

        Values are cast to the column's type; objects and lists become JSON text.
        """
        with self.database() as connection:
            write_ops(connection, name, rows)


def _lacking(held: Mapping[str, set[str]]) -> list[str]:
    return [
        table
        for table in ENDPOINTS
        if any(columns - held.get(name, set()) for name, columns in _declared(table).items())
    ]


@cache
def _declared(table: str) -> Mapping[str, set[str]]:
    """Tables of a list and of what is nested in it -> their columns."""
    return {name: set(empty.column_names) for name, empty in empty_tables(table).items()}


def _bound_memory(connection: duckdb.DuckDBPyConnection, blocks: int) -> None:
    """For all connections to the file, until the last of them is closed; also how it is packed."""
    [(block,)] = connection.execute(
        "SELECT block_size FROM pragma_database_size() LIMIT 1"
    ).fetchall()
    connection.execute("SET threads = 1")  # dlt's workers are several; more only hold memory
    # As home.UNPACKED, and symbols are looked for in no column: that takes a third of the writing.
    connection.execute("SET disabled_compression_methods = 'bitpacking,fsst'")
    connection.execute(f"SET memory_limit = '{min(blocks * block, _MOST)}B'")


def row_counts(pipeline: dlt.Pipeline) -> Mapping[str, int]:
    """Rows of each table in the last load."""
    trace = pipeline.last_trace
    info = trace.last_normalize_info if trace is not None else None
    return info.row_counts if info is not None else {}


def states_of(pipeline: dlt.Pipeline) -> list[dict[str, Any]]:
    """What the state of a pipeline says of how far each list was read of a log."""
    from sources.repair_shop.source import LEDGER, SCHEMA

    sources: dict[str, Any] = pipeline.state.get("sources", {})
    resources = sources.get(SCHEMA, {}).get("resources", {})
    return [state for state in resources.values() if LEDGER in state]


def _new_columns(updates: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Columns nobody declared."""
    declared = {name: columns for table in ENDPOINTS for name, columns in _declared(table).items()}
    found = {
        f"{table}.{column}"
        for table, column in updates
        if not (table.startswith("_dlt") or column.startswith("_dlt"))
        and column not in declared.get(table, ())
    }
    return tuple(sorted(found))


def _explained(error: BaseException) -> str:
    """Why a load failed, in a sentence or two."""
    from dlt.common.schema.exceptions import DataValidationError

    for cause in causes(error):
        if isinstance(cause, DataValidationError):
            return (
                f"a value of raw.{cause.table_name}.{cause.column_name} is not of that column's "
                "kind. The rows are kept; please report this."
            )
    return f"{first_line(list(causes(error))[-1])} The rows are kept for the next run."
