"""The network under the client: connections with a deadline, bodies with a bound, one error tree.

What comes over the wire is not trusted. One answer may take only so long in all, because a byte a
second never meets a time-out of silence. It may be only so large when it is unpacked.
:func:`from_wire` makes one of our errors of every exception that can come out of here.
"""

import json
import re
import socket
import ssl
import threading
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from ..errors import BadAnswer, ConfigurationError, ShopError, Unreachable
from ..settings import ShopSettings, is_loopback

ACCEPTED_ENCODINGS = "gzip, deflate"
_KNOWN_ENCODINGS = ("", "identity", "none", "gzip", "deflate", "utf-8", "utf8", "binary")
"""Some servers name a character set here. Gzip in gzip could unpack to gigabytes at once."""
_NEVER_SENT = (
    httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError,
    httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL, UnicodeError,
)  # fmt: skip
_NOT_SENDABLE = (
    httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError,
    OverflowError,
)  # fmt: skip

_CERTIFICATE = re.compile(r"certificate verify failed: (.+?)\.? \(_ssl")


def from_wire(
    error: Exception, method: str, path: str, host: str = "", *, answered: bool = False
) -> ShopError:
    """Our error for any exception of httpx, ssl or a socket; the only place that decides it.

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
    if isinstance(error, httpx.DecodingError):
        return BadAnswer(
            "the answer's compression is damaged", method=method, path=path, transient=True
        )
    if isinstance(error, httpx.ConnectTimeout):
        message = f"{service} cannot be reached: no connection in time."
    elif isinstance(error, httpx.ConnectError | httpx.ProxyError | ssl.SSLCertVerificationError):
        told = str(error) or name
        if refused := _CERTIFICATE.search(told):
            told = (
                f"its certificate is not trusted ({refused[1]}). Check base_url. Where a proxy "
                "encrypts anew, SSL_CERT_FILE must name a file with its certificate"
            )
        message = f"{service} cannot be reached: {told}."
    elif isinstance(error, httpx.TimeoutException | TimeoutError):
        message = f"{service} gave no answer in time to {what} ({name})."
    else:
        message = f"The connection broke during {what} ({name})."
    return Unreachable(message, sent=answered or not isinstance(error, _NEVER_SENT))


class _Wire:
    """One connection at most, which can be cut from another thread."""

    def __init__(self, transport: httpx.BaseTransport) -> None:
        self.transport = transport
        self.is_cut = False
        self._stream: Any = None

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Called by httpcore: keeps the newest connection."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info["return_value"]

    def cut(self) -> None:
        """The answer takes too long: whatever waits for it ends now."""
        self.is_cut = True
        with suppress(OSError, AttributeError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Network:
    """Connections to one address, each kept for later requests; safe for threads.

    Through the machine's proxy if one is set, never for this machine itself;
    :class:`ConfigurationError` if it cannot be. ``longest``: seconds that an answer may take.
    """

    def __init__(self, base_url: str, longest: float) -> None:
        self._base_url, self._longest = base_url, longest
        self._tls = _tls(urlsplit(base_url).scheme)
        self._free = [self._new()]  # a proxy that cannot be used is told at once

    def exchange(
        self, request: httpx.Request, path: str, most: int
    ) -> tuple[int, httpx.Headers, bytes]:
        """Send a request; status, headers and the whole body, at most ``most`` bytes unpacked.

        Raises our errors only; ``path`` is what they name.
        """
        try:
            wire = self._free.pop()
        except IndexError:
            wire = self._new()
        timer = threading.Timer(self._longest, wire.cut)
        timer.daemon = True
        timer.start()
        request.extensions["trace"] = wire.trace
        answered = is_whole = False
        try:
            response = wire.transport.handle_request(request)
            answered = True
            try:
                response.request = request
                body = _read_body(response, path, most)
                is_whole = True
            finally:
                response.close()
            return response.status_code, response.headers, body
        except Exception as error:
            # Whatever it is, it happened on the wire: a read may be tried again, a write is in
            # doubt. Nothing that a service can cause may end a run in another way.
            host = request.url.netloc.decode("ascii", "replace")  # without any user and password
            if not answered and (proxy := _proxy_for(self._base_url)):
                host += f" (through the proxy {httpx.URL(proxy).netloc.decode()})"
            cause = httpx.ReadTimeout("the answer took too long") if wire.is_cut else error
            raise from_wire(cause, request.method, path, host, answered=answered) from error
        finally:
            timer.cancel()
            if is_whole and not wire.is_cut:
                self._free.append(wire)
            else:
                wire.transport.close()

    def close(self) -> None:
        """Close the connections that no request uses."""
        while self._free:
            self._free.pop().transport.close()

    def _new(self) -> _Wire:
        limits = httpx.Limits(max_connections=1, keepalive_expiry=3.0)
        try:
            proxy = _proxy_for(self._base_url)
            return _Wire(httpx.HTTPTransport(verify=self._tls, limits=limits, proxy=proxy))
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise ConfigurationError(
                "The proxy that this machine's environment names cannot be used "
                f"({type(error).__name__}). Set HTTPS_PROXY to http://host:port, or unset it."
            ) from error


def longest_answer(shop: ShopSettings) -> float:
    """Seconds that one answer of a shop's service may take in all."""
    return 4 * shop.timeout_seconds


def _read_body(response: httpx.Response, path: str, most: int) -> bytes:
    """The whole body as UTF-8, unpacked: at most ``most`` bytes."""

    def refuse(what: str) -> BadAnswer:
        method, status = response.request.method, response.status_code
        return BadAnswer(what, method=method, path=path, status=status)

    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in _KNOWN_ENCODINGS:
        raise refuse(
            f"the answer is packed as {coding[:60]!r} where {ACCEPTED_ENCODINGS} was asked for"
        )
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > most:
            raise refuse(
                f"the answer is larger than {most // 2**20} MB; raise max_answer_mb if this "
                "service means it"
            )
    return _as_utf8(bytes(body), response.charset_encoding or "")


def _as_utf8(body: bytes, charset: str) -> bytes:
    """What is no Unicode by the character set its head names (some name one they do not use)."""
    encoding = json.detect_encoding(body)
    for candidate in (encoding, charset):
        with suppress(LookupError, UnicodeDecodeError):
            text = body.decode(candidate, "surrogatepass" if candidate == encoding else "strict")
            return (
                body if encoding == "utf-8" == candidate else text.encode("utf-8", "surrogatepass")
            )
    return body


@cache
def _tls(scheme: str) -> ssl.SSLContext:
    """What connections are encrypted with. Reading the certificates of all authorities takes longer
    than a dozen requests to this machine, so a context for an address without TLS trusts nobody."""
    if scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.create_ssl_context()


def _proxy_for(base_url: str) -> str | None:
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)
