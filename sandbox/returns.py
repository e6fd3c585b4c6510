"""Returns kept once more as rows of their own, because the reports add them up by day."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from sandbox.values import cents


def write(
    connection: sqlite3.Connection, shop: str, resource: str, document: Mapping[str, Any]
) -> None:
    """Replace the return rows of one invoice or order."""
    given = document.get("returns") or []
    document_id = str(document["id"])
    connection.execute(
        "DELETE FROM returns WHERE shop = ? AND document_id = ?", (shop, document_id)
    )
    connection.executemany(
        "INSERT INTO returns VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                shop,
                document_id,
                resource,
                str(one["created_date"])[:10],
                str(document.get("created_date"))[:10],
                cents(one["amount"]),
                sum(cents(line.get("tax")) for line in one.get("lines") or []),
            )
            for one in given
        ],
    )
