"""Answers put into a ledger by hand, as a scan would, and a home that is loaded from it."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pipelines.home import Home
from pipelines.load.loader import Loader
from pipelines.load.pairing import pair
from pipelines.settings import ShopSettings
from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.ledger import Ledger, Row, ScanState
from sources.repair_shop.schema.clean import made_up_id, row_id
from sources.repair_shop.schema.digest import digest
from tests.homes import shop_of

ZONE = "America/Guatemala"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def answer(
    ledger: Ledger,
    table: str,
    rows: list[dict[str, Any]],
    *,
    shop: str = "main",
    at: datetime = START,
    kind: str = "head",
    variant: Mapping[str, str] | None = None,
) -> int:
    """Put one page of a list into the ledger; the newest number."""
    resource = ":".join((table, *(variant or {}).values()))
    scan = ledger.open_scan(0, shop, resource, kind, {"variant": variant} if variant else {})
    rows = parse_json(json.dumps(rows).encode())
    seen = [Row(row_id(r, table) or made_up_id(r), None, digest(r), r) for r in rows]
    ledger.put(scan, "1", seen, at)
    ledger.close_scan(
        scan,
        state=ScanState.PROVEN,
        proof="by hand",
        reason="",
        first_day=None,
        last_day=None,
        pages=1,
        rows=len(rows),
    )
    return ledger.last_seq()


def ran(
    home: Path,
    exit_code: int | None,
    outcome: str = "",
    command: str = "sync",
    **complete: bool,
) -> None:
    """A run as the ledger keeps it, which was cut off without an exit code; and of each shop
    whether it was read whole."""
    with closing(Ledger(home / "mirror.sqlite")) as ledger:
        run = ledger.begin_run(command)
        if exit_code is not None:
            outcome = outcome or {0: "complete", 1: "differs", 4: "stopped"}.get(
                exit_code, "failed"
            )
            shops = [{"shop": shop, "complete": is_whole} for shop, is_whole in complete.items()]
            ended = {"requests": 0, "rows": 0, "message": "no answer", "detail": {"shops": shops}}
            ledger.end_run(run, outcome=outcome, exit_code=exit_code, **ended)


def make_empty(home: Path) -> None:
    """A home as a sync leaves it that brought no row: its warehouse has all tables."""
    place = Home(home)
    with place.sync_lock():
        made = LoadedHome(place)
        made.feed.load_waiting()
        made.ledger.close()


@dataclass
class LoadedHome:
    """A home whose warehouse is loaded from answers given by hand."""

    home: Home
    shops: list[ShopSettings] = field(default_factory=lambda: [shop_of(timezone=ZONE)])

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Begin as a new process does."""
        self.ledger, self.loader = Ledger(self.home.ledger), Loader(self.home)
        self.loader.prepare()
        self.feed, self.told = pair(self.ledger, self.loader, self.shops)

    def answer(
        self, table: str, *rows: dict[str, Any], shop: str = "main", minute: int = 0, **more: Any
    ) -> int:
        """One more page is answered, ``minute`` minutes after the start."""
        at = START + timedelta(minutes=minute)
        return answer(self.ledger, table, list(rows), shop=shop, at=at, **more)

    def load(self, table: str, *rows: dict[str, Any], **more: Any) -> None:
        """One more page is answered and loaded."""
        self.answer(table, *rows, **more)
        self.feed.load_waiting()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the private database."""
        with self.home.open_build(read_only=True) as connection:
            return connection.execute(sql).fetchall()


@contextmanager
def opened(empty: Path, home: Home) -> Iterator[LoadedHome]:
    """A home made as the empty one, until the test is over."""
    shutil.copytree(empty, home.path, dirs_exist_ok=True)
    made = LoadedHome(home)
    yield made
    made.ledger.close()
