"""From the ledger into the warehouse: which lists have news, and what to do when a load fails.

Loads may be repeated: how far the warehouse has read the log is committed with its rows. What the
ledger notes of it (``pages.loaded_at`` and a watermark) is a hint that spares looking where nothing
waits. A load that fails is halved until the page is found that makes it fail; that one is set aside
(:mod:`sources.repair_shop.ledger.aside`), all others are loaded.
"""

from collections.abc import Sequence
from pathlib import Path

from pipelines.load.loader import Loader
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import first_line
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.ledger.aside import forget_aside, set_aside, try_again
from sources.repair_shop.log import Log, Offset

BATCH_ROWS = 150_000
"""Rows of one load, some fifteen seconds of work: fewer loads are less work, and memory does not
hang on it (pages become tables some at a time, and DuckDB has its bound)."""
_FULL_PAGES = 3_000
"""Pages from which a load does not wait for its time."""
_ALL_FAIL = 5
"""More pages than this that fail, and none that loads: then it is not the pages' fault."""
_TOMBSTONES = "tombstones"
"""Key of the watermark: the last deletion that the warehouse has."""


class Feed:
    """Brings a warehouse up to date with a ledger."""

    def __init__(
        self,
        ledger: Ledger,
        loader: Loader,
        shops: Sequence[ShopSettings],
        warehouse: Path | None = None,
    ) -> None:
        self._ledger, self._loader = ledger, loader
        self._shops = tuple(shop.name for shop in shops)
        self.log = Log(ledger, shops, warehouse)
        self._begins = True
        self.rows = 0
        self.new_columns: set[str] = set()

    def load_waiting(self) -> int:
        """Load everything that waits, oldest answer first; the number of pages.

        Pages of a shop that is no longer configured wait until it is again. Raises what is not
        one page's fault: a disk, a file or a library that cannot be used.
        """
        lacking: list[str] = []
        if self._begins:
            try_again(self._ledger)
            lacking = self._loader.lacking()
            self._begins = False
        loaded = 0
        while True:
            end = self.log.end()
            seqs, more = self._ledger.waiting(BATCH_ROWS, self._shops)
            if more:
                end = Offset(seqs[-1], end.tombstone)
            gone = self.log.lists_with_tombstones(int(self._ledger.value("", _TOMBSTONES) or 0))
            waiting = self.log.lists_with_rows(seqs)
            tables = dict.fromkeys([*waiting, *gone, *lacking])
            if tables:
                self._load(list(tables), waiting, end)
            self._ledger.mark_loaded(end.page, self._shops)
            if gone:
                self._ledger.set_value("", _TOMBSTONES, str(end.tombstone))
            loaded, lacking = loaded + len(seqs), []
            if not more:
                return loaded

    @property
    def is_full(self) -> bool:
        """Whether enough waits for a load."""
        return self._ledger.waiting_count(self._shops) >= _FULL_PAGES

    def start_over(self) -> None:
        """Believe nothing of what the ledger notes of the warehouse: look at every list again.

        Lists of which the warehouse lacks rows that are kept nowhere are asked for again.
        """
        self._ledger.mark_waiting()
        self._ledger.set_value("", _TOMBSTONES, "0")

    # -- loads that fail ------------------------------------------------------------------------

    def _load(self, tables: Sequence[str], waiting: dict[str, list[int]], end: Offset) -> None:
        try:
            self._load_up_to(tables, end)
        except Exception as error:
            if getattr(error, "exit_code", 1) != 1:
                raise
            refused: list[int] = []
            loaded = [self._load_list(t, waiting.get(t, []), end, refused) for t in tables]
            if not any(loaded) and len(refused) > _ALL_FAIL:
                forget_aside(self._ledger, refused)
                raise  # it is not the pages that are at fault

    def _load_list(self, table: str, seqs: Sequence[int], end: Offset, refused: list[int]) -> bool:
        """Load a list up to ``end``, setting aside pages that make it fail; whether any loaded."""
        try:
            self._load_up_to([table], end)
        except Exception as error:
            if getattr(error, "exit_code", 1) != 1 or not seqs:
                raise
            if len(seqs) == 1:
                (page,) = self._ledger.stored_pages(seqs)
                set_aside(self._ledger, page, first_line(error))
                refused.append(page.seq)
                return False
            middle = len(seqs) // 2
            until = Offset(seqs[middle - 1], end.tombstone)
            first = self._load_list(table, seqs[:middle], until, refused)
            return self._load_list(table, seqs[middle:], end, refused) or first
        return True

    def _load_up_to(self, tables: Sequence[str], end: Offset) -> None:
        outcome = self._loader.load(self.log, tables, end)
        self.rows += outcome.total
        self.new_columns.update(outcome.new_columns)
