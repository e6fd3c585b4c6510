"""From the ledger into the warehouse: stored answers -> cleaned rows -> the loader.

Replays are harmless: pages are marked as loaded after the load is on disk, and merging the same
rows again changes nothing. A row that is as it was when it was last answered is in the warehouse,
or in a page that waits before it, and is not loaded again, except by a full read: that one is asked
for when the warehouse shall be made anew from what the service says.

A load that fails is halved until the page is found that makes it fail. That one is set aside
(:mod:`sources.repair_shop.ledger.aside`), all others are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pipelines.load.errors import first_line
from pipelines.load.loader import Loader
from sources.repair_shop.http.answers import detail_of, parse_json, rows_of
from sources.repair_shop.ledger import Ledger, StoredPage
from sources.repair_shop.ledger.aside import set_aside, taken, try_again
from sources.repair_shop.schema.clean import clean_row
from sources.repair_shop.settings import ShopSettings

BATCH_PAGES = 400
"""Pages of one load: some 20,000 rows, a few seconds of work."""
_ALL_FAIL = 5
"""More pages than this that fail, and none that loads: then it is not the pages' fault."""


_Cleaned = tuple[StoredPage, list[dict[str, Any]]]


class Feed:
    """Moves pages and deletions from a ledger into a loader."""

    def __init__(self, ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings]) -> None:
        self._ledger, self._loader = ledger, loader
        self._zones = {shop.name: shop.zone for shop in shops}
        self._begins = True
        self.rows = 0
        self.new_columns: set[str] = set()

    def load_waiting(self) -> int:
        """Load every page that waits, oldest answer first; the number of pages loaded.

        Pages of a shop that is no longer configured wait until it is again. Raises what is not
        one page's fault: a disk, a file or a library that cannot be used.
        """
        if self._begins:
            try_again(self._ledger)
            self._begins = False
        loaded = 0
        while pages := self._ledger.waiting(BATCH_PAGES, tuple(self._zones)):
            cleaned: list[_Cleaned] = []
            for page in pages:
                try:
                    cleaned.append((page, self._rows(page)))
                except Exception as error:  # noqa: BLE001 - whatever it is, it is this page's
                    set_aside(self._ledger, page, first_line(error))
            loaded += self._load(cleaned)
        return loaded

    def _load(self, cleaned: Sequence[_Cleaned]) -> int:
        """Load pages, all but those that cannot be; the number of pages loaded."""
        try:
            return self._load_whole(cleaned)
        except Exception as error:
            if getattr(error, "exit_code", 1) != 1:
                raise
            lists: dict[str, list[_Cleaned]] = {}
            for item in cleaned:
                lists.setdefault(item[0].resource, []).append(item)
            refused: list[tuple[StoredPage, str]] = []
            loaded = sum(self._load_halves(items, refused) for items in lists.values())
            if not loaded and len(refused) > _ALL_FAIL:
                raise  # it is not the pages that are at fault
            for page, reason in refused:
                set_aside(self._ledger, page, reason)
            return loaded

    def _load_halves(
        self, cleaned: Sequence[_Cleaned], refused: list[tuple[StoredPage, str]]
    ) -> int:
        """Load a list's pages, halving what fails; what cannot be loaded goes to ``refused``."""
        try:
            return self._load_whole(cleaned)
        except Exception as error:
            if getattr(error, "exit_code", 1) != 1:
                raise
            if len(cleaned) == 1:
                refused.append((cleaned[0][0], first_line(error)))
                return 0
            middle = len(cleaned) // 2
            return self._load_halves(cleaned[:middle], refused) + self._load_halves(
                cleaned[middle:], refused
            )

    def _load_whole(self, cleaned: Sequence[_Cleaned]) -> int:
        if not cleaned:
            return 0
        batches: dict[str, list[dict[str, Any]]] = {}
        for page, rows in cleaned:
            batches.setdefault(page.resource.partition(":")[0], []).extend(rows)
        outcome = self._loader.load(batches)
        self.rows += outcome.total
        self.new_columns.update(outcome.new_columns)
        pages = [page for page, _ in cleaned]
        self._ledger.mark_loaded(pages)
        taken(self._ledger, pages)
        return len(pages)

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

    def _rows(self, page: StoredPage) -> list[dict[str, Any]]:
        table = page.resource.partition(":")[0]
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
