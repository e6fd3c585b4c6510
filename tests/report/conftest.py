"""Warehouses of generated shops, made once for all tests of this folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.report.browser import gather
from tests.report.warehouse import chain_home


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    gather(Path(__file__).parent, config, items)


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return chain_home(tmp_path_factory)


@pytest.fixture
def home(chain: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    mine = tmp_path / "home"
    mine.mkdir()
    shutil.copy(chain / "warehouse.duckdb", mine / "warehouse.duckdb")
    return mine
