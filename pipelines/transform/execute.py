"""Carries out the statements of a build in the private DuckDB file, which nobody else has open.

Each relation is a transaction of its own: one for all would hold two builds in the file. A build
that ends early, by a fault or a kill, leaves relations of two builds in this file. No reader has
it, and the next build makes all of them anew. Tests of the data come last; where they find a fault
the file keeps the build, and what history saw, but readers do not get it.

Two statements at a time are carried out, where they do not read each other. DuckDB can share one
statement out among threads, but who waits for the others turns in circles, which costs a third of
the processor's time.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue

import duckdb

from pipelines.load.tables import quoted
from pipelines.transform import compiled
from pipelines.transform.compiled import MOMENT, Node

MEMORY = 4_000_000_000
"""Bytes that a build may hold at once; DuckDB writes the rest to a folder beside the file."""
AT_ONCE = 2
"""Statements at a time; they share the memory."""
_WHOLE = ("staging", "intermediate", "marts")
"""Schemas whose tables are those that a build makes, and none that an older version or project
left."""


@dataclass(frozen=True)
class Result:
    """What became of one model or test."""

    name: str
    path: str
    """Its file, from the folder of the project on."""
    kind: str
    """``Model``, ``Test`` or ``Unit test``."""
    status: str
    """``success``, ``warn`` or ``fail``."""
    message: str = ""
    records: int = 0
    """Of a test: the records it found."""
    seconds: float = 0.0
    found_no_memory: bool = False

    def __str__(self) -> str:
        reason = " ".join((self.message or "no message").split())
        return f"{self.kind} {self.name} ({self.path}): {reason}"


def execute(
    connection: duckdb.DuckDBPyConnection,
    nodes: Sequence[Node],
    project: Path,
    began: datetime,
    memory: int = MEMORY,
) -> list[Result]:
    """Build models and run tests in the order given, until a model fails.

    ``project`` has the comments; ``began`` is the moment that is today's to the models; ``memory``
    stands above.
    """
    _limit(connection, memory)
    named = {node.schema or node.stores.partition(".")[0] for node in nodes}
    for schema in sorted(named - {""}):
        connection.execute(f"create schema if not exists {schema}")
    held = {
        f"{schema}.{table}": "view" if kind == "VIEW" else "table"
        for schema, table, kind in connection.execute(
            "select table_schema, table_name, table_type from information_schema.tables"
        ).fetchall()
    }
    comments = compiled.comments(project)
    for relation in held.keys() - comments.keys():
        schema, _, table = relation.partition(".")
        # Nobody would change its rows again; a view, which may be a person's own, has none.
        if schema in _WHOLE and held[relation] == "table":
            connection.execute(f"drop table {schema}.{quoted(table)}")
    moment = began.astimezone(UTC).replace(tzinfo=None)
    cursors = [_cursor(connection) for _ in range(AT_ONCE)]
    free: SimpleQueue[duckdb.DuckDBPyConnection] = SimpleQueue()
    for cursor in cursors:
        free.put(cursor)

    def result(node: Node) -> Result:
        cursor = free.get()
        try:
            made = f"{node.schema}.{node.table}"
            return _carry_out(cursor, node, moment, held.get(made), comments.get(made, {}))
        finally:
            free.put(cursor)

    results: list[Result] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for _, found in groupby(nodes, key=lambda node: node.depth):
                level = list(found)
                made = list(pool.map(result, level))
                results += [
                    result(node) if one.found_no_memory else one  # alone, now
                    for node, one in zip(level, made, strict=True)
                ]
                if any(one.status == "fail" and one.kind == "Model" for one in results):
                    break
        except BaseException:  # who ends this does not wait for long statements
            for cursor in cursors:
                cursor.interrupt()
            raise
    return results


def _limit(connection: duckdb.DuckDBPyConnection, memory: int) -> None:
    """Set what all statements share: memory and threads."""
    ((limit, cores),) = connection.execute(
        "select parse_formatted_bytes(current_setting('memory_limit')), current_setting('threads')"
    ).fetchall()
    connection.execute(f"set memory_limit = '{min(limit, memory)}B'")
    # Each thread that asks for a statement works at it too; DuckDB counts one such thread.
    connection.execute(f"set threads = {max(1, cores - AT_ONCE + 1)}")
    # Rows that wait for those before them are held in memory; no reader is promised an order.
    connection.execute("set preserve_insertion_order = false")


def _cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection of a thread's own, with what the statements expect of it."""
    cursor = connection.cursor()
    # On another time zone a month would begin at another hour.
    cursor.execute("set timezone = 'UTC'")
    # DuckDB looks up a zone anew for each row, unless it is a constant (macros/moments.sql).
    cursor.execute("set variable usual_zone = (select mode(timezone) from ops.shops)")
    return cursor


def _carry_out(
    connection: duckdb.DuckDBPyConnection,
    node: Node,
    moment: datetime,
    held: str | None,
    comments: Mapping[str, str],
) -> Result:
    """One node, whole or not at all; ``held`` and ``comments`` are of its relation."""
    started, found, message, found_no_memory = time.perf_counter(), 0, "", False
    connection.execute("begin")
    try:
        if node.kind == "test":
            found, status = _test(connection, node)
            message = f"{found} records, where there should be none" if found else ""
        else:
            status = "success"
            _build(connection, node, moment, held)
            _comment(connection, node, comments)
        connection.execute("commit")
    except duckdb.Error as error:
        connection.execute("rollback")
        status, message = "fail", str(error)
        found_no_memory = isinstance(error, duckdb.OutOfMemoryException)
    kind = "Test" if node.kind == "test" else "Model"
    seconds = time.perf_counter() - started
    path = f"transforms/{node.path}"
    return Result(node.name, path, kind, status, message, found, seconds, found_no_memory)


def _test(connection: duckdb.DuckDBPyConnection, node: Node) -> tuple[int, str]:
    """The failures that a test counts and what they mean, as dbt reckons it."""
    rows = f"({node.sql}\n)"
    if node.stores:
        connection.execute(f"create or replace table {node.stores} as {node.sql}")
        rows = node.stores
    ((found, warns, fails),) = connection.execute(
        f"select failures, failures {node.warn_if}, failures {node.error_if} "  # noqa: S608 - dbt's
        f"from (select {node.fail_calc} as failures from {rows} as found)"
    ).fetchall()
    is_fault = fails and node.severity == "error"
    return int(found or 0), "fail" if is_fault else "warn" if warns else "success"


def _build(
    connection: duckdb.DuckDBPyConnection, node: Node, moment: datetime, held: str | None
) -> None:
    """Make one relation; ``held`` is what stands there under its name, a ``table`` or ``view``."""
    relation, kind = f'{node.schema}."{node.table}"', "view" if node.kind == "view" else "table"
    if held == kind and node.kind == "incremental":
        _add(connection, relation, node, moment)
        return
    if held not in (None, kind):  # the model was of the other kind once
        connection.execute(f"drop {held} {relation}")
    sql = f"create or replace {kind} {relation} as {node.sql}"
    connection.execute(sql, _bound(node.sql, moment))


def _comment(
    connection: duckdb.DuckDBPyConnection, node: Node, comments: Mapping[str, str]
) -> None:
    """Have the relation say what it and its columns mean."""
    relation, kind = f'{node.schema}."{node.table}"', "view" if node.kind == "view" else "table"
    said = []
    for column, text in comments.items():
        what = f'column {relation}."{column}"' if column else f"{kind} {relation}"
        said.append(f"comment on {what} is '" + text.replace("'", "''") + "'")
    if said:
        connection.execute("; ".join(said))  # DuckDB binds nothing here


def _add(
    connection: duckdb.DuckDBPyConnection, relation: str, node: Node, moment: datetime
) -> None:
    """Rows that are new; columns that the model has anew are empty in the older ones."""
    held = {row[0] for row in connection.execute(f"describe {relation}").fetchall()}
    given = _bound(node.sql, moment)
    for name, kind, *_ in connection.execute(f"describe {node.sql}", given).fetchall():
        if name not in held:
            connection.execute(f'alter table {relation} add column "{name}" {kind}')
    connection.execute(f"insert into {relation} by name {node.later}", _bound(node.later, moment))


def _bound(sql: str, moment: datetime) -> dict[str, datetime] | None:
    return {MOMENT[1:]: moment} if MOMENT in sql else None
