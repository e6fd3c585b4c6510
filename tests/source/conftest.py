"""Each test has its own current folder, dlt folder and settings."""

import pytest

from tests.fakes.loopback import Loopback
from tests.source.lists import Lists
from tests.source.wire import budget as budget
from tests.source.wire import client as client
from tests.source.wire import clock as clock
from tests.source.wire import connect as connect
from tests.source.wire import key as key
from tests.source.wire import loopback as loopback
from tests.source.wire import make_shop as make_shop
from tests.source.wire import rare as rare


@pytest.fixture
def lists(plain_folder, monkeypatch):
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")
    monkeypatch.setenv("DLT_DATA_DIR", str(plain_folder / "dlt"))
    with Loopback() as loopback:
        yield Lists(loopback, plain_folder)
