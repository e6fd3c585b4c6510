"""The command line in a folder of its own, and a sandbox shop to talk to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.main import main

ZONE = "America/Guatemala"
PREFIX = "SOURCES__REPAIR_SHOP__"
Run = Callable[..., tuple[int, str, str]]


def point_at(
    server: SandboxServer, monkeypatch: pytest.MonkeyPatch, home: Path, **more: object
) -> None:
    """Settings in the environment, as a user would have them; ``more`` by their names."""
    given = {"BASE_URL": server.base_url, "API_KEY": server.keys["main"], "TIMEZONE": ZONE}
    for name, value in (given | {"MINUTE_SECONDS": 0.2} | more).items():
        monkeypatch.setenv(PREFIX + name, str(value))
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))


@pytest.fixture(autouse=True)
def home_of_its_own(plain_folder, monkeypatch):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(plain_folder / "home"))


@pytest.fixture(scope="session")
def server():
    with SandboxServer([ShopSpec("main", timezone=ZONE, limit=None)]) as running:
        yield running


@pytest.fixture
def shop(server, monkeypatch, tmp_path):
    point_at(server, monkeypatch, tmp_path / "home")
    return server


@pytest.fixture
def run(capfd):
    """Run a command: exit code, standard output, standard error."""

    def go(*arguments):
        capfd.readouterr()
        code = main(list(arguments))
        told = capfd.readouterr()
        return code, told.out, told.err

    return go


@pytest.fixture
def say(run):
    """Run a command: exit code, and all that it said."""

    def go(*arguments):
        code, out, err = run(*arguments)
        return code, out + err

    return go
