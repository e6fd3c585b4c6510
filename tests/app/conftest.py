"""Warehouses of generated shops, made once for all tests of this folder."""

import shutil

import pytest

from tests.app.command_line import run as run
from tests.app.command_line import say as say
from tests.app.command_line import server as server
from tests.app.command_line import shop as shop
from tests.app.warehouse import chain_home


@pytest.fixture(scope="session")
def chain(tmp_path_factory):
    return chain_home(tmp_path_factory)


@pytest.fixture
def home(chain, tmp_path):
    """The same, to be changed."""
    mine = tmp_path / "home"
    mine.mkdir()
    shutil.copy(chain / "warehouse.duckdb", mine / "warehouse.duckdb")
    return mine


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The page's address with its key and the home it shows, empty at first; one for all tests."""
    from tests.app.page import page  # its messages take each process half a second to load

    home = tmp_path_factory.mktemp("served")
    with page(home) as address:
        yield address, home
