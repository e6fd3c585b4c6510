"""Keys, the request rate, the silence, the block; all on a clock that only the test moves."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.limits import BLOCK_MINUTES, Limiter, Verdict
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.contract.asking import client_of
from tests.fakes.clock import FakeClock


def test_thirty_in_any_minute_then_a_minute_of_silence(serve):
    clock = FakeClock()
    server, api = serve(ShopSpec(), clock=clock.monotonic)
    for _ in range(15):
        assert api.get("/brands").status_code == 200
    clock.ticks += 30
    for _ in range(15):
        assert api.get("/brands").status_code == 200
    refused = api.get("/brands")
    assert refused.status_code == 401
    assert "rate limit" in refused.json()["error"]
    clock.ticks += 59.9  # the minute of silence is not over
    assert api.get("/brands").status_code == 401
    assert server.ignored_rate_errors() == 1
    clock.ticks += 60.0
    assert api.get("/brands").status_code == 200
    assert server.rate_errors() == 2
    assert [r.status for r in server.requests()] == [200] * 30 + [401, 401, 200]


def test_the_tenth_ignored_rate_error_blocks_key_and_address(serve):
    clock = FakeClock()
    server, api = serve(ShopSpec("one", limit=1), ShopSpec("two"), clock=clock.monotonic)
    assert api.get("/brands").status_code == 200
    assert [api.get("/brands").status_code for _ in range(10)] == [401] * 10
    blocked = api.get("/brands")
    assert blocked.status_code == 401
    assert "blocked" in blocked.json()["error"]
    with client_of(server, "two") as other:
        assert other.get("/brands").status_code == 401
        clock.ticks += BLOCK_MINUTES * 60 - 1
        assert other.get("/brands").status_code == 401
        clock.ticks += 1
        assert other.get("/brands").status_code == 200
    assert api.get("/brands").status_code == 200


def test_a_block_may_shut_the_key_alone(serve):
    quirks = Quirks(block_scope="key", block_text="Unauthorized")
    server, api = serve(
        ShopSpec("one", quirks=quirks, limit=1), ShopSpec("two"), clock=FakeClock().monotonic
    )
    for _ in range(11):
        api.get("/brands")
    assert api.get("/brands").status_code == 401
    assert api.get("/brands").json() == {"error": "Unauthorized"}
    with client_of(server, "two") as other:
        assert other.get("/brands").status_code == 200


@pytest.mark.parametrize("status", [429, 401, 403, 503, 200])
def test_the_status_of_a_rate_error_is_a_quirk(serve, status):
    _, api = serve(
        ShopSpec(quirks=Quirks(rate_error_status=status), limit=1), clock=FakeClock().monotonic
    )
    api.get("/brands")
    answer = api.get("/brands")
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}


@given(st.lists(st.floats(0, 40, allow_nan=False), max_size=120))
def test_no_window_ever_holds_more_than_the_limit(pauses):
    clock = FakeClock()
    limiter = Limiter(minute_seconds=60, clock=clock.monotonic)
    taken: list[float] = []
    for pause in pauses:
        clock.ticks += pause
        if limiter.arrives("key", "address", 5) is Verdict.OK:
            taken.append(clock.ticks)
    for start in taken:
        assert sum(start <= one < start + 60 for one in taken) <= 5


@pytest.mark.parametrize("key", [None, "", "wrong"])
def test_nothing_without_a_valid_key(shared, key):
    headers = {} if key is None else {"Authorization": key}
    stranger = httpx.Client(transport=shared.transport(), base_url=shared.base_url)
    for path in ("/tickets", "/nothing", "/info"):
        answer = stranger.get(path, headers=headers)
        assert answer.status_code == 401
        assert set(answer.json()) == {"error"}


def test_the_key_is_not_taken_from_the_query(shared):
    key = shared.keys["main"]
    stranger = httpx.Client(transport=shared.transport(), base_url=shared.base_url)
    for name in ("Authorization", "api_key", "key"):
        answer = stranger.get("/brands", params={name: key})
        assert answer.status_code == 401


def test_a_key_opens_one_shop_and_can_be_replaced(serve):
    server, api = serve(ShopSpec("one", limit=None), ShopSpec("two", limit=None))
    with client_of(server, "two") as other:
        assert api.get("/info").json()["name"] == "one"
        assert other.get("/info").json()["name"] == "two"
    new = server.reset_key("one")
    assert api.get("/info").status_code == 401
    assert api.get("/info", headers={"Authorization": new}).status_code == 200


def test_a_file_keeps_shop_and_hash_but_no_key(tmp_path):
    file = tmp_path / "shop.sqlite"
    with SandboxServer([ShopSpec(limit=None)], db=file) as server:
        key = server.keys["main"]
        with client_of(server) as api:
            made = api.post("/brands", json={"name": "Kept"}).json()["id"]
    assert key.encode() not in file.read_bytes()
    with SandboxServer([ShopSpec(limit=None)], db=file) as server:
        assert server.keys == {}
        answer = httpx.get(f"{server.base_url}/brands/{made}", headers={"Authorization": key})
        assert answer.json()["name"] == "Kept"
    with pytest.raises(ValueError, match="time zone"):
        SandboxServer([ShopSpec(timezone="Asia/Tokyo")], db=file)
