"""Sections of settings, read from dlt's own places: a value said twice counts from the last.

Read, weakest first: ``.dlt/config.toml``, ``.dlt/secrets.toml``, both in the current folder, then
environment variables (``SOURCES__REPAIR_SHOP__API_KEY``).

Several shops stand under ``[sources.repair_shop.shops.<shop>]`` and inherit what stands above them,
except the key: one key belongs to one shop (specification, "What the service does"). So with
several shops each must name its own, and the general key never serves a shop by accident.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

if TYPE_CHECKING:
    from .settings import ShopSettings

_Shop = TypeVar("_Shop", bound="ShopSettings")

SECTION = ("sources", "repair_shop")
ENVIRONMENT = "the environment"
"""What :func:`settings_layers` calls the variables."""


class SettingsError(Exception):
    """A setting is missing or wrong; the message names the place and the mend. Exit code 2."""

    exit_code = 2


def home_folder() -> Path:
    """``SHOPMIRROR_HOME``, by default ``data`` in the current folder."""
    return Path(os.environ.get("SHOPMIRROR_HOME") or "data")


def make_home(home: Path) -> None:
    """Make the folder, for its owner alone; customers' data in it stays out of version control,
    unless it is a repository itself. :class:`OSError` if it cannot."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignore = home / ".gitignore"
    if not ignore.exists() and not (home / ".git").exists():
        ignore.touch(mode=0o600)
        ignore.write_text("*\n", encoding="utf-8")


def read_section(*path: str) -> dict[str, Any]:
    """All settings under a section, e.g. ``read_section("schedule")``; names in lower case.

    Values from the environment are text; validate them with a pydantic model.
    """
    return merged(*(values for _place, values in settings_layers(*path)))


def settings_layers(*path: str) -> list[tuple[str, dict[str, Any]]]:
    """A section as each place has it, the strongest last: the two files, then the environment."""
    files = (Path(".dlt") / name for name in ("config.toml", "secrets.toml"))
    layers = [(str(file), _section_of_file(file, path)) for file in files]
    return [*layers, (ENVIRONMENT, _section_of_environment(path))]


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Sections within sections as one; of a value said twice the last counts."""
    found: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if isinstance(value, dict):
                known = found.get(key)
                value = merged(known if isinstance(known, dict) else {}, value)
            found[key] = value
    return found


def _section_of_environment(path: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    prefix = "__".join(path).upper() + "__"
    for variable, value in sorted(os.environ.items()):
        if variable.upper().startswith(prefix):
            *sections, key = variable[len(prefix) :].lower().split("__")
            target = found
            for name in sections:
                target = target.setdefault(name, {})
                if not isinstance(target, dict):
                    raise SettingsError(f"{variable} is a section and a value at once.")
            target[key] = value
    return found


def _section_of_file(path: Path, section: tuple[str, ...]) -> dict[str, Any]:
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        data: Any = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        # The parser's message may quote the line, and the line may hold a key.
        where = re.search(r"line \d+, column \d+|end of document", str(error))
        detail = where.group() if where else getattr(error, "strerror", "it is not UTF-8")
        if text.startswith("\ufeff"):
            detail = "it begins with a byte order mark: save it as UTF-8 without one"
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
        return ": " + no_such(str(fault["loc"][-1]), known)
    field = kind.model_fields.get(str(fault["loc"][0])) if fault["loc"] else None
    # Behind a secret's name and a colon the next word would be masked.
    mark = " " if field is not None and "Secret" in str(field.annotation) else ": "
    return mark + fault["msg"].removeprefix("Value error, ")


def no_such(name: str, known: Sequence[str]) -> str:
    """Words for a name that no setting has."""
    return f"there is no such setting.{closest(name, known)} There are {', '.join(known)}"


def closest(name: str, known: Sequence[str]) -> str:
    """A question that names what may have been meant; empty when nothing is near."""
    near = get_close_matches(name, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _variable(*keys: str) -> str:
    return "__".join((*SECTION, *keys)).upper()
