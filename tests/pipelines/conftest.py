"""A home of its own for each test, and its warehouse as answers are loaded into it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.home import Home
from tests.ledgers import LoadedHome


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


@pytest.fixture
def loaded(home, empty):
    """After a first load that brought no row."""
    yield from opened(empty, home)


def opened(empty: Path, home: Home) -> Iterator[LoadedHome]:
    """A home made as the empty one, until the test is over."""
    shutil.copytree(empty, home.path, dirs_exist_ok=True)
    made = LoadedHome(home)
    yield made
    made.ledger.close()
