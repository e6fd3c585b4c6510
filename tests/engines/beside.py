"""A home and a place beside its warehouse: a database of PostgreSQL, or files."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.destinations.build import build_there, own_figures
from pipelines.destinations.load import Destination, destination
from pipelines.load.pairing import BUILT
from pipelines.sync.session import made_of
from pipelines.transform import models
from tests.engines.postgres import do
from tests.ledgers import LoadedHome


@dataclass
class Beside(LoadedHome):
    """``name`` is dlt's of the place, ``address`` where it is."""

    name: str = "company"
    address: str = ""

    def there(self) -> AbstractContextManager[Destination]:
        """The place, as a sync opens it."""
        return destination(self.home, self.ledger, self.name)

    def give(self) -> int:
        """Load there what was loaded here; how many rows it took."""
        with self.there() as there:
            return there.load(self.feed.log, ["main"])

    def night(self, project: Path | None = None) -> None:
        """What a sync does once its rows are loaded here: models, and rows and models there."""
        home = self.home
        models.build(home.build_warehouse, home=home.path, shops=self.shops, project=project)
        self.ledger.set_value("", BUILT, made_of(self.ledger, home, self.shops, project))
        with self.there() as there:
            there.load(self.feed.log, ["main"], figures=own_figures(home, project))
            assert build_there(there, project)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """What the database there answers, which is what the file here answers."""
        rows = do(self.address, sql)
        assert rows == self.query(sql)
        return rows


def invoice(id: str, amount: str, lines: int = 0, **more: Any) -> dict[str, Any]:
    """An invoice with so many lines, of January 2026 unless ``createdDate`` says otherwise."""
    given = {"status": "Paid", "createdDate": "2026-01-05T10:00:00-06:00"} | more
    return {"id": id, "amountTotal": amount, "lines": [{"total": n} for n in range(lines)]} | given
