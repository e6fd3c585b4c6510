"""A sandbox shop on loopback and an empty folder to begin in."""

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec


@pytest.fixture
def folder(tmp_path, monkeypatch):
    import os

    for name in list(os.environ):
        if name.startswith(("SOURCES__", "SCHEDULE__", "NOTIFY__", "RETENTION__")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("SHOPMIRROR_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def server():
    shops = [ShopSpec("main", timezone="America/Guatemala"), ShopSpec("north", timezone="UTC")]
    with SandboxServer(shops, size="tiny", minute_seconds=0.5) as running:
        yield running
