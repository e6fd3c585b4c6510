"""A desk, and a shop that is served over HTTP."""

import hashlib

import pytest

from tests.fakes.shop import ServedShop
from tests.outbox.desk import Desk


@pytest.fixture(autouse=True)
def _keys_are_hashed_at_once(monkeypatch):
    """The hash of a key is slow on purpose; each queue makes one, a third of what a test costs."""

    def at_once(key, *, salt, dklen, **_):
        return hashlib.blake2b(salt + key, digest_size=dklen).digest()

    monkeypatch.setattr(hashlib, "scrypt", at_once)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "home")


@pytest.fixture
def served():
    with ServedShop() as running:
        yield running


@pytest.fixture
def settings(desk):
    return desk.settings
