"""The one sender of reports and notices: e-mail by SMTP, JSON to a webhook, and chats by Apprise.

Settings stand under ``[mail]`` (the password in ``.dlt/secrets.toml``) or as ``MAIL__SMTP_HOST``
and so on. The service itself sends nothing (specification, "What the service does", 3), so this is
the only place a message comes from.

What the environment says of proxies is ignored by mail and webhook: a message goes to the server
that the settings name, or nowhere. No error's text is passed on, since it may quote a webhook's
address, which often holds a key.
"""

import logging
import re
import smtplib
import ssl
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

import httpx
from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from pipelines.settings import Section, is_in_the_clear, is_loopback, parts, read_section

if TYPE_CHECKING:
    import apprise


_Item = TypeVar("_Item")
Several = Annotated[
    tuple[_Item, ...], BeforeValidator(lambda told: parts(told) if isinstance(told, str) else told)
]
"""A list, or a text with commas."""


_ADDRESS = re.compile(
    r"""[^<>;@]*<[^\s<>;"@]+@[^\s<>;"@]+>|[^\s<>;"@]+(@[^\s<>;"@]+)?""",
)
"""One address, with a name before it or without; one of this machine may be a user's name alone."""
_IN_THE_CLEAR = (
    "everybody on the way can read it; encrypt it, or set allow_http = true if that is meant"
)


class MailSettings(Section):
    """``[mail]``: the server, and where messages go. ``[report]`` and ``[notify]`` may differ."""

    section = "mail"
    smtp_host: str = Field("", description="name of the server that takes mail; empty: no mail")
    smtp_port: int = Field(587, ge=1, le=65535, description="587 is the usual one")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls",
        description="'starttls' encrypts after the greeting, 'tls' from the start, 'none' never",
    )
    smtp_user: str = Field("", description="empty: no login")
    smtp_password: SecretStr = Field(SecretStr(""), description="of that user")
    mail_from: str = Field("", description="by default the user, else the first who gets it")
    mail_to: Several[str] = Field((), description="a list, or a text with commas")
    webhook_url: SecretStr = Field(
        SecretStr(""), description="gets a POST of JSON; often holds a key, so treated as one"
    )
    chat: Several[SecretStr] = Field(
        (), description="addresses as Apprise writes them: tgram://..., ntfy://..., slack://..."
    )
    timeout_seconds: float = Field(30.0, gt=0, description="longest wait, at each step")
    allow_http: bool = Field(
        False, description="password and messages may cross a network unencrypted"
    )

    # Names without a field here are those of a section that says more.
    @field_validator("mail_from", "mail_to", "name", check_fields=False)
    @classmethod
    def _fits_a_header(cls, value: Any) -> Any:
        for text in (value,) if isinstance(value, str) else value:
            if not text.isprintable():
                raise ValueError("must be one line: it holds characters that no header may")
        return value

    @field_validator("mail_from", "mail_to")
    @classmethod
    def _is_one_address(cls, value: Any) -> Any:
        # Of two in one text a mail program's parser takes the first, without a word.
        for text in (value,) if isinstance(value, str) else value:
            if text and not _ADDRESS.fullmatch(text):
                raise ValueError("must be addresses such as ana@example.org, with commas between")
        return value

    @field_validator("webhook_url", "heartbeat_url", check_fields=False)
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
        for number, chat in enumerate(self.chat, 1):
            if not _chats(chat):
                raise ValueError(f"chat {number} is no address that Apprise knows")
        if self.allow_http:
            return self
        for name in ("webhook_url", "heartbeat_url"):
            if is_in_the_clear(getattr(self, name, SecretStr("")).get_secret_value()):
                raise ValueError(f"{name} is http://: {_IN_THE_CLEAR}")
        is_here = is_loopback(self.smtp_host)
        if self.smtp_security == "none" and self.smtp_user and not is_here:
            raise ValueError(f"smtp_security is 'none', with a login: {_IN_THE_CLEAR}")
        for number, chat in enumerate(self.chat, 1):
            if _is_chat_in_the_clear(chat):
                raise ValueError(f"chat {number} is not encrypted: {_IN_THE_CLEAR}")
        return self

    @classmethod
    def load(cls) -> Self:
        """``[mail]`` with what the own section says otherwise over it."""
        MailSettings.validated(read_section("mail"))
        return cls.validated({**read_section("mail"), **read_section(cls.section)})

    @property
    def sender(self) -> str:
        """Whom messages come from."""
        return self.mail_from or self.smtp_user or self.mail_to[0]


def _is_chat_in_the_clear(url: SecretStr) -> bool:
    """Whether Apprise would speak to a chat unencrypted, elsewhere than on this machine."""
    address = url.get_secret_value()
    for chat in _chats(url):
        plain = chat.protocol or ()
        schema = address.partition("://")[0].lower()
        is_plain = schema in ((plain,) if isinstance(plain, str) else plain) and not chat.secure
        # Where no server is named it is the service's own, which is always encrypted.
        return is_plain and getattr(chat, "mode", "") != "cloud" and not is_loopback(chat.host)
    return False


def _chats(url: SecretStr) -> "apprise.Apprise":
    """The chat of an Apprise address; none where it knows no such one."""
    import apprise

    # Its log may quote the address, which holds the chat's key.
    logging.getLogger("apprise").disabled = True
    chats = apprise.Apprise()
    chats.add(url.get_secret_value())
    return chats


def new_mail(subject: str, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """A message with its head, which tells nothing of this machine."""
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain="shopmirror.invalid")
    return mail


class NotSent(Exception):
    """A message did not get everywhere. It says over which way and why, never with a secret;
    ``left``: the channels that took none of it."""

    exit_code = 3

    def __init__(self, message: str, left: Collection[str] = ()) -> None:
        super().__init__(message)
        self.left = left


class NotTaken(Exception):
    """A message was not taken; the words say why as far as that is known."""


def send_mail(mail: EmailMessage, by: MailSettings) -> None:
    """Hand the message in.

    Raises ``OSError``, ``smtplib.SMTPException``, ``UnicodeError`` for a server's name, user or
    password that the protocol has no form for. Recipients may be refused though others have it.
    """
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
        refused = server.send_message(mail)
    if refused:
        raise smtplib.SMTPRecipientsRefused(refused)


def _chat(subject: str, text: str, url: SecretStr) -> None:
    if not _chats(url).notify(body=text, title=subject):
        raise NotTaken("it did not take the message")


_NOT_SENT = (
    OSError, UnicodeError, smtplib.SMTPException, httpx.HTTPError, httpx.InvalidURL,
    NotTaken,
)  # fmt: skip


@dataclass(frozen=True)
class Sent:
    """Which channels took a message, and which did not with the reason. A mail that the server took
    for some recipients only is in both."""

    taken: Sequence[str] = ()
    failed: Mapping[str, str] = field(default_factory=dict)

    def check(self, what: str = "message", *also: str) -> None:
        """:class:`NotSent` when one failed; ``also`` are sentences on those that did not."""
        if self.failed:
            troubles = ", ".join(f"{name} ({why})" for name, why in self.failed.items())
            told = " ".join([f"The {what} could not be sent by {troubles}.", *also])
            raise NotSent(told, sorted(self.failed.keys() - {*self.taken}))


def channels(by: MailSettings) -> list[str]:
    """The channels that are set: ``e-mail``, ``webhook``, ``chat 1``, ..."""
    chats = [f"chat {number}" for number in range(1, len(by.chat) + 1)]
    return [*(["e-mail"] if by.mail_to else []), *(["webhook"] if by.webhook_url else []), *chats]


def send_all(
    by: MailSettings,
    mail: Callable[[], EmailMessage],
    document: Callable[[], Mapping[str, Any]],
    *,
    without: Collection[str] = (),
    took: Callable[[str], None] = lambda name: None,
) -> Sent:
    """Send over every channel but those of ``without``, each by itself. All contents are made
    before anything is sent. ``took`` hears of each channel before the next one is tried, so that
    whoever is killed between them knows."""
    names = [name for name in channels(by) if name not in without]
    ways: dict[str, Callable[[], object]] = {}
    if "e-mail" in names:
        ways["e-mail"] = partial(send_mail, mail(), by)
    if names != [*ways]:
        said = dict(document())
        title, text = (str(said.get(one) or said[other]) for one, other in _CHAT)
        address, seconds = by.webhook_url.get_secret_value(), by.timeout_seconds
        ways["webhook"] = lambda: httpx.post(
            address, json=said, timeout=seconds, trust_env=False
        ).raise_for_status()
        for number, url in enumerate(by.chat, start=1):
            ways[f"chat {number}"] = partial(_chat, title, text, url)
    taken: list[str] = []
    failed: dict[str, str] = {}
    for name in names:
        try:
            ways[name]()
        except _NOT_SENT as error:
            failed[name] = why(error)
            refused = error.recipients if isinstance(error, smtplib.SMTPRecipientsRefused) else ()
            if not 0 < len(refused) < len(by.mail_to):
                continue
        taken.append(name)
        took(name)
    return Sent(taken, failed)


_CHAT = (("subject", "title"), ("body", "text"))
"""What a chat is told of a document: of a notice, else of a report."""


def why(error: Exception) -> str:
    """Why a message was not taken, in words that quote no address."""
    if isinstance(error, NotTaken):
        return str(error)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return f"it refused {', '.join(sorted(error.recipients))}"
    if "certificate verify failed" in str(error):
        return "its certificate is not trusted"
    for kind, words in _REASONS.items():
        if isinstance(error, kind):
            return words
    if isinstance(error, smtplib.SMTPResponseException):
        return f"it answered {error.smtp_code}"
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answered {error.response.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__


_REASONS: Mapping[type[Exception], str] = {
    UnicodeError: "the server's name, the user or the password cannot be sent as written",
    smtplib.SMTPAuthenticationError: "it refused the user or password",
    smtplib.SMTPNotSupportedError: "it offers no such encryption, login or kind of address",
    smtplib.SMTPServerDisconnected: "it ended the connection",
    ssl.SSLError: "it takes no encrypted connection: see port, smtp_security, certificate",
    TimeoutError: "it did not answer in time",
    httpx.TimeoutException: "it did not answer in time",
    httpx.TransportError: "it cannot be reached",
    httpx.InvalidURL: "its address cannot be read",
}
"""Errors whose own words are for programmers, or may quote an address."""
