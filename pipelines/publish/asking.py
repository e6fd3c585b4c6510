"""One question in SQL to the published warehouse, as a person at a terminal asks it.

Data flow: ``$SHOPMIRROR_HOME/warehouse.duckdb``, opened for reading -> rows, a part at a time. The
statement can neither change the warehouse nor read or write another file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from pipelines.publish.errors import QueryFailed
from pipelines.publish.published import published

_AT_ONCE = 5_000
_ANSWERING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
"""``with``, ``from``, ``describe``, ``summarize`` and ``show`` are of the first kind."""


@dataclass(frozen=True)
class Answer:
    """Names of the columns, and the rows: to be read once, while the warehouse is open."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def asked(home: Path, sql: str) -> Iterator[Answer]:
    """The answer of one statement; amounts come as ``Decimal``, times in UTC.

    Raises :class:`~pipelines.publish.errors.NothingPublished` without a warehouse, and
    :class:`~pipelines.publish.errors.QueryFailed` for SQL that is wrong, several statements,
    and statements that do not ask.
    """
    with published(Path(home)) as warehouse:
        connection = warehouse.connection
        if warehouse.has("marts.shop_days") and not warehouse.server:
            # So that 'show tables' lists the marts.
            connection.execute("set search_path = 'marts'")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        try:
            cursor = connection.execute(_only(connection, sql))
            yield Answer(_told_apart([one[0] for one in cursor.description or ()]), _rows(cursor))
        except duckdb.Error as error:
            raise QueryFailed(_told(error)) from None


def _only(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    found = connection.extract_statements(sql)
    if not found:
        raise QueryFailed('There is no statement: shopmirror query "select …".')
    if len(found) > 1:
        raise QueryFailed(f"These are {len(found)} statements; ask one at a time.")
    if found[0].type not in _ANSWERING:
        kind = found[0].type.name.lower().replace("_", " ")
        raise QueryFailed(
            f"A statement that asks begins with select, from, with, describe or summarize; this is "
            f"of the kind '{kind}'. The warehouse is read only: changes of the shop's records go "
            "through 'shopmirror queue add'."
        )
    return found[0]


def _told_apart(names: list[str]) -> tuple[str, ...]:
    """Columns of one name as ``x``, ``x_1``: of two with one name an object keeps one alone."""
    told: list[str] = []
    for place, name in enumerate(names):
        others = (f"{name}_{n}" for n in range(1, len(names) + 1))
        free = (other for other in others if other not in (*names, *told))
        told.append(next(free) if name in names[:place] else name)
    return tuple(told)


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while part := cursor.fetchmany(_AT_ONCE):
        yield from part


def _told(error: duckdb.Error) -> str:
    mend = "'shopmirror dictionary' writes a page with every table and column."
    if isinstance(error, duckdb.PermissionException):
        mend = "Only the warehouse is read: no other file, and no setting is changed."
    return f"{str(error).strip()}\n{mend}"
