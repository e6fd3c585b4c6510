"""Modules that a load can do without, though libraries import them to see what they are given."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(name: str) -> Iterator[None]:
    """Have nobody in this process import a module meanwhile, as if it were not installed.

    DuckDB and Arrow import pandas before they take any value, dlt Streamlit where there is no file
    of secrets: half a second of each run, and the memory of some 300 modules each. What is imported
    already stays, and what is asked for again afterwards is found.
    """
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # as Python marks what cannot be imported
    try:
        yield
    finally:
        sys.modules.pop(name, None)
