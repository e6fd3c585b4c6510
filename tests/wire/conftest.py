"""What the tests of the wire share: a clock that stands still, a budget, a shop, a server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sources.repair_shop.budget import Budget
from sources.settings import ShopSettings
from tests.wire.doubles import FakeClock, Loopback


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def budget(tmp_path: Path, clock: FakeClock) -> Iterator[Budget]:
    budget = Budget(tmp_path / "budget.sqlite", clock=clock, sleep=clock.sleep)
    yield budget
    budget.close()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


@pytest.fixture
def make_shop() -> Callable[..., ShopSettings]:
    def make(**changes: object) -> ShopSettings:
        values = {"name": "main", "base_url": "http://127.0.0.1:9/v1", "api_key": "the-secret-key"}
        return ShopSettings.model_validate({**values, **changes})

    return make
