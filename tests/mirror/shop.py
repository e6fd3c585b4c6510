"""A sandbox shop and its mirror, up to raw: the models are left out where nothing asks for them."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pipelines.home import Home
from pipelines.load.loader import Loader
from pipelines.settings import Settings
from pipelines.sync.run import sync
from pipelines.sync.verdict import SyncReport
from sandbox.server import SandboxServer
from sandbox.store import ShopStore
from sources.repair_shop.change_log import NO_ROW, ChangeLog
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.schema.names import snake_case
from tests.homes import shop_of

ZONE = "America/Guatemala"
AMOUNTS = {
    "ticket_invoices": "amount_total",
    "pos_orders": "amount_total",
    "payments": "amount",
    "purchase_orders": "cost",
    "expenses": "amount",
}
CHILDREN = {
    "ticket_invoices": ("lines", "payments", "returns"),
    "pos_orders": ("lines", "payments", "returns"),
    "purchase_orders": ("lines",),
    "tickets": ("lines", "payments"),
}


class Recorder(Loader):
    """What a loader would hold, without a database: the newest answer for each row."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.offsets: dict[str, dict[str, int]] = {}
        self.said: dict[str, str] = {}

    def database(self) -> Any:
        return nullcontext()

    def prepare(self) -> None:
        """There is nothing to make."""

    def notes(self) -> Mapping[str, str]:
        return self.said

    def note(self, **said: str) -> None:
        self.said |= said

    def is_of_another(self, log: ChangeLog) -> bool:
        return False

    def lacking(self) -> list[str]:
        return []

    def load(self, log: ChangeLog, tables: Iterable[str], end: int) -> tuple[int, Iterable[str]]:
        taken = 0
        for table in tables:
            offsets = self.offsets.get(table, {})
            rows = [
                row for found in log.read(table, offsets, end) for row in self._rows(table, found)
            ]
            self.take(table, rows)
            taken += len(rows)
            self.offsets[table] = log.advanced(offsets, end)
        return taken, ()

    def take(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Hold rows of a table; a load that is refused is refused here."""
        for row in rows:
            identity = row["_dlt_id"].partition(":")[2]  # of custom fields: type and id
            held = self.held.get(key := (row["shop_id"], table, identity), {})
            assert held.get("_seq", 0) <= row["_seq"], "an older answer after a newer one"
            # A tombstone comes without nested lists: they stay as they are.
            self.held[key] = held | row

    @staticmethod
    def _rows(table: str, found: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
        rows = {row["_dlt_id"]: row for row in found[table].to_pylist()}
        for name, nested in found.items():
            field = name.removeprefix(f"{table}__")
            if name == table or "__" in field:
                continue
            for row in rows.values():
                row[field] = []
            for child in nested.to_pylist():
                if child["_dlt_list_idx"] > NO_ROW:
                    rows[child["_dlt_root_id"]][field].append(child)
        return list(rows.values())

    def live(self, table: str, shop: str) -> dict[str, dict[str, Any]]:
        return {
            row["id"]: row
            for (name, held, _), row in self.held.items()
            if (name, held) == (shop, table) and row["_deleted_at"] is None
        }

    def gone(self, table: str, shop: str = "main") -> set[str]:
        """Ids that are held with a deletion mark."""
        return {
            row["id"]
            for (name, held, _), row in self.held.items()
            if (name, held) == (shop, table) and row["_deleted_at"] is not None
        }


@dataclass
class Mirror:
    """A service, a home, and runs of the sync over both that end before the models."""

    server: SandboxServer
    home: Path
    shops: tuple[str, ...] = ("main",)
    changes: dict[str, Any] = field(default_factory=dict)
    loaded: int = 0
    recorder: Recorder | None = None
    """Given: rows go here instead of into a database, which costs a tenth."""

    @property
    def settings(self) -> Settings:
        given = {
            "base_url": self.server.base_url,
            "timezone": ZONE,
            "requests_per_minute": 100_000,
            "minute_seconds": self.server.limiter.minute_seconds,
            "timeout_seconds": 5,
            # Old pages are read again where a test says so: they would find what others prove.
            "audit_requests": 0,
        }
        keys = self.server.keys
        shops = (shop_of(n, **given | {"api_key": keys[n]} | self.changes) for n in self.shops)
        return Settings(home=self.home, shops=tuple(shops))

    @property
    def store(self) -> ShopStore:
        return self.server.store(self.shops[0])

    def run(self, *resources: str, **options: Any) -> SyncReport:
        """One sync as far as raw: fetched, loaded, deletions applied, and what it came to."""
        loader = self.recorder or Loader(Home(self.home))
        report = sync(self.settings, resources=resources, loader=loader, **options)
        self.loaded = report.rows
        return report

    def complete(self, *resources: str, **options: Any) -> SyncReport:
        """One sync that ends complete."""
        report = self.run(*resources, **options)
        assert report.exit_code == 0, report.details
        return report

    def same(self, *resources: str, **options: Any) -> SyncReport:
        """One sync that ends complete, after which raw holds what the service has of its lists."""
        report = self.complete(*resources, **options)
        self.assert_same(*map(snake_case, resources))
        return report

    def ledger(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """A statement on the ledger."""
        with closing(Ledger(self.home / "mirror.sqlite")) as ledger:
            return ledger.query(sql, values)

    def age(self, name: str, column: str, days: int) -> None:
        """As if a day that the ledger keeps of a list lay so many days earlier."""
        sql = f"UPDATE lists SET {column} = date({column}, ?) WHERE list = ?"
        self.ledger(sql, f"-{days} days", name)

    def sql(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        """A query over the private file."""
        with self.database() as database:
            return database.execute(text, list(values)).fetchall()

    def database(self) -> duckdb.DuckDBPyConnection:
        """The private file, to be read."""
        return duckdb.connect(str(self.home / "build" / "warehouse.duckdb"), read_only=True)

    def live(self, table: str, shop: str | None = None) -> set[str]:
        """Ids in raw that are not marked as gone; every row of a table once."""
        name = shop or self.shops[0]
        if self.recorder is not None:
            return set(self.recorder.live(table, name))
        rows = self.sql(
            f'SELECT id FROM raw."{table}" WHERE shop_id = ? AND _deleted_at IS NULL', name
        )
        assert len(rows) == len(set(rows)), f"{table} holds doubles"
        return {row[0] for row in rows}

    def gone(self, table: str) -> set[str]:
        """Ids that the recorder holds with a deletion mark."""
        assert self.recorder is not None
        return self.recorder.gone(table, self.shops[0])

    def amounts(self, table: str, shop: str) -> dict[str, int]:
        """Id -> cents of the table's amount."""
        column = AMOUNTS[table]
        if self.recorder is not None:
            rows = self.recorder.live(table, shop)
            return {identity: round(row[column] * 100) for identity, row in rows.items()}
        return dict(
            self.sql(
                f"SELECT id, CAST(round({column} * 100) AS BIGINT) "
                f'FROM raw."{table}" WHERE shop_id = ? AND _deleted_at IS NULL',
                shop,
            )
        )

    def nested(self, table: str, child: str, shop: str) -> int:
        """Nested rows of the rows that are not marked as gone."""
        if self.recorder is not None:
            return sum(len(r.get(child) or []) for r in self.recorder.live(table, shop).values())
        [(count,)] = self.sql(
            f'SELECT count(*) FROM raw."{table}__{child}" c JOIN raw."{table}" t '
            "ON c._dlt_root_id = t._dlt_id WHERE t.shop_id = ? AND t._deleted_at IS NULL",
            shop,
        )
        return int(count)

    def assert_same(self, *tables: str, shop: str | None = None) -> None:
        """Raw holds exactly the service's rows, their nested rows and their amounts."""
        name = shop or self.shops[0]
        store = self.server.store(name)
        with ExitStack() as stack:
            if self.recorder is None:  # to open it takes longer than to ask it
                stack.enter_context(self.database())
            for table in tables or ENDPOINTS:
                records = store.all(table)
                assert self.live(table, name) == {str(r["id"]) for r in records}, table
                for child in CHILDREN.get(table, ()):
                    theirs = sum(len(record.get(child) or []) for record in records)
                    assert self.nested(table, child, name) == theirs, f"{table}.{child}"
                if table in AMOUNTS:
                    known = {str(r["id"]): round(float(r[AMOUNTS[table]]) * 100) for r in records}
                    assert self.amounts(table, name) == known, f"amounts of {table}"

    def asked(self, path: str = "/") -> list[str]:
        """Requests since they were last forgotten, as path?query."""
        return [
            f"{request.path}?{request.query}"
            for request in self.server.requests(self.shops[0])
            if request.path.startswith(path)
        ]


MakeMirror = Callable[..., Mirror]
