"""The slow way from pages to tables, value by value: what the fast one must come to."""

from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from sources.repair_shop.ledger import StoredPage
from sources.repair_shop.schema.arrow import rows_of_page
from sources.repair_shop.schema.clean import clean_row

Rows = list[dict[str, Any]]


def slow_rows(pages: Iterable[StoredPage], zones: Mapping[str, ZoneInfo]) -> dict[str, Rows]:
    """Table or nested list -> rows without their nulls, in the order of their ``_dlt_id``."""
    tops: dict[str, dict[str, dict[str, Any]]] = {}
    for page in pages:
        table = page.resource.partition(":")[0]
        variant = page.spec.get("variant", {})
        extra = {"_seen_at": page.answered_at, "_seq": page.seq, **variant}
        for row in rows_of_page(page):
            clean = clean_row(row, table, shop_id=page.shop, zone=zones[page.shop], extra=extra)
            clean["_dlt_id"] = ":".join((page.shop, *variant.values(), clean["id"]))
            tops.setdefault(table, {})[clean["_dlt_id"]] = clean
    found: dict[str, Rows] = {}
    for table, rows in tops.items():
        for row in rows.values():
            _take(row, table, row["_dlt_id"], found)
    return without_nulls(found)


def _take(row: dict[str, Any], name: str, root: str, into: dict[str, Rows]) -> None:
    into.setdefault(name, []).append(row)
    for field in [field for field, value in row.items() if isinstance(value, list)]:
        for place, child in enumerate(row.pop(field)):
            child |= {
                "_dlt_id": f"{row['_dlt_id']}:{place}",
                "_dlt_parent_id": row["_dlt_id"],
                "_dlt_root_id": root,
                "_dlt_list_idx": place,
            }
            _take(child, f"{name}__{field}", root, into)


def without_nulls(tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """Rows as they are compared."""
    return {
        name: sorted(
            ({n: v for n, v in row.items() if v is not None} for row in rows),
            key=lambda row: row["_dlt_id"],
        )
        for name, rows in tables.items()
        if rows
    }
