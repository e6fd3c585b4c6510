"""The command line in a folder of its own, and a sandbox shop to talk to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.main import main

ZONE = "America/Guatemala"
PREFIX = "SOURCES__REPAIR_SHOP__"
Run = Callable[..., tuple[int, str, str]]


def point_at(server: SandboxServer, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Settings in the environment, as a user would have them."""
    monkeypatch.setenv(PREFIX + "BASE_URL", server.base_url)
    monkeypatch.setenv(PREFIX + "API_KEY", server.keys["main"])
    monkeypatch.setenv(PREFIX + "TIMEZONE", ZONE)
    monkeypatch.setenv(PREFIX + "MINUTE_SECONDS", "0.2")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))


@pytest.fixture(autouse=True)
def plain_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but the test's own."""
    for name in list(os.environ):
        if name.upper().startswith(("SOURCES__", "SHOPMIRROR_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="session")
def server() -> Iterator[SandboxServer]:
    with SandboxServer([ShopSpec("main", timezone=ZONE, limit=None)]) as running:
        yield running


@pytest.fixture
def shop(server: SandboxServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SandboxServer:
    point_at(server, monkeypatch, tmp_path / "home")
    return server


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command: exit code, standard output, standard error."""

    def go(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(list(arguments))
        told = capfd.readouterr()
        return code, told.out, told.err

    return go
