"""A desk, and a shop that is served over HTTP."""

import pytest

from tests.fakes.shop import ServedShop
from tests.outbox.desk import Desk


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "home")


@pytest.fixture
def served():
    with ServedShop() as running:
        yield running


@pytest.fixture
def settings(desk):
    return desk.settings
