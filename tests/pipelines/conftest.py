"""A home of its own for each test, and its warehouse as answers are loaded into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.home import Home
from tests.ledgers import LoadedHome


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def loaded(home: Home) -> Iterator[LoadedHome]:
    made = LoadedHome(home)
    yield made
    made.ledger.close()
