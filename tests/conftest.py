"""Which tests ``make check`` leaves out: everything else takes less than a minute on two cores.

Kept here, by file, and not beside each test, so that the selection is read in one place.
"""

import functools
import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

# What is imported stays: to look through it again and again takes a quarter of collecting tests.
gc.disable()

# A suite in the background is begun with Ctrl-C ignored, and would hand that on to all it begins.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with something else is no fault of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

HERE = Path(__file__).parent
SLOW = (
    "contract/test_command.py",
    "contract/test_operations.py",
    "contract/test_patience.py",
    "contract/test_shop_arithmetic.py",
    "contract/test_shop_shapes.py",
    "cli/test_bad_input.py",
    "cli/test_demo.py",
    "cli/test_whole_way.py",
    "app/test_catalogues.py",
    "app/test_bad_days.py",
    "app/test_clock.py",
    "app/test_page.py",
    "app/test_schedule_command.py",
    "notebooks",
    "outbox/test_machine.py",
    "packaging/test_site.py",
    "packaging/test_wheel.py",
    "report",
    "scan/test_scan.py",
    "simulations",
    "source/test_source.py",
    "stranger",
    "sync",
    "warehouse",
    "source/test_limit_at_the_sandbox.py",
    "source/test_neighbours.py",
    "source/test_processes.py",
)
"""Files and folders below this one whose tests, or fixtures, take seconds."""


SETTINGS = ("SOURCES__", "SCHEDULE__", "NOTIFY__", "RETENTION__", "SHOPMIRROR_")
"""Beginnings of variables that a test must not find."""


@pytest.fixture
def plain_folder(tmp_path, monkeypatch):
    """An empty folder to be in, and no settings but the test's own."""
    for name in list(os.environ):
        if name.upper().startswith(SETTINGS):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process of this run to want it makes for all."""
    folder = factory.getbasetemp()
    folder = folder.parent if folder.name.startswith("popen-") else folder
    with FileLock(folder / f"{name}.lock"):
        if not (folder / name).exists():
            make(folder / f"{name}-making")
            (folder / f"{name}-making").rename(folder / name)
    return folder / name


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
    is_left_out = config.getoption("markexpr") == "not slow" and _is_slow(collection_path)
    return True if is_left_out else None


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
GROUPS = {
    "app": "app",
    "contract/test_operations.py": "operations",
    "contract/test_shop_arithmetic.py": "shops",
    "contract/test_shop_believable.py": "shops",
    "init": "init",
    "notebooks": "notebooks",
    "packaging": "packaging",
    "contract/test_write_effects.py": "writes",
    "contract/test_writes.py": "writes",
}
"""Folders and files whose tests go to one process, which makes once what all of them look at."""


def chromium() -> str | None:
    """The path of the machine's Chromium; without one, tests that need it are left out."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.hookimpl(tryfirst=True)  # xdist's own then finds the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
        place = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else item.path
        if group := GROUPS.get(str(place)) or GROUPS.get(place.parts[0]):
            item.add_marker(pytest.mark.xdist_group(group))
    if chromium() is None:
        left_out = [item for item in items if item.get_closest_marker("browser")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@functools.cache
def _is_slow(path: Path) -> bool:
    return any(HERE / name in (path, *path.parents) for name in SLOW)
