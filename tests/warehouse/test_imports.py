"""What is hidden from imports, and until when."""

import importlib
import sys

import pytest

from pipelines.load.imports import without

NAME = "shopmirror_test_module"


def test_what_is_hidden_is_found_again_and_what_is_imported_stays(tmp_path, monkeypatch):
    (tmp_path / f"{NAME}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with without(NAME), pytest.raises(ModuleNotFoundError), without(NAME):
        importlib.import_module(NAME)
    monkeypatch.setitem(sys.modules, NAME, importlib.import_module(NAME))
    with without(NAME):
        assert importlib.import_module(NAME) is sys.modules[NAME]
