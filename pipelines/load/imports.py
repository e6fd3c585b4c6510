"""Modules that a load can do without, though libraries import them to see what they are given."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Have nobody in this process import these modules meanwhile, as if they were not installed.

    DuckDB and Arrow import pandas before they take any value, dlt Streamlit where there is no file
    of secrets: half a second of each run, and the memory of some 300 modules each. What is imported
    already stays, and what is asked for again afterwards is found.
    """
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)
