from contextlib import ExitStack, contextmanager

import httpx
import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.contract.shops import build

ZONE = "America/Guatemala"


def client_of(server: SandboxServer, shop: str = "main", **headers: str) -> httpx.Client:
    return httpx.Client(
        base_url=server.base_url,
        headers={"Authorization": server.keys[shop], **headers},
        timeout=20,
        # Dropped before the server drops them, which may be while a request is on its way.
        limits=httpx.Limits(keepalive_expiry=1.0),
    )


@pytest.fixture(scope="session")
def shared():
    """One generated shop that nobody changes."""
    with SandboxServer([ShopSpec("main", ZONE, limit=None)]) as server:
        yield server


@pytest.fixture(scope="session")
def api(shared):
    with client_of(shared) as client:
        yield client


@pytest.fixture(scope="session")
def written():
    """One generated shop that tests of writes change."""
    with SandboxServer([ShopSpec("main", ZONE, limit=None)]) as server:
        yield server


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


@pytest.fixture(scope="module")
def serving():
    """``with serving(spec) as client``: a server of its own, for as long as that."""

    @contextmanager
    def start(spec):
        with SandboxServer([spec]) as server, client_of(server, spec.name) as client:
            yield client

    return start


@pytest.fixture(scope="session")
def small():
    return build()


@pytest.fixture(scope="session", params=[1, 2, 3, 7])
def tiny(request):
    return build(seed=request.param, size="tiny")
