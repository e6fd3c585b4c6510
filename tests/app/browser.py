"""A real browser, where the machine has one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

from tests.conftest import chromium


@contextmanager
def launched() -> Iterator[Browser]:
    path = chromium()
    assert path is not None
    # A crowded machine is slow, not wrong.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        # Chromium's own sandbox refuses to run as root, as in containers.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()
