"""Who may see the page: ``[dashboard]`` settings, and the secret that each start asks for.

::

    [dashboard]                       # .dlt/config.toml
    address = "0.0.0.0"               # by default 127.0.0.1: this machine only
    public_url = "https://desk.shop"  # of a proxy in front, which adds TLS
    [dashboard]                       # .dlt/secrets.toml, or DASHBOARD__PASSWORD
    password = "..."
    staff_password = "..."            # shows the page without costs and margins

Without a password each start makes a random key, and the printed address bears it (as JupyterLab
does). What a start asks for, it asks for until it ends: a password that vanishes from the settings
closes the page.
"""

import hmac
import secrets
import time
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from itsdangerous import BadSignature, TimestampSigner
from pydantic import Field, SecretStr, field_validator

from pipelines.json_file import write_atomically
from pipelines.settings import Section, SettingsError, is_loopback
from sources.repair_shop.sections import make_home

Role = Literal["owner", "staff"]
ROLE_HEADER = "x-shopmirror-role"
"""The gate writes it on each request; what a visitor sends under this name is dropped."""
SIGNED_IN_SECONDS = 14 * 24 * 3600
_SHORTEST = 8
_KEPT_SECONDS = 1.0
"""How long settings that were read serve before they are read again."""


class DashboardSettings(Section):
    """Where the page is served, and what it asks before it shows anything."""

    section = "dashboard"
    address: str = Field("127.0.0.1", description="another than loopback needs a password")
    port: int = Field(8501, ge=0, le=65535, description="of the page; 0 takes a free one")
    password: SecretStr = Field(SecretStr(""), description="asked before anything is shown")
    staff_password: SecretStr = Field(
        SecretStr(""), description="shows the page without costs and margins"
    )
    public_url: str = Field("", description="https://... under which a proxy serves the page")

    @field_validator("password", "staff_password")
    @classmethod
    def _is_no_short_word(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < _SHORTEST:
            raise ValueError(f"must have at least {_SHORTEST} letters")
        return value

    @field_validator("public_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not (value.startswith(("https://", "http://")) and urlsplit(value).hostname):
            raise ValueError("must look like https://desk.example")
        return value.rstrip("/")

    @property
    def public_host(self) -> str:
        """The host of ``public_url``, in lower case; empty without one."""
        return (urlsplit(self.public_url).hostname or "") if self.public_url else ""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host under which the page may be asked for; ``*`` where it listens everywhere."""
        named = ("127.0.0.1", "localhost", "::1", self.address.lower(), self.public_host)
        everywhere = ("*",) if _is_everywhere(self.address) else ()
        return (*dict.fromkeys(name for name in named if name), *everywhere)

    def check(self) -> None:
        """:class:`SettingsError` when others could reach the page and no password is set."""
        if self.password.get_secret_value():
            return
        if self.public_url:
            reached = f"public_url ({self.public_url}) says that others reach the page"
        elif not is_loopback(self.address):
            reached = f"'{self.address}' can be reached from other machines"
        else:
            return
        raise SettingsError(
            f"{reached}, and it shows customers' names: set a password under [dashboard] in "
            ".dlt/secrets.toml (or DASHBOARD__PASSWORD). Without one the page is served on "
            "127.0.0.1 only, to who has the printed key; reach that through SSH (ssh -L)."
        )


class Keys:
    """The secrets that open the page now, and the cookies made from them.

    ``seal`` signs cookies together with the secret, so a changed password ends them.
    """

    def __init__(self, settings: DashboardSettings, seal: bytes) -> None:
        has_password = bool(settings.password.get_secret_value())
        self.key = "" if has_password else secrets.token_urlsafe(32)
        """The random key of this start; empty where a password is set."""
        self._seal, self._known, self._read_at = seal, _passwords(settings), time.monotonic()

    def role(self, given: str) -> Role | None:
        """Whom a password or key makes its owner; None: it opens nothing."""
        digest = _digest(given)
        found: Role | None = None
        for secret, role in self._secrets().items():
            if hmac.compare_digest(digest, _digest(secret)):
                found = found or role
        return found

    def cookie(self, given: str, role: Role) -> str:
        """What a browser keeps instead of the secret ``given``."""
        return self._signer(given).sign(role).decode()

    def role_of_cookie(self, cookie: str) -> Role | None:
        """Whose cookie it is; None when it is old, changed, or of another password."""
        for secret, role in self._secrets().items():
            try:
                said = self._signer(secret).unsign(cookie, max_age=SIGNED_IN_SECONDS)
            except BadSignature:
                continue
            return role if said == role.encode() else None
        return None

    def _signer(self, secret: str) -> TimestampSigner:
        return TimestampSigner(
            self._seal + _digest(secret), salt="page", key_derivation="hmac", digest_method=sha256
        )

    def _secrets(self) -> dict[str, Role]:
        if self.key:
            return {self.key: "owner"}
        now = time.monotonic()
        if now - self._read_at >= _KEPT_SECONDS:
            try:
                self._known = _passwords(DashboardSettings.load())
            except SettingsError:
                self._known = {}
            self._read_at = now
        return self._known


def load_seal(path: Path) -> bytes:
    """The random bytes in ``path`` that sign cookies, made at first; readable by the owner only."""
    try:
        known = path.read_bytes()
    except FileNotFoundError:
        known = b""
    if len(known) >= 32:
        return known
    make_home(path.parent)
    made = secrets.token_bytes(32)
    write_atomically(path, made)
    return made


def sees_margins(headers: Mapping[str, str]) -> bool:
    """Whether the visitor whose request has these headers may see costs and margins."""
    return headers.get(ROLE_HEADER, "owner") != "staff"


def _passwords(settings: DashboardSettings) -> dict[str, Role]:
    owner = settings.password.get_secret_value()
    staff = settings.staff_password.get_secret_value()
    if not owner:
        return {}
    opens: dict[str, Role] = {staff: "staff"} if staff else {}
    return opens | {owner: "owner"}


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _is_everywhere(address: str) -> bool:
    try:
        return ip_address(address).is_unspecified
    except ValueError:
        return False
