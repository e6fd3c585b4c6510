"""A warehouse of generated shops, and the page served from it in a process of its own."""

import pytest

from tests.app.conftest import chain as chain
from tests.app.conftest import home as home
from tests.app.page import page


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The page's address with its key and the home it shows, empty at first; one for all tests."""
    home = tmp_path_factory.mktemp("served")
    with page(home) as address:
        yield address, home
