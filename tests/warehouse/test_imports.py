"""What is hidden from imports, and until when."""

import importlib
import subprocess
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


def test_arrow_does_without_pandas():
    """In a process of its own: what imports pandas elsewhere would hide the fault."""
    told = (
        "from pipelines.load.imports import without\n"
        "with without('pandas'):\n"
        "    import pyarrow\n"
        "    assert pyarrow.array([1]).to_pylist() == [1]\n"
        "import sys, pandas; assert sys.modules['pandas'] is pandas\n"
    )
    subprocess.run([sys.executable, "-c", told], check=True)
