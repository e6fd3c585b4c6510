"""The dlt source: cleaned rows of the table of endpoints -> resources dlt merges.

Data flow: rows of :func:`repair_shop.schema.clean.clean_row` → one resource a list endpoint →
``raw.<table>`` and its child tables. Every column of :mod:`repair_shop.schema.columns` is declared
with its type, so a table looks the same whatever rows came; fields nobody declared become text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dlt
from dlt.common.schema import Schema
from dlt.common.schema.typing import TColumnSchema
from dlt.extract import DltResource, DltSource

from .schema.columns import TABLES, Child, Kind, Table
from .schema.endpoints import ENDPOINTS

SCHEMA = "repair_shop"
"""Name of the dlt schema; stored in the warehouse, so a change of it is a migration."""

Row = Mapping[str, Any]
Rows = Iterable[Row]

_TYPES: Mapping[Kind, TColumnSchema] = {
    "text": {"data_type": "text"},
    "moment": {"data_type": "text"},
    "amount": {"data_type": "decimal", "precision": 28, "scale": 4},
    "number": {"data_type": "decimal", "precision": 28, "scale": 4},
    "flag": {"data_type": "bool"},
}

_SQL_TYPES: Mapping[Kind, str] = {
    "text": "VARCHAR",
    "moment": "VARCHAR",
    "amount": "DECIMAL(28,4)",
    "number": "DECIMAL(28,4)",
    "flag": "BOOLEAN",
}

_TOP: Mapping[str, TColumnSchema] = {
    "shop_id": {"data_type": "text", "nullable": False},
    "id": {"data_type": "text", "nullable": False},
    "_deleted_at": {"data_type": "timestamp"},
    "_seen_at": {"data_type": "timestamp"},
    "_seq": {"data_type": "bigint", "dedup_sort": "desc"},
    "_unreadable": {"data_type": "text"},
}
_TOP_SQL = {
    "shop_id": "VARCHAR NOT NULL",
    "id": "VARCHAR NOT NULL",
    "_deleted_at": "TIMESTAMP WITH TIME ZONE",
    "_seen_at": "TIMESTAMP WITH TIME ZONE",
    "_seq": "BIGINT",
    "_unreadable": "VARCHAR",
}
_CHILD_SQL = {"shop_id": "VARCHAR", "parent_id": "VARCHAR", "_unreadable": "VARCHAR"}


def repair_shop(rows: Mapping[str, Rows]) -> DltSource:
    """All 35 lists as resources, those named in ``rows`` selected to run.

    Merge on :func:`key_of`, delete-insert; of several answers for one row in a batch the one with
    the highest ``_seq`` stays.
    """
    return _source(rows).with_resources(*rows)


_NAMED_AS_SAID = Schema(
    SCHEMA,
    # dlt's own snake_case knows Latin letters only: every other field would be the column "x".
    normalizers={
        "names": "duck_case",
        "json": {"module": "dlt.common.normalizers.json.relational"},
    },
)


@dlt.source(schema=_NAMED_AS_SAID)
def _source(rows: Mapping[str, Rows]) -> Iterator[DltResource]:
    schema = dlt.current.source_schema()
    # A text that looks like a time would fix the type of an undeclared column for good.
    schema.remove_type_detection("iso_timestamp")
    for name in TABLES:
        yield _resource(name, rows.get(name, ()))


def _resource(name: str, rows: Rows) -> DltResource:
    def read() -> Iterator[list[dict[str, Any]]]:
        chunk: list[dict[str, Any]] = []
        for row in rows:
            chunk.append(dict(row))
            if len(chunk) == 1000:  # a list costs dlt far less than a thousand single items
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    table = TABLES[name]
    return dlt.resource(
        read,
        name=name,
        write_disposition={"disposition": "merge", "strategy": "delete-insert"},
        primary_key=key_of(name),
        columns=_hints(table) | {column: hint.copy() for column, hint in _TOP.items()},
        nested_hints={
            path: dlt.mark.make_nested_hints(columns=_child_hints(child.table))
            for path, child in nested_tables(table)
        },
        # A value that does not fit its column stops the load instead of moving to a column beside.
        schema_contract={"tables": "evolve", "columns": "evolve", "data_type": "freeze"},
    )


def key_of(table: str) -> tuple[str, ...]:
    """What makes a row of a raw table one: the shop, the id, and the variant of its list.

    ``/customFields/{type}`` numbers each type's fields by itself, so one id may stand for several.
    """
    variants = ENDPOINTS[table].variants
    return ("shop_id", "id", *(variants[0] if variants else ()))


def nested_tables(table: Table) -> Iterator[tuple[tuple[str, ...], Child]]:
    """Declared nested lists at every depth, with their path below the table."""
    for child in table.children:
        yield (child.name,), child
        for path, deeper in nested_tables(child.table):
            yield (child.name, *path), deeper


def _hints(table: Table) -> dict[str, TColumnSchema]:
    # Copies: dlt writes each column's name into the hint it is given.
    return {name: _TYPES[kind].copy() for name, kind in table.flat_columns().items()}


def _child_hints(table: Table) -> dict[str, TColumnSchema]:
    return _hints(table) | {name: _TYPES["text"].copy() for name in _CHILD_SQL}


def declared_tables() -> dict[str, dict[str, str]]:
    """Every declared raw table and child table -> its columns -> their DuckDB types.

    As dlt would make them: a table made from this and one made by dlt from rows are alike.
    """
    tables: dict[str, dict[str, str]] = {}
    for name, table in TABLES.items():
        dlt_columns = {"_dlt_load_id": "VARCHAR NOT NULL", "_dlt_id": "VARCHAR NOT NULL"}
        tables[name] = _TOP_SQL | _sql(table) | dlt_columns
        for path, child in nested_tables(table):
            links = ("_dlt_root_id", "_dlt_parent_id")
            tables["__".join((name, *path))] = (
                _CHILD_SQL
                | _sql(child.table)
                | dict.fromkeys(links, "VARCHAR NOT NULL")
                | {"_dlt_list_idx": "BIGINT NOT NULL", "_dlt_id": "VARCHAR NOT NULL"}
            )
    return tables


def _sql(table: Table) -> dict[str, str]:
    return {name: _SQL_TYPES[kind] for name, kind in table.flat_columns().items()}
