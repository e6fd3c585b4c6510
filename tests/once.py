"""What takes seconds to make, and no test changes, is made once a run for all its processes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process of this run to want it makes for all."""
    folder = factory.getbasetemp()
    folder = folder.parent if folder.name.startswith("popen-") else folder
    with FileLock(folder / f"{name}.lock"):
        if not (folder / name).exists():
            make(folder / f"{name}-making")
            (folder / f"{name}-making").rename(folder / name)
    return folder / name
