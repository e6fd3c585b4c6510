"""What a build found in the service's data that stops no report, but that a reader must know.

Data flow: tests of the models that only warn, and custom fields that no list names ->
``ops.findings`` -> ``status``, ``doctor``; and what nobody could read, from ``ops.unreadable``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from pipelines.load.tables import columns_of
from pipelines.transform.renamed import Renamed, find_renamed

if TYPE_CHECKING:
    from pipelines.load.loader import Loader

MEANINGS = {
    "unknown_days_and_amounts": "records without a day or an amount count in no report",
    "lines_add_up_to_their_document": "documents whose lines do not add up to their total",
    "tickets_come_to_an_end": "shop(s) whose old tickets are nearly all open: their statuses are "
    "not understood (ops.statuses; set done_statuses)",
    "references_exist": "records name another record that is not in the mirror",
}
"""Tests of the models that warn -> what was found, after its number."""


COUNTED = {
    "ticket_invoices": ("created_date", "amount_total"),
    "pos_orders": ("created_date", "amount_total"),
    "payments": ("date", "amount"),
}
"""Columns that each row has, and without which it counts in no report. A purchase order may be on
its way, and have no cost yet."""
EMPTY = "empty:"
"""Begins the name of a finding of such a column that no row of a shop fills, or that payments with
money lack; list, column and shop follow. Its meaning is the column, or the field said instead;
empty if rows merely say the column no more."""
_LOST = "amount <> 0 OR json_exists(_unreadable, 'amount')"
"""What a payment without a day or amount takes out of all reports; of documents the comparison
with the service's own report tells."""
_WITH_FIELDS = ("tickets", "customers", "leads", "products")
"""Types of records that have custom fields (specification, GET /customFields/{type})."""
_FIELDS = "custom_fields:"
"""Begins the name of a finding of custom fields; their type and shop follow."""
_NAMED_IN_WORDS = 3
_UNNAMED = """
    WITH shown AS (
        SELECT shop_id, TRY_CAST(custom_fields AS JSON) AS fields
        FROM raw."{table}" WHERE _deleted_at IS NULL
    ), named AS (
        SELECT shop_id, unnest(json_keys(fields)) AS name FROM shown
        WHERE json_type(fields) = 'OBJECT'
        UNION
        SELECT shop_id, coalesce(one ->> 'label', one ->> 'name', one ->> 'title', one ->> 'id')
        FROM (
            SELECT shop_id, unnest(CAST(fields AS JSON[])) AS one FROM shown
            WHERE json_type(fields) = 'ARRAY'
        )
    ), known AS (
        SELECT shop_id, plain(unnest([id, name, label])) AS name FROM raw.custom_fields
        WHERE type = '{table}' AND _deleted_at IS NULL
    )
    SELECT shop_id, list(name ORDER BY name) FROM named WHERE name <> '' AND NOT EXISTS (
        FROM known WHERE known.shop_id = named.shop_id
        AND known.name IN (plain(named.name), regexp_extract(named.name, '[0-9]+$'))
    ) GROUP BY shop_id ORDER BY shop_id
"""
_PLAIN = (
    "CREATE OR REPLACE TEMP MACRO plain(name) AS "
    r"nullif(regexp_replace(lower(name), '[^\pL\pN]', '', 'g'), '')"
)
"""A name without spelling: small letters and digits."""


def write_findings(loader: Loader, found: Mapping[str, int]) -> None:
    """Keep what tests of a build found, and columns that reports need and no row fills. Custom
    fields of live records that no list of custom fields names are kept, too. A field may be called
    by name, label or id, in any spelling.
    """
    rows = [
        {"name": name, "records": records, "meaning": MEANINGS.get(name, f"rows of {name}")}
        for name, records in sorted(found.items())
    ]
    with loader.database() as database:
        database.execute(_PLAIN)
        held = columns_of(database, "raw")
        for table in _WITH_FIELDS:
            if "custom_fields" in held.get(table, ()):
                unnamed = database.execute(_UNNAMED.format(table=table)).fetchall()
                rows += [_of_fields(table, shop, names) for shop, names in unnamed]
        for table, columns in COUNTED.items():
            for column in held.get(table, set()).intersection(columns):
                lost = f"{column} IS NULL AND ({_LOST})" if table == "payments" else "false"
                empty = database.execute(
                    f"SELECT shop_id, if(count({column}) = 0, count(*), count_if({lost})) AS lost "  # noqa: S608 - declared names
                    f"FROM raw.{table} WHERE _deleted_at IS NULL GROUP BY shop_id HAVING lost > 0"
                ).fetchall()
                rows += [
                    {"name": f"{EMPTY}{table}:{column}:{shop}", "records": count, "meaning": column}
                    for shop, count in empty
                ]
        told = {row["name"] for row in rows}
        renamed = _renamed(database, loader.home.warehouse)
        rows += [row for row in renamed if row["meaning"] or row["name"] not in told]
    loader.write_ops("findings", rows)


def _renamed(database: duckdb.DuckDBPyConnection, published: Path) -> Iterator[dict[str, Any]]:
    """What rows call otherwise since the last sync, and what the last build found so."""
    known = [
        Renamed(table, field, shop, meaning)
        for name, meaning in database.execute(
            "SELECT name, meaning FROM ops.findings WHERE starts_with(name, ?)", [EMPTY]
        ).fetchall()
        for _, table, field, shop in (name.split(":", 3),)
        if meaning != field
    ]
    for one in find_renamed(database, published, known):
        name = f"{EMPTY}{one.table}:{one.field}:{one.shop}"
        yield {"name": name, "records": one.rows, "meaning": one.unknown}


def _of_fields(table: str, shop: str, names: Sequence[str]) -> dict[str, Any]:
    told = ", ".join(f"'{name}'" for name in names[:_NAMED_IN_WORDS])
    more = ", ..." if len(names) > _NAMED_IN_WORDS else ""
    words = f"custom field(s) that {table} show and no list names: {told}{more}"
    if table == "tickets":
        words += " (name their category in sources.repair_shop.custom_field_categories)"
    return {"name": f"{_FIELDS}{table}:{shop}", "records": len(names), "meaning": words}


def unnamed_fields(warehouse: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Shop, and what the last build found of its custom fields."""
    return warehouse.execute(
        "SELECT split_part(name, ':', 3), records || ' ' || meaning FROM ops.findings "
        "WHERE starts_with(name, ?) ORDER BY name",
        [_FIELDS],
    ).fetchall()


def read_findings(warehouse: duckdb.DuckDBPyConnection) -> list[str]:
    """What the published warehouse has to say of itself; empty for one of an older version."""
    told: list[str] = []
    try:
        told += [
            f"{records:,} {meaning}"
            for records, meaning in warehouse.execute(
                # Several homes may tell a server the same of their own shops.
                "SELECT CAST(sum(records) AS BIGINT) AS found, meaning FROM ops.findings "
                "WHERE NOT starts_with(name, ?) GROUP BY meaning ORDER BY found DESC",
                [EMPTY],
            ).fetchall()
        ]
        values, fields = warehouse.execute(
            "SELECT count(*), count(DISTINCT (table_name, column_name)) FROM ops.unreadable"
        ).fetchall()[0]
    except duckdb.CatalogException:
        return told
    if values:
        told.append(f"{values:,} values of {fields} fields could not be read (ops.unreadable)")
    return told
