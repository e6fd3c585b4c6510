"""A desk, and a shop that is served over HTTP."""

import hashlib
from datetime import UTC, datetime

import duckdb
import pytest

from tests.fakes.shop import ServedShop
from tests.outbox.desk import HOUR, Desk


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
def photo(tmp_path):
    """A file to upload."""
    path = tmp_path / "photo.png"
    path.write_bytes(b"picture")
    return path


@pytest.fixture
def settings(desk):
    return desk.settings


@pytest.fixture
def record(desk):
    """A customer as the warehouse holds it, read an hour ago."""
    found = desk.shop.put("customers", name="Ann", mobile="1")
    desk.home.mkdir(exist_ok=True)
    with duckdb.connect(str(desk.home / "warehouse.duckdb")) as db:
        db.execute("create schema raw")
        db.execute(
            "create table raw.customers as select 'main' as shop_id, ? as id, '1' as mobile,"
            " ?::timestamptz as _seen_at, null::timestamptz as _deleted_at",
            [found, datetime.fromtimestamp(desk.shop.clock.wall() - HOUR, UTC)],
        )
    return found
