"""A warehouse of generated shops, and the page served from it in a process of its own."""

import os
import subprocess
import sys
import urllib.request

import pytest

from pipelines.dashboard import free_port
from tests.app.conftest import chain as chain
from tests.app.conftest import home as home


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The page's address and the home it shows, empty at first; one process for all tests."""
    home = tmp_path_factory.mktemp("served")
    port = free_port()
    environment = os.environ | {"SHOPMIRROR_HOME": str(home)}
    command = "from shopmirror.main import run; run()"
    arguments = [sys.executable, "-c", command, "dashboard", "--port", str(port)]
    with subprocess.Popen(
        arguments, env=environment, cwd=home, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            assert address in told, "the page's process ended"
            assert _answers(address), "who is told the address can go there"
            yield address, home
        finally:
            process.terminate()
            process.wait(timeout=20)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
