"""What a build found in the service's data that stops no report, but that a reader must know.

Data flow: tests of the models that only warn, and custom fields that no list names ->
``ops.findings`` -> ``status``, ``doctor``; and what nobody could read, from ``ops.unreadable``.

Also fields that rows say no more since the last sync, or by a name that nobody knows. Rows that
were read since say nothing of the field, so figures go wrong without a word: tickets without their
status are all open. ``raw`` as it is now is held against what was published. What was found stands
while rows have the unknown name; without one, until a row that is read has the field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from pipelines.json_file import copy_file
from pipelines.load.tables import columns_of, quoted
from pipelines.settings import ShopSettings
from pipelines.transform.statuses import misnamed

if TYPE_CHECKING:
    from pipelines.load.loader import Loader

MEANINGS = {
    "unknown_days_and_amounts": "records without a day or an amount count in no report",
    "lines_add_up_to_their_document": "documents whose lines do not add up to their total",
    "tickets_come_to_an_end": "shop(s) whose old tickets are nearly all open: their statuses are "
    "not understood (ops.statuses; set done_statuses)",
    "taxes_are_amounts": "shop(s) whose documents, or the lines of them, do not say tax as an "
    "amount: tax, net or margin are wrong",
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
NONE = "id"
"""Column of such a finding of a list that shows no row, though rows of others name one."""
_NAMED_BY = {
    "customers": "tickets.customer__id ticket_invoices.customer__id pos_orders.customer__id",
    "issue_types": "tickets.issue_type__id",
    "payments": "ticket_invoices__payments.id pos_orders__payments.id",
    "products": "stock.product__id",
    "suppliers": "purchase_orders.supplier__id",
    "tickets": "ticket_invoices.ticket__id",
    "users": "tickets.technician__id",
}
_LOST = "amount <> 0 OR json_exists(_unreadable, 'amount')"
"""What a payment without a day or amount takes out of all reports; of documents the comparison
with the service's own report tells."""
_WITH_FIELDS = ("tickets", "customers", "leads", "products")
"""Types of records that have custom fields (specification, GET /customFields/{type})."""
_FIELDS = "custom_fields:"
"""Begins the name of a finding of custom fields; their type and shop follow."""
_SETTING = "setting:"
"""Begins the name of a finding of a setting; the setting and its shop follow."""
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
_LINES = "product product_code quantity unit_price tax total"
_SALE = "created_date amount_total status customer lines payments"
FIELDS: Mapping[str, str] = {
    "customers": "name",
    "expenses": "amount category",
    "payments": "date amount payment_method invoice pos",
    "pos_orders": _SALE,
    "pos_orders__lines": _LINES,
    "products": "code name stock prices__cost_price prices__retail_price",
    "purchase_orders": "created_date received_date status cost shipping_cost supplier lines",
    "purchase_orders__lines": _LINES,
    "stock": "product quantity",
    "ticket_invoices": f"{_SALE} ticket",
    "ticket_invoices__lines": _LINES,
    "tickets": "created_date status customer technician issue_type",
}
"""Table -> columns, references and nested lists that figures are made of."""
_FEW = 3
"""So many rows do not lose a field by chance in a night in which no row that is read has it."""
_PUBLISHED = "published"
_COMPARED = {"_deleted_at", "_dlt_id", "_seq"}
"""Columns of a list by which its rows are compared; a file that is not ours lacks them."""
_SCHEMAS = {"now": "raw", "was": f"{_PUBLISHED}.raw"}
Held = Mapping[str, set[str]]


def write_findings(
    loader: Loader,
    found: Mapping[str, int],
    proven: Collection[tuple[str, str]] = (),
    shops: Sequence[ShopSettings] = (),
) -> None:
    """Keep what tests of a build found, and columns that reports need and no row fills. Custom
    fields of live records that no list of custom fields names are kept, too, once that list is
    among the ``proven`` (shop, list). A field may be called by name, label or id, in any spelling.
    So are statuses that the settings of ``shops`` name and no list or ticket does.
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
                rows += [
                    _of_fields(table, shop, names)
                    for shop, names in unnamed
                    if (shop, f"{_FIELDS}{table}") in proven
                ]
        rows += [
            {"name": f"{_SETTING}{setting}:{shop}", "records": len(names), "meaning": words}
            for shop, setting, names in misnamed(database, shops)
            for words in [f"name(s) in {setting} that no status of the shop bears: {_told(names)}"]
            if (shop, "statuses") in proven
        ]
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
        for table, names in _NAMED_BY.items():
            for shop, count in _named(database, held, table, names.split()):
                if (shop, table) in proven:  # what was not read is told as such
                    name = f"{EMPTY}{table}:{NONE}:{shop}"
                    rows.append({"name": name, "records": count, "meaning": NONE})
        told = {row["name"] for row in rows}
        renamed = _renamed(database, loader.home.warehouse)
        rows += [row for row in renamed if row["meaning"] or row["name"] not in told]
        loader.write_ops("findings", rows)


def _named(
    database: duckdb.DuckDBPyConnection, held: Held, table: str, names: Sequence[str]
) -> list[tuple[str, int]]:
    """Shops that never showed a row of a table of which others name several, and how many do. One
    alone, such as the customer of all sales without one, may be nobody."""
    naming = [
        f"SELECT shop_id, {column} AS id FROM raw.{child} WHERE {column} NOTNULL"  # noqa: S608 - declared names
        for child, _, column in (name.partition(".") for name in names)
        if column in held.get(child, ())
    ]
    if not naming or table not in held:
        return []
    return database.execute(
        f"SELECT shop_id, count(*) FROM ({' UNION ALL '.join(naming)}) "  # noqa: S608 - declared names
        f"WHERE shop_id NOT IN (SELECT shop_id FROM raw.{table}) "
        f"GROUP BY 1 HAVING count(DISTINCT id) >= {_FEW} ORDER BY 1"
    ).fetchall()


def _of_fields(table: str, shop: str, names: Sequence[str]) -> dict[str, Any]:
    words = f"custom field(s) that {table} show and no list names: {_told(names)}"
    if table == "tickets":
        words += " (name their category in sources.repair_shop.custom_field_categories)"
    return {"name": f"{_FIELDS}{table}:{shop}", "records": len(names), "meaning": words}


def _told(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _NAMED_IN_WORDS else ""
    return ", ".join(f"'{name}'" for name in names[:_NAMED_IN_WORDS]) + more


def unnamed(warehouse: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Shop, and what the last build found of its custom fields, and of statuses in its settings."""
    return warehouse.execute(
        "SELECT split_part(name, ':', 3), records || ' ' || meaning FROM ops.findings "
        "WHERE starts_with(name, ?) OR starts_with(name, ?) ORDER BY name",
        [_FIELDS, _SETTING],
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


class Renamed(NamedTuple):
    """A field that rows of a shop say no more, and the ``unknown`` one that they say instead; empty
    if none came."""

    table: str
    field: str
    shop: str
    unknown: str


def _renamed(database: duckdb.DuckDBPyConnection, published: Path) -> Iterator[dict[str, Any]]:
    """What rows call otherwise since ``published``, and what stands of what the last build found
    so. A row that says both fields shows that the one is not the other."""
    held, before = columns_of(database, "raw"), dict[str, set[str]]()
    known = [
        Renamed(table, field, shop, meaning)
        for name, meaning in database.execute(
            "SELECT name, meaning FROM ops.findings WHERE starts_with(name, ?)", [EMPTY]
        ).fetchall()
        for _, table, field, shop in (name.split(":", 3),)
        if meaning != field
    ]
    with NamedTemporaryFile(dir=published.parent, prefix=".", suffix=".tmp") as copy:
        try:
            with suppress(duckdb.Error, OSError):  # nothing is published yet
                try:
                    _attach(database, published)
                except duckdb.IOException:  # somebody has it open for writing
                    copy_file(published, copy)
                    _attach(database, Path(copy.name))
                before = columns_of(database, "raw", _PUBLISHED)
            lost, said = _since(database, held, before)
        finally:
            database.execute(f"DETACH DATABASE IF EXISTS {_PUBLISHED}")
    found = [one for one in known if one.unknown or one[:3] not in said] + lost
    for one in dict.fromkeys(found):
        if not one.unknown or one.unknown in held.get(one.table, ()):
            says = _says(one.field, "now", one.table, held)
            which = f"{quoted(one.unknown)} NOTNULL" if one.unknown else f"NOT {says}"
            sql = (
                f"SELECT count(*), count_if({says}) FROM raw.{one.table} AS now "  # noqa: S608 - names are declared or quoted
                f"WHERE shop_id = $shop AND {which}"
            )
            [(rows, both)] = database.execute(sql, {"shop": one.shop}).fetchall()
            if rows and not both:
                name = f"{EMPTY}{one.table}:{one.field}:{one.shop}"
                yield {"name": name, "records": rows, "meaning": one.unknown}


def _attach(database: duckdb.DuckDBPyConnection, file: Path) -> None:
    path = str(file).replace("'", "''")
    database.execute(f"ATTACH '{path}' AS {_PUBLISHED} (READ_ONLY)")


def _since(
    database: duckdb.DuckDBPyConnection, held: Held, before: Held
) -> tuple[list[Renamed], set[tuple[str, ...]]]:
    """Fields that rows said and that none that changed says, with one that came to most of them;
    and table, field and shop of those that a row that changed says."""
    gone, again = list[Renamed](), set[tuple[str, ...]]()
    for table, fields in FIELDS.items():
        top, _, nested = table.partition("__")
        others = sorted(n for n in held.get(table, set()) - _declared(table) if n[0] != "_")
        if table not in held or table not in before or not before.get(top, set()) >= _COMPARED:
            continue
        database.execute(
            # What is gone says what it said.
            "CREATE OR REPLACE TEMP TABLE changed AS "  # noqa: S608 - declared names
            f"SELECT _dlt_id FROM raw.{top} WHERE _deleted_at IS NULL "
            f"AND _seq > (SELECT coalesce(max(_seq), 0) FROM {_PUBLISHED}.raw.{top})"
        )
        of_them = f"WHERE {'_dlt_root_id' if nested else '_dlt_id'} IN (FROM changed)"
        counts = []
        for field in fields.split():
            now, was = _says(field, "now", table, held), _says(field, "was", table, before)
            came = "".join(
                f", count_if({was} AND now.{quoted(name)} NOTNULL"
                + (f" AND was.{quoted(name)} IS NULL)" if name in before[table] else ")")
                for name in others
            )
            counts.append(f"[count_if({was}), count_if({now}){came}]")
        sql = (
            f"SELECT now.shop_id, {', '.join(counts)} "  # noqa: S608 - names are declared or quoted
            f"FROM (FROM raw.{table} {of_them}) AS now "
            f"LEFT JOIN (FROM {_PUBLISHED}.raw.{table} {of_them}) AS was USING (_dlt_id) GROUP BY 1"
        )
        for shop, *counted in database.execute(sql).fetchall():
            for field, (lost, said, *times) in zip(fields.split(), counted, strict=True):
                most, unknown = max(zip(times, others, strict=True), default=(0, ""))
                unknown = unknown if 2 * most >= lost else ""
                if said:
                    again.add((table, field, shop))
                elif lost >= _FEW or (
                    lost and unknown and not _any(database, held, table, shop, field)
                ):
                    gone.append(Renamed(table, field, shop, unknown))
    return gone, again


def _any(
    database: duckdb.DuckDBPyConnection, held: Held, table: str, shop: str, field: str
) -> bool:
    says = _says(field, "now", table, held)
    sql = f"FROM raw.{table} AS now WHERE shop_id = $shop AND {says} LIMIT 1"
    return bool(database.execute(sql, {"shop": shop}).fetchall())


@cache
def _declared(table: str) -> set[str]:
    # A build asks; who looks at what was found waits for no tables.
    from sources.repair_shop.schema.arrow import empty_tables

    return set(empty_tables(table.partition("__")[0])[table].column_names)


def _says(field: str, row: str, table: str, held: Held) -> str:
    """Whether a row has a value in the column, in one of the reference's, or in the list."""
    if (nested := f"{table}__{field}") in held:
        rows = f"{_SCHEMAS[row]}.{nested} WHERE _dlt_list_idx >= 0"
        of_row = f"{row}._dlt_id IN (SELECT _dlt_parent_id FROM {rows})"  # noqa: S608 - declared names
        return f"coalesce({of_row}, false)"  # no row that came now was there before
    columns = _declared(table) & held[table]
    names = sorted(name for name in columns if name == field or name.startswith(f"{field}__"))
    return f"({' OR '.join(f'{row}.{name} NOTNULL' for name in names) or 'false'})"
