"""What the tests of the wire share: a clock that stands still, a budget, a shop, a server."""

import pytest

from pipelines.settings import ShopSettings
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.client import Client
from tests.fakes.clock import FakeClock
from tests.fakes.loopback import Loopback


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
    def make(**changes):
        values = {"name": "main", "base_url": "http://127.0.0.1:9/v1", "api_key": "the-secret-key"}
        return ShopSettings.model_validate({**values, **changes})

    return make


@pytest.fixture
def connect(loopback, budget, make_shop):
    def make(shop=None, **options):
        values = {"base_url": loopback.base_url, "timeout_seconds": 5.0, **(shop or {})}
        return Client(make_shop(**values), budget, **options)

    return make
