"""Shops and their mirrors, up to raw: the models are left out where nothing asks for them."""

import pickle
import shutil
from contextlib import ExitStack

import pytest

from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.mirror.shop import ZONE, Mirror, Recorder
from tests.mirror.stranger import client as client
from tests.mirror.stranger import stranger as stranger
from tests.once import made_once


@pytest.fixture
def make_mirror(tmp_path, request):
    """Makes a shop with the given quirks (and settings), and a mirror of it.

    ``database``: rows go into a real one; by default into a :class:`Recorder`. ``tables``: the
    database is there, with all its tables. ``home``: with a copy of that, as it was mirrored.
    """
    with ExitStack() as stack:
        made: list[Mirror] = []

        def make(
            quirks=None,
            *,
            shops=("main",),
            records=None,
            limit=None,
            database=False,
            tables=True,
            home=None,
            **changes,
        ):
            specs = [
                ShopSpec(
                    name, timezone=ZONE, limit=limit, quirks=quirks or Quirks(), records=records
                )
                for name in shops
            ]
            server = stack.enter_context(SandboxServer(specs, minute_seconds=0.5))
            if home is not None:  # with the currency of then, what was built stands
                changes |= {"currency": "GTQ"}
            mirror = Mirror(server, tmp_path / f"home{len(made)}", shops, changes)
            mirror.recorder = None if database or home else Recorder()
            if home is not None:
                shutil.copytree(home, mirror.home)
            elif database and tables:
                shutil.copytree(request.getfixturevalue("empty"), mirror.home)
            made.append(mirror)
            return mirror

        yield make


@pytest.fixture
def mirror(make_mirror):
    """A plain shop, not yet synced."""
    return make_mirror()


@pytest.fixture(scope="session")
def first_night(tmp_path_factory):
    """The home after a first sync of a plain shop, and what it loaded."""

    def make(folder):
        recorder = Recorder()
        with SandboxServer([ShopSpec(timezone=ZONE, limit=None)], minute_seconds=0.5) as server:
            report = Mirror(server, folder / "home", recorder=recorder).run()
        assert report.exit_code == 0, report.details
        (folder / "recorder").write_bytes(pickle.dumps(recorder))

    folder = made_once(tmp_path_factory, "first-night", make)
    return folder / "home", (folder / "recorder").read_bytes()


@pytest.fixture
def synced(mirror, first_night):
    """A plain shop, synced once: each test has a copy of the same home."""
    home, recorder = first_night
    shutil.copytree(home, mirror.home)
    mirror.recorder = pickle.loads(recorder)
    return mirror
