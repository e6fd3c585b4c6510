"""One warehouse for all tests of the models: every scene is a shop of its own, built twice.

The first build is the first night; then :func:`scenes.second_night` edits and deletes, and the
second build sees it. So history, deletions and edits are there to be asked for, and models are
built twice for the whole suite.
"""

import pickle
import shutil
from pathlib import Path

import pytest
import time_machine

from pipelines.home import Home
from pipelines.transform.models import ModelRun, build
from tests.ledgers import opened
from tests.once import made_once
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


def _two_nights(folder: Path) -> None:
    folder.mkdir()
    raw = Raw(folder / "warehouse.duckdb", **scenes.ZONES)
    runs = []
    with time_machine.travel(scenes.NOW):
        for night in (scenes.first_night, scenes.second_night):
            with raw.held():
                night(raw)
            runs.append(build(raw.path, home=folder, shops=[]))
    (folder / "runs.pickle").write_bytes(pickle.dumps(runs))


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory):
    """Each process has a copy, as tests edit it and put it back."""
    home = tmp_path_factory.mktemp("models") / "home"
    shutil.copytree(made_once(tmp_path_factory, "scenes", _two_nights), home)
    runs = pickle.loads((home / "runs.pickle").read_bytes())
    return Warehouse(Raw.at(home / "warehouse.duckdb"), home, runs)


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
