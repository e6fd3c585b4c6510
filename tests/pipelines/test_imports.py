"""Modules that one thread hides from itself."""

import importlib
import sys
import threading

import pytest

from pipelines.load.imports import without


def test_a_hidden_module_is_found_by_other_threads(tmp_path, monkeypatch):
    (tmp_path / "hidden_for_a_while.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found: list[int] = []

    def ask() -> None:
        found.append(importlib.import_module("hidden_for_a_while").VALUE)

    with without("hidden_for_a_while"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("hidden_for_a_while")
        other = threading.Thread(target=ask)
        other.start()
        other.join()
    sys.modules.pop("hidden_for_a_while", None)
    assert found == [1]
