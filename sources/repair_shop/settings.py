"""Settings of one shop: what may stand under ``[sources.repair_shop]``, and its defaults.

They are read by :mod:`repair_shop.sections`.
"""

import re
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from .sections import no_such

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


def existing_zone(name: str) -> str:
    """The name of a time zone; ValueError for one that is not known."""
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise ValueError("is no IANA time zone (such as America/Guatemala)") from error
    return name


class ShopSettings(BaseModel):
    """What is needed to talk to one shop: one key, one budget, one time zone.

    The section may hold settings of a product around the source: they are passed over, but one
    whose name is nearly one of these is a fault.
    """

    # "inf" is a number to pydantic, and no length of anything.
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    name: str
    allow_http: bool = Field(
        False, description="base_url may be http:// elsewhere than on this machine"
    )
    base_url: str = Field(description="the service's address, ending in /v1")
    api_key: SecretStr = Field(description="the shop's key; one key belongs to one shop")
    timezone: Annotated[str, AfterValidator(existing_zone)] = Field(
        "UTC", description="the shop's own, as IANA name: its days begin and end there"
    )
    requests_per_minute: int = Field(30, ge=1, description="specification, Limits: 30")
    reserve: int = Field(0, ge=0, description="requests a minute left to others of the key")
    minute_seconds: float = Field(60.0, gt=0, description="the limit's minute; waits scale with it")
    timeout_seconds: float = Field(30.0, gt=0, description="longest wait for an answer")
    max_answer_mb: int = Field(16, ge=1, description="largest answer that is read, unpacked")
    audit_requests: int = Field(
        100, ge=0, description="requests a night spent re-reading old rows for edits; 0: none"
    )
    vanish_limit_percent: float = Field(
        20.0, ge=0, le=100, description="share of a slice that may vanish at once unconfirmed"
    )

    custom_field_categories: str = Field(
        "",
        description="categoryId of tickets' custom fields that no list names, with commas between; "
        "one with a tabId as 17:3",
    )

    @model_validator(mode="before")
    @classmethod
    def _no_name_is_mistyped(cls, values: dict[str, Any]) -> dict[str, Any]:
        """An empty value is none; a name that is nearly a setting's is told as pydantic does."""
        if cls.model_config.get("extra") == "ignore":
            known = [*cls.model_fields]
            for name in set(values) - set(known):
                if get_close_matches(name, known, 1, 0.8):
                    raise ValueError(f"{name}: {no_such(name, known)}")
        return {n: v for n, v in values.items() if v != "" or n not in ("base_url", "api_key")}

    @field_validator("name")
    @classmethod
    def _name_is_plain(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError("a shop's name is made of a-z, 0-9, '_' and '-'")
        return value

    @field_validator("base_url")
    @classmethod
    def _base_url_is_http(cls, value: str, info: ValidationInfo) -> str:
        if not re.match(r"https?://[^/\s?#]+", value):
            raise ValueError("must look like https://host/v1")
        if is_in_the_clear(value) and not info.data.get("allow_http"):
            raise ValueError(
                "http:// sends key and customers readable by everyone on the way; use https://, or "
                "set allow_http = true if that is meant"
            )
        return value.rstrip("/")

    @field_validator("api_key")
    @classmethod
    def _key_fits_a_header(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value().strip()
        if text == "<configure me>":
            raise ValueError("is what 'dlt init' wrote in its place; put the shop's key there")
        if not text or not text.isascii() or not text.isprintable():
            raise ValueError("is empty or holds characters that no key has")
        return SecretStr(text)

    @field_validator("minute_seconds")
    @classmethod
    def _is_a_sandboxs(cls, value: float, info: ValidationInfo) -> float:
        address = urlsplit(info.data.get("base_url", ""))
        if value < 60 and address.scheme == "https" and not is_loopback(address.hostname or ""):
            raise ValueError(
                "only a sandbox has a shorter minute than 60 seconds; the service would block the "
                "key for hours"
            )
        return value

    @field_validator("custom_field_categories", mode="before")
    @classmethod
    def _categories_are_numbers(cls, value: Any) -> str:
        parts = value if isinstance(value, list | tuple) else str(value).split(",")
        named = [text for part in parts if (text := str(part).replace(" ", ""))]
        if not all(re.fullmatch(r"[0-9]{1,18}(:[0-9]{1,18})?", part) for part in named):
            raise ValueError("must be numbers like 4, 17:3, with commas between")
        return ",".join(named)

    @property
    def categories_of_fields(self) -> dict[str, list[str]]:
        """The categories that ``custom_field_categories`` names, each with its tabs."""
        found: dict[str, list[str]] = {}
        for part in filter(None, self.custom_field_categories.split(",")):
            category, _, tab = part.partition(":")
            found.setdefault(str(int(category)), []).extend(
                [str(int(tab))] if tab and int(tab) else []
            )
        return found

    @property
    def zone(self) -> ZoneInfo:
        """The shop's own time zone, in which its days begin and end."""
        return ZoneInfo(self.timezone)

    def seconds(self, of_a_real_minute: float) -> float:
        """Scale a waiting time given for a real minute (seconds) to this service's minute."""
        return of_a_real_minute * self.minute_seconds / 60.0


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def is_in_the_clear(url: str) -> bool:
    """Whether an address sends everything readable over a network."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() == "http" and not is_loopback(parts.hostname or "")
    except ValueError:
        return True
