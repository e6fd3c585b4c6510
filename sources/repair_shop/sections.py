"""Sections of settings, read from dlt's own places: a value said twice counts from the last.

Read, weakest first: ``.dlt/config.toml``, ``.dlt/secrets.toml``, both in the current folder, then
environment variables (``SOURCES__REPAIR_SHOP__API_KEY``).
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
