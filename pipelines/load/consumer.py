"""From the ledger into the warehouse: stored answers -> cleaned rows -> the loader.

Replays are harmless: pages are marked as loaded after the load is on disk, and merging the same
rows again changes nothing. A row that is as it was when it was last answered is in the warehouse,
or in a page that waits before it, and is not loaded again, except by a full read: that one is asked
for when the warehouse shall be made anew from what the service says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pipelines.load.loader import Loader
from sources.repair_shop.http.answers import detail_of, parse_json, rows_of
from sources.repair_shop.ledger import Ledger, StoredPage
from sources.repair_shop.schema.clean import clean_row
from sources.repair_shop.settings import ShopSettings

BATCH_PAGES = 400
"""Pages of one load: some 20,000 rows, a few seconds of work."""


class Feed:
    """Moves pages and deletions from a ledger into a loader."""

    def __init__(self, ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings]) -> None:
        self._ledger, self._loader = ledger, loader
        self._zones = {shop.name: shop.zone for shop in shops}
        self.rows = 0
        self.new_columns: set[str] = set()

    def load_waiting(self) -> int:
        """Load every page that waits, oldest answer first; the number of pages loaded.

        Pages of a shop that is no longer configured wait until it is again.
        """
        loaded = 0
        while pages := self._ledger.waiting(BATCH_PAGES, tuple(self._zones)):
            batches: dict[str, list[dict[str, Any]]] = {}
            for page in pages:
                table = page.resource.partition(":")[0]
                batches.setdefault(table, []).extend(self._rows(page, table))
            outcome = self._loader.load(batches)
            self.rows += outcome.total
            self.new_columns.update(outcome.new_columns)
            self._ledger.mark_loaded(pages)
            loaded += len(pages)
        return loaded

    @property
    def is_full(self) -> bool:
        """Whether enough waits for a load."""
        return self._ledger.waiting_count(tuple(self._zones)) >= BATCH_PAGES

    def apply_deletions(self) -> int:
        """Carry the marks of vanished rows into the warehouse; the number of rows marked."""
        rows = self._ledger.query(
            "SELECT shop, resource, at, id FROM deletions WHERE NOT applied ORDER BY 1, 2, 3"
        )
        groups: dict[tuple[str, str, str], list[str]] = {}
        for shop, resource, at, identity in rows:
            groups.setdefault((shop, resource, at), []).append(identity)
        for (shop, resource, at), ids in groups.items():
            table, _, variant = resource.partition(":")
            self._loader.mark_deleted(
                table, shop, ids, datetime.fromisoformat(at), variant=variant or None
            )
            self._ledger.execute(
                "UPDATE deletions SET applied=1 WHERE shop=? AND resource=? AND id=?",
                [(shop, resource, identity) for identity in ids],
            )
        return len(rows)

    def _rows(self, page: StoredPage, table: str) -> Iterable[dict[str, Any]]:
        payload = parse_json(page.body)
        path = page.request.partition("?")[0]
        if page.spec.get("detail") or self._is_detail(page):
            rows = [detail_of(payload, path)]
        else:
            rows = rows_of(payload, path)
        variant: Mapping[str, str] = page.spec.get("variant", {})
        extra = {"_seen_at": page.answered_at, "_seq": page.seq, **variant}
        zone = self._zones[page.shop]
        if page.kind != "full" and len(page.fresh) == len(rows):
            rows = [row for row, fresh in zip(rows, page.fresh, strict=True) if fresh]
        return [clean_row(r, table, shop_id=page.shop, zone=zone, extra=extra) for r in rows]

    @staticmethod
    def _is_detail(page: StoredPage) -> bool:
        return "?" not in page.request
