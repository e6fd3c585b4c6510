"""Who may see the page: ``[dashboard]`` settings, and the password that guards it.

::

    [dashboard]                       # .dlt/config.toml
    address = "0.0.0.0"               # by default 127.0.0.1: this machine only
    public_url = "https://desk.shop"  # of a proxy in front, which adds TLS
    [dashboard]                       # .dlt/secrets.toml, or DASHBOARD__PASSWORD
    password = "..."
"""

import hashlib
import hmac
import threading
import time

from pydantic import Field, SecretStr, field_validator

from pipelines.settings import Section, load_section

_SHORTEST = 8
_PAUSE_SECONDS = 1.0
"""What a wrong password costs. One is tried at a time, so nobody tries many at once."""
_one_at_a_time = threading.Lock()


class DashboardSettings(Section):
    """Where the page is served, and what it asks before it shows anything."""

    address: str = Field("127.0.0.1", description="another than loopback needs a password")
    port: int = Field(8501, ge=0, le=65535, description="of the page; 0 takes a free one")
    password: SecretStr = Field(SecretStr(""), description="asked before anything is shown")
    public_url: str = Field("", description="https://... under which a proxy serves the page")

    @field_validator("password")
    @classmethod
    def _is_no_short_word(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value.get_secret_value()) < _SHORTEST:
            raise ValueError(f"must have at least {_SHORTEST} letters")
        return value

    @field_validator("public_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("must look like https://desk.example")
        return value.rstrip("/")

    @property
    def token(self) -> str:
        """What a visitor's session holds once the password was given; empty: none is asked."""
        password = self.password.get_secret_value()
        return hashlib.sha256(password.encode()).hexdigest() if password else ""

    def opens(self, given: str) -> bool:
        """Whether a password is the right one; takes as long whatever it has in common with it.

        A wrong one takes a second, and one is tried at a time.
        """
        with _one_at_a_time:
            digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()
            if hmac.compare_digest(digest, self.token):
                return True
            time.sleep(_PAUSE_SECONDS)
            return False


def load_access() -> DashboardSettings:
    """``[dashboard]`` of dlt's places; ``SettingsError`` names what is wrong."""
    return load_section("dashboard", DashboardSettings)
