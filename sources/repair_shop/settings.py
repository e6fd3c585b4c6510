"""Settings: dlt's own places -> validated, frozen objects.

Read, strongest first: environment variables (``SOURCES__REPAIR_SHOP__API_KEY``), then
``.dlt/secrets.toml``, then ``.dlt/config.toml``, both in the current folder. Several shops stand
under ``[sources.repair_shop.shops.<shop>]`` and inherit what stands above them, except the key:
one key belongs to one shop (specification, "What the service does"), so with several shops each
must name its own, and the general key never serves a shop by accident.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
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
)
from pydantic_core import ErrorDetails

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


class SettingsError(Exception):
    """A setting is missing or wrong; the message names the place and the mend. Exit code 2."""

    exit_code = 2


def existing_zone(name: str) -> str:
    """The name of a time zone; ValueError for one that is not known."""
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as error:
        raise ValueError("is no IANA time zone (such as America/Guatemala)") from error
    return name


class ShopSettings(BaseModel):
    """What is needed to talk to one shop: one key, one budget, one time zone.

    The section may hold settings of the product around the source, which are not its business.
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

    @property
    def zone(self) -> ZoneInfo:
        """The shop's own time zone, in which its days begin and end."""
        return ZoneInfo(self.timezone)

    def seconds(self, of_a_real_minute: float) -> float:
        """Scale a waiting time given for a real minute (seconds) to this service's minute."""
        return of_a_real_minute * self.minute_seconds / 60.0


_Shop = TypeVar("_Shop", bound=ShopSettings)


def home_folder() -> Path:
    """``SHOPMIRROR_HOME``, by default ``data`` in the current folder."""
    return Path(os.environ.get("SHOPMIRROR_HOME") or "data")


def read_section(*path: str) -> dict[str, Any]:
    """All settings under a section, e.g. ``read_section("schedule")``; names in lower case.

    Values from the environment are text; validate them with a pydantic model.
    """
    merged: dict[str, Any] = {}
    for _place, values in settings_layers(*path):
        _merge(merged, values)
    return merged


def settings_layers(*path: str) -> list[tuple[str, dict[str, Any]]]:
    """A section as each place has it, the strongest last: the two files, then the environment."""
    layers: list[tuple[str, dict[str, Any]]] = []
    for name in ("config.toml", "secrets.toml"):
        place = Path(".dlt") / name
        layers.append((str(place), _section_of_file(place, path)))
    named: dict[str, Any] = {}
    prefix = "__".join(path).upper() + "__"
    for variable, value in sorted(os.environ.items()):
        if variable.upper().startswith(prefix):
            keys = [key.lower() for key in variable[len(prefix) :].split("__")]
            target = named
            for key in keys[:-1]:
                target = target.setdefault(key, {})
                if not isinstance(target, dict):
                    raise SettingsError(f"{variable} is a section and a value at once.")
            target[keys[-1]] = value
    return [*layers, ("the environment", named)]


def shops_of(
    section: Mapping[str, Any],
    kind: type[_Shop] = ShopSettings,  # type: ignore[assignment]
) -> tuple[_Shop, ...]:
    """The shops of ``[sources.repair_shop]``, validated as ``kind``.

    :class:`SettingsError` when one cannot be used. Nothing is sent anywhere.
    """
    section = dict(section)
    shops = section.pop("shops", {})
    if not isinstance(shops, dict) or any(not isinstance(v, dict) for v in shops.values()):
        raise SettingsError("[sources.repair_shop.shops] must hold one section for each shop.")
    if not shops:
        return (_shop("main", section, kind),)
    for name, own in shops.items():
        if len(shops) > 1 and "api_key" not in own:
            raise SettingsError(
                f"Shop '{name}' has no api_key of its own. One key belongs to one shop: "
                f"set {_variable('shops', name, 'api_key')} or put it in .dlt/secrets.toml."
            )
    built = tuple(_shop(name, {**section, **own}, kind) for name, own in sorted(shops.items()))
    seen: dict[tuple[str, str], str] = {}
    for shop in built:
        other = seen.setdefault((shop.base_url, shop.api_key.get_secret_value()), shop.name)
        if other != shop.name:
            raise SettingsError(f"Shops '{other}' and '{shop.name}' have the same api_key.")
    return built


def _shop(name: str, values: Mapping[str, Any], kind: type[_Shop]) -> _Shop:
    for needed in ("base_url", "api_key"):
        if not values.get(needed):
            raise SettingsError(
                f"{needed} is not set for shop '{name}'. Put it under [sources.repair_shop] in "
                f".dlt/{'secrets' if needed == 'api_key' else 'config'}.toml or set "
                f"{_variable(needed)}. 'shopmirror init' asks for all of it."
            )
    try:
        return kind(name=name, **{str(key): value for key, value in values.items()})
    except ValidationError as error:
        raise SettingsError(
            f"Settings of shop '{name}' under [sources.repair_shop] are wrong: "
            + faults(error, kind)
        ) from None


def faults(error: ValidationError, kind: type[BaseModel]) -> str:
    """What pydantic found wrong, in one line, without any value: one may be a secret."""
    return "; ".join(
        f"{'.'.join(map(str, fault['loc']))}: {_plain(fault, kind)}".removeprefix(": ")
        for fault in error.errors(include_input=False, include_url=False)
    )


def _plain(fault: ErrorDetails, kind: type[BaseModel]) -> str:
    if fault["type"] == "extra_forbidden":
        known = sorted(set(kind.model_fields) - {"name"})
        guess = closest(str(fault["loc"][-1]), known)
        return f"there is no such setting.{guess} There are {', '.join(known)}"
    return fault["msg"].removeprefix("Value error, ")


def closest(name: str, known: Sequence[str]) -> str:
    """A question that names what may have been meant; empty when nothing is near."""
    near = get_close_matches(name, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _variable(*keys: str) -> str:
    return "__".join((*SECTION, *keys)).upper()


def _section_of_file(path: Path, section: tuple[str, ...]) -> dict[str, Any]:
    try:
        data: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        # The parser's message may quote the line, and the line may hold a key.
        where = re.search(r"line \d+, column \d+", str(error))
        detail = where.group() if where else type(error).__name__
        raise SettingsError(f"{path} cannot be read ({detail}). Mend the file.") from None
    for key in section:
        data = {str(k).lower(): v for k, v in data.items()}.get(key, {})
        if not isinstance(data, dict):
            raise SettingsError(f"{path}: '{'.'.join(section)}' is not a section.")
    lowered: dict[str, Any] = _lower_keys(data)
    return lowered


def _lower_keys(data: Any) -> Any:
    if isinstance(data, dict):
        lowered = {str(key).lower(): _lower_keys(value) for key, value in data.items()}
        if len(lowered) < len(data):
            twice = sorted(str(key) for key in data if str(key).lower() != key)
            raise SettingsError(
                f"The settings name {', '.join(twice)} twice: capitals make no other name."
            )
        return lowered
    return data


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = value
