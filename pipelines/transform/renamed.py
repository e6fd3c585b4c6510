"""Fields that rows say no more since the last sync, or by a name that nobody knows.

Rows that were read since say nothing of the field, so figures go wrong without a word: tickets
without their status are all open. Data flow: ``raw`` as it is now, and as it was published -> what
was found. It stands while rows have the unknown name; without one, until a row that is read has the
field.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import duckdb

from pipelines.json_file import copy_file
from pipelines.load.tables import columns_of, quoted

_LINES = "product product_code quantity unit_price total"
_SALE = "created_date amount_total status customer lines payments"
FIELDS: Mapping[str, str] = {
    "customers": "name",
    "payments": "date amount payment_method invoice pos",
    "pos_orders": _SALE,
    "pos_orders__lines": _LINES,
    "products": "code name",
    "purchase_orders": "created_date received_date status cost shipping_cost supplier lines",
    "purchase_orders__lines": _LINES,
    "ticket_invoices": f"{_SALE} ticket",
    "ticket_invoices__lines": _LINES,
    "tickets": "created_date status customer technician",
}
"""Table -> columns, references and nested lists that figures are made of."""
_FEW = 3
"""So many rows do not lose a field by chance in a night in which no row that is read has it."""
_PUBLISHED = "published"
_COMPARED = {"_deleted_at", "_dlt_id", "_seq"}
"""Columns of a list by which its rows are compared; a file that is not ours lacks them."""
_SCHEMAS = {"now": "raw", "was": f"{_PUBLISHED}.raw"}
Held = Mapping[str, set[str]]


class Renamed(NamedTuple):
    """A field that rows say no more, and how many rows do not.

    ``unknown``: the field that they say instead; empty if none came.
    """

    table: str
    field: str
    shop: str
    unknown: str
    rows: int = 0


def find_renamed(
    database: duckdb.DuckDBPyConnection, published: Path, known: Sequence[Renamed] = ()
) -> list[Renamed]:
    """Those since ``published``, and those ``known`` before that stand. A row that says both fields
    shows that the one is not the other."""
    held, before = columns_of(database, "raw"), dict[str, set[str]]()
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
    counted = []
    for one in dict.fromkeys(one._replace(rows=0) for one in found):
        if not one.unknown or one.unknown in held.get(one.table, ()):
            says = _says(one.field, "now", one.table, held)
            which = f"{quoted(one.unknown)} NOTNULL" if one.unknown else f"NOT {says}"
            sql = (
                f"SELECT count(*), count_if({says}) FROM raw.{one.table} AS now "  # noqa: S608 - names are declared or quoted
                f"WHERE shop_id = $shop AND {which}"
            )
            [(rows, both)] = database.execute(sql, {"shop": one.shop}).fetchall()
            counted += [one._replace(rows=rows)] if rows and not both else []
    return counted


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
