"""The client against the sandbox, whose limits are written from the specification on their own."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import Refused
from sources.repair_shop.http.client import Client

MINUTE = 0.5


def serve(**quirks: Any) -> SandboxServer:
    spec = ShopSpec(quirks=Quirks(**quirks), records=[])
    return SandboxServer([spec], minute_seconds=MINUTE)


def connect(server: SandboxServer, tmp_path: Path, make_shop: Callable[..., Any]) -> Client:
    shop = make_shop(base_url=server.base_url, api_key=server.keys["main"], minute_seconds=MINUTE)
    return Client(shop, Budget(tmp_path / "budget.sqlite"))


def ask(client: Client, requests: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: client.get("/customers"), range(requests)):
            assert answer.rows() == []


def test_no_rate_error_however_hard_we_try(tmp_path, make_shop):
    with serve() as server, connect(server, tmp_path, make_shop) as client:
        ask(client, 150)
        assert server.rate_errors() == 0
        assert len(server.requests()) == client.requests == 150


@pytest.mark.parametrize("status", [429, 401, 403, 503, 200])
def test_another_client_costs_one_incident(status, tmp_path, make_shop):
    with (
        serve(rate_error_status=status) as server,
        connect(server, tmp_path, make_shop) as client,
    ):
        ask(client, 5)
        server.spend(20)
        started = time.monotonic()
        ask(client, 15)
        assert time.monotonic() - started >= MINUTE
        assert client.budget.state().strikes == 1
        assert 1 <= server.rate_errors() <= 4
        assert server.ignored_rate_errors() < 4


def test_a_block_of_three_keys_leaves_the_other_two_alone(tmp_path, make_shop):
    quirks = Quirks(block_scope="key", block_text="Unauthorized")
    specs = [ShopSpec(name, quirks=quirks, records=[]) for name in "abcde"]
    with SandboxServer(specs, minute_seconds=MINUTE) as server, ExitStack() as stack:
        budget = Budget(tmp_path / "budget.sqlite")
        clients = {}
        for name in "abcde":
            key, base = server.keys[name], server.base_url
            shop = make_shop(name=name, base_url=base, api_key=key, minute_seconds=MINUTE)
            clients[name] = stack.enter_context(Client(shop, budget))
            ask(clients[name], 1)
        for name in "abc":
            server.block(name, address=False)
        with pytest.raises(Refused, match="key of shop 'a'"):
            clients["a"].get("/customers")
        started = time.monotonic()
        ask(clients["d"], 5)
        assert time.monotonic() - started >= MINUTE * 0.9
        ask(clients["e"], 5)
        for name in "bc":
            with pytest.raises(Refused, match=f"key of shop '{name}'"):
                clients[name].get("/customers")
            ask(clients["d"], 5)
        blocked = [r for name in "abc" for r in server.requests(name) if r.status == 401]
        assert len(blocked) <= 6  # one, and one more after the minute


def test_beside_a_neighbour_of_half_the_limit_two_requests_at_most_ignore_a_rate_error(
    tmp_path, make_shop
):
    """It was five: ten lock key and address out (specification, Limits)."""
    with serve() as server, connect(server, tmp_path, make_shop) as client:
        ask(client, 5)
        server.spend(30)  # one rate error comes for sure, however slow the neighbour is
        over = threading.Event()

        def neighbour() -> None:
            while not over.wait(MINUTE / 15):
                server.spend(1)

        beside = threading.Thread(target=neighbour, daemon=True)
        beside.start()
        with ThreadPoolExecutor(8) as pool:
            for answer in pool.map(lambda _: client.get("/customers"), range(60)):
                assert answer.rows() == []
        over.set()
        beside.join()
        assert server.rate_errors() >= 1
        assert server.ignored_rate_errors() <= 2
