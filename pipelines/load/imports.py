"""Modules that a load can do without, though libraries import them to see what they are given."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _Hiding:
    """What nobody finds now. It stays in ``sys.meta_path``: from a list that gets shorter while
    another thread goes through it, that thread misses a finder, and with it a module. None in
    ``sys.modules`` does not do: Arrow's compiled imports take it for the module."""

    def __init__(self) -> None:
        self.hidden: list[tuple[str, ...]] = []

    def find_spec(self, name: str, *_: object) -> None:
        if any(name in names for names in tuple(self.hidden)):
            raise ModuleNotFoundError(f"{name} is not needed now", name=name)


_HIDING = _Hiding()


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Have nobody in this process import these modules meanwhile, as if they were not installed.

    DuckDB and Arrow import pandas before they take any value, dlt Streamlit where there is no file
    of secrets: half a second of each run, and the memory of some 300 modules each. What is imported
    already stays, and what is asked for again afterwards is found.
    """
    if _HIDING not in sys.meta_path:
        sys.meta_path.insert(0, _HIDING)
    _HIDING.hidden.append(names)
    try:
        yield
    finally:
        _HIDING.hidden.remove(names)
