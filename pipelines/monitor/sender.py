"""The one sender of reports and notices: e-mail by SMTP, and JSON to a webhook.

Settings stand under ``[mail]`` (the password in ``.dlt/secrets.toml``) or as ``MAIL__SMTP_HOST``
and so on. The service itself sends nothing (specification, "What the service does", 3), so this is
the only place a message comes from.

What the environment says of proxies is ignored by both ways: a message goes to the server that the
settings name, or nowhere. No error's text is passed on, since it may quote a webhook's address,
which often holds a key.
"""

import smtplib
import ssl
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from functools import partial
from typing import Annotated, Any, Literal, Self, TypeVar

import httpx
from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from pipelines.settings import (
    Section,
    is_in_the_clear,
    is_loopback,
    load_section,
    read_section,
)


def _split(value: Any) -> Any:
    """A text with commas as its parts; anything else as it is."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


_Item = TypeVar("_Item")
Several = Annotated[tuple[_Item, ...], BeforeValidator(_split)]
"""A list, or a text with commas."""


_IN_THE_CLEAR = (
    "everybody on the way can read it; encrypt it, or set allow_http = true if that is meant"
)


class MailSettings(Section):
    """``[mail]``: the server, and where messages go. ``[report]`` and ``[notify]`` may differ."""

    smtp_host: str = Field("", description="name of the server that takes mail; empty: no mail")
    smtp_port: int = Field(587, ge=1, le=65535, description="587 is the usual one")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="'starttls' encrypts after the greeting, 'tls' from the start"
    )
    smtp_user: str = Field("", description="empty: no login")
    smtp_password: SecretStr = Field(SecretStr(""), description="of that user")
    mail_from: str = Field("", description="by default the user, else the first who gets it")
    mail_to: Several[str] = Field((), description="a list, or a text with commas")
    webhook_url: SecretStr = Field(
        SecretStr(""), description="gets a POST of JSON; often holds a key, so treated as one"
    )
    timeout_seconds: float = Field(30.0, gt=0, description="longest wait, at each step")
    allow_http: bool = Field(
        False, description="password and messages may cross a network unencrypted"
    )

    @model_validator(mode="before")
    @classmethod
    def _old_names(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        return {OLD_NAMES.get(str(name), name): value for name, value in values.items()}

    @field_validator("mail_from", "mail_to")
    @classmethod
    def _fits_a_header(cls, value: Any) -> Any:
        for text in (value,) if isinstance(value, str) else value:
            if not text.isprintable():
                raise ValueError("an address is one line: it holds characters that no header may")
        return value

    @field_validator("webhook_url")
    @classmethod
    def _is_http(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if text and not text.startswith(("http://", "https://")):
            raise ValueError("must begin with https:// or http://")
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.mail_to and not self.smtp_host:
            raise ValueError("mail_to is set but smtp_host is not")
        if self.allow_http:
            return self
        if is_in_the_clear(self.webhook_url.get_secret_value()):
            raise ValueError(f"webhook_url is http://: {_IN_THE_CLEAR}")
        is_here = is_loopback(self.smtp_host)
        if self.smtp_security == "none" and self.smtp_user and not is_here:
            raise ValueError(f"smtp_security is 'none', with a login: {_IN_THE_CLEAR}")
        return self

    @property
    def by_mail(self) -> bool:
        """Whether enough is set to send e-mail."""
        return bool(self.mail_to)

    @property
    def by_webhook(self) -> bool:
        """Whether a webhook is set."""
        return bool(self.webhook_url.get_secret_value())

    @property
    def sender(self) -> str:
        """Whom messages come from."""
        return self.mail_from or self.smtp_user or self.mail_to[0]


OLD_NAMES = {"email_to": "mail_to", "email_from": "mail_from"}
"""What ``[notify]`` called them before there was ``[mail]``."""
_Mail = TypeVar("_Mail", bound=MailSettings)


def load_mail(section: str, kind: type[_Mail]) -> _Mail:
    """``[mail]`` with what a section says otherwise over it; ``SettingsError`` names all faults."""
    own = {OLD_NAMES.get(name, name): value for name, value in read_section(section).items()}
    load_section("mail", MailSettings)
    return load_section(section, kind, {**read_section("mail"), **own})


def old_mail_settings() -> list[str]:
    """What stands in a section of its own though ``[mail]`` has a place for it, in words."""
    told = []
    for section in ("report", "notify"):
        old = [n for n in read_section(section) if n.startswith("smtp_") or n in OLD_NAMES]
        if old:
            told.append(
                f"{', '.join(sorted(old))} under [{section}] still count(s); the place for "
                "reports and notices together is [mail] (smtp_host, mail_from, mail_to, ...)."
            )
    return told


def new_mail(subject: str, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """A message with its head, which tells nothing of this machine."""
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain="shopmirror.invalid")
    return mail


def send_mail(mail: EmailMessage, by: MailSettings) -> None:
    """Hand the message in. Raises ``OSError``, ``smtplib.SMTPException``, and ``UnicodeError`` for
    a server's name, user or password that the protocol has no form for."""
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
    address = url.get_secret_value()
    httpx.post(address, json=document, timeout=timeout_seconds, trust_env=False).raise_for_status()


_NOT_SENT = (OSError, UnicodeError, smtplib.SMTPException, httpx.HTTPError, httpx.InvalidURL)


def send_all(
    by: MailSettings, mail: Callable[[], EmailMessage], document: Callable[[], Any]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Send over every way that is set, ``mail`` and ``webhook``: those that went, and those that
    did not with the reason. Both contents are made before anything is sent."""
    ways: dict[str, Callable[[], None]] = {}
    if by.by_mail:
        ways["mail"] = partial(send_mail, mail(), by)
    if by.by_webhook:
        ways["webhook"] = partial(post_json, document(), by.webhook_url, by.timeout_seconds)
    sent: list[str] = []
    failed: list[tuple[str, str]] = []
    for name, send in ways.items():
        try:
            send()
            sent.append(name)
        except _NOT_SENT as error:
            failed.append((name, _why(error)))
    return sent, failed


def _why(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return "it refused the user or password"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"it answered {error.smtp_code}"
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answered {error.response.status_code}"
    if isinstance(error, UnicodeError):
        return "the server's name, the user or the password cannot be sent as written"
    return getattr(error, "strerror", None) or type(error).__name__
