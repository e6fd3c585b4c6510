"""What may leave the machine, stay in a log or stand on the screen.

:func:`mask` takes out every secret that the settings hold: keys of shops, passwords, the addresses
of webhooks, credentials of destinations. :func:`scrub` takes out what may name a customer as well:
messages of libraries quote values (``Could not convert string "..."``), and ours quote what the
service answered (``(saw: ...)``). Words, paths, counts and amounts stay.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

_SECRET_NAMES = ("key", "password", "token", "secret", "credential", "webhook", "heartbeat")
_CHAT = "chat"
"""Addresses of chats (``[notify] chat``) hold their keys."""
_SHORTEST = 4
"""A shorter secret would mask ordinary words, and is none."""
_TOLD = ("host", "port", "database", "username", "drivername")
"""What stands in credentials and is no secret: a user 'shopmirror' would mask what to type."""
_SECTIONS = ("SOURCES", "DESTINATION", "MAIL", "NOTIFY", "REPORT", "DASHBOARD", "SCHEDULE")
_MASK = "..."
# Each begins where no longer match of it could have begun, so none takes more than linear time.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<!\w)(\w+://[^\s?#]+)[?#]\S*"), r"\1?..."),
    (re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+"), "<e-mail>"),
    (re.compile(r'"[^"\n]{2,}"'), f'"{_MASK}"'),
    (re.compile(r"(?<![\w])'(?!shopmirror )[^'\n]{2,}'(?![\w])"), f"'{_MASK}'"),
    # A telephone number: seven digits or more, however grouped; not an ISO time.
    (re.compile(r"(?<![\w.:-])\+?\(?\d(?:[ ()/]?\d){6,}(?![\w:-])"), "<number>"),
)


_NAMED = re.compile(
    r"(?i)\b(authorization|api[_-]?key|password|token|secret)(['\"]?\s*[:=]\s*)['\"]?[^\s'\",;)]+"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+@")


def is_secret(name: str) -> bool:
    """Whether a setting of this name is one that nobody may read."""
    return name.lower() == _CHAT or any(word in name.lower() for word in _SECRET_NAMES)


def known_secrets() -> tuple[str, ...]:
    """Every secret of the settings files and the environment, the longest first."""
    found: set[str] = set()
    for name in ("config.toml", "secrets.toml"):
        for path, value in _secrets_in(_settings(name)):
            if path.rpartition(".")[2] not in _TOLD or "=" in str(value):
                for one in value if isinstance(value, list) else (value,):
                    found |= set(_forms(str(one)))
    for variable, value in os.environ.items():
        section, _, name = variable.partition("__")
        parts = name.lower().split("__")
        if section.upper() in _SECTIONS and any(map(is_secret, parts)) and parts[-1] not in _TOLD:
            found |= set(_forms(value))
    return tuple(sorted(found, key=len, reverse=True))


def mask(text: str, secrets: Iterable[str] | None = None) -> str:
    """``text`` without any of ``secrets`` (by default those of the settings), as they are or as
    JSON and URLs write them. What stands behind the name of one goes, too."""
    for secret in known_secrets() if secrets is None else secrets:
        if len(secret) >= _SHORTEST:
            for form in dict.fromkeys((secret, json.dumps(secret)[1:-1], quote(secret, safe=""))):
                text = text.replace(form, "***")
    return _IN_ADDRESS.sub("***@", _NAMED.sub(r"\1\2***", text))


def scrub(text: str, secrets: Iterable[str] | None = None) -> str:
    """``text`` without secrets, as :func:`mask` does it, and without what may name a customer."""
    text = mask(text, secrets)
    saw, end = text.find("(saw: "), text.rfind(")")
    if 0 <= saw < end:
        text = f"{text[:saw]}(saw: ...){text[end + 1 :]}"
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def misplaced() -> list[str]:
    """Names of secrets that stand in ``.dlt/config.toml``, which others may read and copy."""
    paths = (path for path, _value in _secrets_in(_settings("config.toml")))
    return sorted(path for path in paths if is_secret(path.rpartition(".")[2]))


def _settings(name: str) -> dict[str, Any]:
    """What a settings file holds; a file that cannot be read gives its secrets to nobody."""
    try:
        return tomllib.loads((Path(".dlt") / name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _secrets_in(
    values: Mapping[str, Any], above: str = "", is_inside: bool = False
) -> Iterator[tuple[str, Any]]:
    """Path and value of each secret, and of all that stands below the name of one."""
    for name, value in values.items():
        here, inside = f"{above}.{name}".lstrip("."), is_inside or is_secret(name)
        if isinstance(value, Mapping):
            yield from _secrets_in(value, here, inside)
        elif inside and value:
            yield here, value


def _forms(value: str) -> Iterator[str]:
    """A secret as it is set and, if it is an address, the password in it."""
    value = value.strip()
    if len(value) >= _SHORTEST:
        yield value
    try:
        password = urlsplit(value).password or ""
    except ValueError:
        return
    if len(password) >= _SHORTEST:
        yield from (password, unquote(password))
