"""Writing ``.dlt/config.toml`` and ``.dlt/secrets.toml``: new values in, everything else as it was.

Comments, other sections and their order stay. Both files are worked out before either is written,
and each is replaced by a rename. The one with keys is readable by its owner only.
"""

from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pipelines.json_file import write_atomically
from pipelines.settings import SECTION
from shopmirror.consoles import CommandError

FOLDER = Path(".dlt")
CONFIG = FOLDER / "config.toml"
SECRETS = FOLDER / "secrets.toml"
SECRET_NAMES = frozenset({"api_key"})
UNNAMED = "main"
"""Name of a shop that stands in the section itself (interface page, Settings)."""


class SettingsFiles:
    """The two files of the current folder, read once, changed in memory, then written."""

    def __init__(self) -> None:
        self._config, self._secrets = _read(CONFIG), _read(SECRETS)

    def shops(self) -> list[str]:
        """Names of the shops in either file; the unnamed one as ``main``."""
        sections = (_section(d, (*SECTION, "shops")) for d in (self._config, self._secrets))
        names = {str(name).lower() for section in sections for name in section}
        return sorted(names) or ([UNNAMED] if self.value(None, "api_key") else [])

    def named(self) -> bool:
        """Whether shops stand under names of their own."""
        return any("shops" in _section(d, SECTION) for d in (self._config, self._secrets))

    def value(self, shop: str | None, name: str) -> str | None:
        """A value as it is in the files, of a named shop or of the section itself."""
        found = _section(self._file_of(name), _path(shop)).get(name)
        return None if found is None else str(found)

    def other_of(self, key: str, shop: str | None) -> str | None:
        """Another shop that has this key already; ``shop`` as for :meth:`value`."""
        for name in self.shops():
            its = self.value(name if self.named() else None, "api_key")
            if its == key and name != (shop or UNNAMED):
                return name
        return None

    def name_the_unnamed(self) -> bool:
        """Give a lone shop its own section, ``main``, before a second comes. True if it had none.

        Its key moves there, since a key above all shops would serve those that lack one.
        """
        if self.named() or self.value(None, "api_key") is None:
            return False
        self.set(UNNAMED, {"api_key": str(_section(self._secrets, SECTION).pop("api_key"))})
        known = {name: self.value(None, name) for name in ("base_url", "timezone")}
        self.set(UNNAMED, {name: value for name, value in known.items() if value is not None})
        return True

    def changes(self, shop: str | None, values: Mapping[str, str]) -> list[str]:
        """What is there already and would become another, in words; keys are masked."""
        found = {name: self.value(shop, name) for name in values}
        return [
            f"{name} in {SECRETS}: *** becomes ***"
            if name in SECRET_NAMES
            else f"{name} in {CONFIG}: {old} becomes {values[name]}"
            for name, old in found.items()
            if old is not None and old != values[name]
        ]

    def set(self, shop: str | None, values: Mapping[str, Any]) -> None:
        """Put values of a shop, secrets and others each into their file (in memory)."""
        for name, value in values.items():
            _section(self._file_of(name), _path(shop), make=True)[name] = value

    def drop(self, shop: str | None, names: Iterable[str]) -> None:
        """Take values of a shop out (in memory)."""
        for name in names:
            _section(self._file_of(name), _path(shop)).pop(name, None)

    def _file_of(self, name: str) -> tomlkit.TOMLDocument:
        return self._secrets if name in SECRET_NAMES else self._config

    def write(self) -> None:
        """Write both files; :class:`CommandError` when the disk or its rights forbid it."""
        try:
            FOLDER.mkdir(mode=0o700, exist_ok=True)
            ignore = FOLDER / ".gitignore"
            if not ignore.exists():
                # A settings folder in a repository must not take the key along.
                ignore.write_text("secrets.toml\n", encoding="utf-8")
            write_atomically(SECRETS, tomlkit.dumps(self._secrets), mode=0o600)
            write_atomically(CONFIG, tomlkit.dumps(self._config), mode=0o644)
        except OSError as error:
            raise CommandError(f"{FOLDER} cannot be written: {error.strerror or error}.") from error


def _path(shop: str | None) -> tuple[str, ...]:
    return SECTION if shop is None else (*SECTION, "shops", shop)


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        # Not the parser's own words: they may quote a line, and a line may hold a key.
        line = getattr(error, "line", None)
        where = f"line {line}" if line else type(error).__name__
        raise CommandError(
            f"{path} cannot be read ({where}). Mend the file; nothing was changed."
        ) from None


def _section(
    document: MutableMapping[str, Any], path: tuple[str, ...], *, make: bool = False
) -> MutableMapping[str, Any]:
    """A section; where it is not there an empty one, or one that is made now."""
    section = document
    for depth, name in enumerate(path):
        if make and name not in section:
            section[name] = tomlkit.table(is_super_table=depth < len(path) - 1)
        inner = section.get(name, {})
        if make and not isinstance(inner, MutableMapping):
            raise CommandError(f"'{'.'.join(path[: depth + 1])}' is a value, not a section.")
        section = inner if isinstance(inner, MutableMapping) else {}
    return section
