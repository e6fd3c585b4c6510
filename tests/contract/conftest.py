"""Servers of the sandbox, for all tests of this folder or for one."""

from contextlib import ExitStack, closing
from datetime import UTC, datetime

import pytest

from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.service import Sandbox
from sandbox.shops import ShopSpec
from tests.contract.asking import ZONE, client_of
from tests.contract.shops import build
from tests.fakes.clock import FakeClock


@pytest.fixture(scope="session")
def shared():
    """One generated shop that nobody changes, in this process as most are: sockets cost most."""
    with closing(Sandbox([ShopSpec("main", ZONE, limit=None)])) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def api(shared):
    with client_of(shared) as client:
        yield client


@pytest.fixture(scope="session")
def written():
    """One generated shop that tests of writes change."""
    with closing(Sandbox([ShopSpec("main", ZONE, limit=None)])) as sandbox:
        yield sandbox


@pytest.fixture()
def serve():
    """Starts a server of its own: ``serve(ShopSpec(...), minute_seconds=1)``."""
    with ExitStack() as stack:

        def start(*shops, **options):
            specs = shops or (ShopSpec("main", ZONE, limit=None),)
            server = stack.enter_context(SandboxServer(specs, **options))
            client = stack.enter_context(client_of(server, specs[0].name))
            return server, client

        yield start


@pytest.fixture()
def inside():
    """``inside(records, **quirks)``: a shop in this process, what asks it, and its clock."""
    with ExitStack() as stack:

        def make(records=None, *, limit=None, **quirks):
            clock = FakeClock()
            spec = ShopSpec("main", ZONE, Quirks(**quirks), limit=limit, records=records)
            sandbox = Sandbox(
                [spec],
                clock=clock.monotonic,
                now=lambda: datetime.fromtimestamp(clock.wall(), UTC),
            )
            stack.enter_context(closing(sandbox))
            return sandbox, client_of(sandbox), clock

        yield make


@pytest.fixture(scope="session")
def small():
    return build()


@pytest.fixture(scope="session", params=[1, 2, 3, 7])
def tiny(request):
    return build(seed=request.param, size="tiny")
