"""Carries out the statements of a build in the private DuckDB file, which nobody else has open.

Models are made in one transaction: one that fails leaves everything as it was. In a large file each
relation is a transaction of its own, as one for all finds no memory there. Then a build that ends
early, by a fault or a kill, leaves relations of two builds in this file, which no reader has, and
the next build makes all of them anew. Tests of the data follow; where they find a fault the file
keeps the build, and what history saw, but readers do not get it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import duckdb

from pipelines.transform import compiled
from pipelines.transform.compiled import MOMENT, Node

MEMORY = 4_000_000_000
"""Bytes that a build may hold at once; DuckDB writes the rest to a folder beside the file."""
LARGE = 80_000_000
"""Bytes of a file from which on each relation is a transaction of its own."""


@dataclass(frozen=True)
class Result:
    """What became of one model or test."""

    name: str
    path: str
    """Its file, below ``transforms/``."""
    kind: str
    """``Model``, ``Test`` or ``Unit test``."""
    status: str
    """``success``, ``warn`` or ``fail``."""
    message: str = ""
    records: int = 0
    """Of a test: the records it found."""
    seconds: float = 0.0

    def __str__(self) -> str:
        reason = " ".join((self.message or "no message").split())
        return f"{self.kind} {self.name} (transforms/{self.path}): {reason}"


def execute(
    connection: duckdb.DuckDBPyConnection,
    nodes: Sequence[Node],
    project: Path,
    began: datetime,
    large: int = LARGE,
) -> list[Result]:
    """Build models and run tests in the order given, until a model fails.

    ``project`` has the comments; ``began`` is the moment that is today's to the models; ``large``
    are the bytes of a file from which on each relation is a transaction of its own.
    """
    comments = compiled.comments(project)
    ((limit,),) = connection.execute(
        "select parse_formatted_bytes(current_setting('memory_limit'))"
    ).fetchall()
    connection.execute(f"set memory_limit = '{min(limit, MEMORY)}B'")
    # Rows that wait for those before them are held in memory; no reader is promised an order.
    connection.execute("set preserve_insertion_order = false")
    # On another time zone a month would begin at another hour.
    connection.execute("set timezone = 'UTC'")
    # DuckDB looks up a zone anew for each row, unless it is a constant (macros/moments.sql).
    connection.execute("set variable usual_zone = (select mode(timezone) from ops.shops)")
    for schema in sorted({node.schema for node in nodes if node.schema}):
        connection.execute(f"create schema if not exists {schema}")
    held = {
        (schema, table): "view" if kind == "VIEW" else "table"
        for schema, table, kind in connection.execute(
            "select table_schema, table_name, table_type from information_schema.tables"
        ).fetchall()
    }
    moment = began.astimezone(UTC).replace(tzinfo=None)

    def make(node: Node) -> tuple[int, str]:
        _build(connection, node, moment, held.get((node.schema, node.table)))
        _comment(connection, node, comments.get(f"{node.schema}.{node.table}", {}))
        return 0, "success"

    is_large = _size(connection) >= large
    connection.execute("begin")
    results: list[Result] = []
    for node in (node for node in nodes if node.kind != "test"):
        results.append(_timed(node, make))
        if results[-1].status == "fail":
            connection.execute("rollback")
            return results
        if is_large:
            connection.execute("commit")
            connection.execute("begin")
    connection.execute("commit")
    tests = (node for node in nodes if node.kind == "test")
    return results + [_timed(node, partial(_test, connection)) for node in tests]


def _size(connection: duckdb.DuckDBPyConnection) -> int:
    """Bytes of the file; 0 for a database in memory."""
    ((path,),) = connection.execute(
        "select path from duckdb_databases() where database_name = current_database()"
    ).fetchall()
    return Path(path).stat().st_size if path else 0


def _timed(node: Node, carry_out: Callable[[Node], tuple[int, str]]) -> Result:
    """What became of a node: records that a test found, and the status of both."""
    started, found, message = time.perf_counter(), 0, ""
    try:
        found, status = carry_out(node)
        message = f"{found} records, where there should be none" if found else ""
    except duckdb.Error as error:
        status, message = "fail", str(error)
    kind = "Test" if node.kind == "test" else "Model"
    seconds = time.perf_counter() - started
    return Result(node.name, node.path, kind, status, message, found, seconds)


def _test(connection: duckdb.DuckDBPyConnection, node: Node) -> tuple[int, str]:
    """The failures that a test counts and what they mean, as dbt reckons it."""
    rows = f"({node.sql}\n)"
    if node.stores:
        connection.execute(f"create schema if not exists {node.stores.partition('.')[0]}")
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
