"""Answers meant to hurt: bombs, bodies and heads without end, odd waits, exceptions of any kind."""

import gzip
import socket
import ssl
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import httpcore
import httpx
import pytest

from sources.repair_shop import errors
from sources.repair_shop.http.classify import classify
from sources.repair_shop.http.client import Client
from sources.repair_shop.http.wire import Network, from_wire
from tests.fakes.loopback import Reply

ROWS = b'[{"id": 7}]'


def packed(data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = gzip.compress(data, mtime=0)  # the same test names in every process
    return data


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", packed(ROWS, 1)),
        ("GZIP", packed(ROWS, 1)),
        ("deflate", zlib.compress(ROWS)),
        ("deflate", bare_deflate(ROWS)),
        ("identity", ROWS),
        ("utf-8", ROWS),
        ("", ROWS),
    ],
)
def test_a_packed_answer_is_unpacked(encoding, body, loopback, connect):
    loopback.otherwise = lambda _: Reply(body=body, headers={"Content-Encoding": encoding})
    with connect() as client:
        assert client.get("/customers").rows() == [{"id": 7}]
    assert loopback.seen[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("said", ["iso-8859-1", "windows-1252", "utf-8"])
@pytest.mark.parametrize("used", ["iso-8859-1", "windows-1252", "utf-8", "utf-16"])
def test_a_character_set_is_the_one_the_head_names_unless_it_is_utf_8(
    said, used, loopback, connect
):
    body = '[{"id": 7, "name": "Señal"}]'.encode(used)
    headers = {"Content-Type": f"application/json; charset={said}"}
    loopback.otherwise = lambda _: Reply(body=body, headers=headers)
    with connect() as client:
        if said == "utf-8" and used in ("iso-8859-1", "windows-1252"):
            with pytest.raises(errors.ShopError):
                client.get("/customers")
        else:
            assert client.get("/customers").rows() == [{"id": 7, "name": "Señal"}]


def test_a_bomb_is_given_up_at_the_cap(loopback, connect):
    bomb = packed(b"0" * 200_000_000, 1)
    headers = {"Content-Encoding": "gzip"}
    loopback.replies.extend([Reply(), Reply(body=bomb, headers=headers), Reply(body=ROWS)])
    with connect({"max_answer_mb": 2}) as client:
        client.get("/customers")
        tracemalloc.start()
        with pytest.raises(errors.BadAnswer, match=r"/customers: .* larger than 2 MB.*max_answer"):
            client.get("/customers")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert client.get("/customers").rows() == [{"id": 7}]
        assert client.requests == 3
    assert peak < 150_000_000


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br", "gzip, gzip", "x" * 500])
def test_a_packing_that_nobody_asked_for_is_named(encoding, loopback, client):
    reply = Reply(body=packed(ROWS, 3), headers={"Content-Encoding": encoding})
    loopback.replies.append(reply)
    with pytest.raises(errors.BadAnswer, match="where gzip, deflate was asked for"):
        client.get("/customers")
    assert client.requests == 2


def test_a_packed_answer_that_was_cut_off_is_tried_again(loopback, client):
    cut = Reply(body=packed(ROWS, 1)[:-9], headers={"Content-Encoding": "gzip"})
    loopback.replies.extend([cut, Reply(body=ROWS)])
    assert client.get("/customers").rows() == [{"id": 7}]


def test_brackets_without_end_are_named(loopback, client):
    loopback.otherwise = lambda _: Reply(body=b"[" * 10_000 + b"]" * 10_000)
    with pytest.raises(errors.BadAnswer, match="nested too deeply"):
        client.get("/customers")


@contextmanager
def raw_server(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """A server that does what ``answer`` says with each connection, until the event is set."""
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    answer(connection, over)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        over.set()
        listener.close()


def drip_of_head(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not over.wait(0.02):
        connection.sendall(b"x")


def informational_without_end(connection: socket.socket, over: threading.Event) -> None:
    while not over.wait(0.001):
        connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")


def body_without_end(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not over.is_set():
        connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")


def head_without_end(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.is_set():
        connection.sendall(b"X-More: " + b"x" * 4000 + b"\r\n")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (drip_of_head, "no answer in time"),
        (informational_without_end, "no answer in time"),
        (body_without_end, "larger than 1 MB"),
        (head_without_end, "broke"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_nothing_goes_on_for_ever(answer, says, connect):
    started = time.monotonic()
    with (
        raw_server(answer) as base_url,
        connect({"base_url": base_url, "timeout_seconds": 0.2, "max_answer_mb": 1}) as client,
        pytest.raises(errors.OutcomeUnknown, match=says),
    ):
        client.send("PUT", "/customers/1", json={})
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("90", 90.0),
        ("1.5", 1.5),
        ("999999999999", 28_800.0),
        ("9" * 4000, 28_800.0),
        ("-3", None),
        ("+5", None),
        ("1e9", None),
        ("nan", None),
        ("soon", None),
        ("", None),
        ("\u0663", None),
        ("Mon, 05 Jan 20926810200:00 M0 00", None),
        ("Mon, 05 Jan 2026 10:00:00 +99999999999999", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Sun, 22 Nov 2026 10:01:30 GMT", 90.0),
        ("Sun, 22 Nov 2026 10:01:30", 90.0),
        ("Sunday, 22-Nov-26 10:01:30 GMT", 90.0),
        ("Thu, 31 Dec 9999 23:59:59 GMT", 28_800.0),
    ],
)
def test_a_wait_is_read_by_the_services_clock_and_bounded(value, seconds):
    headers = {"retry-after": value, "date": "Sun, 22 Nov 2026 10:00:00 GMT"}
    assert classify(429, headers, b"").retry_after == seconds


def _kinds(*modules: Any) -> list[type[Exception]]:
    names = [kind for module in modules for kind in vars(module).values()]
    found = {kind for kind in names if isinstance(kind, type) and issubclass(kind, Exception)}
    return sorted(found, key=repr)


_ALL = [*_kinds(httpx, httpcore, h11, ssl, socket), UnicodeError, OverflowError, ValueError,
        RuntimeError, ConnectionResetError, BrokenPipeError, MemoryError, KeyError]  # fmt: skip


@pytest.mark.parametrize("kind", _ALL, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_whatever_the_wire_throws_is_one_of_our_errors(kind, budget, make_shop, monkeypatch):
    def broken(*_: object) -> None:
        error = kind.__new__(kind)
        error.args = ("the wire",)
        raise error

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", broken)
    with Client(make_shop(), budget) as client:
        with pytest.raises(errors.ShopError):
            client.get("/customers")
        with pytest.raises((errors.NotSent, errors.OutcomeUnknown, errors.ConfigurationError)):
            client.send("POST", "/customers", json={})
        assert client.budget.state().in_flight == 0


def test_our_own_errors_stay_what_they_are():
    error = errors.NotFound("x")
    assert from_wire(error, "GET", "/x") is error


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "ftp://127.0.0.1:1", "x y"])
def test_an_odd_proxy_of_the_machine_is_a_wrong_setting(proxy, monkeypatch):
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(errors.ConfigurationError, match="HTTPS_PROXY"):
        Network("https://shop.invalid/v1", 1.0)


def test_a_proxy_that_is_not_there_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://me:hush@127.0.0.1:9/")
    network = Network("https://shop.invalid/v1", 1.0)
    with pytest.raises(
        errors.Unreachable, match=r"shop\.invalid \(through the proxy 127.0.0.1:9\)"
    ):
        network.exchange(httpx.Request("GET", "https://shop.invalid/v1/info"), "/info", 10)


def test_a_certificate_that_is_not_trusted_is_told_with_the_mend():
    said = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    told = str(from_wire(httpx.ConnectError(f"{said} (_ssl.c:1006)"), "GET", "/x"))
    assert "not trusted (self-signed certificate)" in told and "SSL_CERT_FILE" in told
    assert "_ssl" not in told


def test_text_that_is_no_unicode_is_not_sent(loopback, connect):
    with connect() as client:
        with pytest.raises(errors.ValidationRefused, match="no Unicode"):
            client.send("POST", "/customers", json={"name": "\ud83d"})
        with pytest.raises(errors.ValidationRefused, match="no Unicode"):
            client.get("/customers/\ud83d")
    assert loopback.seen == []


def test_an_odd_cookie_does_not_spoil_the_next_request(loopback, connect):
    loopback.otherwise = lambda _: Reply(headers={"Set-Cookie": "a=\xff\xfe; Path=/"})
    with connect() as client:
        client.get("/customers")
        client.get("/customers")
    assert "cookie" not in loopback.seen[1].headers
