"""One warehouse for all tests of the models: every scene is a shop of its own, built twice.

The first build is the first night; then :func:`scenes.second_night` edits and deletes, and the
second build sees it. So history, deletions and edits are there to be asked for, and dbt runs
twice instead of once a test.
"""

from pathlib import Path

import pytest

from pipelines.home import Home
from pipelines.transform.models import ModelRun, build
from tests.ledgers import opened
from tests.warehouse import scenes
from tests.warehouse.raw import Raw


class Warehouse:
    def __init__(self, raw: Raw, home: Path, runs: list[ModelRun]) -> None:
        self.raw = raw
        self.home = home
        self.runs = runs

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        return self.raw.execute(sql, *values)

    def one(self, sql: str, *values: object) -> tuple[object, ...]:
        (row,) = self.rows(sql, *values)
        return row


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory):
    home = tmp_path_factory.mktemp("models")
    raw = Raw(home / "warehouse.duckdb", **scenes.ZONES)
    with raw.held():
        scenes.first_night(raw)
    first = build(raw.path, home=home, shops=[])
    with raw.held():
        scenes.second_night(raw)
    second = build(raw.path, home=home, shops=[])
    return Warehouse(raw, home, [first, second])


@pytest.fixture
def connection(warehouse):
    with warehouse.raw.connect() as connection:
        yield connection


@pytest.fixture
def home(tmp_path):
    """A home of its own for each test."""
    return Home(tmp_path / "home")


@pytest.fixture
def loaded(home, empty):
    """Its warehouse as answers are loaded into it, after a first load that brought no row."""
    with opened(empty, home) as made:
        yield made
