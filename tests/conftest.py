"""What every test finds: settings of its own, homes made once a run, seeds of random runs."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
import time_machine
from hypothesis import settings

from tests.once import made_once
from tests.simulations.examples import MANY

# What is imported stays: to look through it again and again takes a quarter of collecting tests.
gc.disable()

# A suite in the background is begun with Ctrl-C ignored, and would hand that on to all it begins.
signal.signal(signal.SIGINT, signal.default_int_handler)

MEMORY = Path("/dev/shm")
# Some ten thousand commits of ledgers and queues would each wait for a disk.
if "TMPDIR" not in os.environ and MEMORY.is_dir():
    on = os.statvfs(MEMORY)
    if not on.f_flag & os.ST_NOEXEC and on.f_bavail * on.f_frsize > 4 << 30:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# A machine that is busy with something else is no fault of the code. EXAMPLES=5000 draws as many.
settings.register_profile("patient", deadline=None, max_examples=MANY or 25)
settings.load_profile("patient")

SETTINGS = tuple("SOURCES__ SCHEDULE__ NOTIFY__ RETENTION__ SHOPMIRROR_ NORMALIZE__ LOAD__".split())
"""Beginnings of variables that a test must not find."""


@pytest.fixture
def plain_folder(tmp_path, monkeypatch):
    """An empty folder to be in, and no settings but the test's own."""
    for name in list(os.environ):
        if name.upper().startswith(SETTINGS):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def noon():
    """The clock goes on from a Wednesday's noon: no midnight and no year's end is near."""
    with time_machine.travel(datetime(2026, 10, 14, 12, tzinfo=UTC)):
        yield


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A home whose tables are made, to be copied: seconds that no test needs to spend again."""
    from tests.ledgers import make_empty

    return made_once(tmp_path_factory, "empty", make_empty)


@pytest.fixture(scope="session")
def mirrored(tmp_path_factory, empty):
    """A home after the first sync of the notebooks' shop, models and all, to be copied."""
    from notebooks.build import mirror_sandbox

    def make(home):
        shutil.copytree(empty, home)
        mirror_sandbox(home, size="tiny")

    return made_once(tmp_path_factory, "mirrored", make)


def pytest_runtest_setup() -> None:
    """dlt checks its own schema a hundred times a load, a sixth of what a load costs.

    Those of the first test of a process that loads are checked.
    """
    for name in ("schema.utils", "schema.schema", "normalizers.json.relational"):
        if (module := sys.modules.get(f"dlt.common.{name}")) is not None:
            module.validate_dict = module.validate_dict_ignoring_xkeys = lambda *_, **__: None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--campaign", type=int, default=1, help="so many times the seeds of tests marked 'seeds'"
    )
    parser.addoption("--first-seed", type=int, default=0, help="the first of them")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if marker := metafunc.definition.get_closest_marker("seeds"):
        first: int = metafunc.config.getoption("--first-seed")
        count = marker.args[0] * metafunc.config.getoption("--campaign")
        metafunc.parametrize("seed", range(first, first + count))


def pytest_configure() -> None:
    """Processes that tests begin in other folders know only the packages of the last install."""
    known = [getattr(sys.modules.get(one.__module__), "MAPPING", {}) for one in sys.meta_path]
    ours = next((one for one in known if "shopmirror" in one), None)
    if ours is not None and "specification" not in ours:
        how = "python -m pip install --no-deps --no-build-isolation -e ."
        pytest.exit(f"A package came after the install: {how}", returncode=3)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What ``make check`` leaves out is not even imported: that alone took it ten seconds."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if config.getoption("markexpr") != "core" or not is_test:
        return None
    return True if "pytest.mark.core" not in collection_path.read_text("utf-8") else None


def pytest_collection_finish() -> None:
    gc.freeze()
    # To look through what is young again and again takes a twentieth of what loads cost.
    gc.set_threshold(50_000)
    gc.enable()


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The path of the machine's Chromium; without one, tests that need it are left out."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if chromium() is None:
        left_out = [item for item in items if item.get_closest_marker("browser")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
    # The longest tests stand in files of few: begun last, one of them would end alone.
    in_file = Counter(item.path for item in items)
    items.sort(key=lambda item: in_file[item.path])
