"""What the mirror costs: requests and use of the budget; on a sandbox shop.

``python -m bench.mirror [requests|budget|all]`` prints a few lines a part. Times
are ratios taken side by side in one run, so they mean the same on another machine.
"""

import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from pipelines.settings import Settings
from pipelines.sync.run import sync
from pipelines.sync.session import open_session
from sandbox.generator import Size
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.extract import ShopFetch
from sources.repair_shop.scan import PAGE_ROWS
from sources.repair_shop.scan.jobs import mirror_jobs
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.homes import settings_of

ZONE = "America/Guatemala"
NAIVE = "a naive rest_api source"


@contextmanager
def shop(
    size: Size, *, limit: int | None = None, minute: float = 1.0, latency: float = 0.0
) -> Iterator[tuple[SandboxServer, Settings, Path]]:
    """A served shop and settings for it, with a home of its own."""
    spec = ShopSpec("main", limit=limit, timezone=ZONE, quirks=Quirks(latency_seconds=latency))
    with (
        tempfile.TemporaryDirectory() as folder,
        SandboxServer([spec], size=size, minute_seconds=minute) as server,
    ):
        # Without a limit: fast, but not so fast that a page takes long beside the rate.
        rate = {"minute_seconds": minute if limit else 3_000.0}
        rate["requests_per_minute"] = limit or 30_000
        yield server, settings_of(server, Path(folder), **rate), Path(folder)


def counted(server: SandboxServer, work: Callable[[], object]) -> int:
    """Requests the service saw while ``work`` ran."""
    before = len(server.requests("main"))
    work()
    return len(server.requests("main")) - before


def pages_of(server: SandboxServer) -> tuple[int, int]:
    """The pages of all lists, and the number of lists (custom fields are four)."""
    store, pages, lists = server.store("main"), 0, 0
    for endpoint in ENDPOINTS.values():
        counts = [store.count(endpoint.table)]
        if endpoint.variants:
            kinds = [record["type"] for record in store.all(endpoint.table)]
            counts = [kinds.count(variant["type"]) for variant in endpoint.variants]
        pages += sum(math.ceil(count / PAGE_ROWS) for count in counts)
        lists += len(counts)
    return pages, lists


def change(server: SandboxServer, count: int) -> None:
    """A day's business: new invoices with payments, tickets touched, customers, comments."""
    store, chance = server.store("main"), random.Random(4)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")
    customers = store.select("customers", "1", (), limit=40)
    tickets = store.ids("tickets")
    for number in range(count):
        kind = number % 5
        if kind in (0, 1):
            customer = chance.choice(customers)
            store.insert(
                "pos_orders" if kind else "ticket_invoices",
                {
                    "customer": {"id": customer["id"], "name": customer["name"]},
                    "amount_total": Decimal("112.00"),
                    "created_date": now,
                    "lines": [],
                    "returns": [],
                    "payments": [{"amount": Decimal("112.00"), "date": now}],
                },
            )
        elif kind == 2:
            store.update(
                "tickets", chance.choice(tickets[-3000:]), {"short_info": f"seen {number}"}
            )
        elif kind == 3:
            store.insert("customers", {"name": f"Customer {number}", "created_date": now})
        else:
            store.insert("ticket_comments", {"comment": "called", "created_date": now})


def requests() -> None:
    """Requests of a full mirror, of a quiet night, of a night with 500 changes, of a repair."""
    for size in ("tiny", "small", "medium"):
        with shop(size) as (server, settings, _):
            pages, lists = pages_of(server)
            first = counted(server, lambda: sync(settings))
            seen = server.requests("main")
            reports = sum("Sales" in r.path or "Purchases" in r.path for r in seen)
            fields = sum("categoryId" in r.query or "tabId" in r.query for r in seen)
            least = pages + lists + reports
            print(
                f"{size}: first load {first} requests, {fields} of them for fields of categories; "
                f"pages {pages} + lists {lists} + reports {reports} = {least}; ratio of the others "
                f"{(first - fields) / least:.3f}"
            )
            quiet = counted(server, lambda: sync(settings))
            print(f"{size}: a night without a change {quiet} requests; {NAIVE} {pages + lists}")
            if size != "medium":
                continue
            change(server, 500)
            busy = counted(server, lambda: sync(settings))
            print(f"{size}: a night with 500 changes {busy} requests; {NAIVE} {pages + lists}")
            again = counted(server, lambda: sync(settings))
            store = server.store("main")
            old = datetime.now(UTC) - timedelta(days=730)
            before = "created_day < ?", (old.date().isoformat(),)
            past = store.select("ticket_invoices", *before)[-1]["id"]
            edit = {"amount_total": Decimal("1.23")}
            store.update("ticket_invoices", past, edit, touch=False)
            repair = counted(server, lambda: sync(settings))
            print(
                f"{size}: a night that finds an invoice edited two years back {repair} requests, "
                f"{repair - again} more than the same night without"
            )


def budget() -> None:
    """Use of the budget over more than ten minutes of the limit, loading included."""
    minute = 6.0
    for answer in (0.0, 0.5, 3.0):
        latency = answer * minute / 60
        with shop("small", limit=30, minute=minute, latency=latency) as (server, settings, _):
            with open_session(settings) as session:
                one = settings.shops[0]
                fetch = ShopFetch(session.client(one), session.ledger, 1, session.observer)
                jobs = mirror_jobs(session.ledger, one)
                fetch.run(job for job in jobs if not job.comes_late)
                fetch.run(job for job in jobs if job.comes_late)
                session.feed.load_waiting()
            seen = [request.at for request in server.requests("main")]
            span = seen[-1] - seen[0]
            # Thirty at once, and thirty more a minute and an answer later: request 30 k + 1 can
            # not be sooner than k of these.
            full = (len(seen) - 1) // 30
            used = full * (minute + latency) / (seen[30 * full] - seen[0])
            closest = min(b - a for a, b in zip(seen, seen[30:], strict=False)) / minute
            print(
                f"{answer} s an answer: {len(seen)} requests in {span / minute:.1f} minutes, "
                f"{used:.3f} of what the rule allows; closest 31 requests "
                f"{closest:.3f} minutes; rate errors {server.rate_errors('main')}"
            )


def main(part: str = "all") -> None:
    """Run one part, or all."""
    parts: tuple[Callable[[], None], ...] = (requests, budget)
    for work in parts:
        if part in (work.__name__, "all"):
            print(f"== {work.__name__}", flush=True)
            work()


if __name__ == "__main__":
    main(*sys.argv[1:])
