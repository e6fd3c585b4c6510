"""A home of its own for each test, and its warehouse as answers are loaded into it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.home import Home
from tests.ledgers import LoadedHome


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose tables are made: two seconds that no test needs to spend again."""
    made = LoadedHome(Home(tmp_path_factory.mktemp("empty") / "home"))
    made.feed.load_waiting()
    made.ledger.close()
    return made.home.path


@pytest.fixture
def loaded(home: Home, empty: Path) -> Iterator[LoadedHome]:
    """After a first load that brought no row."""
    shutil.copytree(empty, home.path, dirs_exist_ok=True)
    made = LoadedHome(home)
    yield made
    made.ledger.close()
