"""A 401 or 403: the rate limit, a block, a missing right, a wrong key, or one that was replaced.

The service says no more than "Unauthorized" for all of them (field notes, Behaviour); each test is
one of them, over HTTP, on a clock that jumps.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sources.repair_shop import errors
from tests.fakes.loopback import Reply

pytestmark = pytest.mark.core

PLAIN = Reply(401, {"error": "Unauthorized"})
EIGHT_HOURS = 480 * 60


def refuse(loopback, *paths, says=PLAIN):
    """Refuse these paths, or all; the list that is returned may be changed."""
    refused = list(paths) or [""]
    loopback.otherwise = lambda seen: (
        says if any(path in ("", seen.path[3:]) for path in refused) else Reply()
    )
    return refused


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_never_worked_costs_one_request(status, loopback, connect):
    loopback.otherwise = lambda _: Reply(status, {"error": "Unauthorized"})
    with connect() as client, ThreadPoolExecutor(4) as pool:
        results = [pool.submit(client.get, "/customers") for _ in range(8)]
        for result in results:
            with pytest.raises(errors.KeyRefused, match="never worked before: check api_key"):
                result.result()
        assert client.requests == 1
    assert len(loopback.seen) == 1


def test_another_key_at_a_shop_that_worked_is_refused(loopback, connect):
    with connect() as client:
        client.get("/customers")
    refuse(loopback)
    with connect({"api_key": "another-key"}) as client:
        with pytest.raises(errors.KeyRefused, match="not the one that worked before") as caught:
            client.get("/customers")
        assert client.requests == 1
    assert caught.value.exit_code == 3


def test_a_key_refused_right_after_the_block_of_another_is_blocked_too(loopback, connect):
    """And not replaced: it would count as one that never worked."""
    with connect() as first, connect({"name": "b", "api_key": "key-of-b"}) as second:
        for client in (first, second):
            client.get("/customers")
        refuse(loopback, says=Reply(401, {"error": "You are blocked"}))
        with pytest.raises(errors.Refused):
            first.get("/customers")
        refuse(loopback)
        with pytest.raises(errors.Refused, match="blocked us"):
            second.get("/customers")
        assert second.requests == 2, "one careful request tells"
        assert second.budget.standing.worked


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("status", [401, 403])
def test_a_rate_limit_told_without_words_is_waited_out(method, status, loopback, client, clock):
    loopback.replies.append(Reply(status, {"error": "Unauthorized"}))
    began = clock.ticks
    if method == "GET":
        client.get("/payments")
    else:
        client.send("POST", "/payments", json={"amount": 1})
    assert 60 <= clock.ticks - began < 62
    assert client.budget.state().strikes == 1
    assert [seen.path[3:] for seen in loopback.seen] == [
        "/customers", "/payments", "/customers", "/payments",
    ]  # fmt: skip


def test_three_in_flight_are_refused_and_only_one_asks_after_the_minute(loopback, client, clock):
    together, refused = threading.Barrier(3), list[str]()

    def answer_of(seen):
        if seen.path == "/v1/customers" or seen.path in refused:
            return Reply()
        refused.append(seen.path)
        together.wait(20)  # all three are in flight when the first is refused
        return PLAIN

    loopback.otherwise = answer_of
    with ThreadPoolExecutor(3) as pool:
        for answer in pool.map(client.get, ["/leads", "/brands", "/groups"]):
            assert answer.rows() == []
    assert client.budget.state().strikes <= 3
    assert len(loopback.seen) <= 10


def test_a_block_stops_the_key_after_one_look_and_nothing_more_is_asked(loopback, client, clock):
    refuse(loopback)
    for _ in range(2):
        with pytest.raises(errors.Refused, match="blocked us, or the key was replaced") as told:
            client.get("/payments")
    assert told.value.exit_code == 3
    assert told.value.until is not None
    assert told.value.until.timestamp() - clock.wall() > EIGHT_HOURS - 120
    assert len(loopback.seen) == 3
    clock.ticks += EIGHT_HOURS + 1
    refuse(loopback, "/none")
    assert client.get("/payments").rows() == []


def test_a_key_that_no_list_was_answered_to_is_asked_once_more(loopback, connect, clock):
    with connect() as client:
        client.get("/customers/1")
        loopback.replies.append(PLAIN)
        began = clock.ticks
        client.get("/customers/1")
        assert 60 <= clock.ticks - began < 62
        assert len(loopback.seen) == 3
        refuse(loopback)
        with pytest.raises(errors.Refused, match="blocked us"):
            client.get("/customers/1")
        assert len(loopback.seen) == 5


def test_a_limit_met_in_between_does_not_say_that_the_key_is_in_order(loopback, client):
    loopback.otherwise = lambda seen: PLAIN if seen.path.endswith("/leads") else Reply()
    loopback.replies.extend([PLAIN, Reply(429, {"error": "Slow down"})])
    with pytest.raises(errors.Refused, match="three times"):
        client.get("/leads")
    assert client.budget.standing.denied == []


def test_a_block_that_says_so_costs_one_request(loopback, client):
    refuse(loopback, says=Reply(401, {"error": "The API key is blocked."}))
    with pytest.raises(errors.Refused, match="blocked us"):
        client.get("/payments")
    assert len(loopback.seen) == 2


def test_a_key_refused_for_longer_than_any_block_was_replaced(loopback, connect, clock):
    with connect() as client:
        client.get("/customers")
        refuse(loopback)
        with pytest.raises(errors.Refused):
            client.get("/customers")
    clock.ticks += EIGHT_HOURS + 1
    for _ in range(2):
        with connect() as client:
            with pytest.raises(errors.KeyRefused) as caught:
                client.get("/customers")
            assert client.requests == 1
        assert caught.value.exit_code == 3
    with connect({"api_key": "the-new-key"}) as client:
        refuse(loopback, "/none")
        client.get("/customers")


def test_a_key_that_is_called_invalid_twice_was_replaced(loopback, client):
    refuse(loopback, says=Reply(401, {"error": "Invalid API key"}))
    with pytest.raises(errors.KeyRefused, match="the key was replaced"):
        client.get("/customers")
    assert len(loopback.seen) == 3


def test_a_list_refused_while_others_are_answered_is_a_missing_right(loopback, client, clock):
    refused = refuse(loopback, "/leads")
    began = clock.ticks
    with pytest.raises(errors.NotAllowed, match=r"/leads.* no right .*\(401\)"):
        client.get("/leads")
    assert 60 <= clock.ticks - began < 62
    assert client.budget.state().strikes == 0
    assert client.budget.standing.denied == ["GET /leads"]
    asked, began = len(loopback.seen), clock.ticks
    with pytest.raises(errors.NotAllowed):
        client.get("/leads")
    assert (len(loopback.seen), clock.ticks) == (asked + 1, began)
    refused.clear()
    client.get("/leads")
    assert client.budget.standing.denied == []


def test_the_other_keys_of_a_blocked_address_wait_for_one_careful_request(loopback, connect, clock):
    with connect() as client, connect({"name": "other", "api_key": "k2"}) as other:
        client.get("/customers")
        other.get("/customers")
        loopback.replies.append(Reply(401, {"error": "This key was blocked"}))
        with pytest.raises(errors.Refused):
            client.get("/customers")
        began = clock.ticks
        assert other.get("/customers").rows() == []
        assert clock.ticks - began >= 60
        with pytest.raises(errors.Refused):
            client.get("/customers")
        assert len(loopback.seen) == 4


def test_a_key_may_be_refused_in_the_words_of_a_proxy(loopback, client):
    page = Reply(403, b"<html>You don't have permission to access this resource.</html>")
    refuse(loopback, says=page)
    with pytest.raises(errors.Refused):
        client.get("/customers")
