"""The one sender of reports and notices: e-mail by SMTP, and JSON to a webhook.

What the environment says of proxies is ignored by both ways: a message goes to the server that the
settings name, or nowhere. No error's text is passed on, since it may quote a webhook's address,
which often holds a key.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable, Iterable
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, Literal, Protocol

import httpx
from pydantic import SecretStr

Security = Literal["starttls", "tls", "none"]


class SmtpServer(Protocol):
    """Where mail is handed in; a section of the settings."""

    @property
    def smtp_host(self) -> str:
        """Name or address of the server."""

    @property
    def smtp_port(self) -> int:
        """Its port; 587 is the usual one for handing in."""

    @property
    def smtp_security(self) -> Security:
        """``starttls`` encrypts after the greeting, ``tls`` from the start."""

    @property
    def smtp_user(self) -> str:
        """Empty: no login."""

    @property
    def smtp_password(self) -> SecretStr:
        """Of the user."""

    @property
    def timeout_seconds(self) -> float:
        """Longest wait for the server, at each step."""


def new_mail(subject: str, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """A message with its head, which tells nothing of this machine."""
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain="shopmirror.invalid")
    return mail


def send_mail(mail: EmailMessage, by: SmtpServer) -> None:
    """Hand the message in. Raises ``OSError`` and ``smtplib.SMTPException``."""
    context = ssl.create_default_context()
    host, port, seconds = by.smtp_host, by.smtp_port, by.timeout_seconds
    if by.smtp_security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=seconds, context=context)
    else:
        server = smtplib.SMTP(host, port, timeout=seconds)
    with server:
        if by.smtp_security == "starttls":
            server.starttls(context=context)
        if by.smtp_user:
            server.login(by.smtp_user, by.smtp_password.get_secret_value())
        server.send_message(mail)


def post_json(document: Any, url: SecretStr, timeout_seconds: float) -> None:
    """POST a document to a webhook. Raises ``httpx.HTTPError`` and ``httpx.InvalidURL``."""
    with httpx.Client(trust_env=False, timeout=timeout_seconds) as client:
        client.post(url.get_secret_value(), json=document).raise_for_status()


def send_all(
    ways: Iterable[tuple[str, Callable[[], None]]],
) -> tuple[list[str], list[tuple[str, str]]]:
    """Try every way (name, sending); the names of those that went, and of those that did not with
    the reason."""
    sent: list[str] = []
    failed: list[tuple[str, str]] = []
    for name, send in ways:
        try:
            send()
            sent.append(name)
        except (OSError, smtplib.SMTPException, httpx.HTTPError, httpx.InvalidURL) as error:
            failed.append((name, _why(error)))
    return sent, failed


def _why(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return "it refused the user or password"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"it answered {error.smtp_code}"
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answered {error.response.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__
