"""From the change log into the warehouse: which lists changed, and what to do when a load fails.

Loads may be repeated: how far the warehouse has read the log is committed with its rows. What the
file notes of it beside (``ops.meta``) spares looking where nothing changed. A load that fails is
halved until the row is found that makes it fail; that one is told as text, in ``_unreadable``.
"""

import json
from bisect import bisect
from collections.abc import Sequence

from pipelines.load.loader import Loader
from sources.repair_shop.change_log import ChangeLog, Offsets
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.settings import ShopSettings

WAREHOUSE = "warehouse"
"""Note of the ledger: what the warehouse's file says that it holds."""


class Feed:
    """Brings a warehouse up to date with a ledger.

    ``at``: how far it is, by shop, as its file says: dlt's own state is never behind that.
    """

    def __init__(
        self, ledger: Ledger, loader: Loader, shops: Sequence[ShopSettings], at: Offsets
    ) -> None:
        self._ledger, self._loader = ledger, loader
        self.log = ChangeLog(ledger, shops)
        self.at = at
        self.batch = 150_000
        """Changes that are loaded at a time, some fifteen seconds of work: fewer loads are less
        work, and memory does not hang on it."""
        self._begins = True
        self.rows = 0
        self.new_columns: set[str] = set()

    def load_waiting(self) -> None:
        """Load everything that changed.

        Rows of a shop that is no longer configured wait until it is again. Raises what is not one
        row's fault: a disk, a file or a library that cannot be used.
        """
        lacking = self._loader.lacking() if self._begins else []
        self._begins = False
        end = self.log.end()
        while True:
            first = min(self.log.advanced(self.at, 0).values(), default=end)
            until = min(end, first + self.batch)
            tables = self.log.changed(self.at) if until > first else []
            if tables or lacking:
                self._load(list(dict.fromkeys([*tables, *lacking])), until)
                lacking = []
            if until > first:
                self.at = self.log.advanced(self.at, until)
            if tables:
                self._note()
            if until >= end:
                return

    @property
    def is_full(self) -> bool:
        """Whether enough waits for a load."""
        behind = min(self.log.advanced(self.at, 0).values(), default=0)
        return self.log.end() - behind >= self.batch

    def _note(self) -> None:
        said = json.dumps({"token": self.log.token(), "at": self.at}, sort_keys=True)
        self._loader.note(loaded=said)
        self._ledger.set_value("", WAREHOUSE, said)

    # -- loads that fail ------------------------------------------------------------------------

    def _load(self, tables: Sequence[str], end: int) -> None:
        if error := self._fault(tables, end):
            for table in tables:
                self._load_list(table, end, error)

    def _load_list(self, table: str, end: int, error: Exception) -> None:
        """Load a list up to ``end``; rows that make it fail are told as text."""
        while self._fault([table], end):
            rows = sorted(self.log.rows(table, self.at, end))
            first = bisect(rows[:-1], False, key=lambda row: bool(self._fault([table], row.seq)))
            before = rows[first].seq - 1 if rows else end
            if not rows or rows[first].is_refused or self._fault([table], before):
                raise error  # it is not a row that is at fault
            self._ledger.refuse_row(*rows[first][1:4])
            end = max(end, self.log.end())

    def _fault(self, tables: Sequence[str], end: int) -> Exception | None:
        """Load lists; what some row of them may be at fault of, else it is raised."""
        try:
            rows, new_columns = self._loader.load(self.log, tables, end)
        except Exception as error:
            if getattr(error, "exit_code", 1) != 1:
                raise
            return error
        self.rows += rows
        self.new_columns.update(new_columns)
        return None
