"""One sandbox shop, mirrored once by the real sync, for every test of the notebooks."""

import shutil

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "notebooks":
            # The first of them mirrors the shop and runs all notebooks; on a busy machine that
            # takes minutes, and no cell of them may take longer than its own limit.
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def home(mirrored, tmp_path_factory):
    """A home folder with the published warehouse of a tiny sandbox shop."""
    return shutil.copytree(mirrored, tmp_path_factory.mktemp("notebooks") / "home")
