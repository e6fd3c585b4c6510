"""A real browser, where the machine has one; tests that need it are not collected elsewhere."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The path of the machine's Chromium; None where there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Browser]:
    path = chromium()
    assert path is not None
    with sync_playwright() as playwright:
        # Chromium's own sandbox refuses to run as root, as in containers.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def gather(folder: Path, config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of ``folder`` stay together, as their warehouse is made once a process. Those that
    need a browser are deselected if there is none."""
    theirs = [item for item in items if folder in item.path.parents]
    for item in theirs:
        item.add_marker(pytest.mark.xdist_group("report"))
    if chromium() is not None:
        return
    left_out = [item for item in theirs if item.get_closest_marker("browser")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
