"""What the sandbox does not wait for, and whose bodies it does not read."""

import socket
import time

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec


def _sent(server: SandboxServer, *parts: bytes, pause: float = 0.0) -> bytes:
    """What the sandbox answers until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        answer = b""
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            while data := connection.recv(65536):
                answer += data
        except ConnectionError:
            return answer
    return answer


@pytest.fixture
def impatient():
    with SandboxServer([ShopSpec("main", limit=None)], patience_seconds=0.3) as server:
        yield server


def test_a_head_that_does_not_come_is_not_waited_for(impatient):
    began = time.monotonic()
    assert _sent(impatient) == b""
    assert _sent(impatient, b"GET /v1/tickets HTTP/1.1\r\n", *[b"X: y\r\n"] * 9, pause=0.1) == b""
    key = impatient.keys["main"].encode()
    whole = b"GET /v1/brands HTTP/1.1\r\nHost: x\r\nAuthorization: " + key + b"\r\n\r\n"
    # A second request on the same connection has no more time than the first.
    answer = _sent(impatient, whole, b"GET /v1/brands HTTP", pause=0.1)
    assert answer.count(b"HTTP/1.1 200") == 1
    assert time.monotonic() - began < 10


def test_a_body_is_read_for_a_key_only_and_not_for_ever(impatient):
    head = b"POST /v1/brands HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    head += b"Content-Length: 31000000\r\nAuthorization: "
    answer = _sent(impatient, head + b"nobody\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 401")
    key = impatient.keys["main"].encode()
    answer = _sent(impatient, head + key + b"\r\n\r\n", b"{")
    assert answer.startswith(b"HTTP/1.1 408")
    large = head.replace(b"31000000", b"99000000")
    assert _sent(impatient, large + key + b"\r\n\r\n").startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "head", [b"GET /v1/br ands HTTP/1.1", b"GET /v1", b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000]
)
def test_a_head_that_cannot_be_read_is_refused_in_words(impatient, head):
    answer = _sent(impatient, head + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"The request's head cannot be read." in answer
