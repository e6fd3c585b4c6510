"""Stands before the page's server: no request passes without the key, the password or a cookie.

Three questions, in this order: is ``Host`` one of ours (a site that points its own name at this
machine sends another)? Does ``Origin`` name the same place? Who is it? Nobody reaches Streamlit,
not even its files, before all three are answered; its health check alone is open to our hosts.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from importlib.resources import files
from urllib.parse import parse_qsl, urlencode, urlsplit

from jinja2 import Environment, StrictUndefined
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines.dashboard.access import (
    ROLE_HEADER,
    SIGNED_IN_SECONDS,
    DashboardSettings,
    Keys,
    Role,
)
from pipelines.language import _, use
from pipelines.language.display import spoken

_log = logging.getLogger("shopmirror.dashboard")
_HEALTH = "/_stcore/health"
_LOGIN = "/login"
_LONGEST_FORM = 4096
_POLICY = 1008
"""Code of a WebSocket that ends because its visitor may not see the page any more."""


class Tries:
    """Wrong tries of each address: each costs its address seconds, and nobody else any."""

    def __init__(
        self,
        seconds: float = 1.0,
        longest: float = 10.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seconds, self._longest = seconds, longest
        self._clock, self._sleep = clock, sleep
        self._free_at: dict[str, float] = {}

    async def turn(self, address: str) -> bool:
        """Wait for the address's turn; False when too many of its tries wait already."""
        now = self._clock()
        self._free_at = {who: at for who, at in self._free_at.items() if at > now}
        wait = self._free_at.get(address, now) - now
        if wait > self._longest:
            return False
        if wait > 0:
            # The next try of this address waits for this one.
            self._free_at[address] += self._seconds
            await self._sleep(wait)
        return True

    def wrong(self, address: str) -> None:
        """A wrong try of ``address``."""
        self._free_at[address] = max(self._free_at.get(address, 0), self._clock()) + self._seconds


class Gate:
    """ASGI middleware around the page."""

    def __init__(self, app: ASGIApp, settings: DashboardSettings, keys: Keys) -> None:
        self._app, self._settings, self._keys = app, settings, keys
        self._tries = Tries()
        self._cookie = f"shopmirror-{settings.port}"
        page = files(__package__).joinpath("gate.html").read_text(encoding="utf-8")
        # It is HTML, whatever its name would tell Jinja.
        self._page = Environment(autoescape=True, undefined=StrictUndefined).from_string(page)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        is_socket = scope["type"] == "websocket"
        if not self._is_our_host(scope, headers) or not self._is_our_origin(headers):
            return await _refuse(scope, receive, send, "This page is not served under that name.")
        if not is_socket and scope["path"] == _HEALTH:
            return await self._app(scope, receive, send)
        cookie = HTTPConnection(scope).cookies.get(self._cookie, "")
        role = self._keys.role_of_cookie(cookie)
        if is_socket:
            if role is None:
                return await _refuse(scope, receive, send, "Sign in first.")
            watch = _Watch(lambda: self._keys.role_of_cookie(cookie) == role, receive, send)
            return await self._app(_with_role(scope, role), watch.receive, watch.send)
        answer = await self._answer(Request(scope, receive), role)
        if answer is not None:
            return await answer(scope, receive, send)
        return await self._app(_with_role(scope, role or "staff"), receive, send)

    async def _answer(self, request: Request, role: Role | None) -> Response | None:
        """What is answered here; None: the request may go on."""
        given = request.query_params.get("key")
        is_login = request.method == "POST" and request.url.path == _LOGIN
        if is_login:
            form = await _form(request)
            if form is None:
                return PlainTextResponse("Too much.", 413)
            given, there = form.get("secret", ""), form.get("next", "")
        elif given is not None and request.method in ("GET", "HEAD"):
            rest = [pair for pair in request.query_params.multi_items() if pair[0] != "key"]
            there = request.url.path + (f"?{urlencode(rest)}" if rest else "")
        elif role is not None:
            return None
        else:
            there = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return self._ask(there if request.method == "GET" else "/", "", 401)
        return await self._try(request, given, there if _is_below(there) else "/")

    async def _try(self, request: Request, given: str, there: str) -> Response:
        """Answer to a key or password that was given: on to the page, or asked again."""
        address = request.client.host if request.client else "unknown"
        if not await self._tries.turn(address):
            _log.warning("Too many wrong tries from %s to open the page.", address)
            return self._ask(there, _("Too many wrong tries: wait a minute."), 429)
        role = self._keys.role(given)
        if role is None:
            self._tries.wrong(address)
            _log.warning("A wrong try from %s to open the page.", address)
            return self._ask(there, _("That does not open the page."), 401)
        public = self._settings.public_host
        is_public = bool(public) and _name(request.headers.get("host", "")) == public
        answer = RedirectResponse(there, 303, {"Referrer-Policy": "no-referrer"})
        answer.set_cookie(
            self._cookie,
            self._keys.cookie(given, role),
            max_age=SIGNED_IN_SECONDS,
            httponly=True,
            samesite="lax",
            secure=is_public and self._settings.public_url.startswith("https://"),
        )
        return answer

    def _ask(self, there: str, fault: str, status: int) -> Response:
        """The form that asks for the secret, in the reader's language."""
        with use(spoken()):
            text = self._page.render(
                _=_, is_key=bool(self._keys.key), next=there, fault=fault, login=_LOGIN
            )
        policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
        return HTMLResponse(
            text,
            status,
            {
                "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
                "Cache-Control": "no-store",
                # Without any referrer, browsers send a form with the Origin "null".
                "Referrer-Policy": "same-origin",
            },
        )

    def _is_our_host(self, scope: Scope, headers: Headers) -> bool:
        asked = headers.getlist("host")
        if len(asked) != 1:
            return False
        name, hosts = _name(asked[0]), self._settings.hosts
        # Listening everywhere: the address that the connection came to is ours.
        came_to = str((scope.get("server") or ("",))[0]).lower() if "*" in hosts else ""
        return bool(name) and (name in hosts or name == came_to)

    def _is_our_origin(self, headers: Headers) -> bool:
        """Browsers send it with each WebSocket and form; other clients need not."""
        origin = headers.get("origin")
        if origin is None:
            return True
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        allowed = {headers.get("host", "").lower()}
        if self._settings.public_url:
            # A proxy may send a Host of its own.
            allowed.add(urlsplit(self._settings.public_url).netloc.lower())
        return parts.netloc.lower() in allowed


class _Watch:
    """A WebSocket that ends at its next message once its visitor may not see the page."""

    def __init__(self, may_see: Callable[[], bool], receive: Receive, send: Send) -> None:
        self._may_see, self._receive, self._send = may_see, receive, send
        self._is_closed = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "websocket.receive" and not self._may_see():
            await self._close()
            return {"type": "websocket.disconnect", "code": _POLICY, "reason": ""}
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.send" and not self._may_see():
            await self._close()
        if not self._is_closed:
            await self._send(message)

    async def _close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            await self._send({"type": "websocket.close", "code": _POLICY, "reason": ""})


def _with_role(scope: Scope, role: Role) -> Scope:
    own = {**scope, "headers": list(scope["headers"])}
    MutableHeaders(scope=own)[ROLE_HEADER] = role
    return own


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        # Before it was accepted, a close is the answer 403.
        await receive()
        await send({"type": "websocket.close", "code": _POLICY, "reason": ""})
    else:
        await PlainTextResponse(why, 403)(scope, receive, send)


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of a small form; None when it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_FORM:
            return None
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _is_below(there: str) -> bool:
    """Whether a place is one of this page, and no other site's."""
    return there.startswith("/") and not there.startswith(("//", "/\\")) and there.isprintable()


def _name(host: str) -> str:
    """The name in a ``Host`` header, in lower case; empty when it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _port = parts.port
    except ValueError:
        return ""
    if parts.path or parts.query or parts.fragment or "@" in host:
        return ""
    return (parts.hostname or "").rstrip(".")
