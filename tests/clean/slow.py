"""The slow way from pages to tables, value by value: what the fast one must come to."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from sources.repair_shop.ledger import StoredPage
from sources.repair_shop.schema.arrow import rows_of_page
from sources.repair_shop.schema.clean import clean_level, made_up_id, noted_text, row_id
from sources.repair_shop.schema.endpoints import TABLES
from sources.repair_shop.schema.values import to_text

Rows = list[dict[str, Any]]


def slow_rows(pages: Iterable[StoredPage], zones: Mapping[str, ZoneInfo]) -> dict[str, Rows]:
    """Table or nested list -> rows without their nulls, in the order of their ``_dlt_id``."""
    tops: dict[str, dict[str, dict[str, Any]]] = {}
    for page in pages:
        table = page.resource.partition(":")[0]
        variant = page.spec.get("variant", {})
        own = {"shop_id": page.shop, "_seen_at": page.answered_at, "_seq": page.seq, **variant}
        for row in rows_of_page(page):
            clean = slow_row(row, table, own, zones[page.shop])
            clean["_dlt_id"] = ":".join((page.shop, *variant.values(), clean["id"]))
            tops.setdefault(table, {})[clean["_dlt_id"]] = clean
    found: dict[str, Rows] = {}
    for table, rows in tops.items():
        for row in rows.values():
            _take(row, table, row["_dlt_id"], found)
    return without_nulls(found)


def slow_row(
    row: Mapping[Any, Any], table: str, own: Mapping[str, Any], zone: ZoneInfo
) -> dict[str, Any]:
    """One row with our ``own`` columns; what it says itself under such a name is noted."""
    out, identity = clean_level(row, TABLES[table], zone), row_id(row, table) or made_up_id(row)
    stack = [(out, {"id": identity, "_deleted_at": None, **own})]
    for level, columns in stack:
        said = {
            name: to_text(level[name])
            for name, value in columns.items()
            if level.get(name) is not None and to_text(level[name]).strip() != to_text(value)
        }
        if level is out and row_id(row, table) is None:
            said = {"id": "(the service gave none)"} | said
        level["_unreadable"] = noted_text(json.loads(level["_unreadable"] or "{}") | said)
        parent = {"shop_id": own["shop_id"], "parent_id": identity}
        lists = [value for value in level.values() if isinstance(value, list)]
        stack.extend((child, parent) for children in lists for child in children)
        level |= columns
    return out


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
