"""A push beside a sync that waits: the next free request is the push's."""

import threading

from pydantic import SecretStr

from pipelines.outbox import enqueue, push
from pipelines.settings import Settings, ShopSettings
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import Stopped
from sources.repair_shop.http.client import Client
from tests.promises import promise


@promise("a push has a lane of its own beside a first load")
def test_a_backfill_does_not_starve_a_push(tmp_path):
    with SandboxServer([ShopSpec("main", limit=10)], minute_seconds=1.0) as server:
        shop = ShopSettings(
            name="main",
            base_url=server.base_url,
            api_key=SecretStr(server.keys["main"]),
            requests_per_minute=10,
            minute_seconds=1.0,
        )
        done, ready = threading.Event(), threading.Event()

        def backfill():
            budget = Budget(tmp_path / "budget.sqlite")
            with Client(shop, budget, stop=done.is_set) as client:
                try:
                    for page in range(10_000):
                        client.get("/customers", {"page": page + 1})
                        if page == 9:
                            ready.set()
                except Stopped:
                    pass
            budget.close()

        threads = [threading.Thread(target=backfill) for _ in range(3)]
        for thread in threads:
            thread.start()
        assert ready.wait(60)
        settings = Settings(home=tmp_path, shops=(shop,))
        rows = [{"name": f"brand {number}"} for number in range(5)]
        enqueue("brands", "create", rows, settings=settings)
        before = len(server.requests())
        report = push(settings)
        during = server.requests()[before:]
        done.set()
        for thread in threads:
            thread.join(30)
        assert (report.exit_code, report.done) == (0, 5)
        # It asks one at a time beside three threads that always wait, and still gets its turns.
        assert len(during) <= 10 * report.requests
        assert server.rate_errors() == 0
