"""The private database written anew in larger blocks, once, when it has grown large.

Data flow: ``build/warehouse.duckdb`` -> a file beside it, compared with it -> its place, by one
rename. Small blocks keep loads small (:mod:`pipelines.home`), but those that a build of millions of
lines sets aside DuckDB writes into a file each, a fifth of the build's time. Whatever goes wrong
leaves the file as it was; it is tried again when the next build is published.
"""

import errno
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import duckdb

from pipelines.home import UNPACKED
from pipelines.json_file import sync_folder
from pipelines.sql import literal

LARGE = 1_000_000_000
"""Bytes of a file from which on it has large blocks: some three million lines of documents. A load
into it may hold 80 MB more, a build of it holds more than that anyway."""
BLOCK = 262_144
"""Bytes of a large block, DuckDB's own."""
_MEMORY = "1GB"
_DECLARED = {
    "schemas": "schema_name, comment",
    "tables": "schema_name, table_name, comment, column_count",
    "columns": "schema_name, table_name, column_index, column_name, data_type, is_nullable, "
    "column_default, comment",
    "constraints": "schema_name, table_name, constraint_text",
    "indexes": "schema_name, table_name, index_name, sql",
    "views": "schema_name, view_name, sql, comment",
    "sequences": "schema_name, sequence_name, last_value",
}
"""What DuckDB says of a database, by the function that says it."""

log = logging.getLogger(__name__)


def in_large_blocks(path: Path) -> bool:
    """Whether a settled database that nobody has open was written anew: it is large, its blocks are
    small, and the new file holds the same.
    """
    anew = path.with_name(f"{path.name}.anew")
    _clear(anew)
    size = path.stat().st_size
    if size < LARGE:
        return False
    try:
        if shutil.disk_usage(path.parent).free < 2 * size:
            # Not filled for this while others write, and the new file is published as a copy.
            raise OSError(errno.ENOSPC, "the disk has no room for it twice")
        if not _write(path, anew):
            return False
        anew.replace(path)
        sync_folder(path.parent)
    except (duckdb.Error, OSError) as error:
        log.warning("%s was not written anew in larger blocks: %s", path, error)
        return False
    finally:
        _clear(anew)
    log.info("%s was written anew in larger blocks; builds of it take less time", path)
    return True


def _clear(anew: Path) -> None:
    """Take away what a run that was cut off left: a file, its log, what DuckDB set aside."""
    for leftover in anew.parent.glob(f"{anew.name}*"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def _write(path: Path, anew: Path) -> bool:
    """Make the new file, on the disk; False where none is needed."""
    with duckdb.connect(config={"temp_directory": f"{anew}.tmp"}) as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY}'")
        connection.execute(UNPACKED)
        connection.execute(f"ATTACH {literal(str(path))} AS held (READ_ONLY)")
        [(block,)] = connection.execute(
            "SELECT block_size FROM pragma_database_size() WHERE database_name = 'held'"
        ).fetchall()
        if block >= BLOCK:
            return False
        connection.execute(f"ATTACH {literal(str(anew))} AS anew (BLOCK_SIZE {BLOCK})")
        anew.chmod(0o600)
        connection.execute("COPY FROM DATABASE held TO anew")
        held, copied = _contents(connection, "held"), _contents(connection, "anew")
        if differing := [name for name, what in held.items() if copied.get(name) != what]:
            raise duckdb.DataError(f"the new file differs in {', '.join(differing)}")
        connection.execute("DETACH anew")  # it is whole now, without a log beside it
    descriptor = os.open(anew, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def _contents(connection: duckdb.DuckDBPyConnection, database: str) -> Mapping[str, object]:
    """What a database declares, and of each table the rows and what stands for all their values."""
    found: dict[str, object] = {
        kind: sorted(
            map(
                repr,
                connection.execute(
                    f"SELECT {columns} FROM duckdb_{kind}() WHERE database_name = '{database}'"  # noqa: S608 - ours
                ).fetchall(),
            )
        )
        for kind, columns in _DECLARED.items()
    }
    for schema, table in connection.execute(
        f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{database}'"  # noqa: S608 - ours
    ).fetchall():
        name = f'"{schema}"."{table}"'
        found[name] = connection.execute(
            f"SELECT count(*), sum(hash(rows)) FROM {database}.{name} AS rows"  # noqa: S608 - DuckDB's own names
        ).fetchone()
    return found
