"""A sandbox shop on loopback and an empty folder to begin in."""

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec


@pytest.fixture
def folder(plain_folder):
    return plain_folder


@pytest.fixture(scope="module")
def server():
    shops = [ShopSpec("main", timezone="America/Guatemala"), ShopSpec("north", timezone="UTC")]
    with SandboxServer(shops, size="tiny", minute_seconds=0.5) as running:
        yield running
