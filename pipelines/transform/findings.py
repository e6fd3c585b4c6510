"""What a build found in the service's data that stops no report, but that a reader must know.

Data flow: tests of the models that only warn, and custom fields that no list names ->
``ops.findings`` -> ``status``, ``doctor``; and what nobody could read, from ``ops.unreadable``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

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


_WITH_FIELDS = ("tickets", "customers", "leads", "products")
"""Types of records that have custom fields (specification, GET /customFields/{type})."""
_NAMED_IN_WORDS = 3
_SHOWN = """
    WITH shown AS (
        SELECT shop_id, TRY_CAST(custom_fields AS JSON) AS fields
        FROM raw."{table}" WHERE _deleted_at IS NULL
    ), named AS (
        SELECT shop_id, unnest(json_keys(fields)) AS name FROM shown
        WHERE json_type(fields) = 'OBJECT'
        UNION ALL
        SELECT shop_id, coalesce(one ->> 'label', one ->> 'name', one ->> 'title', one ->> 'id')
        FROM (
            SELECT shop_id, unnest(CAST(fields AS JSON[])) AS one FROM shown
            WHERE json_type(fields) = 'ARRAY'
        )
    )
    SELECT DISTINCT shop_id, name FROM named WHERE name <> '' ORDER BY ALL
"""


@dataclass(frozen=True)
class UnnamedFields:
    """Custom fields that records of a shop show and that no list of custom fields names."""

    shop: str
    table: str
    names: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """The words for a reader, after their number."""
        told = ", ".join(f"'{name}'" for name in self.names[:_NAMED_IN_WORDS])
        more = ", ..." if len(self.names) > _NAMED_IN_WORDS else ""
        words = f"custom field(s) that {self.table} show and no list names: {told}{more}"
        if self.table != "tickets":
            return words
        return f"{words} (name their category in sources.repair_shop.custom_field_categories)"

    @property
    def name(self) -> str:
        """Its name in ``ops.findings``."""
        return f"custom_fields:{self.table}:{self.shop}"


def unnamed_fields(warehouse: duckdb.DuckDBPyConnection) -> list[UnnamedFields]:
    """Custom fields of live records that the lists of custom fields lack, by shop and type.

    A field may be called by name, label or id, in any spelling.
    """
    columns = warehouse.execute(
        "SELECT table_name FROM information_schema.columns "
        "WHERE table_schema = 'raw' AND column_name = 'custom_fields'"
    ).fetchall()
    tables = [table for table in _WITH_FIELDS if (table,) in columns]
    return [one for table in tables for one in _unnamed(warehouse, table)]


def _unnamed(warehouse: duckdb.DuckDBPyConnection, table: str) -> Iterator[UnnamedFields]:
    shown: dict[str, list[str]] = {}
    for shop, name in warehouse.execute(_SHOWN.format(table=table)).fetchall():
        shown.setdefault(shop, []).append(name)
    for shop, names in shown.items():
        listed = warehouse.execute(
            "SELECT id, name, label FROM raw.custom_fields "
            "WHERE shop_id = ? AND type = ? AND _deleted_at IS NULL",
            [shop, table],
        ).fetchall()
        known = {_plain(value) for row in listed for value in row if value}
        left = [name for name in names if not known & {_plain(name), _number_of(name)}]
        if left:
            yield UnnamedFields(shop, table, tuple(left))


def _plain(name: str) -> str:
    """A name without spelling: small letters and digits."""
    return re.sub(r"[\W_]", "", name.casefold())


def _number_of(name: str) -> str | None:
    """The id in a name such as ``custom_field_12``."""
    found = re.search(r"[0-9]+$", name)
    return found[0] if found else None


def write_findings(
    loader: Loader, found: Mapping[str, int], unnamed: Sequence[UnnamedFields] = ()
) -> None:
    """Keep what a build found."""
    rows = [
        {"name": name, "records": records, "meaning": MEANINGS.get(name, f"rows of {name}")}
        for name, records in sorted(found.items())
    ]
    rows += [
        {"name": one.name, "records": len(one.names), "meaning": one.meaning} for one in unnamed
    ]
    loader.write_ops("findings", rows)


def read_findings(warehouse: duckdb.DuckDBPyConnection) -> list[str]:
    """What the published warehouse has to say of itself; empty for one of an older version."""
    told: list[str] = []
    try:
        told += [
            f"{records:,} {meaning}"
            for records, meaning in warehouse.execute(
                # Several homes may tell a server the same of their own shops.
                "SELECT CAST(sum(records) AS BIGINT) AS found, meaning FROM ops.findings "
                "GROUP BY meaning ORDER BY found DESC"
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
