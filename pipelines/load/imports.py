"""Modules that a load can do without, though libraries import them to see what they are given."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Hiding:
    def __init__(self, *names: str) -> None:
        self.names = names
        self.thread = threading.get_ident()

    def find_spec(self, name: str, *_: object) -> None:
        if name in self.names and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(f"{name} is not needed now", name=name)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Have this thread import none of these modules meanwhile, as if they were not installed.

    DuckDB and Arrow import pandas before they take any value, dlt Streamlit where there is no file
    of secrets: half a second of each run, and the memory of some 300 modules each. What is imported
    already stays, and what is asked for again afterwards is found. Other threads find all modules:
    the page's server imports pandas while a visitor's thread opens the warehouse.
    """
    hiding = _Hiding(*names)
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)
