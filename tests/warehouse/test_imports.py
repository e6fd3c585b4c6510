"""What is hidden from imports, and from whom."""

import importlib
import sys
import threading

import pytest

from pipelines.load.imports import without

NAME = "shopmirror_test_module"


@pytest.fixture
def there(tmp_path, monkeypatch):
    (tmp_path / f"{NAME}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop(NAME, None)


def _found_by_another_thread() -> bool:
    found: list[bool] = []

    def look() -> None:
        try:
            importlib.import_module(NAME)
        except ModuleNotFoundError:
            found.append(False)
        else:
            found.append(True)

    other = threading.Thread(target=look)
    other.start()
    other.join()
    return found[0]


@pytest.mark.parametrize("everywhere", [True, False])
def test_what_is_hidden_here_is_hidden_from_others_only_if_asked(there, everywhere):
    with without(NAME, everywhere=everywhere):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(NAME)
        assert _found_by_another_thread() is not everywhere
    importlib.import_module(NAME)


def test_no_finder_leaves_the_list_that_others_go_through(there):
    with without(NAME):
        finders = list(sys.meta_path)
    assert list(sys.meta_path) == finders
