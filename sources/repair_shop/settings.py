"""Settings of the source: ``[sources.repair_shop]`` -> validated, frozen objects, one a shop.

Several shops stand under ``[sources.repair_shop.shops.<shop>]`` and inherit what stands above them,
except the key: one key belongs to one shop (specification, "What the service does"), so with
several shops each must name its own, and the general key never serves a shop by accident.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from .sections import SettingsError

SECTION = ("sources", "repair_shop")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


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
                    raise ValueError(f"{name}: {_no_such(name, known)}")
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


_Shop = TypeVar("_Shop", bound=ShopSettings)


def shops_of(section: Mapping[str, Any], kind: type[_Shop]) -> tuple[_Shop, ...]:
    """The shops of ``[sources.repair_shop]``, validated as ``kind``.

    :class:`SettingsError` when one cannot be used. Nothing is sent anywhere.
    """
    common = {name: value for name, value in section.items() if name != "shops"}
    shops = section.get("shops") or {"main": {}}
    if not isinstance(shops, dict) or any(not isinstance(v, dict) for v in shops.values()):
        raise SettingsError("[sources.repair_shop.shops] must hold one section for each shop.")
    for name, own in shops.items():
        if len(shops) > 1 and "api_key" not in own:
            raise SettingsError(
                f"Shop '{name}' has no api_key of its own. One key belongs to one shop: "
                f"set {_variable('shops', name, 'api_key')} or put it in .dlt/secrets.toml."
            )
    built = tuple(_shop(name, {**common, **own}, kind) for name, own in sorted(shops.items()))
    known: dict[str, str] = {}
    for shop in built:
        other = known.setdefault(shop.api_key.get_secret_value(), shop.name)
        if other != shop.name:
            raise SettingsError(
                f"Shops '{other}' and '{shop.name}' have the same api_key. One key belongs to one "
                "shop: both would hold the same rows."
            )
    return built


def _shop(name: str, values: Mapping[str, Any], kind: type[_Shop]) -> _Shop:
    try:
        return kind.model_validate({**values, "name": name})
    except ValidationError as error:
        raise SettingsError(
            f"Settings of shop '{name}' under [sources.repair_shop] are wrong: "
            f"{faults(error, kind)}. They stand in .dlt/config.toml, .dlt/secrets.toml (api_key) "
            f"or in variables such as {_variable('base_url')}."
        ) from None


def faults(error: ValidationError, kind: type[BaseModel]) -> str:
    """What pydantic found wrong, in one line, without any value: one may be a secret."""
    return "; ".join(
        f"{'.'.join(map(str, fault['loc']))}{_plain(fault, kind)}".removeprefix(": ")
        for fault in error.errors(include_input=False, include_url=False)
    )


def _plain(fault: ErrorDetails, kind: type[BaseModel]) -> str:
    if fault["type"] == "missing":
        return " is not set"
    if fault["type"] == "extra_forbidden":
        known = sorted(set(kind.model_fields) - {"name"})
        return ": " + _no_such(str(fault["loc"][-1]), known)
    return ": " + fault["msg"].removeprefix("Value error, ")


def _no_such(name: str, known: Sequence[str]) -> str:
    return f"there is no such setting.{closest(name, known)} There are {', '.join(known)}"


def closest(name: str, known: Sequence[str]) -> str:
    """A question that names what may have been meant; empty when nothing is near."""
    near = get_close_matches(name, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _variable(*keys: str) -> str:
    return "__".join((*SECTION, *keys)).upper()
