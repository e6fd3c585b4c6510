"""Carries out the statements of a build in the private DuckDB file."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import duckdb

from pipelines.home import UNPACKED
from pipelines.transform.abreast import AT_ONCE, carry_out
from pipelines.transform.compiled import NOW, Node

MEMORY = 4_000_000_000
"""Bytes that a build may hold at once; DuckDB writes the rest to a folder beside the file."""
_LEAST = 100_000_000
"""What it may hold of a file up to 60 MB; of one from 100 MB on three times the file, up to the
above, and in between as the line through both says. Rows that joins and groups hold are not packed,
and of a file with small blocks DuckDB sets each block aside in a file of its own: up to half of a
build's time. A build of what changed holds less: as much as the file, up to a third of the above.
"""
ABREAST = 150_000_000
"""Bytes of a file from which on a whole build carries out two statements at a time: of a smaller
one they take a sixth more of the processor, and 30 MB, for a tenth of the clock."""
LARGE = 40_000_000
"""Bytes of a file from which on builds say how each text is packed. To find out DuckDB tries every
way with every column, a third of what writing takes."""
_OWN_TEXT = re.compile(
    r"^((customer|document|invoice|ticket|return|record|holder)_)?id$|_(key|number|ref|no|info)$"
    r"|note|description|comeback_of|email|mobile|phone"
)
"""Names of texts that differ from row to row; the others repeat themselves, so that a dictionary of
them is small. A wrong guess costs room, no more."""


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

    @property
    def told(self) -> str:
        """The result in one line."""
        reason = " ".join((self.message or "no message").split())
        return f"{self.kind} {self.name} (transforms/{self.path}): {reason}"


def run(
    connection: duckdb.DuckDBPyConnection,
    nodes: Sequence[Node],
    began: datetime,
    *,
    changed_only: bool = False,
) -> list[Result]:
    """Build models and run tests, as if in the order given, until a model fails. ``began``: the
    moment that is today's to them; two builds that are compared have the same.

    ``changed_only``: of tables that are kept only the rows that depend on what was loaded since the
    last build (:mod:`pipelines.transform.incremental` says when).
    """
    connection.execute("reset memory_limit")  # a build before this one has bound it
    ample, size, threads = connection.execute(
        "select parse_formatted_bytes(current_setting('memory_limit')), "
        "(select sum(block_size * total_blocks)::bigint from pragma_database_size()), "
        "current_setting('threads')::integer"
    ).fetchone() or (MEMORY, 0, 1)
    whole = min(3 * size, 5 * size - 2 * _LEAST)
    most, wanted = (MEMORY // 3, size) if changed_only else (MEMORY, whole)
    bound = f"set memory_limit = '{min(ample, most, max(_LEAST, wanted))}B'"
    connection.execute(bound)
    connection.execute(UNPACKED)
    now = began.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
    kinds: dict[tuple[str, str], str] = {
        (schema, table): kind
        for schema, table, kind in connection.execute(
            "select table_schema, table_name, table_type from information_schema.tables"
        ).fetchall()
    }
    for schema in sorted({node.schema for node in nodes if node.schema}):
        connection.execute(f"create schema if not exists {schema}")
    is_big = not changed_only and size >= ABREAST
    if is_big:
        _make_room(connection, nodes, kinds)
    # Not where a statement of what changed may read the table that it makes anew (`unreadable`).
    is_large = size > LARGE and not changed_only
    # Where what is held at once is bound, two would set aside more than they gain.
    number = min(AT_ONCE, threads) if is_big and whole <= MEMORY else 1

    def carry(cursor: duckdb.DuckDBPyConnection, node: Node, is_alone: bool) -> Result | None:
        started = time.perf_counter()
        found, status, message = 0, "success", ""
        try:
            try:
                found = _carry_out(cursor, node, now, kinds, is_large)
            except duckdb.OutOfMemoryException:
                if number > 1 and not is_alone:
                    return None
                # Not everything can be set aside on disk; better a large build than none.
                cursor.execute(f"set memory_limit = '{ample}B'")
                found = _carry_out(cursor, node, now, kinds, is_large)
                with suppress(duckdb.OutOfMemoryException):  # some of it is still held
                    cursor.execute(bound)
            if found:
                status = "warn" if node.warns else "fail"
                message = f"{found} records, where there should be none"
        except duckdb.Error as error:
            status, message = "fail", str(error)
        kind = "Test" if node.kind == "test" else "Model"
        seconds = time.perf_counter() - started
        return Result(node.name, node.path, kind, status, message, found, seconds)

    with _cursors(connection, number, threads - number + 1) as cursors:
        return carry_out(
            [*map(_narrowed, nodes)] if changed_only else nodes,
            cursors,
            carry,
            is_over=lambda result: result.status == "fail" and result.kind == "Model",
        )


def _make_room(
    connection: duckdb.DuckDBPyConnection, nodes: Sequence[Node], kinds: dict[tuple[str, str], str]
) -> None:
    """Take away the tables that a whole build makes anew, so that it can do without a checkpoint
    after each: those took a twelfth of its time, but gave the room of what was replaced back.
    """
    for node in nodes:
        place = (node.schema, node.table)
        if node.kind == "table" and kinds.get(place) == "BASE TABLE":
            connection.execute(f'drop table {node.schema}."{node.table}"')
            del kinds[place]
    connection.execute("checkpoint")
    connection.execute("set checkpoint_threshold = '1TB'")  # what closes the file makes one


@contextmanager
def _cursors(
    connection: duckdb.DuckDBPyConnection, number: int, threads: int
) -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """So many carry out statements at a time, each in so many threads of which all but one are
    DuckDB's, and the same for all.
    """
    connection.execute(f"set threads = {threads}")
    with ExitStack() as stack:
        stack.callback(connection.execute, "reset threads")
        cursors = [stack.enter_context(connection.cursor()) for _ in range(number)]
        for cursor in cursors:
            # On another time zone a month would begin at another hour.
            cursor.execute("set timezone = 'UTC'")
            cursor.execute(  # macros/moments.sql says why
                "set variable usual_zone = (select mode(timezone) from ops.shops)"
            )
        yield cursors


def _narrowed(node: Node) -> Node:
    """The node as a build of what changed carries it out."""
    if not node.changed:
        return node
    if node.kind == "incremental":
        return replace(node, later=node.changed)
    return replace(node, sql=node.changed, kind="kept" if node.replaced_by else node.kind)


def _carry_out(
    connection: duckdb.DuckDBPyConnection,
    node: Node,
    now: str,
    kinds: dict[tuple[str, str], str],
    is_large: bool,
) -> int:
    """Build the model; or the records that the test finds."""
    if node.kind != "test":
        _build(connection, node, now, kinds.get((node.schema, node.table)), is_large)
        return 0
    sql = f"select count(*) from ({node.sql}\n)"  # noqa: S608 - dbt's
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _build(
    connection: duckdb.DuckDBPyConnection, node: Node, now: str, held: str | None, is_large: bool
) -> None:
    """Make one relation, with what is said of it, or leave everything as it was."""
    relation, sql = f'{node.schema}."{node.table}"', node.sql.replace(NOW, now)
    connection.execute("begin")
    try:
        if node.kind == "view":
            _drop(connection, node, held, "VIEW")
            connection.execute(f"create or replace view {relation} as {sql}")
        elif node.kind == "incremental" and held == "BASE TABLE":
            _add(connection, relation, sql, node.later.replace(NOW, now))
        elif node.kind == "kept":
            connection.execute(f"delete from {relation} where {node.gone}")  # noqa: S608 - dbt's
            connection.execute(f"insert into {relation} by name {sql}")
        else:
            _drop(connection, node, held, "BASE TABLE")
            _make(connection, relation, sql, _packing(node) if is_large else None)
        if node.kind != "kept":  # what is said of that stays with it
            said = _comments("view" if node.kind == "view" else "table", relation, node)
            connection.execute(said)
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _packing(node: Node) -> str:
    """How texts are packed that differ from row to row. Those of intermediate tables are not: the
    file is a tenth larger so, but a build, which reads them most, takes a fortieth less."""
    return "uncompressed" if node.schema == "intermediate" else "fsst"


def _make(
    connection: duckdb.DuckDBPyConnection, relation: str, sql: str, own_texts: str | None
) -> None:
    """Make a table; in a large file with a way of packing for each text."""
    if own_texts is None:
        connection.execute(f"create or replace table {relation} as {sql}")
        return
    columns = []
    for name, kind in _columns(connection, sql).items():
        packed = own_texts if _OWN_TEXT.search(name) else "dictionary"
        way = f" using compression {packed}" if kind == "VARCHAR" else ""
        columns.append(f'"{name}" {kind}{way}')
    connection.execute(f"create or replace table {relation} ({', '.join(columns)})")
    connection.execute(f"insert into {relation} {sql}")


def _drop(connection: duckdb.DuckDBPyConnection, node: Node, held: str | None, wanted: str) -> None:
    """Take away a relation that is of the other kind."""
    if held in (None, wanted):
        return
    if node.schema == "history" and held == "BASE TABLE":
        raise duckdb.CatalogException(
            f"{node.schema}.{node.table} is of an older layout; "
            "'shopmirror sync' brings it up to date without loss."
        )
    kind = "view" if held == "VIEW" else "table"
    connection.execute(f'drop {kind} {node.schema}."{node.table}"')


def _add(connection: duckdb.DuckDBPyConnection, relation: str, sql: str, later: str) -> None:
    """Rows that are new; columns that the model (``sql``) has anew are empty in the older ones."""
    held = _columns(connection, relation)
    for name, kind in _columns(connection, sql).items():
        if name not in held:
            connection.execute(f'alter table {relation} add column "{name}" {kind}')
    connection.execute(f"insert into {relation} by name {later}")


def _columns(connection: duckdb.DuckDBPyConnection, relation: str) -> Mapping[str, str]:
    rows = connection.execute(f"describe {relation}").fetchall()
    return {str(row[0]): str(row[1]) for row in rows}


def _comments(kind: str, relation: str, node: Node) -> str:
    said = {f"{kind} {relation}": node.comment} if node.comment else {}
    said |= {f'column {relation}."{name}"': text for name, text in node.comments.items() if text}
    return ";".join(
        f"comment on {what} is '" + text.replace("'", "''") + "'" for what, text in said.items()
    )
