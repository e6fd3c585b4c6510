"""What the tests of the wire share: a clock that stands still, a budget, a shop, slots."""

from functools import partial
from typing import Any

import pytest

from sources.repair_shop.budget import Budget, KeyBudget, Slot, Wait
from sources.repair_shop.http.client import Client
from tests.fakes.clock import FakeClock
from tests.fakes.loopback import Loopback
from tests.homes import shop_of


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def budget(tmp_path, clock):
    budget = Budget(tmp_path / "budget.sqlite", clock=clock, sleep=clock.sleep)
    yield budget
    budget.close()


@pytest.fixture
def loopback():
    with Loopback() as server:
        yield server


@pytest.fixture
def make_shop():
    return partial(shop_of, api_key="the-secret-key")


@pytest.fixture
def connect(loopback, budget, make_shop):
    def make(shop=None, **options):
        values = {"base_url": loopback.base_url, "timeout_seconds": 5.0, **(shop or {})}
        return Client(make_shop(**values), budget, **options)

    return make


@pytest.fixture
def client(connect):
    """A client whose key has worked."""
    with connect() as client:
        client.get("/customers")
        yield client


@pytest.fixture
def key(budget, make_shop):
    """A key of thirty requests a minute that has worked."""
    return working(budget, make_shop())


@pytest.fixture
def rare(budget, make_shop):
    """A key of one request a minute that has worked."""
    return working(budget, make_shop(requests_per_minute=1))


def working(budget: Budget, shop: Any) -> KeyBudget:
    """A key that worked once, long enough ago."""
    key = budget.key(shop)
    key.acquire().answered("ok")
    budget.sleep(61)
    return key


def take(key: KeyBudget, lane: Any = "sync") -> Slot:
    found = key.try_acquire(lane)
    assert isinstance(found, Slot)
    return found


def wait(key: KeyBudget, lane: Any = "sync") -> Wait:
    found = key.try_acquire(lane)
    assert isinstance(found, Wait)
    return found


def ask(client: Client, method: str, path: str) -> Any:
    """A read, or a write of nothing."""
    return client.get(path) if method == "GET" else client.send(method, path, json={})
