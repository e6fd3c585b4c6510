"""The client over real HTTP: what it sends, what refusals and limits mean to it, how it stops."""

import contextlib
import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal

import pytest

from sources.repair_shop import errors
from sources.repair_shop.http.client import Client, RequestCounter
from tests.fakes.loopback import Reply
from tests.source.wire import ask

pytestmark = pytest.mark.core

KEY = "the-secret-key"


def test_a_request_carries_the_key_in_its_header_only(loopback, connect):
    loopback.replies.append(Reply(body=[{"id": 1, "amount_total": 12.30}]))
    with connect() as client:
        answer = client.get(
            "/ticketInvoices",
            {"page": 2, "createdDateFrom": date(2026, 1, 5), "includeLines": True,
             "sort": None, "invoiceId": ["a", "b"]},
        )  # fmt: skip
    seen = loopback.seen[0]
    assert (seen.method, seen.path) == ("GET", "/v1/ticketInvoices")
    assert seen.headers["authorization"] == KEY
    assert seen.headers["accept"] == "application/json"
    assert seen.query == [
        ("page", "2"),
        ("createdDateFrom", "05-Jan-2026"),
        ("includeLines", "True"),
        ("invoiceId", "a"),
        ("invoiceId", "b"),
    ]
    assert answer.rows() == [{"id": 1, "amount_total": Decimal("12.3")}]
    assert answer.status == 200
    assert json.loads(answer.body)
    assert client.requests == 1


def test_an_id_cannot_become_a_query(loopback, connect):
    loopback.replies.append(Reply(body={"id": "a?b#c d%"}))
    with connect() as client:
        assert client.get("/customers/a?b#c d%").detail() == {"id": "a?b#c d%"}
    assert loopback.seen[0].path == "/v1/customers/a%3Fb%23c%20d%25"


def test_a_write_is_json(loopback, connect):
    loopback.replies.append(Reply(status=201, body={"id": "c1"}))
    with connect() as client:
        answer = client.send(
            "POST",
            "/customers",
            json={"name": "Zoë", "creditlimit": Decimal("12.50"), "n": Decimal(3),
                  "dateOfBirth": date(1990, 2, 1), "at": datetime(2026, 1, 2, 3, 4, 5)},
        )  # fmt: skip
    assert answer.status == 201
    assert answer.detail() == {"id": "c1"}
    assert loopback.seen[0].headers["content-type"] == "application/json"
    assert json.loads(loopback.seen[0].body) == {
        "name": "Zoë",
        "creditlimit": 12.5,
        "n": 3,
        "dateOfBirth": "01-Feb-1990",
        "at": "02-Jan-2026 03:04:05",
    }


def test_an_upload_is_a_form_with_a_file(loopback, connect):
    loopback.replies.append(Reply(body=b""))
    with connect() as client:
        client.send("POST", "/tickets/1/upload/2", files={"file": ("a.png", b"PNG")})
    seen = loopback.seen[0]
    assert seen.headers["content-type"].startswith("multipart/form-data")
    assert b'name="file"; filename="a.png"' in seen.body


def test_a_delete_is_answered_with_nothing(loopback, connect):
    loopback.replies.append(Reply(body=b""))
    with connect() as client:
        assert client.send("DELETE", "/customers/1").payload is None


def test_an_address_that_is_no_such_service(loopback, connect):
    loopback.otherwise = lambda _: Reply(status=404, body=b"<html>nothing here</html>")
    with connect() as client:
        with pytest.raises(errors.ConfigurationError, match="base_url"):
            client.get("/customers")
        assert client.requests == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, body={"error": "slow down"}),
        Reply(status=401, body={"error": "Too many requests. Wait one minute."}),
        Reply(status=403, body={"error": "Rate limit reached"}),
        Reply(status=503, body={"error": "rate limit exceeded"}),
        Reply(status=200, body={"error": "Request rate limit exceeded."}),
    ],
    ids=lambda reply: str(reply.status),
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rate_error_costs_a_minute_and_is_asked_again(method, reply, loopback, client, clock):
    """A write only where its status, or the words of an earlier read's, prove it."""
    if method != "GET" and reply.status not in (429, 401, 403):
        loopback.replies.extend([reply, Reply()])
        client.get("/customers")
    loopback.replies.extend([reply, Reply(body=[{"id": 1}])])
    before, strikes = clock.ticks, client.budget.state().strikes
    assert ask(client, method, "/customers").payload == [{"id": 1}]
    assert 60 <= clock.ticks - before < 62
    assert client.budget.state().strikes == strikes + 1


def test_a_write_is_not_sent_again_on_words_that_no_read_was_told(loopback, connect, clock):
    said = "Payment saved, but the receipt could not be sent: SMS API limit reached"
    sent: list[errors.ShopError | None] = []
    for status in (500, 200, 502, 400):
        loopback.replies.extend([Reply(), Reply(status=status, body={"error": said})])
        with connect() as client:
            client.get("/customers")
            with pytest.raises(errors.OutcomeUnknown, match="Payment saved") as caught:
                client.send("POST", "/payments", json={}, on_send=sent.append)
            assert caught.value.status == status
        clock.ticks += 3700
    assert sent == [None] * 4


def test_each_sending_is_told_before_it_leaves(loopback, client):
    sent: list[errors.ShopError | None] = []
    loopback.replies.append(Reply(status=429, body={"error": "Slow down"}))
    client.send("POST", "/customers", json={}, on_send=sent.append)
    assert [*map(str, sent)] == ["None", "Too many requests (429): Slow down"]


def test_retry_after_is_honoured(loopback, client, clock):
    loopback.replies.append(Reply(status=429, headers={"Retry-After": "200"}))
    before = clock.ticks
    client.get("/customers")
    assert 200 <= clock.ticks - before < 202


def test_three_rate_errors_and_we_stop(loopback, client, clock):
    loopback.otherwise = lambda _: Reply(status=429)
    with pytest.raises(errors.Refused, match="three times") as caught:
        client.get("/customers")
    assert len(loopback.seen) == 4
    with pytest.raises(errors.Refused):
        client.send("POST", "/customers", json={})
    assert len(loopback.seen) == 4
    assert caught.value.until is not None
    assert caught.value.until.timestamp() > clock.wall() + 59 * 60


def test_clients_may_share_a_maximum(loopback, connect):
    counter = RequestCounter(2)
    other = {"name": "other", "api_key": "k2"}
    with connect(counter=counter) as one, connect(other, counter=counter) as two:
        one.get("/customers")
        two.get("/customers")
        assert (one.requests, two.requests, counter.count) == (1, 1, 2)
        with pytest.raises(errors.Stopped, match="2 requests") as caught:
            one.get("/customers")
        assert caught.value.exit_code == 4
    assert len(loopback.seen) == 2


def test_a_request_that_was_not_made_does_not_count(loopback, connect):
    counter = RequestCounter(3)
    with connect(counter=counter) as client:
        client.get("/customers")
        loopback.replies.append(Reply(401, {"error": "The API key is blocked."}))
        for _ in range(3):
            with pytest.raises(errors.Refused):
                client.get("/customers")
        assert (client.requests, counter.count) == (2, 2)


def test_a_stop_ends_the_wait_but_not_the_request(loopback, budget, make_shop, tmp_path):
    stopping = threading.Event()

    def reply(_):
        stopping.set()
        return Reply(body=[{"id": 1}])

    loopback.otherwise = reply
    with Client(make_shop(base_url=loopback.base_url), budget, stop=stopping.is_set) as client:
        assert client.get("/customers").rows() == [{"id": 1}]
        with pytest.raises(errors.Stopped):
            client.get("/customers")
        assert client.requests == 1


@pytest.mark.parametrize(
    ("method", "kind"), [("GET", errors.BudgetUnusable), ("POST", errors.OutcomeUnknown)]
)
def test_a_budget_that_fails_after_a_write_leaves_it_in_doubt(
    method, kind, loopback, budget, client
):
    def reply(_):
        with contextlib.closing(sqlite3.connect(budget.path)) as other:
            other.execute("drop table slots")
        return Reply(body={"id": 1})

    loopback.otherwise = reply
    with pytest.raises(kind):
        ask(client, method, "/customers")
    with pytest.raises(errors.BudgetUnusable):
        client.send("POST", "/customers", json={})
    assert len(loopback.seen) == 2


def test_progress_is_told(loopback, connect):
    loopback.replies.extend([Reply(), Reply(status=500), Reply()])
    paths = []
    with connect() as client:
        client.on_request(paths.append)
        client.get("/customers")
        client.get("/tickets")
    assert paths == ["/customers", "/tickets", "/tickets"]


def test_threads_may_share_a_client(loopback, connect):
    loopback.otherwise = lambda seen: Reply(body=[{"id": seen.query[0][1]}])
    with connect({"requests_per_minute": 100}) as client, ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda n: client.get("/customers", {"page": n}).rows(), range(60))
        assert [answer[0]["id"] for answer in answers] == [str(n) for n in range(60)]
        assert client.requests == 60


def test_an_odd_header_does_not_say_that_the_write_was_not_sent(loopback, client):
    """It was answered, so it arrived: sent again, it would be applied twice."""
    loopback.replies.append(Reply(headers={"X-Shop": "Almac\xe9n \xd9\xa3"}))
    assert client.send("POST", "/customers", json={}).status == 200
