"""Sending one e-mail through the SMTP server that ``[notify]`` or ``[report]`` names."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal, Protocol

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
