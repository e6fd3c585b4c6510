"""What each failure of the wire becomes: tried again, refused, or a write left in doubt."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from sources.repair_shop import errors
from sources.repair_shop.http.wire import from_wire
from tests.fakes.loopback import Loopback, Reply
from tests.promises import promise
from tests.source.wire import ask

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    "fault",
    [
        Reply(act="reset"),
        Reply(act="drop"),
        Reply(act="cut", body=[{"id": n} for n in range(50)]),
        Reply(body=b'[{"id": 1}, {"i'),
        Reply(status=502, body=b"<html>Bad gateway</html>"),
        Reply(status=500, body={"error": "boom"}),
        Reply(body=b"<html>maintenance</html>"),
        Reply(body=b""),
        Reply(body={"error": "Please try again"}),
        Reply(body={"message": "Please try again"}),
        Reply(body=b"xx", headers={"Content-Encoding": "gzip"}),
    ],
    ids=[
        "reset",
        "drop",
        "cut",
        "truncated",
        "html 502",
        "500",
        "html 200",
        "empty",
        "error 200",
        "message 200",
        "bad gzip",
    ],
)
class TestTransientFaults:
    def test_a_read_is_tried_again(self, fault, loopback, client):
        loopback.replies.extend([fault, Reply(body=[{"id": 7}])])
        assert client.get("/customers").rows() == [{"id": 7}]
        assert client.requests == 3
        assert client.budget.state().used == 3

    def test_a_read_gives_up_after_three(self, fault, loopback, client):
        loopback.otherwise = lambda seen: fault if seen.path.endswith("/leads") else Reply()
        with pytest.raises((errors.BadAnswer, errors.Unreachable)) as caught:
            client.get("/leads")
        assert [seen.path for seen in loopback.seen].count("/v1/leads") == 3
        assert caught.value.exit_code == 3

    def test_a_write_is_sent_once_and_in_doubt(self, fault, loopback, client):
        if fault.body in (b"", {"message": "Please try again"}) and not fault.act:
            return  # Nothing, or words, are a proper answer to a write.
        loopback.otherwise = lambda _: fault
        with pytest.raises(errors.OutcomeUnknown):
            client.send("POST", "/customers", json={"name": "a"})
        assert client.requests == 2


def test_no_answer_in_time(loopback, connect):
    loopback.otherwise = lambda _: Reply(act="hang")
    with connect({"timeout_seconds": 0.1}) as client:
        with pytest.raises(errors.OutcomeUnknown, match="no answer in time"):
            client.send("POST", "/customers", json={})
        with pytest.raises(errors.Unreachable, match="no answer in time"):
            client.get("/customers")
        assert client.requests == 4


def test_an_answer_that_drips_is_given_up(loopback, connect):
    loopback.otherwise = lambda _: Reply(act="drip", body=[{"id": n} for n in range(100)])
    started = time.monotonic()
    with (
        connect({"timeout_seconds": 0.1}) as client,
        pytest.raises(errors.OutcomeUnknown),
    ):
        client.send("PUT", "/customers/1", json={})
    assert time.monotonic() - started < 5


def test_no_connection(connect):
    with Loopback() as gone:
        pass
    host = gone.base_url.removeprefix("http://").removesuffix("/v1")
    with connect({"base_url": gone.base_url}) as client:
        with pytest.raises(errors.Unreachable, match=f"at {host} cannot be reached") as caught:
            client.get("/customers")
        assert caught.value.exit_code == 3
        assert not caught.value.sent
        with pytest.raises(errors.NotSent):
            client.send("POST", "/customers", json={})
        assert client.requests == 6


_NOPE, _NAME = {"error": "nope"}, {"error": "name is required"}
_AWAY = Reply(status=302, body=b"", headers={"Location": "/x"})


@pytest.mark.parametrize(
    ("method", "reply", "kind"),
    [
        ("GET", Reply(status=404, body=_NOPE), errors.NotFound),
        ("GET", Reply(status=404, body=b"<html>"), errors.NotFound),
        ("GET", Reply(status=400, body=_NAME), errors.ValidationRefused),
        ("GET", Reply(status=422, body=b"?"), errors.ValidationRefused),
        ("GET", Reply(body=b"<customers/>"), errors.BadAnswer),
        ("GET", Reply(status=204, body=b""), errors.NoRows),
        ("PUT", Reply(status=404, body=_NOPE), errors.NotFound),
        ("PUT", Reply(status=400, body=_NAME), errors.ValidationRefused),
        ("PUT", Reply(status=408, body=b""), errors.OutcomeUnknown),
        ("PUT", Reply(body={"error": "maybe"}), errors.OutcomeUnknown),
        ("PUT", Reply(body=b"<customers/>"), errors.OutcomeUnknown),
        ("PUT", _AWAY, errors.OutcomeUnknown),
    ],
)
def test_what_will_not_get_better_is_asked_once(method, reply, kind, loopback, client):
    """And a write tells no from perhaps."""
    loopback.replies.append(reply)
    with pytest.raises(kind) as caught:
        ask(client, method, "/customers/1")
    assert type(caught.value) is kind
    assert client.requests == 2
    if reply is _AWAY:
        assert "base_url must be the address that answers itself" in str(caught.value)
    if reply.body == {"error": "maybe"}:
        assert caught.value.reason == "maybe"


def test_a_read_that_is_redirected_for_once_is_asked_again_where_the_address_worked(
    loopback, client
):
    loopback.replies.extend([_AWAY, Reply(body=[{"id": 1}])])
    assert client.get("/brands").rows() == [{"id": 1}]


def test_an_address_that_never_worked_and_redirects_is_a_wrong_one(loopback, connect):
    loopback.replies.append(_AWAY)
    with connect() as client:
        with pytest.raises(errors.ConfigurationError, match="the address that answers itself"):
            client.get("/customers")
        assert client.requests == 1


@pytest.mark.parametrize("reply", [Reply(body=b"<html>"), Reply(body=b'{"id": 1')])
def test_the_first_request_of_a_key_may_be_a_write_in_doubt(reply, loopback, connect):
    loopback.replies.append(reply)
    with connect() as client, pytest.raises(errors.OutcomeUnknown):
        client.send("POST", "/customers", json={})


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        (False, "ConnectError ConnectTimeout PoolTimeout ProxyError"),
        (True, "ReadTimeout WriteTimeout ReadError WriteError CloseError RemoteProtocolError"),
    ],
)
def test_connecting_failures_are_known_not_to_have_arrived(sent, names):
    for name in names.split():
        error = from_wire(getattr(httpx, name)("x"), "POST", "/x")
        assert isinstance(error, errors.Unreachable)
        assert error.sent == sent


@promise("every end has the exit code of the interface")
def test_every_error_has_the_exit_code_of_the_interface():
    codes = {
        errors.ConfigurationError: 2, errors.BudgetUnusable: 2,
        errors.KeyRefused: 3,
        errors.Refused: 3,
        errors.Unreachable: 3,
        errors.RateLimited: 3, errors.BadAnswer: 3, errors.NotFound: 3,
        errors.NoRows: 3, errors.NotAllowed: 3,
        errors.ValidationRefused: 3, errors.NotSent: 3, errors.OutcomeUnknown: 1,
        errors.Stopped: 4,
    }  # fmt: skip
    tree = {errors.ShopError, *codes}
    known = {e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)}
    assert known == tree
    assert all(kind.exit_code == code for kind, code in codes.items())
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in tree)


class TestBreaker:
    @pytest.mark.parametrize(
        "fault",
        [
            Reply(400, {"error": "Quota exceeded"}),
            Reply(503, b"<h1>503</h1>"),
            Reply(body={"success": False, "message": "Kontingent erschöpft", "data": []}),
        ],
        ids=["words", "503", "flag"],
    )
    def test_refusals_of_everything_are_a_limit_whose_words_are_waited_out_at_once(
        self, fault, loopback, client, clock
    ):
        """A limit in words that nobody knows: 180 requests ignored it, which led to a block."""
        loopback.replies.extend([fault] * 4)
        began = clock.ticks
        for path in ("/leads", "/brands"):
            with contextlib.suppress(errors.BadAnswer):
                client.get(path)
        assert client.get("/groups").rows() == []
        assert clock.ticks - began > 60
        assert client.budget.state().strikes == 1
        asked, began = len(loopback.seen), clock.ticks
        loopback.replies.append(fault)
        assert client.get("/leads").rows() == []
        assert len(loopback.seen) == asked + 2
        assert clock.ticks - began > 60

    def test_a_limit_met_in_between_does_not_make_other_words_a_limit(self, loopback, client):
        lists = ("/leads", "/brands", "/groups")
        limits = [Reply(429, {"error": "Slow down"})]

        def answer(seen):
            if seen.path[3:] in lists:
                return Reply(400, {"error": "Not in your plan"})
            return limits.pop() if limits and len(loopback.seen) == 5 else Reply()

        loopback.otherwise = answer
        for path in (*lists, *lists):
            with pytest.raises(errors.ValidationRefused, match="Not in your plan"):
                client.get(path)
        assert not limits
        assert client.budget.state().strikes == 1

    @pytest.mark.parametrize("helps", [False, True], ids=["in vain", "helps"])
    def test_what_was_under_way_when_the_silence_began_tells_nothing_of_it(
        self, helps, loopback, connect, clock
    ):
        """Answered, it does not end the silence; refused, it is asked again after it."""
        limit, silence, asked = Reply(400, {"error": "Quota exceeded"}), threading.Event(), []

        def answer(seen):
            path = seen.path.removeprefix("/v1")
            is_limited = len(loopback.seen) > 2 and not (helps and path in asked)
            if path == "/slow" and not asked.count(path):
                assert silence.wait(20)
                is_limited = helps
            asked.append(path)
            return limit if is_limited else Reply()

        def wait_for_silence(client):
            while not client.budget.state().strikes:
                time.sleep(0.01)
            silence.set()

        loopback.otherwise = answer
        with connect({"timeout_seconds": 30.0}) as client, ThreadPoolExecutor(2) as pool:
            client.get("/customers")
            asked.clear()
            under_way, began = pool.submit(client.get, "/slow"), clock.ticks
            while len(loopback.seen) < 2:
                time.sleep(0.01)
            pool.submit(wait_for_silence, client)
            for path in ("/leads", "/brands"):
                with pytest.raises(errors.ValidationRefused):
                    client.get(path)
            if helps:
                assert client.get("/groups").rows() == []
            else:
                with pytest.raises(errors.Unreachable, match="refuses every request"):
                    client.get("/groups")
            assert under_way.result().rows() == []
            assert asked.count("/slow") == 1 + helps
            assert clock.ticks - began > 60
            assert client.budget.state().strikes == 1

    def test_nothing_is_asked_besides_before_a_key_ever_worked(self, loopback, connect, clock):
        """Of a wrong address, each answer says enough."""
        loopback.otherwise = lambda _: Reply(404, {"error": "No such page"})
        began = clock.ticks
        with connect() as client:
            for _ in range(5):
                with pytest.raises(errors.NotFound):
                    client.get("/customers")
            assert client.requests == 5
        assert clock.ticks - began < 60

    def test_an_error_under_200_that_is_of_the_request_is_asked_once(self, loopback, client):
        loopback.otherwise = lambda seen: (
            Reply(body={"error": "Not in your plan"}) if seen.path.endswith("/leads") else Reply()
        )
        for requests in (4, 1):
            asked = len(loopback.seen)
            with pytest.raises(errors.ValidationRefused):
                client.get("/leads")
            assert len(loopback.seen) == asked + requests

    def test_a_service_that_refuses_everything_ends_the_run(self, loopback, client):
        loopback.otherwise = lambda _: Reply(503, b"Service Unavailable")
        with pytest.raises(errors.Unreachable, match="refuses every request"):
            client.get("/leads")
        assert client.requests < 10

    def test_a_login_in_place_of_everything_is_told_in_whole_sentences(self, loopback, client):
        client.get("/customers")
        loopback.otherwise = lambda _: Reply(302, b"", headers={"Location": "/login"})
        with pytest.raises(errors.Unreachable, match=r"answers itself\. It is out of order"):
            client.get("/leads")

    def test_refusals_of_some_requests_are_not(self, loopback, client):
        def answer(seen):
            missing = seen.path.count("/") == 3
            return Reply(404, {"error": "Not found"}) if missing else Reply()

        loopback.otherwise = answer
        for number in range(9):
            with pytest.raises(errors.NotFound):
                client.get(f"/customers/{number}")
        assert client.requests == 11
        assert client.budget.state().strikes == 0

    def test_a_failure_that_names_a_time_is_waited_out(self, loopback, client, clock):
        loopback.replies.append(Reply(503, b"busy", {"Retry-After": "90"}))
        began = clock.ticks
        client.get("/customers")
        assert clock.ticks - began > 89
        assert client.budget.state().strikes == 0
