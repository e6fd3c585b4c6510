"""The network under the client: connections with a deadline, bodies with a bound, one error tree.

What comes over the wire is not trusted. One answer may take only so long in all (a byte a second
never meets a time-out of silence), and may be only so large, unpacked, at every stage of unpacking
(a few kilobytes of gzip in gzip are gigabytes). :func:`from_wire` makes one of our errors of every
exception that can come out of here.
"""

import json
import ssl
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from ..errors import BadAnswer, ConfigurationError, ShopError, Unreachable
from ..settings import ShopSettings, is_loopback

ACCEPTED_ENCODINGS = "gzip, deflate"
"""What we ask for; both can be unpacked piece by piece."""
_MOST_STAGES = 2
"""Encodings on top of each other; some proxies pack what is packed."""
_PIECE = 64 * 1024
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.InvalidURL,
    UnicodeError,
)
_NOT_SENDABLE = (
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    httpx.LocalProtocolError,
    UnicodeError,
    OverflowError,
)


def from_wire(
    error: Exception, method: str, path: str, host: str = "", *, answered: bool = False
) -> ShopError:
    """Our error for any exception of httpx, zlib, ssl or a socket; the only place that decides it.

    ``host`` is the host and port that were asked; ``answered``: an answer had begun, so the request
    surely arrived, whatever went wrong with the rest. One that is ours already stays what it is.
    One that nobody foresaw counts as a connection that broke after the request was sent: a read may
    be tried again, a write is in doubt.
    """
    if isinstance(error, ShopError):
        return error
    name = type(error).__name__
    service = f"The service at {host}" if host else "The service"
    what = f"{method} {path}"
    if isinstance(error, _NOT_SENDABLE) and not answered:
        return ConfigurationError(f"{what} cannot be sent ({name}). Check base_url and api_key.")
    if isinstance(error, httpx.DecodingError | zlib.error):
        return BadAnswer(
            "the answer's compression is damaged", method=method, path=path, transient=True
        )
    if isinstance(error, httpx.ConnectTimeout):
        message = f"{service} cannot be reached: no connection in time."
    elif isinstance(error, httpx.ConnectError | httpx.ProxyError | ssl.SSLCertVerificationError):
        message = f"{service} cannot be reached: {str(error) or name}."
    elif isinstance(error, httpx.TimeoutException | TimeoutError):
        message = f"{service} gave no answer in time to {what} ({name})."
    else:
        message = f"The connection broke during {what} ({name})."
    return Unreachable(message, sent=answered or not isinstance(error, _NEVER_SENT))


class _Deadline(threading.local):
    """Until when the request of this thread may take, by the monotonic clock."""

    until: float = float("inf")

    def left(self, timeout: float | None, late: type[Exception]) -> float:
        """The time-out of one step, cut off at the deadline; raises ``late`` beyond it."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise late("the answer took too long")
        return left if timeout is None else min(timeout, left)


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every step ends at the deadline of the thread that takes it."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        inner = self._inner.start_tls(ssl_context, server_hostname, left)
        return _TimedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _TimedBackend(httpcore.NetworkBackend):
    """Opens the connections."""

    def __init__(self, deadline: _Deadline) -> None:
        self._inner = httpcore.SyncBackend()
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        inner = self._inner.connect_tcp(host, port, left, local_address, socket_options)
        return _TimedStream(inner, self._deadline)


class Network(httpx.HTTPTransport):
    """The real connections to ``base_url``; one answer may take ``longest`` seconds in all.

    Idle connections are dropped before a usual server would drop them. The machine's proxy is used
    if one is set, never for this machine itself; :class:`ConfigurationError` if it cannot be.
    """

    def __init__(self, base_url: str, longest: float) -> None:
        try:
            super().__init__(
                verify=_tls(base_url),
                limits=httpx.Limits(
                    max_connections=64, max_keepalive_connections=16, keepalive_expiry=3.0
                ),
                proxy=_proxy_for(base_url),
            )
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise ConfigurationError(
                "The proxy that this machine's environment names cannot be used "
                f"({type(error).__name__}). Set HTTPS_PROXY to http://host:port, or unset it."
            ) from error
        self._longest = longest
        self._deadline = _Deadline()
        # httpx has no argument for what httpcore calls the network backend; a test holds this.
        self._pool._network_backend = _TimedBackend(self._deadline)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; its answer must be read in the same thread."""
        self._deadline.until = time.monotonic() + self._longest
        return super().handle_request(request)


class Networks:
    """The connections of all clients of a run: shops of one address share theirs."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, float], Network] = {}
        self._lock = threading.Lock()

    def of(self, shop: ShopSettings) -> Network:
        """Those of a shop's address; they stay open when its client is closed."""
        parts = urlsplit(shop.base_url)
        place = (f"{parts.scheme}://{parts.netloc}", longest_answer(shop))
        with self._lock:
            if place not in self._kept:
                self._kept[place] = Network(*place)
            return self._kept[place]

    def close(self) -> None:
        """Close all connections."""
        for network in self._kept.values():
            network.close()


def longest_answer(shop: ShopSettings) -> float:
    """Seconds that one answer of a shop's service may take in all."""
    return 4 * shop.timeout_seconds


def _tls(base_url: str) -> ssl.SSLContext | bool:
    """What connections are encrypted with. Reading the certificates of all authorities takes longer
    than a dozen requests to this machine, so a context for an address without TLS trusts nobody."""
    is_encrypted = urlsplit(base_url).scheme != "http"
    return is_encrypted or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _proxy_for(base_url: str) -> str | None:
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def read_body(
    response: httpx.Response, *, most: int, until: float, method: str, path: str
) -> bytes:
    """The whole body, unpacked: at most ``most`` bytes at any stage, before ``until`` (monotonic).

    :class:`BadAnswer` for one that is larger, or packed in a way that was not asked for.
    """

    def refuse(what: str) -> BadAnswer:
        return BadAnswer(what, method=method, path=path, status=response.status_code)

    def bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise refuse(
                    f"the answer is larger than {most // 2**20} MB; raise max_answer_mb if this "
                    "service means it"
                )
            if time.monotonic() > until:
                raise httpx.ReadTimeout("the answer took too long", request=response.request)
            yield piece

    named = response.headers.get("content-encoding", "").lower().split(",")
    codings = [name.strip() for name in named if name.strip() not in _PLAIN]
    unknown = [name for name in codings if name not in _PACKED]
    if unknown or len(codings) > _MOST_STAGES:
        raise refuse(
            f"the answer is packed as {', '.join(codings)[:60]!r} where {ACCEPTED_ENCODINGS} was "
            "asked for"
        )
    # The stream itself: httpx would unpack it without any bound.
    assert isinstance(response.stream, httpx.SyncByteStream)
    pieces = bounded(response.stream)
    for coding in reversed(codings):
        pieces = bounded(_unpacked(pieces, coding))
    return _as_utf8(b"".join(pieces), response.charset_encoding or "")


def _as_utf8(body: bytes, charset: str) -> bytes:
    """What is no Unicode by the character set its head names (some name one they do not use)."""
    if charset.lower() in _PLAIN:
        return body
    try:
        body.decode(json.detect_encoding(body))
    except UnicodeDecodeError:
        with suppress(LookupError, UnicodeDecodeError):
            return body.decode(charset).encode()
    return body


# Some servers name a character set here, or nothing at all.
_PLAIN = ("", "identity", "none", "utf-8", "utf8", "binary", "chunked")
_PACKED = ("gzip", "x-gzip", "deflate")


def _unpacked(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Unpack gzip or deflate, never more than a piece at a time. ``zlib.error`` when damaged."""
    window = zlib.MAX_WBITS | 32  # gzip or zlib, whichever its first bytes say
    unpacker = None
    for packed in pieces:
        rest = packed
        if unpacker is None and coding == "deflate" and rest[0] & 0x0F != zlib.DEFLATED:
            window = -zlib.MAX_WBITS  # what some servers call deflate has no head
        while rest:
            if unpacker is None or unpacker.eof:
                unpacker = zlib.decompressobj(window)
            yield unpacker.decompress(rest, _PIECE)
            rest = unpacker.unconsumed_tail or unpacker.unused_data
    if unpacker is not None:
        yield unpacker.flush()
        if not unpacker.eof:
            raise zlib.error("cut off")
